// The report: a header, a tab per view, and the views, each made when it is first looked at.
import './style.css';
import {type PageData, type Result, readPageData} from './data';
import {h, select} from './dom';
import {distinctName, machineName} from './names';
import {preparePrint} from './redraw';
import {leavePaperTheme, startTheme, toggleTheme, usePaperTheme} from './theme';
import {compareView} from './views/compare';
import {coreView} from './views/core';
import {coresView} from './views/cores';
import {fleetView} from './views/fleet';
import {openForm} from './views/form_details';
import {gpuView} from './views/gpu';
import {hostsView} from './views/hosts';
import {instructionsView} from './views/instructions';
import {machineView} from './views/machine';
import {memoryView} from './views/memory';
import {portsView} from './views/ports';

interface View {
  id: string;
  title: string;
  make: () => HTMLElement;
}

/** The views that have something to show. */
function viewsOf(data: PageData, result: Result): View[] {
  const {document: measured} = result;
  const {fleet, hosts} = measured;
  const views: View[] = [];
  if (fleet) views.push({id: 'fleet', title: 'Fleet', make: () => fleetView(fleet)});
  if (hosts) views.push({id: 'hosts', title: 'Hosts', make: () => hostsView(hosts)});
  // What is about many machines is not about the one that brought it together.
  if (!['fleet', 'hosts'].includes(measured.config.command)) {
    views.unshift({
      id: 'machine',
      title: 'Machine',
      make: () => machineView(result, otherThan(data, result)),
    });
  }
  if (measured.anatomy) {
    const core = {id: 'core', title: 'Core', make: () => coreView(result)};
    if (measured.config.command === 'anatomy') views.unshift(core);
    else views.push(core);
  }
  if (measured.cores?.length) {
    views.push({id: 'cores', title: 'Cores', make: () => coresView(measured)});
  }
  if (measured.memory?.length) {
    views.push({id: 'memory', title: 'Memory', make: () => memoryView(result, data.results)});
  }
  if (measured.instructions?.length || measured.blocks?.length) {
    views.push({
      id: 'instructions',
      title: 'Instructions',
      make: () => instructionsView(measured, result.model),
    });
  }
  if (measured.port_map) {
    views.push({id: 'ports', title: 'Ports', make: () => portsView(measured)});
  }
  if (measured.gpu?.length) {
    views.push({id: 'gpu', title: 'GPU', make: () => gpuView(measured)});
  }
  const {comparison} = data;
  if (comparison) {
    views.push({
      id: 'compare',
      title: 'Compare',
      make: () => compareView(comparison, data.results),
    });
  }
  return views;
}

/** What a command is about, and its result opens on; a survey is about the machine. */
const kViewOfCommand: Record<string, string> = {
  instruction: 'instructions',
  block: 'instructions',
  sweep: 'instructions',
  ports: 'ports',
  anatomy: 'core',
  cores: 'cores',
  memory: 'memory',
  gpu: 'gpu',
};

function firstView(data: PageData, first: Result): string {
  if (data.comparison) return 'compare';
  return kViewOfCommand[first.document.config.command] ?? 'machine';
}

/** What a result is compared with at a glance: the first, and the first with the second. */
function otherThan(data: PageData, result: Result): Result | undefined {
  return data.results.find((each) => each !== result);
}

/** A link may have been shortened or changed on its way. */
function formOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

class Page {
  constructor(private readonly data: PageData) {}

