// The playground: code on the left, what the machine does with it on the right.
import '../style.css';
import './serve.css';
import type {InstructionRow} from '../document';
import {h, uniqueId} from '../dom';
import {startTheme, toggleTheme} from '../theme';
import {answerOf, type Known, rowOf} from './answers';
import {ask, cancel, type HostFacts} from './api';
import {InstructionSearch} from './instruction_search';
import {replaceKept} from './kept_place';
import {download, savedPage} from './save_page';
import {firstVersion, fromFragment, isCodeLink, load, type State, store, toFragment} from './state';
import {hideTip} from './tip';
import {VersionPanel} from './version_panel';

/** From the last key to the question: short, but not within a word. */
const kWaitMs = 350;
const kSides = ['A', 'B'];

class Playground {
  // Two windows of one browser do not cancel each other's questions.
  private readonly tab = crypto.randomUUID();
  private readonly versions = h('div', {class: 'versions'});
  private readonly answers = h('div', {class: 'answers stack', id: 'answers'});
  private readonly status = h('output', {class: 'status', 'aria-live': 'polite'});
  private readonly cancelButton = h(
    'button',
    {type: 'button', class: 'quiet', hidden: true, click: () => this.cancelAll()},
    'Cancel',
  );
  private readonly addButton = h(
    'button',
    {type: 'button', class: 'quiet', click: () => this.addVersion()},
    'Compare with a second version',
  );
  private readonly search: InstructionSearch;
  private panels: VersionPanel[] = [];
  private known = new Map<string, Known>();
  /** Of single instructions, by their texts: they are the same in every loop. */
  private readonly rows = new Map<string, InstructionRow>();
  private whyNoPorts = '';
  private differences: string[] = [];
  private trouble = '';
  private waiting: number | undefined;
  private running: AbortController | undefined;

  constructor(private readonly host: HostFacts) {
    this.search = new InstructionSearch(this.tab, host);
  }

  start(app: HTMLElement, state: State): void {
    document.title = `${this.host.cpu} · cyclescope`;
    app.append(
      h('a', {class: 'skip', href: '#answers'}, 'Skip to the answers'),
      this.header(),
      h(
        'main',
        {class: 'playground'},
        h('h1', {class: 'visually-hidden'}, 'Playground'),
        this.versions,
        h('div', {class: 'right stack'}, this.statusBar(), this.answers, this.search.element),
      ),
    );
    this.show(state);
    this.panels[0]?.focus();
    this.search.follow(location.hash);
    window.addEventListener('hashchange', () => this.follow());
    document.addEventListener('keydown', (event) => this.onKey(event));
  }

  private header(): HTMLElement {
    const what = this.host.measures
      ? `measured on ${this.host.cpu}`
      : `predicted for ${this.host.cpu}; nothing is measured`;
    return h(
      'header',
      {class: 'page-header'},
      h('div', {class: 'brand'}, h('span', {class: 'mark', 'aria-hidden': 'true'}), 'cyclescope'),
      h('div', {class: 'subject'}, what),
      h(
        'div',
        {class: 'actions'},
        this.addButton,
        h('button', {type: 'button', class: 'quiet', click: () => this.share()}, 'Copy link'),
        h('button', {type: 'button', class: 'quiet', click: () => this.save()}, 'Save as HTML'),
      ),
      h(
        'button',
        {type: 'button', class: 'quiet theme', 'aria-label': 'Light or dark', click: toggleTheme},
        '◐',
      ),
    );
  }

