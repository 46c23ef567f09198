// The first page of a site over many results: machines as columns, forms as rows. A column is a script of
// its own, since pages opened from a file cannot fetch.
import '../style.css';
import './site.css';
import {unpacked} from '../data';
import {type Child, h, segmented, uniqueId} from '../dom';
import {count, cycles, isNumber, kNothing} from '../format';
import {hasWords, wordsOf} from '../search';
import {startTheme, toggleTheme} from '../theme';

interface Machine {
  name: string;
  /** Results of one host are of one machine. */
  host: string;
  cpu: string;
  facts: string;
  ghz: number | null;
  forms: number;
  nearest_ns: number | null;
  farthest_ns: number | null;
  started: string;
  /** Its own report. */
  page: string;
  /** Its column. */
  data: string;
}

interface Site {
  machines: Machine[];
  forms: string[];
}

/** The figures of one machine, a place per form. */
interface Column {
  latency: (number | null)[];
  throughput: (number | null)[];
  /** A digit per form: 1 the latency is a bound, 2 the throughput is, 4 one of them is contended. */
  marks: string;
}

type Quantity = 'latency' | 'throughput';

const kFirstRows = 100;

declare global {
  interface Window {
    /** Called by the scripts in data/. */
    cyclescopeColumn?: (machine: number, packed: string) => void;
  }
}

class SitePage {
  private readonly columns: (Column | undefined)[];
  private readonly searched: string[];
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
    this.searched = site.forms.map((form) => form.toLowerCase());
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
          h('p', {}, `${count(forms.length, 'instruction form')}, measured and side by side.`),
        ),
        this.formBox,
        forms.length > 0 ? this.formCard() : null,
        this.machineCard(),
      ),
    );
    window.addEventListener('hashchange', () => this.follow());
    this.find();
    this.follow();
    this.loadColumns();
  }

  private machineCard(): HTMLElement {
    const title = uniqueId();
    const name = hasOneOfEach(this.site.machines) ? 'Machine' : 'Result';
    const head = [name, 'CPU', 'GHz', 'Core to core, ns', 'Forms', 'Measured'];
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
      placeholder: 'add, fma, div…',
      input: () => {
        this.search = wordsOf(search.value);
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
    this.found = [];
    this.searched.forEach((form, i) => {
      if (hasWords(form, this.search)) this.found.push(i);
    });
    this.rows = kFirstRows;
    this.fill();
  }

  private showMore(): void {
    this.rows += 5 * kFirstRows;
    this.fill();
  }

  private fill(): void {
    const {forms} = this.site;
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
    const form = text === '' ? -1 : this.site.forms.indexOf(text);
    this.formBox.replaceChildren(form < 0 ? '' : this.formPage(form));
    if (form >= 0) this.formBox.scrollIntoView({block: 'nearest'});
  }

  private formPage(form: number): HTMLElement {
    const text = this.site.forms[form] ?? '';
    const title = uniqueId();
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
              ...['Machine', 'CPU', 'Latency', '', 'Throughput'].map((each) =>
                h('th', {scope: 'col'}, each || h('span', {class: 'visually-hidden'}, 'Bar')),
              ),
            ),
          ),
          h(
            'tbody',
            {},
            ...this.site.machines.map((machine, i) => {
              const column = this.columns[i];
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
                h('td', {class: 'numeric'}, figure(column, form, 'throughput')),
              );
            }),
          ),
        ),
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
    const load = (machine: number) => {
      const entry = this.site.machines[machine];
      if (!entry) return;
      const script = h('script', {src: entry.data});
      script.addEventListener('load', () => load(machine + 1));
      script.addEventListener('error', () => load(machine + 1));
      document.head.append(script);
    };
    load(0);
  }
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
  const {nearest_ns: near, farthest_ns: far} = machine;
  const range =
    isNumber(near) && isNumber(far)
      ? [...new Set([near.toFixed(0), far.toFixed(0)])].join(' to ')
      : kNothing;
  return h(
    'tr',
    {},
    h('th', {scope: 'row'}, h('a', {href: machine.page}, machine.name)),
    h('td', {}, machine.cpu, h('div', {class: 'soft small'}, machine.facts)),
    h('td', {}, isNumber(machine.ghz) ? machine.ghz.toFixed(2) : kNothing),
    h('td', {}, range),
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
