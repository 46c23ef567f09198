// The first page of a site over many results: machines as columns, forms as rows. A column is a script of
// its own, since pages opened from a file cannot fetch.
import '../style.css';
import './site.css';
import {unpacked} from '../data';
import {type Child, h, segmented, uniqueId} from '../dom';
import {count, cycles, isNumber, kNothing} from '../format';
import {hasWords, wordsOf} from '../search';
import {startTheme, toggleTheme} from '../theme';
import {coreCard} from './cores';
import {loopCard} from './loops';
import {type Column, type Details, type Forms, load, type Machine, type Site} from './site_data';
import {alsoKnownAs} from './words';

type Quantity = 'latency' | 'throughput';

const kFirstRows = 100;

class SitePage {
  private readonly columns: (Column | undefined)[];
  private readonly details: (Details | undefined)[];
  private readonly placesByForm = new Map<string, number>();
  private forms: string[] = [];
  /** What a search looks through: a form with its extension, and what people call it. */
  private searched: string[] = [];
  private hasDetails = false;
  private readonly body = h('tbody');
  private readonly shown = h('output', {class: 'soft', 'aria-live': 'polite'});
  private readonly more = h('button', {
    type: 'button',
    class: 'quiet',
    click: () => this.showMore(),
  });
  private readonly formBox = h('div', {class: 'form-box'});
  private search: string[] = [];
  private quantity: Quantity = 'latency';
  private found: number[] = [];
  private rows = kFirstRows;

  constructor(private readonly site: Site) {
    this.columns = site.machines.map(() => undefined);
    this.details = site.machines.map(() => undefined);
  }

  start(app: HTMLElement): void {
    const {machines, forms} = this.site;
    const title = titleOf(machines);
    document.title = `${title} · cyclescope`;
    app.append(
      h('a', {class: 'skip', href: '#content'}, 'Skip to the content'),
      h(
        'header',
        {class: 'page-header'},
        h('div', {class: 'brand'}, h('span', {class: 'mark', 'aria-hidden': 'true'}), 'cyclescope'),
        h(
          'button',
          {type: 'button', class: 'quiet theme', 'aria-label': 'Light or dark', click: toggleTheme},
          '◐',
        ),
      ),
      h(
        'main',
        {id: 'content', class: 'stack'},
        h(
          'div',
          {class: 'hero'},
          h('h1', {}, title),
          h('p', {}, `${count(forms, 'instruction form')}, measured and side by side.`),
        ),
        this.formBox,
        forms > 0 ? this.formCard() : null,
        this.machineCard(),
        coreCard(machines),
        this.site.loops > 0 ? loopCard(this.site) : null,
      ),
    );
    window.addEventListener('hashchange', () => this.follow());
    this.loadForms();
  }

  private loadForms(): void {
    window.cyclescopeForms = (_unused, packed) => {
      unpacked<Forms>(packed).then(({forms, isas, isa_of_form, also}) => {
        this.forms = forms;
        const names = new Map(also);
        this.searched = forms.map((form, i) => {
          this.placesByForm.set(form, i);
          const isa = isas[isa_of_form[i] ?? 0] ?? '';
          return searchedText(form, isa, names.get(i) ?? '');
        });
        this.find();
        this.follow();
        this.loadColumns();
      });
    };
    this.shown.textContent = '…';
    load(this.site.form_data);
  }

  private machineCard(): HTMLElement {
    const title = uniqueId();
    const name = hasOneOfEach(this.site.machines) ? 'Machine' : 'Result';
    const head = [name, 'CPU', 'GHz', 'Core to core (cas), ns', 'Forms', 'Measured'];
    return h(
      'section',
      {class: 'card', 'aria-labelledby': title},
      h('h2', {id: title}, `${name}s`),
      h(
        'div',
        {
          class: 'table-scroll site-machines',
          tabindex: 0,
          role: 'region',
          'aria-label': 'All machines',
        },
        h(
          'table',
          {},
          h('thead', {}, h('tr', {}, ...head.map((each) => h('th', {scope: 'col'}, each)))),
          h('tbody', {}, ...this.site.machines.map((machine) => machineRow(machine))),
        ),
      ),
    );
  }