  private readonly tabs = h('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Views'});
  private readonly panels = h('main', {id: 'content'});
  private views: View[] = [];
  private shown = '';
  private result = 0;

  start(app: HTMLElement): void {
    const first = this.data.results[0];
    if (!first) return;
    document.title = `${this.data.results.map((each) => distinctName(each, this.data.results)).join(' | ')} · cyclescope`;
    app.append(
      h('a', {class: 'skip', href: '#content'}, 'Skip to the content'),
      h(
        'header',
        {class: 'page-header'},
        h('div', {class: 'brand'}, h('span', {class: 'mark', 'aria-hidden': 'true'}), 'cyclescope'),
        this.resultChoice(),
        this.tabs,
        h(
          'button',
          {type: 'button', class: 'quiet theme', 'aria-label': 'Light or dark', click: toggleTheme},
          '◐',
        ),
      ),
      this.panels,
      h(
        'footer',
        {},
        `Measured by cyclescope ${first.document.tool.version || '(version unknown)'}. `,
        'This page holds its data and needs no network.',
      ),
    );
    this.showResult(0, firstView(this.data, first));
    window.addEventListener('hashchange', () => this.follow());
    window.addEventListener('beforeprint', () => this.printAll());
    window.addEventListener('afterprint', () => {
      leavePaperTheme();
      this.show(this.shown);
    });
    this.tabs.addEventListener('keydown', (event) => this.onTabKey(event));
  }

  private resultChoice(): HTMLElement {
    if (this.data.results.length < 2) {
      return h('div', {class: 'subject'}, machineName(this.data.results[0] as Result));
    }
    const choices = this.data.results.map((result, i) => ({
      value: String(i),
      label: `${result.label}  ${result.source || machineName(result)}`,
    }));
    return h(
      'div',
      {class: 'subject'},
      select('Result', choices, '0', (value) => this.showResult(Number(value), this.shown)),
    );
  }

  private showResult(index: number, view: string): void {
    const result = this.data.results[index];
    if (!result) return;
    this.result = index;
    this.views = viewsOf(this.data, result);
    this.tabs.replaceChildren();
    this.panels.replaceChildren();
    for (const {id, title} of this.views) {
      this.tabs.append(
        h(
          'button',
          {
            type: 'button',
            role: 'tab',
            id: `tab-${id}`,
            'aria-controls': `view-${id}`,
            click: () => {
              location.hash = id;
              this.show(id);
            },
          },
          title,
        ),
      );
      this.panels.append(
        h('div', {
          class: 'view',
          role: 'tabpanel',
          id: `view-${id}`,
          'aria-labelledby': `tab-${id}`,
          hidden: true,
        }),
      );
    }
    const known = (id: string) => this.views.some((candidate) => candidate.id === id);
    this.show(known(view) ? view : (this.views[0]?.id ?? ''));
    this.follow();
  }

  /** What the address asks for: a view, or a form (`#form=TEXT`). */
  private follow(): void {
    const asked = location.hash.slice(1);
    if (!asked.startsWith('form=')) {
      this.show(asked);
      return;
    }
    const text = formOf(asked.slice('form='.length));
    const row = this.data.results[this.result]?.document.instructions?.find(
      (each) => each.text === text,
    );
    if (!row) {
      this.tellMissing(text);
      return;
    }
    this.show('instructions');
    openForm(row);
  }

  /** An address may come from another result. */
  private tellMissing(form: string): void {
    const remark = h('p', {class: 'callout warn', role: 'status'}, `This result has no “${form}”.`);
    this.panels.prepend(remark);
    window.addEventListener('hashchange', () => remark.remove(), {once: true});
  }

  private panel(id: string): HTMLElement | null {
    return document.getElementById(`view-${id}`);
  }

  private fill(view: View): void {
    const panel = this.panel(view.id);
    if (panel && panel.childElementCount === 0) panel.append(view.make());
  }

  private show(id: string): void {
    const view = this.views.find((candidate) => candidate.id === id);
    if (!view) return;
    this.shown = id;
    this.fill(view);
    for (const other of this.views) {
      const isShown = other === view;
      const panel = this.panel(other.id);
      if (panel) panel.hidden = !isShown;
      const tab = document.getElementById(`tab-${other.id}`);
      tab?.setAttribute('aria-selected', String(isShown));
      tab?.setAttribute('tabindex', isShown ? '0' : '-1');
    }
  }

  /** On paper there are no tabs: every view, one after the other. */
  private printAll(): void {
    usePaperTheme();
    for (const view of this.views) {
      this.fill(view);
      const panel = this.panel(view.id);
      if (panel) panel.hidden = false;
    }
    preparePrint();
  }

  private onTabKey(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const index = this.views.findIndex((view) => view.id === this.shown);
    const next = this.views[(index + step + this.views.length) % this.views.length];
    if (!next) return;
    event.preventDefault();
    this.show(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  }
}

startTheme();
const app = document.getElementById('app');
readPageData().then(
  (data) => {
    if (app) new Page(data).start(app);
  },
  (error) => {
    app?.append(
      h(
        'p',
        {class: 'callout warn'},
        `This browser could not unpack the report (${error}). `,
        h('code', {}, 'cyclescope report RESULT'),
        ' shows the same as text.',
      ),
    );
  },
);