  private statusBar(): HTMLElement {
    return h(
      'div',
      {class: 'status-bar'},
      this.status,
      this.cancelButton,
      h('span', {class: 'small soft keys'}, 'Ctrl+Enter asks now, Esc cancels, Ctrl+K searches'),
    );
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      hideTip();
      this.cancelAll();
    }
    const isPlain = !event.shiftKey && !event.altKey && !event.defaultPrevented;
    if (event.key === 'k' && (event.ctrlKey || event.metaKey) && isPlain) {
      event.preventDefault();
      this.search.focus();
    }
  }

  private state(): State {
    return {versions: this.panels.map((panel) => panel.state())};
  }

  private show({versions}: State): void {
    this.panels = versions.map(
      (version, i) =>
        new VersionPanel(
          kSides[i] ?? 'A',
          version,
          this.host,
          {
            onChange: () => this.askSoon(),
            askNow: () => this.askNow(),
            cancel: () => this.cancelAll(),
          },
          ...(i > 0 ? [this.removeButton()] : []),
        ),
    );
    this.versions.replaceChildren(...this.panels.map(({element}) => element));
    this.versions.classList.toggle('two', this.panels.length > 1);
    this.addButton.hidden = this.panels.length > 1;
    this.askNow();
  }

  private removeButton(): HTMLElement {
    return h(
      'button',
      {type: 'button', class: 'quiet', click: () => this.removeVersion()},
      'Remove',
    );
  }

  private addVersion(): void {
    const {versions} = this.state();
    const first = versions[0];
    if (!first) return;
    this.show({versions: [first, {...first}]});
    this.keep();
    this.panels[1]?.focus();
  }

  private removeVersion(): void {
    this.show({versions: this.state().versions.slice(0, 1)});
    this.keep();
    this.panels[0]?.focus();
  }

  /** What the user has made is kept for a reload; a link that it began with shows something else now. */
  private keep(): void {
    store(this.state());
    if (isCodeLink(location.hash))
      history.replaceState(null, '', `${location.pathname}${location.search}`);
  }

  private askSoon(): void {
    this.keep();
    this.forget();
    this.tell('waiting for the next key');
    this.waiting = window.setTimeout(() => this.askNow(), kWaitMs);
  }

  private tell(what: string): void {
    this.status.textContent = what;
    this.cancelButton.hidden = what === '' || what === 'cancelled';
  }

  private cancelAll(): void {
    if (!this.running && this.waiting === undefined) return;
    this.forget();
    cancel(this.tab);
    this.answers.style.minHeight = '';
    this.tell('cancelled');
  }

  /** What was asked, or was about to be, is not wanted any more. */
  private forget(): void {
    window.clearTimeout(this.waiting);
    this.waiting = undefined;
    this.running?.abort();
    this.running = undefined;
  }

  private async askNow(): Promise<void> {
    this.forget();
    const running = new AbortController();
    this.running = running;
    // What is below the answers stays where it is until they are there again.
    this.answers.style.minHeight = `${this.answers.offsetHeight}px`;
    this.tell('asking');
    this.trouble = '';
    const fresh = new Map<string, Known>();
    const known = (side: string) => {
      const found = fresh.get(side) ?? {};
      fresh.set(side, found);
      return found;
    };
    // What was known stays until there is something new: the page does not flicker while one types.
    const draw = () => {
      if (running.signal.aborted) return;
      this.known = fresh;
      this.draw();
    };
    await ask(
      '/api/code',
      {tab: this.tab, codes: this.panels.map((panel) => panel.code())},
      {
        assembly: (assembly) => {
          if (running.signal.aborted) return;
          this.panels.find(({side}) => side === assembly.side)?.showAssembly(assembly);
          if (assembly.trouble) {
            this.differences = [];
            draw();
          }
        },
        progress: ({part}) => {
          if (!running.signal.aborted) this.tell(part ? `measuring: ${part}` : 'measuring');
        },
        predicted: (document) => {
          for (const {side} of this.panels) known(side).predicted = rowOf(document, side);
          draw();
        },
        measured: (document) => {
          for (const {side} of this.panels) known(side).measured = rowOf(document, side);
          if (this.panels.length < 2) this.differences = [];
          draw();
        },
        difference: ({sentences}) => {
          this.differences = sentences;
          draw();
        },
        instructions: ({texts, document: {instructions}, why_no_ports}) => {
          this.whyNoPorts = why_no_ports;
          texts.forEach((text, i) => {
            const row = instructions?.[i];
            if (row) this.rows.set(text, row);
          });
          draw();
        },
        error: ({message}) => {
          if (running.signal.aborted) return;
          this.trouble = message;
          this.known = fresh;
          this.draw();
        },
      },
      running.signal,
    );
    if (running.signal.aborted) return;
    this.running = undefined;
    this.answers.style.minHeight = '';
    this.tell('');
  }

  private draw(): void {
    const parts: HTMLElement[] = [];
    if (this.trouble) parts.push(h('p', {class: 'callout note'}, this.trouble));
    if (this.panels.length > 1 && this.differences.length > 0) {
      parts.push(
        h(
          'section',
          {class: 'card difference', 'aria-label': 'The difference'},
          ...this.differences.map((text) => h('p', {class: 'big'}, text)),
        ),
      );
    }
    for (const panel of this.panels) {
      const known = this.known.get(panel.side);
      if (!known?.measured && !known?.predicted) continue;
      const id = uniqueId();
      const where = panel.loopName();
      const title = this.panels.length > 1 ? `${panel.side}: ` : '';
      parts.push(
        h(
          'section',
          {class: 'card answer', 'aria-labelledby': id, 'data-side': panel.side},
          h(
            'h2',
            {id},
            `${title}cycles per iteration`,
            where ? h('small', {}, ` of ${where}`) : null,
          ),
          ...(answerOf(
            {...known, instructions: this.rows, whyNoPorts: this.whyNoPorts},
            {
              side: panel.side,
              att: panel.isAtt(),
              rowsOf: this.rowsOf(),
              // Once below all answers.
              hasModel: this.host.has_model || panel !== this.panels.at(-1),
              statements: panel.statements(),
            },
          ).filter(Boolean) as HTMLElement[]),
        ),
      );
    }
    hideTip();
    replaceKept(this.answers, parts);
  }

  private rowsOf(): string {
    if (!this.host.has_model) return '';
    return this.host.measures
      ? 'As the model has them; each link measures one here.'
      : 'As the model has them.';
  }

  private async share(): Promise<void> {
    const fragment = await toFragment(this.state());
    history.replaceState(null, '', fragment);
    // Without the token: the link is for others, too, who put what is behind # behind their own
    // address.
    const link = `${location.origin}/${fragment}`;
    const copied = await navigator.clipboard?.writeText(link).then(
      () => true,
      () => false,
    );
    this.status.textContent = copied
      ? 'the link is copied: it holds code and flags, and no token'
      : 'the link is in the address of this page';
  }

  private save(): void {
    const html = savedPage(
      this.panels.map((panel) => ({
        code: panel.code(),
        compiler: panel.compilerName(),
        assembly: panel.assemblyText(),
      })),
      this.answers,
      this.host.cpu,
    );
    download('cyclescope.html', html);
  }

  /** A link that was put into the address of this page, or one of its own. */
  private async follow(): Promise<void> {
    if (this.search.follow(location.hash)) return;
    const state = await fromFragment(location.hash);
    if (state) this.show(state);
  }
}

async function main(): Promise<void> {
  startTheme();
  const app = document.getElementById('app') as HTMLElement;
  let host: HostFacts | undefined;
  let trouble = 'cyclescope does not answer';
  await ask(
    '/api/host',
    {tab: crypto.randomUUID()},
    {
      host: (facts) => {
        host = facts;
      },
      error: ({message}) => {
        trouble = message;
      },
    },
  );
  if (!host) {
    app.append(h('main', {}, h('h1', {}, 'cyclescope'), h('p', {class: 'callout note'}, trouble)));
    return;
  }
  const first = {versions: [firstVersion(host.architecture, host.compilers[0]?.id)]};
  const state = (await fromFragment(location.hash)) ?? load() ?? first;
  new Playground(host).start(app, state);
}

main();
