// How the cores of all machines are built: sizes in a table, and block diagrams beside each other.
import {allBlocks, coreBlocks} from '../core_blocks';
import {diagram, legendOf} from '../core_panel';
import {unpacked} from '../data';
import type {ResultDocument} from '../document';
import {h, uniqueId} from '../dom';
import {cycles, sentence} from '../format';
import {load, type Machine} from './site_data';

/** That are drawn before anyone chooses. */
const kFirstDrawn = 2;

/** Nothing where no result says how a core is built. */
export function coreCard(machines: Machine[]): HTMLElement | null {
  const known = machines.filter((machine) => machine.core.length > 0);
  const drawn = machines.filter((machine) => machine.core_data);
  if (known.length === 0 && drawn.length === 0) return null;
  const title = uniqueId();
  return h(
    'section',
    {class: 'card', 'aria-labelledby': title},
    h('h2', {id: title}, 'Cores'),
    ...(known.length > 0 ? sizeTable(known) : []),
    drawn.length > 0 ? new Diagrams(machines).element : null,
  );
}

function sizeTable(known: Machine[]): HTMLElement[] {
  const names = [...new Set(known.flatMap((machine) => machine.core.map((size) => size.name)))];
  const sizeOf = (machine: Machine, name: string) => {
    const size = machine.core.find((each) => each.name === name);
    if (!size) return '';
    const value = size.unit === 'per cycle' ? cycles(size.value) : size.value.toFixed(0);
    return `${size.at_least ? '≥ ' : ''}${value} ${size.unit}`;
  };
  const heads = known.map((machine) =>
    h(
      'th',
      {scope: 'col'},
      h('a', {href: machine.page}, machine.cpu),
      h('div', {class: 'soft small'}, machine.name),
    ),
  );
  const rows = names.map((name) =>
    h(
      'tr',
      {},
      h('th', {scope: 'row'}, name),
      ...known.map((machine) => h('td', {}, sizeOf(machine, name))),
    ),
  );
  return [
    h(
      'div',
      {class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Cores by machine'},
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Part of the core'), ...heads)),
        h('tbody', {}, ...rows),
      ),
    ),
    h('p', {class: 'soft'}, 'Of several fillers the largest size. ≥: something else ended first.'),
  ];
}

/** Diagrams of the machines that are chosen; each is loaded when it is first drawn. */
class Diagrams {
  readonly element: HTMLElement;
  private readonly documents = new Map<number, ResultDocument>();
  private readonly asked = new Set<number>();
  private readonly chosen = new Set<number>();
  private readonly places = h('div', {class: 'site-diagrams'});

  constructor(private readonly machines: Machine[]) {
    const choices = machines.flatMap((machine, i) => (machine.core_data ? [i] : []));
    for (const i of choices.slice(0, kFirstDrawn)) this.chosen.add(i);
    const boxes = choices.map((i) => {
      const box = h('input', {
        type: 'checkbox',
        checked: this.chosen.has(i),
        change: () => {
          if (box.checked) this.chosen.add(i);
          else this.chosen.delete(i);
          this.draw();
        },
      });
      return h('label', {class: 'site-choice'}, box, this.titleOf(i));
    });
    this.element = h(
      'div',
      {class: 'stack'},
      h('h3', {}, 'Block diagrams'),
      choices.length > 1
        ? h('fieldset', {class: 'controls'}, h('legend', {}, 'Beside each other'), ...boxes)
        : null,
      this.places,
    );
    window.cyclescopeCore = (machine, packed) => {
      unpacked<ResultDocument>(packed).then((document) => {
        this.documents.set(machine, document);
        this.draw();
      });
    };
    // Not before it is looked at: a first page is small.
    new IntersectionObserver((entries, observer) => {
      if (!entries.some(({isIntersecting}) => isIntersecting)) return;
      observer.disconnect();
      this.draw();
    }).observe(this.element);
  }

  private titleOf(machine: number): string {
    const {cpu, name} = this.machines[machine] ?? {cpu: '', name: ''};
    const isAlone = this.machines.filter((other) => other.cpu === cpu).length === 1;
    return isAlone ? cpu : `${cpu} (${name})`;
  }

  private draw(): void {
    const shown = [...this.chosen].sort((a, b) => a - b);
    this.places.replaceChildren(...shown.map((machine) => this.diagramOf(machine)));
  }

  private diagramOf(machine: number): HTMLElement {
    const {page, core_data} = this.machines[machine] ?? {page: '', core_data: ''};
    const title = uniqueId();
    const head = h('h4', {id: title}, h('a', {href: page}, this.titleOf(machine)));
    const measured = this.documents.get(machine);
    if (!measured) {
      if (!this.asked.has(machine)) load(core_data);
      this.asked.add(machine);
      return h('section', {'aria-labelledby': title}, head, h('p', {class: 'soft'}, '…'));
    }
    const blocks = coreBlocks(measured);
    const legend = legendOf(allBlocks(blocks));
    return h(
      'section',
      {'aria-labelledby': title},
      head,
      diagram(blocks),
      h('p', {class: 'soft small'}, `Found by time alone. ${sentence(legend)}${legend ? '.' : ''}`),
    );
  }
}
