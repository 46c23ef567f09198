// Every instruction form: a table that searches, filters and opens its rows, and how measurements
// stand to LLVM's model.
import {
  type ColumnDefinition,
  FilterModule,
  FormatModule,
  InteractionModule,
  ResizeColumnsModule,
  SortModule,
  Tabulator,
} from 'tabulator-tables';
import type {ModelAgreement} from '../data';
import type {ResultDocument} from '../document';
import {type Child, card, h, select, table} from '../dom';
import {count, cycles} from '../format';
import {disagrees, type FormSummary, isComparable, kAgreement, summaries} from '../forms';
import {onPrint} from '../redraw';
import {hasWords, wordsOf} from '../search';
import {blocksCard} from './blocks';
import {openForm} from './form_details';
import {measuredCell} from './measured_cell';
import {modelScatter} from './model_scatter';

Tabulator.registerModule([
  FilterModule,
  FormatModule,
  InteractionModule,
  ResizeColumnsModule,
  SortModule,
]);

const kMostPrintedRows = 500;
/** The number of rows that stand on the page as they are; more scroll in a window of their own. */
const kMostRowsAtOnce = 200;
/** Not what this machine lacks. */
const kSupported = 'supported';
const kPhone = 640;

interface Filters {
  /** Words that must all be there. */
  search: string[];
  isa: string;
  heading: string;
  mnemonic: string;
  status: string;
  disagreeing: boolean;
  /** From a point of the scatter. */
  picked?: Set<FormSummary>;
}

export function instructionsView(
  result: ResultDocument,
  model: ModelAgreement | null,
): HTMLElement {
  const forms = summaries(result.instructions ?? [], model);
  return h(
    'div',
    {class: 'stack'},
    h('div', {class: 'hero'}, h('h1', {}, 'Instructions'), h('p', {}, headline(forms))),
    forms.length > 0 ? formsPart(forms, model, result.host.architecture) : null,
    blocksCard(result),
  );
}

function headline(forms: FormSummary[]): string {
  const byStatus = new Map<string, number>();
  for (const form of forms) byStatus.set(form.status, (byStatus.get(form.status) ?? 0) + 1);
  const parts = [...byStatus]
    .sort((a, b) => b[1] - a[1])
    .map(([status, n]) => `${n.toLocaleString('en')} ${status}`);
  return forms.length === 0 ? '' : `${count(forms.length, 'form')}: ${parts.join(', ')}.`;
}

function cell(text: string, className = ''): HTMLElement {
  return h('span', {class: className}, text);
}

