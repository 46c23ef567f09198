// Every value of several results, side by side.
import {
  type ColumnDefinition,
  FilterModule,
  FormatModule,
  InteractionModule,
  SortModule,
  Tabulator,
} from 'tabulator-tables';
import type {ComparedKind, ComparedValue, Comparison} from '../data';
import {type Child, card, h, select, table} from '../dom';
import {count, fixed, isNumber, kNothing, percent} from '../format';
import {onPrint} from '../redraw';
import {hasWords, wordsOf} from '../search';

Tabulator.registerModule([FilterModule, FormatModule, InteractionModule, SortModule]);

const kMostPrintedRows = 500;
/** Below this width in pixels there is no room for a column of each result. */
const kNarrowPx = 560;

/** Behind the point: what the instrument can resolve. */
const kDigits = new Map([
  ['ns', 1],
  ['KB', 0],
]);

interface ValueRow {
  kind: string;
  unit: string;
  name: string;
  value: ComparedValue;
  verdict: string;
  size: number;
}

function estimateText(row: ValueRow, index: number): string {
  const estimate = row.value.estimates[index];
  if (!estimate) return kNothing;
  const digits = kDigits.get(row.unit) ?? 3;
  if (estimate.bound && isNumber(estimate.high)) return `≤ ${fixed(estimate.high, digits)}`;
  if (estimate.at_least && isNumber(estimate.low)) return `≥ ${fixed(estimate.low, digits)}`;
  if (!isNumber(estimate.low) || !isNumber(estimate.high)) return fixed(estimate.value, digits);
  const halfWidth = (estimate.high - estimate.low) / 2;
  return `${fixed(estimate.value, digits)} ±${fixed(halfWidth, digits)}`;
}

function verdictText(
  change: ComparedValue['changes'][number] | undefined,
  labels: string[],
): string {
  if (!change) return '';
  switch (change.verdict) {
    case 'changed':
      return change.worse ? 'worse' : 'better';
    case 'only in first':
      return `only in ${labels[0]}`;
    case 'only in other':
      return `only in ${change.document}`;
    case 'in neither':
      return '';
    default:
      return change.verdict;
  }
}

function rowsOf(kinds: ComparedKind[]): ValueRow[] {
  return kinds.flatMap((kind) =>
    kind.values.map((value) => ({
      kind: kind.kind,
      unit: kind.unit,
      name: value.name,
      value,
      verdict: value.changes.some((change) => change.verdict === 'changed')
        ? 'changed'
        : (value.changes.find((change) => change.verdict !== 'in neither')?.verdict ?? ''),
      size: Math.max(0, ...value.changes.map((change) => Math.abs(change.relative ?? 0))),
    })),
  );
}

export function valuesCard(comparison: Comparison): HTMLElement {
  // Pairs between cores may be many, and would bury the rest.
  const last = (kind: ComparedKind) => (kind.kind === 'cores' ? 1 : 0);
  const rows = rowsOf([...comparison.kinds].sort((a, b) => last(a) - last(b)));
  const leftOff = leftOffRemark(comparison);
  if (rows.length === 0) return card('Values', leftOff ?? h('p', {}, 'There is none in both.'));
  const labels = comparison.documents.map((entry) => entry.label);
  const filters = {kind: '', verdict: 'changed', search: [] as string[]};
  const keep = (row: ValueRow) =>
    (filters.kind === '' || row.kind === filters.kind) &&
    (filters.verdict === '' || row.verdict === filters.verdict) &&
    hasWords(`${row.kind} ${row.name}`.toLowerCase(), filters.search);
  if (!rows.some(keep)) filters.verdict = '';
  const box = h('div', {class: 'compare-table'});
  const printBox = h('div', {class: 'print-only'});
  onPrint(printBox, () => printBox.replaceChildren(printed(rows.filter(keep), labels)));
  const shown = h('output', {class: 'soft', 'aria-live': 'polite'});
  let tabulator: Tabulator | undefined;
  let built = false;
  const refilter = () => {
    if (built) tabulator?.setFilter((row: ValueRow) => keep(row));
    shown.textContent = `${rows.filter(keep).length} of ${count(rows.length, 'value')}`;
  };
  refilter();
  new ResizeObserver((_, observer) => {
    if (box.clientWidth === 0) return;
    observer.disconnect();
    tabulator = new Tabulator(box, {
      data: rows,
      columns: box.clientWidth < kNarrowPx ? narrowColumns(labels) : valueColumns(labels),
      layout: 'fitColumns',
      maxHeight: Math.max(320, window.innerHeight * 0.6),
      placeholder: 'No value matches.',
      // What changed most is what people came for.
      initialSort: [{column: 'size', dir: 'desc'}],
    });
    tabulator.on('tableBuilt', () => {
      built = true;
      letRowsBeScrolled(box);
      refilter();
    });
  }).observe(box);

  const search = h('input', {
    type: 'search',
    input: () => {
      filters.search = wordsOf(search.value);
      refilter();
    },
  });
  const kinds = comparison.kinds.map(({kind}) => ({value: kind, label: kind}));
  const verdicts = [...new Set(rows.map((row) => row.verdict))]
    .filter(Boolean)
    .map((value) => ({value, label: value}));
  return card(
    'Values',
    h(
      'div',
      {class: 'controls'},
      h('label', {class: 'field grow'}, h('span', {}, 'Search'), search),
      select('Kind', [{value: '', label: 'all'}, ...kinds], '', (value) => {
        filters.kind = value;
        refilter();
      }),
      select('Verdict', [{value: '', label: 'all'}, ...verdicts], filters.verdict, (value) => {
        filters.verdict = value;
        refilter();
      }),
      shown,
    ),
    box,
    printBox,
    leftOff,
  );
}

