// One version of the code: its editor, how it is compiled, and what the compiler made of it.
import {h, select} from '../dom';
import type {Assembly, Code, HostFacts, Language} from './api';
import {Editor} from './editor';
import {type Version, words} from './state';

/** How many colours link lines of source and assembly, in turn. */
const kColors = 8;

export interface PanelEvents {
  /** Something that changes the answer. */
  onChange: () => void;
  askNow: () => void;
  cancel: () => void;
}

export class VersionPanel {
  readonly element: HTMLElement;
  private readonly editor: Editor;
  private readonly lines = h('ol', {class: 'mono'});
  private readonly assembly = h(
    'div',
    {class: 'assembly', tabindex: 0, role: 'region', hidden: true},
    this.lines,
  );
  private readonly messages = h('ul', {class: 'messages', 'aria-live': 'polite'});
  private readonly loops = h('div', {class: 'loops'});
  private readonly source = h('div', {class: 'compiler-options'});
  private readonly syntax = h('div', {});
  private latest: Assembly | undefined;
  private chosenLoop: number | undefined;
  private isStale = false;

  /** Where the version names a compiler that is not here: what is said of it. */
  private otherCompiler = '';

  constructor(
    readonly side: string,
    private version: Version,
    private readonly host: HostFacts,
    private readonly events: PanelEvents,
    ...buttons: HTMLElement[]
  ) {
    this.useOwnCompiler();
    const place = h('div', {class: 'editor'});
    this.assembly.setAttribute('aria-label', `Assembly of version ${side}`);
    this.element = h(
      'section',
      {class: 'version card', 'aria-label': `Version ${side}`},
      h(
        'div',
        {class: 'version-bar'},
        h('h2', {}, side),
        this.languageChoice(),
        this.source,
        this.syntax,
        ...buttons,
      ),
      place,
      this.messages,
      this.loops,
      this.assembly,
    );
    this.editor = new Editor(
      place,
      `Code of version ${side}`,
      version.text,
      version.language,
      host.architecture,
      {
        onChange: () => this.changed({text: this.editor.text()}),
        onLine: () => this.moved(),
        onHover: (line) => this.highlight(line),
        askNow: events.askNow,
        cancel: events.cancel,
      },
    );
    this.showOptions();
  }

  /** A link may name a compiler of another machine. */
  private useOwnCompiler(): void {
    const {compiler} = this.version;
    const {compilers} = this.host;
    if (compilers.length === 0 || compilers.some(({id}) => id === compiler)) return;
    const family = compiler.replace(/-\d+$/, '');
    const own = compilers.find(({id}) => id.replace(/-\d+$/, '') === family) ?? compilers[0];
    if (!own) return;
    if (compiler !== '') this.otherCompiler = `${compiler} is not here: ${own.name} is used`;
    this.version = {...this.version, compiler: own.id};
  }

  private languageChoice(): HTMLElement {
    const choices = [
      {value: 'c', label: 'C'},
      {value: 'c++', label: 'C++'},
      {value: 'assembly', label: 'Assembly'},
    ];
    return select(`Language`, choices, this.version.language, (value) => {
      this.editor.setLanguage(value as Language);
      this.changed({language: value as Language});
      this.showOptions();
    });
  }

  private showOptions(): void {
    const {language, compiler, flags, att} = this.version;
    const isX86 = this.host.architecture === 'x86_64';
    this.syntax.replaceChildren(
      ...(isX86
        ? [
            select(
              'Syntax',
              [
                {value: 'intel', label: 'Intel'},
                {value: 'att', label: 'AT&T'},
              ],
              att ? 'att' : 'intel',
              (value) => this.changed({att: value === 'att'}),
            ),
          ]
        : []),
    );
    if (language === 'assembly') {
      this.source.replaceChildren();
      return;
    }
    if (this.host.compilers.length === 0) {
      const why = this.host.why_no_compiler ?? '';
      this.source.replaceChildren(
        h('p', {class: 'callout note'}, `C and C++ are not compiled here: ${why}`),
      );
      return;
    }
    const input = h('input', {
      type: 'text',
      value: flags,
      spellcheck: 'false',
      autocapitalize: 'off',
      'aria-label': `Flags of version ${this.side}`,
      input: () => this.changed({flags: input.value}),
    });
    this.source.replaceChildren(
      select(
        'Compiler',
        this.host.compilers.map(({id, name}) => ({value: id, label: shortName(id, name)})),
        compiler,
        (value) => {
          this.otherCompiler = '';
          this.changed({compiler: value});
        },
      ),
      h('label', {class: 'field'}, h('span', {}, 'Flags'), input),
    );
  }

  private changed(change: Partial<Version>): void {
    this.version = {...this.version, ...change};
    this.chosenLoop = undefined;
    this.isStale = true;
    this.events.onChange();
  }

  /** Another loop may be under the cursor now. */
  private moved(): void {
    const line = this.editor.cursorLine();
    this.highlight(line);
    this.reveal();
    if (this.isStale || !this.latest) return;
    const here = this.latest.loops.findIndex((loop) => loop.lines.includes(line));
    const shown = this.chosenLoop ?? this.latest.chosen;
    if (here < 0 || here === shown) return;
    this.chosenLoop = undefined;
    this.events.onChange();
  }

  state(): Version {
    return this.version;
  }