function columns(forms: FormSummary[]): ColumnDefinition[] {
  const narrow = window.innerWidth < kPhone;
  // A column in which nothing stands is not shown.
  const has = (field: keyof FormSummary) =>
    forms.some((each) => each[field] !== '' && each[field] !== null);
  const form = (component: {getRow: () => {getData: () => unknown}}) =>
    component.getRow().getData() as FormSummary;
  const numeric = (title: string, field: string, visible: boolean): ColumnDefinition => ({
    title,
    field,
    visible,
    hozAlign: 'right',
    headerHozAlign: 'right',
    sorter: 'number',
    sorterParams: {alignEmptyValues: 'bottom'} as never,
    widthGrow: 1,
    minWidth: narrow ? 76 : 92,
    formatter: (component) => cell(cycles(component.getValue() as number | null)),
  });
  const withinColumn = (title: string, text: (form: FormSummary) => string): ColumnDefinition => ({
    title,
    field: title,
    visible: false,
    headerSort: false,
    hozAlign: 'right',
    headerHozAlign: 'right',
    minWidth: 150,
    formatter: (component) => cell(text(form(component)), 'soft'),
  });
  return [
    {
      title: 'Instruction',
      field: 'text',
      widthGrow: 3,
      minWidth: narrow ? 110 : 230,
      formatter: (component) =>
        h(
          'button',
          {
            type: 'button',
            class: 'link mono',
            click: () => openForm(form(component).row),
          },
          form(component).text,
        ),
    },
    {
      title: 'Mnemonic',
      field: 'mnemonic',
      visible: false,
      formatter: (component) => cell(form(component).mnemonic),
    },
    {
      title: 'Heading',
      field: 'heading',
      visible: !narrow && has('heading'),
      minWidth: 120,
      formatter: (component) => cell(form(component).heading),
    },
    {
      title: 'ISA',
      field: 'isa',
      visible: !narrow && has('isa'),
      minWidth: 84,
      formatter: (component) => cell(form(component).isa),
    },
    {
      title: 'Status',
      field: 'status',
      // What was measured has no remark, so that there may be nothing to show.
      visible: !narrow && forms.some(({status}) => status !== 'measured'),
      minWidth: 130,
      formatter: (component) => {
        const {status} = form(component);
        return status === 'measured' ? cell('') : cell(status, 'badge note');
      },
    },
    {
      ...numeric(narrow ? 'Lat.' : 'Latency', 'latency', has('latency')),
      minWidth: narrow ? 96 : 120,
      formatter: (component) => {
        const {latencyText, shown, latencyContended, latencyDiffers, comparableModel} =
          form(component);
        const model = latencyDiffers ? comparableModel : null;
        return measuredCell(latencyText, shown, latencyContended, model);
      },
    },
    withinColumn('Latency interval', (each) => each.latencyInterval),
    {
      ...numeric(narrow ? 'Thr.' : 'Throughput', 'throughput', has('throughput')),
      minWidth: narrow ? 76 : 120,
      formatter: (component) => {
        const {throughputText, row, throughputContended, throughputDiffers, modelThroughput} =
          form(component);
        const model = throughputDiffers ? modelThroughput : null;
        return measuredCell(throughputText, row.throughput, throughputContended, model);
      },
    },
    withinColumn('Throughput interval', (each) => each.throughputInterval),
    numeric('Model lat.', 'modelLatency', !narrow && has('modelLatency')),
    numeric('Model thr.', 'modelThroughput', !narrow && has('modelThroughput')),
    numeric('Latency − model', 'latencyDifference', false),
    numeric('Throughput − model', 'throughputDifference', false),
    {
      title: 'Opcode',
      field: 'opcode',
      visible: false,
      minWidth: 120,
      formatter: (component) => cell(form(component).opcode, 'mono'),
    },
    {
      title: 'Reason or notes',
      field: 'remark',
      visible: has('remark') && window.innerWidth > (has('isa') && has('heading') ? 1450 : 1250),
      widthGrow: 2,
      minWidth: 120,
      formatter: (component) => {
        const {remark} = form(component);
        return h('span', {class: 'soft', title: remark}, remark);
      },
    },
  ];
}

function hasStatus(form: FormSummary, status: string): boolean {
  if (status === kSupported) return form.status !== 'unsupported';
  return status === '' || form.status === status;
}

function matches(form: FormSummary, filters: Filters): boolean {
  if (!hasWords(form.searched, filters.search)) return false;
  if (filters.isa !== '' && form.isa !== filters.isa) return false;
  if (filters.heading !== '' && form.heading !== filters.heading) return false;
  if (!hasStatus(form, filters.status)) return false;
  if (filters.mnemonic !== '' && !form.mnemonic.startsWith(filters.mnemonic)) return false;
  if (filters.disagreeing && !disagrees(form)) return false;
  return !filters.picked || filters.picked.has(form);
}

/** What this machine lacks is not shown until it is asked for. */
function statusChoice(forms: FormSummary[], choose: (value: string) => void): Child {
  const values = [...new Set(forms.map((form) => form.status))].sort();
  const options = values.map((value) => ({value, label: value}));
  const supported = {value: kSupported, label: 'all but unsupported'};
  return select('Status', [supported, {value: '', label: 'all'}, ...options], kSupported, choose);
}

/** A choice among the values that forms have; none where they have none. */
function choice(
  label: string,
  forms: FormSummary[],
  field: 'isa' | 'heading',
  choose: (value: string) => void,
): Child {
  const values = [...new Set(forms.map((form) => form[field]))].filter(Boolean).sort();
  if (values.length === 0) return null;
  const options = values.map((value) => ({value, label: value}));
  return select(label, [{value: '', label: 'all'}, ...options], '', choose);
}

