// Any instruction: a search box that knows every form, and what the machine says of the chosen one.
import type {InstructionRow, PortUse} from '../document';
import {type Child, h} from '../dom';
import {formParts} from '../views/form_details';
import {ask, type HostFacts} from './api';

const kWaitMs = 200;
const kLink = '#form=';
const kAttLink = '#att-form=';

/** The address of an instruction within this page. `att` is how the text is written. */
export function instructionLink(text: string, att: boolean): string {
  return `${att ? kAttLink : kLink}${encodeURIComponent(text)}`;
}

function fromLink(fragment: string): {text: string; att: boolean} | undefined {
  for (const start of [kLink, kAttLink]) {
    if (!fragment.startsWith(start)) continue;
    try {
      return {text: decodeURIComponent(fragment.slice(start.length)), att: start === kAttLink};
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** "1 × 0 or 1, 2 × 5" */
export function uopsText(uses: PortUse[]): string {
  return uses.map(({uops, ports}) => `${uops} × ${ports.join(' or ')}`).join(', ');
}

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
  private readonly list = h('ul', {
    class: 'found-forms',
    'aria-label': 'Instructions found',
    keydown: (event) => this.onListKey(event as KeyboardEvent),
  });
  private readonly title = h('h3', {class: 'mono', tabindex: -1});
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
    const text = this.input.value.trim();
    if (event.key === 'Enter' && text) this.goTo(instructionLink(text, false));
    if (event.key === 'ArrowDown') this.step(event, 1);
  }

  /** From the box through what was found, and back. */
  private step(event: KeyboardEvent, by: number): void {
    const places = [this.input, ...this.list.querySelectorAll('a')];
    const next = places[places.indexOf(document.activeElement as HTMLAnchorElement) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  private onListKey(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') this.step(event, 1);
    if (event.key === 'ArrowUp') this.step(event, -1);
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
          this.list.replaceChildren(...texts.map((text) => h('li', {}, this.link(text))));
        },
        error: ({message}) => {
          this.found.textContent = message;
        },
      },
    );
  }

  private link(text: string): HTMLElement {
    const href = instructionLink(text, false);
    // The address may be the one that is there already.
    const again = () => location.hash === href && this.follow(href);
    return h('a', {class: 'mono', href, click: () => void again()}, text);
  }

  private goTo(link: string): void {
    if (location.hash === link) this.follow(link);
    else location.hash = link;
  }

  /** Opens what an address means; false where it means no instruction. */
  follow(fragment: string): boolean {
    const linked = fromLink(fragment);
    if (linked) this.open(linked.text, linked.att);
    return linked !== undefined;
  }

  /** Asks the machine for one. `att` is how the text is written. */
  async open(text: string, att = false): Promise<void> {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    this.title.textContent = text;
    const show = (...children: Child[]) => {
      if (running.signal.aborted) return;
      this.answer.replaceChildren(
        this.title,
        ...children.filter((child): child is Node | string => Boolean(child)),
      );
    };
    show(h('p', {class: 'soft'}, this.host.measures ? 'measuring …' : 'looking …'));
    this.title.scrollIntoView({block: 'nearest'});
    this.title.focus();
    await this.askAbout('/api/instruction', {text, att}, show, running.signal);
  }

  private async askAbout(
    path: string,
    question: {text: string; att: boolean},
    show: (...children: Child[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let row: InstructionRow | undefined;
    await ask(
      path,
      {tab: `${this.tab}-instruction`, ...question},
      {
        instructions: ({document: measured}) => {
          row = measured.instructions?.[0];
          if (!row) show(h('p', {class: 'callout note'}, 'It was not measured.'));
        },
        error: ({message}) => show(h('p', {class: 'callout note'}, message)),
      },
      signal,
    );
    if (!row || signal.aborted) return;
    const neighbours = h('div', {class: 'neighbours'});
    const ports = h('div', {class: 'found-ports'});
    show(...formParts(row), ports, neighbours);
    if (this.host.measures && !row.port_finding) {
      const find = () => {
        ports.replaceChildren(h('p', {class: 'soft'}, 'finding the ports of the core …'));
        this.askAbout('/api/ports', question, show, signal);
      };
      ports.append(h('button', {type: 'button', class: 'quiet', click: find}, 'Find its ports'));
    }
    await this.showNeighbours(row, neighbours, signal);
  }

  /** Other forms with the same mnemonic. */
  private async showNeighbours(
    {mnemonic, text}: InstructionRow,
    place: HTMLElement,
    signal: AbortSignal,
  ): Promise<void> {
    if (!mnemonic) return;
    await ask(
      '/api/forms',
      {tab: `${this.tab}-neighbours`, search: '', mnemonic},
      {
        forms: ({found, texts}) => {
          const others = texts.filter((each) => each !== text);
          if (others.length === 0) return;
          const few = others.length + 1 < found ? ` (${others.length} of ${found - 1})` : '';
          place.replaceChildren(
            h('h3', {}, `Other forms of ${mnemonic}${few}`),
            h(
              'ul',
              {class: 'found-forms', 'aria-label': `Other forms of ${mnemonic}`},
              ...others.map((each) => h('li', {}, this.link(each))),
            ),
          );
        },
      },
      signal,
    );
  }

  focus(): void {
    this.input.focus();
  }
}
