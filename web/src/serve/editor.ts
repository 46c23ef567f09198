// An editor of CodeMirror, in the page's colours, with messages at their lines and lines that are
// linked to assembly by colour.
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {cpp} from '@codemirror/lang-cpp';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import {gas, gasArm} from '@codemirror/legacy-modes/mode/gas';
import {type Diagnostic, lintGutter, setDiagnostics} from '@codemirror/lint';
import {Compartment, EditorState, type Extension, StateEffect, StateField} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import {tags} from '@lezer/highlight';
import type {Language, Message} from './api';

const highlighting = HighlightStyle.define([
  {tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: 'var(--core-order)'},
  {tag: [tags.typeName, tags.className], color: 'var(--accent-strong)'},
  {tag: [tags.comment], color: 'var(--text-soft)', fontStyle: 'italic'},
  {tag: [tags.number, tags.bool], color: 'var(--warm)'},
  {tag: [tags.string, tags.character], color: 'var(--ok)'},
  {tag: [tags.processingInstruction, tags.meta], color: 'var(--note)'},
  {tag: [tags.function(tags.definition(tags.variableName)), tags.labelName], fontWeight: '600'},
]);

const theme = EditorView.theme({
  '&': {backgroundColor: 'var(--surface)', color: 'var(--text)', height: '100%'},
  '&.cm-focused': {outline: '2px solid var(--accent)', outlineOffset: '-2px'},
  '.cm-scroller': {fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace'},
  '.cm-gutters': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text-soft)',
    border: '0',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': {boxShadow: 'inset 3px 0 0 var(--accent)', backgroundColor: 'transparent'},
  '.cm-activeLineGutter': {backgroundColor: 'transparent'},
  '.cm-cursor': {borderLeftColor: 'var(--text)'},
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    {backgroundColor: 'var(--accent-faint)'},
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
  },
});

/** The class of each line, from 1: how source and assembly are linked. */
const setLineClasses = StateEffect.define<Map<number, string>>();

const lineClasses = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    let now = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLineClasses)) continue;
      const {doc} = transaction.state;
      const marks = [...effect.value]
        .filter(([line]) => line >= 1 && line <= doc.lines)
        .sort(([a], [b]) => a - b)
        .map(([line, name]) =>
          Decoration.line({attributes: {class: name, 'data-line': String(line)}}).range(
            doc.line(line).from,
          ),
        );
      now = Decoration.set(marks);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function languageOf(language: Language, architecture: string): Extension {
  if (language !== 'assembly') return cpp();
  if (architecture !== 'aarch64') return StreamLanguage.define(gas);
  // Its comments are those of 32 bits: @.
  return StreamLanguage.define({...gasArm, languageData: {commentTokens: {line: '//'}}});
}

export interface EditorEvents {
  onChange: () => void;
  /** The cursor is on another line. */
  onLine: (line: number) => void;
  onHover: (line: number | undefined) => void;
  askNow: () => void;
  cancel: () => void;
}

/** A key that is taken, and does no more. */
function after(act: () => void): () => boolean {
  return () => {
    act();
    return true;
  };
}

export class Editor {
  private readonly language = new Compartment();
  private line = 1;
  readonly view: EditorView;

  constructor(
    parent: HTMLElement,
    label: string,
    text: string,
    language: Language,
    private readonly architecture: string,
    events: EditorEvents,
  ) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          lintGutter(),
          lineClasses,
          syntaxHighlighting(highlighting),
          theme,
          EditorView.contentAttributes.of({'aria-label': label}),
          keymap.of([
            {key: 'Mod-Enter', run: after(events.askNow)},
            {key: 'Escape', run: after(events.cancel)},
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          this.language.of(languageOf(language, architecture)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) events.onChange();
            const line = this.cursorLine();
            if (line !== this.line) {
              this.line = line;
              events.onLine(line);
            }
          }),
        ],
      }),
    });
    this.view.dom.addEventListener('mouseover', (event) => {
      const line = (event.target as Element).closest<HTMLElement>('[data-line]');
      events.onHover(line ? Number(line.dataset.line) : undefined);
    });
    this.view.dom.addEventListener('mouseleave', () => events.onHover(undefined));
  }

  text(): string {
    return this.view.state.doc.toString();
  }

  cursorLine(): number {
    const {state} = this.view;
    return state.doc.lineAt(state.selection.main.head).number;
  }

  setLanguage(language: Language): void {
    this.view.dispatch({
      effects: this.language.reconfigure(languageOf(language, this.architecture)),
    });
  }

  goTo(line: number): void {
    const {doc} = this.view.state;
    if (line < 1 || line > doc.lines) return;
    this.view.dispatch({selection: {anchor: doc.line(line).from}, scrollIntoView: true});
    this.view.focus();
  }

  setMessages(messages: Message[]): void {
    const {doc} = this.view.state;
    const diagnostics: Diagnostic[] = messages
      .filter(({line}) => line >= 1 && line <= doc.lines)
      .map(({line, column, severity, text}) => {
        const {from, to} = doc.line(line);
        const begin = Math.min(from + Math.max(0, column - 1), to);
        return {
          from: begin,
          to: Math.max(begin, to),
          severity: severity === 'note' ? 'info' : severity,
          message: text,
        };
      });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  setLineClasses(classes: Map<number, string>): void {
    this.view.dispatch({effects: setLineClasses.of(classes)});
  }
}