function formsPart(
  forms: FormSummary[],
  model: ModelAgreement | null,
  architecture: string,
): HTMLElement {
  const filters: Filters = {
    search: [],
    isa: '',
    heading: '',
    mnemonic: '',
    status: kSupported,
    disagreeing: false,
  };
  const shownCount = h('output', {class: 'soft', 'aria-live': 'polite'});
  const tableBox = h('div', {class: 'instruction-table'});
  const printBox = h('div', {class: 'print-only'});
  const clearPicked = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      hidden: true,
      click: () => {
        filters.picked = undefined;
        refilter();
      },
    },
    'Show all again',
  );
  let tabulator: Tabulator | undefined;
  let built = false;
  const shownForms = () => forms.filter((form) => matches(form, filters));
  const refilter = () => {
    if (built) tabulator?.setFilter((form: FormSummary) => matches(form, filters));
    clearPicked.hidden = !filters.picked;
    const shown = shownForms().length;
    shownCount.textContent =
      shown === forms.length ? count(shown, 'form') : `${shown} of ${count(forms.length, 'form')}`;
  };
  refilter();

  // Tabulator measures its place, so that it is made only once it has one.
  new ResizeObserver((_, observer) => {
    if (tableBox.clientWidth === 0) return;
    observer.disconnect();
    tabulator = new Tabulator(tableBox, {
      data: forms,
      columns: columns(forms),
      layout: 'fitColumns',
      height: forms.length > kMostRowsAtOnce ? Math.max(340, window.innerHeight * 0.62) : false,
      placeholder: 'No form matches.',
      columnDefaults: {resizable: true, headerWordWrap: true},
    });
    tabulator.on('tableBuilt', () => {
      built = true;
      letRowsBeFocused(tableBox);
      refilter();
      columnChoice.replaceChildren(columnMenu(tabulator as Tabulator));
    });
  }).observe(tableBox);

  onPrint(printBox, () => printBox.replaceChildren(printed(shownForms())));

  const columnChoice = h('div', {});
  const search = h('input', {
    type: 'search',
    placeholder: architecture === 'aarch64' ? 'add, fmla, ldr…' : 'add, vfmadd, mov…',
    input: () => {
      filters.search = wordsOf(search.value);
      refilter();
    },
  });
  const mnemonic = h('input', {
    type: 'text',
    size: 10,
    placeholder: 'begins with',
    input: () => {
      filters.mnemonic = mnemonic.value.trim().toLowerCase();
      refilter();
    },
  });
  const disagreeing = h('input', {
    type: 'checkbox',
    change: () => {
      filters.disagreeing = disagreeing.checked;
      refilter();
    },
  });
  const hasModel = forms.some(isComparable);

  return h(
    'div',
    {class: 'stack'},
    card(
      'Forms',
      h(
        'div',
        {class: 'controls'},
        h('label', {class: 'field grow'}, h('span', {}, 'Search'), search),
        h('label', {class: 'field'}, h('span', {}, 'Mnemonic'), mnemonic),
        choice('Heading', forms, 'heading', (value) => {
          filters.heading = value;
          refilter();
        }),
        choice('ISA', forms, 'isa', (value) => {
          filters.isa = value;
          refilter();
        }),
        statusChoice(forms, (value) => {
          filters.status = value;
          refilter();
        }),
        hasModel
          ? h(
              'label',
              {class: 'check', title: kAgreement},
              disagreeing,
              h('span', {}, 'differs from the model'),
            )
          : null,
        columnChoice,
      ),
      h('div', {class: 'controls'}, shownCount, clearPicked),
      tableBox,
      printBox,
    ),
    hasModel && model
      ? modelScatter(forms, model, (picked) => {
          const [only] = picked;
          if (picked.length === 1 && only) {
            openForm(only.row);
            return;
          }
          filters.picked = new Set(picked);
          refilter();
          tableBox.scrollIntoView({block: 'center'});
        })
      : null,
  );
}

/** Within a grid only rows may take the focus: the buttons in them do. */
function letRowsBeFocused(tableBox: HTMLElement): void {
  tableBox.querySelector('.tabulator-tableholder')?.removeAttribute('tabindex');
}

function columnMenu(tabulator: Tabulator): HTMLElement {
  const menu = h('div', {class: 'menu'});
  for (const column of tabulator.getColumns()) {
    const {title} = column.getDefinition();
    if (title === 'Instruction') continue;
    const box = h('input', {
      type: 'checkbox',
      checked: column.isVisible(),
      change: () => {
        if (box.checked) column.show();
        else column.hide();
        tabulator.redraw();
      },
    });
    menu.append(h('label', {class: 'check'}, box, h('span', {}, title)));
  }
  return h('details', {class: 'dropdown'}, h('summary', {}, 'Columns'), menu);
}

function printed(forms: FormSummary[]): HTMLElement {
  const left = forms.length - kMostPrintedRows;
  return h(
    'div',
    {},
    table(
      'Instruction forms',
      [
        {title: 'Instruction'},
        {title: 'Status'},
        {title: 'Latency', numeric: true},
        {title: 'Throughput', numeric: true},
      ],
      forms
        .slice(0, kMostPrintedRows)
        .map((form) => [form.text, form.status, form.latencyText, form.throughputText]),
    ),
    left > 0 ? h('p', {}, `And ${count(left, 'form')} more.`) : null,
  );
}