  private formCard(): HTMLElement {
    const title = uniqueId();
    const search = h('input', {
      type: 'search',
      placeholder: 'add, fma, mul asimd…',
      input: () => {
        this.search = wordsOf(withoutUnderscores(search.value));
        this.find();
      },
    });
    const head = h(
      'tr',
      {},
      h('th', {scope: 'col'}, 'Instruction'),
      ...this.site.machines.map((machine) =>
        h(
          'th',
          {scope: 'col', class: 'numeric'},
          h('a', {href: machine.page}, machine.cpu),
          h('div', {class: 'soft small'}, machine.name),
        ),
      ),
    );
    return h(
      'section',
      {class: 'card', 'aria-labelledby': title},
      h('h2', {id: title}, 'Instructions'),
      h(
        'div',
        {class: 'controls'},
        h('label', {class: 'field grow'}, h('span', {}, 'Search'), search),
        segmented(
          'Show',
          [
            {value: 'latency', label: 'latency'},
            {value: 'throughput', label: 'throughput'},
          ],
          this.quantity,
          (value) => {
            this.quantity = value as Quantity;
            this.fill();
          },
        ),
        this.shown,
      ),
      h(
        'div',
        {
          class: 'table-scroll site-forms',
          tabindex: 0,
          role: 'region',
          'aria-label': 'Forms by machine',
        },
        h('table', {}, h('thead', {}, head), this.body),
      ),
      this.more,
      h(
        'p',
        {class: 'soft'},
        'In cycles; throughput in cycles per instruction. ≤: only an upper bound is known. ',
        'Dotted: another thread shared the core.',
      ),
    );
  }

  private find(): void {
    // Those that begin with it first: "cas" stands in "broadcast", too.
    const [first = ''] = this.search;
    const named: number[] = [];
    const others: number[] = [];
    this.searched.forEach((form, i) => {
      if (hasWords(form, this.search)) (form.startsWith(first) ? named : others).push(i);
    });
    this.found = [...named, ...others];
    this.rows = kFirstRows;
    this.fill();
  }

  private showMore(): void {
    this.rows += 5 * kFirstRows;
    this.fill();
  }

  private fill(): void {
    const {forms} = this;
    const shown = this.found.slice(0, this.rows);
    this.body.replaceChildren(
      ...shown.map((form) =>
        h(
          'tr',
          {},
          h(
            'th',
            {scope: 'row'},
            h('a', {class: 'mono', href: formLink(forms[form] ?? '')}, forms[form]),
          ),
          ...this.columns.map((column) =>
            h('td', {class: 'numeric'}, figure(column, form, this.quantity)),
          ),
        ),
      ),
    );
    this.shown.textContent =
      this.found.length === forms.length
        ? count(forms.length, 'form')
        : `${this.found.length.toLocaleString('en')} of ${count(forms.length, 'form')}`;
    const left = this.found.length - shown.length;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show more (${left.toLocaleString('en')} left)`;
  }

  /** `#form=TEXT`: one form on every machine. */
  private follow(): void {
    const asked = location.hash.startsWith('#form=') ? location.hash.slice('#form='.length) : '';
    let text = asked;
    try {
      text = decodeURIComponent(asked);
    } catch {
      // A link that was changed on its way finds nothing.
    }
    const form = this.placesByForm.get(text) ?? -1;
    this.formBox.replaceChildren(form < 0 ? '' : this.formPage(form));
    if (form < 0) return;
    this.formBox.scrollIntoView({block: 'nearest'});
    this.loadDetails();
  }

  /** Pairs, ports and LLVM's figures, when a form is first looked at. */
  private loadDetails(): void {
    if (this.hasDetails) return;
    this.hasDetails = true;
    window.cyclescopeDetails = (machine, packed) => {
      unpacked<Details>(packed).then((details) => {
        this.details[machine] = details;
        this.follow();
      });
    };
    for (const machine of this.site.machines) load(machine.details);
  }

  private formPage(form: number): HTMLElement {
    const text = this.forms[form] ?? '';
    const title = uniqueId();
    const sources = this.site.machines.filter(({vendor}) => vendor);
    const most = Math.max(...this.columns.map((column) => column?.latency[form] ?? 0), 1e-9);
    return h(
      'section',
      {class: 'card', 'aria-labelledby': title},
      h('h2', {id: title, class: 'mono'}, text),
      h(
        'div',
        {
          class: 'table-scroll',
          tabindex: 0,
          role: 'region',
          'aria-label': `${text} on every machine`,
        },
        h(
          'table',
          {},
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              ...[
                'Machine',
                'CPU',
                'Latency',
                '',
                'By operand',
                'Throughput',
                'Ports',
                'LLVM: latency, throughput',
                ...(sources.length > 0 ? ['Vendor: latency, throughput'] : []),
              ].map((each) =>
                h('th', {scope: 'col'}, each || h('span', {class: 'visually-hidden'}, 'Bar')),
              ),
            ),
          ),
          h(
            'tbody',
            {},
            ...this.site.machines.map((machine, i) => {
              const column = this.columns[i];
              const [pairs, ports, ...stated] = this.details[i]?.[form] ?? [];
              const bar = h('span', {class: 'bar-value'});
              bar.style.width = `${(100 * (column?.latency[form] ?? 0)) / most}%`;
              return h(
                'tr',
                {},
                h(
                  'th',
                  {scope: 'row'},
                  h('a', {href: `${machine.page}${formLink(text)}`}, machine.name),
                ),
                h('td', {}, machine.cpu),
                h('td', {class: 'numeric'}, figure(column, form, 'latency')),
                h('td', {class: 'site-bar'}, h('span', {class: 'bar', 'aria-hidden': 'true'}, bar)),
                h('td', {class: 'mono small'}, pairs ?? ''),
                h('td', {class: 'numeric'}, figure(column, form, 'throughput')),
                h('td', {class: 'mono small'}, ports ?? ''),
                h('td', {class: 'numeric'}, statedText(stated.slice(0, 2))),
                sources.length > 0
                  ? h('td', {class: 'numeric'}, statedText(stated.slice(2)))
                  : null,
              );
            }),
          ),
        ),
      ),
      ...sources.map(({cpu, vendor}) =>
        h('p', {class: 'soft'}, `The vendor’s figures of ${cpu} are from: ${vendor}.`),
      ),
      h('p', {}, h('a', {href: '#'}, 'Back to all forms')),
    );
  }

  /** One after the other, so that the first are there soon. */
  private loadColumns(): void {
    let waits = false;
    window.cyclescopeColumn = (machine, packed) => {
      unpacked<Column>(packed).then((column) => {
        this.columns[machine] = column;
        if (waits) return;
        // Several may come between two pictures.
        waits = true;
        requestAnimationFrame(() => {
          waits = false;
          this.fill();
          this.follow();
        });
      });
    };
    const next = (machine: number) => {
      const entry = this.site.machines[machine];
      if (!entry) return;
      const script = load(entry.data);
      script.addEventListener('load', () => next(machine + 1));
      script.addEventListener('error', () => next(machine + 1));
    };
    next(0);
  }
}