  code(): Code {
    const {language, att, text, compiler, flags} = this.version;
    return {
      side: this.side,
      language,
      att,
      text,
      compiler,
      flags: language === 'assembly' ? [] : words(flags),
      line: this.editor.cursorLine(),
      ...(this.chosenLoop === undefined ? {} : {loop: this.chosenLoop}),
    };
  }

  focus(): void {
    this.editor.view.focus();
  }

  /** Whether the assembly is in AT&T syntax: a compiler's file says so itself. */
  isAtt(): boolean {
    return this.latest?.att ?? this.version.att;
  }

  /** The instructions of the loop that is answered about. */
  statements(): string[] {
    const {loops = [], chosen} = this.latest ?? {};
    return (chosen === undefined ? undefined : loops[chosen]?.statements) ?? [];
  }

  compilerName(): string {
    const {compiler} = this.version;
    return this.host.compilers.find(({id}) => id === compiler)?.name ?? compiler;
  }

  /** What the compiler made of it; empty for assembly. */
  assemblyText(): string {
    return (this.latest?.shown ?? []).map(({text}) => indented(text)).join('\n');
  }

  /** What the loop is called that is answered about. */
  loopName(): string {
    const {loops = [], chosen} = this.latest ?? {};
    const loop = chosen === undefined ? undefined : loops[chosen];
    if (!loop) return '';
    const first = loop.lines[0];
    const where = first === undefined ? '' : `line ${first}`;
    const name = loop.function || (loops.length > 1 ? loop.name : '');
    return [name, where].filter(Boolean).join(', ');
  }

  showAssembly(assembly: Assembly): void {
    const isOther = assembly.shown.length !== this.latest?.shown.length;
    this.latest = assembly;
    this.isStale = false;
    this.editor.setMessages(assembly.messages);
    this.showMessages(assembly);
    this.showLoops(assembly);
    this.showLines(assembly);
    this.highlight(this.editor.cursorLine());
    if (isOther) this.reveal();
  }

  private showMessages({messages, trouble}: Assembly): void {
    this.messages.replaceChildren(
      ...(this.otherCompiler && this.version.language !== 'assembly'
        ? [h('li', {class: 'warning'}, this.otherCompiler)]
        : []),
      ...(trouble ? [h('li', {class: 'trouble'}, trouble)] : []),
      ...messages
        .filter(({severity}) => severity !== 'note')
        .slice(0, 8)
        .map(({line, severity, text}) =>
          h(
            'li',
            {class: severity},
            line > 0
              ? h(
                  'button',
                  {type: 'button', class: 'link', click: () => this.editor.goTo(line)},
                  `line ${line}`,
                )
              : null,
            ` ${severity}: ${text}`,
          ),
        ),
    );
  }

  private showLoops({loops, chosen}: Assembly): void {
    this.loops.replaceChildren();
    if (loops.length < 2) return;
    this.loops.append(
      select(
        'Loop',
        loops.map(({name}, i) => ({value: String(i), label: name.replace('<stdin>:', 'line ')})),
        String(chosen ?? 0),
        (value) => {
          this.chosenLoop = Number(value);
          this.events.onChange();
        },
      ),
    );
  }

  /** Assembly and source are linked by colour: a colour for each line of the source, in turn. */
  private showLines({shown, loops, chosen}: Assembly): void {
    const loop = chosen === undefined ? undefined : loops[chosen];
    const inLoop = new Set(loop?.assembly_lines ?? []);
    const sources = [...new Set(shown.map(({source}) => source).filter((line) => line > 0))];
    sources.sort((a, b) => a - b);
    const colorOf = new Map(sources.map((line, i) => [line, `linked linked-${i % kColors}`]));
    this.lines.replaceChildren(
      ...shown.map(({line, source, text}) =>
        h(
          'li',
          {
            class: `${colorOf.get(source) ?? ''} ${inLoop.has(line) ? 'in-loop' : ''}`.trim(),
            'data-source': source || undefined,
            click: () => source > 0 && this.editor.goTo(source),
            mouseenter: () => this.highlight(source),
          },
          indented(text),
        ),
      ),
    );
    this.assembly.hidden = shown.length === 0;
    const ofSource = shown.length > 0;
    const own = new Map((loop?.lines ?? []).map((line) => [line, 'in-loop']));
    this.editor.setLineClasses(ofSource ? colorOf : own);
  }

  /** Scrolls to what the cursor's line became, or else to the loop. */
  private reveal(): void {
    const item =
      this.lines.querySelector<HTMLElement>('.is-here') ??
      this.lines.querySelector<HTMLElement>('.in-loop');
    if (!item) return;
    const [box, shown] = [this.assembly.getBoundingClientRect(), item.getBoundingClientRect()];
    if (shown.top >= box.top && shown.bottom <= box.bottom) return;
    this.assembly.scrollTop += shown.top - box.top - box.height / 3;
  }

  /** What belongs to a line of the source stands out in the assembly. */
  private highlight(line: number | undefined): void {
    for (const item of this.lines.children) {
      const source = Number((item as HTMLElement).dataset.source);
      item.classList.toggle('is-here', line !== undefined && source === line);
    }
  }
}

/** An instruction, or a label at the begin of its line. */
function indented(text: string): string {
  return text.endsWith(':') ? text : `    ${text}`;
}

/** "gcc 12.2.0" of "gcc (Debian 12.2.0-14) 12.2.0". */
function shortName(id: string, name: string): string {
  const version = name.match(/(\d+\.\d+(\.\d+)?)/)?.[1];
  return version ? `${id.replace(/-\d+$/, '')} ${version}` : id;
}
