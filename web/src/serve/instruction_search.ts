// Any instruction: a search box that knows every form, and what the machine says of the chosen one.
import {type Child, h} from '../dom';
import {formParts} from '../views/form_details';
import {ask, type HostFacts} from './api';

const kWaitMs = 200;

export class InstructionSearch {
  private readonly input = h('input', {
    type: 'search',
    id: 'instruction-search',
    placeholder: 'fma, vpaddd, div …',
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    input: () => this.searchSoon(),
    keydown: (event) => this.onKey(event as KeyboardEvent),
  });
  private readonly found = h('output', {class: 'small soft'});
  private readonly list = h('ul', {class: 'found-forms', 'aria-label': 'Instructions found'});
  private readonly answer = h('div', {class: 'stack', 'aria-live': 'polite'});
  private waiting: number | undefined;
  private running: AbortController | undefined;
  readonly element: HTMLElement;

  constructor(
    private readonly tab: string,
    private readonly host: HostFacts,
  ) {
    const words = host.measures ? 'Any instruction, measured' : 'Any instruction of the model';
    this.element = h(
      'section',
      {class: 'card', 'aria-labelledby': 'instruction-title'},
      h('h2', {id: 'instruction-title'}, words),
      h(
        'label',
        {class: 'field', for: 'instruction-search'},
        h('span', {}, 'Search or type'),
        this.input,
      ),
      this.found,
      this.list,
      this.answer,
    );
  }

  private searchSoon(): void {
    window.clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.search(), kWaitMs);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter' && this.input.value.trim()) this.open(this.input.value.trim());
  }

  private async search(): Promise<void> {
    const search = this.input.value.trim();
    if (search === '') {
      this.list.replaceChildren();
      this.found.textContent = '';
      return;
    }
    await ask(
      '/api/forms',
      {tab: `${this.tab}-forms`, search},
      {
        forms: ({search: searched, found, of, texts}) => {
          if (searched !== this.input.value.trim()) return;
          this.found.textContent = `${found.toLocaleString('en')} of ${of.toLocaleString('en')} forms`;
          this.list.replaceChildren(
            ...texts.map((text) =>
              h(
                'li',
                {},
                h(
                  'button',
                  {type: 'button', class: 'link mono', click: () => this.open(text)},
                  text,
                ),
              ),
            ),
          );
        },
        error: ({message}) => {
          this.found.textContent = message;
        },
      },
    );
  }

  /** Asks the machine for one. `att` is how the text is written. */
  async open(text: string, att = false): Promise<void> {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const show = (...children: Child[]) => {
      if (running.signal.aborted) return;
      this.answer.replaceChildren(
        h('h3', {class: 'mono'}, text),
        ...children.filter((child): child is Node | string => Boolean(child)),
      );
    };
    show(h('p', {class: 'soft'}, this.host.measures ? 'measuring …' : 'looking …'));
    await ask(
      '/api/instruction',
      {tab: `${this.tab}-instruction`, text, att},
      {
        instructions: ({document: measured}) => {
          const row = measured.instructions?.[0];
          if (row) show(...formParts(row));
          else show(h('p', {class: 'callout note'}, 'It was not measured.'));
        },
        error: ({message}) => show(h('p', {class: 'callout note'}, message)),
      },
      running.signal,
    );
  }

  focus(): void {
    this.input.focus();
  }
}