/** What a search looks through. */
function searchedText(form: string, isa: string, also: string): string {
  return withoutUnderscores(`${form} ${isa} ${also} ${alsoKnownAs(form)}`.toLowerCase());
}

/** "avx512_vbmi2" and "avx512vbmi" are written in both ways. */
function withoutUnderscores(text: string): string {
  return text.replaceAll('_', '');
}

/** What others say: latency and throughput; empty where they say neither. */
function statedText(stated: (number | null | undefined)[]): string {
  if (!stated.some(isNumber)) return '';
  const [latency, throughput] = stated;
  return [latency, throughput]
    .map((value) => (isNumber(value) ? cycles(value) : kNothing))
    .join(', ');
}

function hostsOf(results: Machine[]): Set<string> {
  return new Set(results.map(({host, cpu, name}) => (host ? `${host} ${cpu}` : name)));
}

function hasOneOfEach(results: Machine[]): boolean {
  return hostsOf(results).size === results.length;
}

/** "20 machines", "3 results of 2 machines" */
function titleOf(results: Machine[]): string {
  const machines = count(hostsOf(results).size, 'machine');
  return hasOneOfEach(results) ? machines : `${count(results.length, 'result')} of ${machines}`;
}

function formLink(text: string): string {
  return `#form=${encodeURIComponent(text)}`;
}

function machineRow(machine: Machine): HTMLElement {
  const {nearest_ns: near, farthest_ns: far, median_ns: median} = machine;
  const ends = [near, far].filter(isNumber).map((value) => value.toFixed(0));
  const range = new Set(ends).size > 1 ? ` (${ends.join(' to ')})` : '';
  const middle = isNumber(median) ? `${median.toFixed(0)}${range}` : kNothing;
  return h(
    'tr',
    {},
    h('th', {scope: 'row'}, h('a', {href: machine.page}, machine.name)),
    h('td', {}, machine.cpu, h('div', {class: 'soft small'}, machine.facts)),
    h('td', {}, isNumber(machine.ghz) ? machine.ghz.toFixed(2) : kNothing),
    h('td', {}, middle),
    h('td', {}, machine.forms.toLocaleString('en')),
    h('td', {}, machine.started.slice(0, 16).replace('T', ' ')),
  );
}

function figure(column: Column | undefined, form: number, quantity: Quantity): Child {
  const value = column?.[quantity][form];
  if (!column || !isNumber(value)) return column ? '' : '…';
  const marks = Number(column.marks[form] ?? 0);
  const bound = marks & (quantity === 'latency' ? 1 : 2) ? '≤ ' : '';
  const text = `${bound}${cycles(value)}`;
  return marks & 4 ? h('span', {class: 'contended'}, text) : text;
}

startTheme();
const app = document.getElementById('app');
unpacked<Site>(document.getElementById('data')?.textContent ?? '').then(
  (site) => {
    if (app) new SitePage(site).start(app);
  },
  (error) => {
    app?.append(
      h('p', {class: 'callout warn'}, `This browser could not unpack the site (${error}).`),
    );
  },
);