/** Pairs that a report of large machines could not list. */
function leftOffRemark(comparison: Comparison): HTMLElement | null {
  const leftOff = comparison.kinds.reduce((sum, kind) => sum + (kind.values_left_off ?? 0), 0);
  if (leftOff === 0) return null;
  return h(
    'p',
    {class: 'soft'},
    `Only in the summary: ${count(leftOff, 'pair')} between cores that did not change.`,
  );
}

function printed(rows: ValueRow[], labels: string[]): HTMLElement {
  return table(
    'Values that differ',
    [{title: 'Kind'}, {title: 'Value'}, ...labels.map((title) => ({title, numeric: true}))],
    rows
      .slice(0, kMostPrintedRows)
      .map((row) => [row.kind, row.name, ...labels.map((_, i) => estimateText(row, i))]),
  );
}

/** By keys: within a grid the focus may be on rows and groups of them, and these rows have no buttons. */
function letRowsBeScrolled(box: HTMLElement): void {
  box.querySelector('.tabulator-tableholder')?.setAttribute('role', 'rowgroup');
  box.querySelector('.tabulator-table')?.setAttribute('role', 'presentation');
}

function rowOf(component: {getRow: () => {getData: () => unknown}}): ValueRow {
  return component.getRow().getData() as ValueRow;
}

function text(value: string, className = ''): HTMLElement {
  return h('span', {class: className}, value);
}

/** How much another result differs from the first, and what that means. */
function changeText(row: ValueRow, other: number, labels: string[]): HTMLElement {
  const change = row.value.changes[other - 1];
  const tone = change?.verdict !== 'changed' ? 'soft' : change.worse ? 'worse' : 'better';
  return text(`${percent(change?.relative ?? null)} ${verdictText(change, labels)}`, tone);
}

/** On a phone: what it is, and below each other what the results say. */
function narrowColumns(labels: string[]): ColumnDefinition[] {
  const line = (...children: Child[]) => h('div', {}, ...children);
  /** A column whose cells have the lines of a row below each other. */
  const column = (
    definition: ColumnDefinition,
    linesOf: (row: ValueRow) => HTMLElement[],
  ): ColumnDefinition => ({
    ...definition,
    variableHeight: true,
    formatter: (component) => h('div', {class: 'wrapped'}, ...linesOf(rowOf(component))),
  });
  return [
    column({title: 'Value', field: 'name', widthGrow: 3}, (row) => [
      line(text(row.name, 'mono')),
      line(text(row.kind, 'soft')),
    ]),
    column({title: `Against ${labels[0]}`, field: 'size', sorter: 'number', widthGrow: 4}, (row) =>
      labels.map((label, i) =>
        line(
          text(`${label} `, 'soft'),
          estimateText(row, i),
          ...(i === 0 ? [] : [' ', changeText(row, i, labels)]),
        ),
      ),
    ),
  ];
}

function valueColumns(labels: string[]): ColumnDefinition[] {
  const columns: ColumnDefinition[] = [
    {
      title: 'Kind',
      field: 'kind',
      minWidth: 90,
      formatter: (component) => text(rowOf(component).kind, 'soft'),
    },
    {
      title: 'Value',
      field: 'name',
      widthGrow: 3,
      minWidth: 180,
      formatter: (component) => text(rowOf(component).name, 'mono'),
    },
  ];
  labels.forEach((label, i) => {
    columns.push({
      title: label,
      field: `estimate${i}`,
      hozAlign: 'right',
      headerHozAlign: 'right',
      headerSort: false,
      minWidth: 110,
      formatter: (component) => text(estimateText(rowOf(component), i)),
    });
    if (i === 0) return;
    columns.push({
      title: `${label} against ${labels[0]}`,
      field: i === 1 ? 'size' : `change${i}`,
      sorter: 'number',
      headerSort: i === 1,
      hozAlign: 'right',
      headerHozAlign: 'right',
      minWidth: 150,
      formatter: (component) => changeText(rowOf(component), i, labels),
    });
  });
  return columns;
}
