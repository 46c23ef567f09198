// Several results: what differs between them, judged where the program compared them.
import {
  type ColumnDefinition,
  FilterModule,
  FormatModule,
  InteractionModule,
  SortModule,
  Tabulator,
} from 'tabulator-tables';
import {diverging} from '../color';
import type {ComparedKind, ComparedValue, Comparison, CoreMatrix, Result} from '../data';
import {type Child, card, h, select, table} from '../dom';
import {count, fixed, isNumber, kNothing, percent, short} from '../format';
import {HeatMap, legend} from '../heatmap';
import {onPrint} from '../redraw';
import {quantile} from '../stats';

Tabulator.registerModule([FilterModule, FormatModule, InteractionModule, SortModule]);

const kMostPrintedRows = 500;

export function compareView(comparison: Comparison, results: Result[]): HTMLElement {
  return h(
    'div',
    {class: 'stack'},
    h(
      'div',
      {class: 'hero'},
      h('h1', {}, 'Compare'),
      h(
        'p',
        {},
        'Every result against the first. A value counts as changed only when its intervals say so.',
      ),
    ),
    documentsCard(comparison, results),
    countsCard(comparison),
    differenceCard(results),
    valuesCard(comparison),
  );
}

function documentsCard(comparison: Comparison, results: Result[]): HTMLElement {
  const verdict = comparison.regression
    ? h('span', {class: 'badge warn'}, 'something got slower')
    : h('span', {class: 'badge ok'}, 'nothing got slower');
  return card(
    'Results',
    h('p', {}, verdict),
    table(
      'The results compared',
      [
        {title: ''},
        {title: 'File'},
        {title: 'Host'},
        {title: 'CPU'},
        {title: 'Cycles from'},
        {title: 'Started'},
        {title: 'cyclescope'},
      ],
      results.map(({label, source, document: measured}) => [
        label,
        source,
        measured.host.name,
        measured.host.cpu_model,
        measured.clock.cycle_source,
        measured.config.started,
        measured.tool.version,
      ]),
    ),
    comparison.notices.length > 0
      ? h(
          'ul',
          {class: 'callouts'},
          ...comparison.notices.map((notice) => h('li', {class: 'callout note'}, notice)),
        )
      : null,
  );
}

function countsCard(comparison: Comparison): HTMLElement {
  const rows: Child[][] = [];
  for (const kind of comparison.kinds) {
    for (const counts of kind.counts) {
      rows.push([
        kind.kind,
        counts.document,
        counts.changed,
        counts.worse,
        counts.same,
        counts.cannot_tell,
        counts.only_in_first,
        counts.only_in_other,
        percent(counts.median_relative),
        `${(kind.threshold * 100).toFixed(1)} %`,
      ]);
    }
  }
  const numeric = (title: string) => ({title, numeric: true});
  return card(
    'Summary',
    table(
      'How many values changed',
      [
        {title: 'Kind'},
        {title: 'Against the first'},
        numeric('Changed'),
        numeric('Of those worse'),
        numeric('Same'),
        numeric('Cannot tell'),
        numeric('Only in the first'),
        numeric('Only in the other'),
        numeric('Median change'),
        numeric('Threshold'),
      ],
      rows,
    ),
  );
}

interface MatrixPair {
  label: string;
  first: CoreMatrix;
  other: CoreMatrix;
  otherLabel: string;
}

/** Matrices of the same test in the first result and another. */
function matrixPairs(results: Result[]): MatrixPair[] {
  const [first, ...others] = results;
  const pairs: MatrixPair[] = [];
  for (const matrix of first?.document.cores ?? []) {
    for (const result of others) {
      const other = result.document.cores?.find((candidate) => candidate.test === matrix.test);
      if (!other) continue;
      pairs.push({
        label: `${matrix.test}, ${result.label} against ${first?.label}`,
        first: matrix,
        other,
        otherLabel: result.label,
      });
    }
  }
  return pairs;
}

function differenceCard(results: Result[]): Child {
  const pairs = matrixPairs(results);
  if (pairs.length === 0) return null;
  const box = h('div', {});
  const show = (index: number) => {
    const pair = pairs[index];
    if (pair) box.replaceChildren(differenceMap(pair));
  };
  show(0);
  return card(
    'Difference between cores',
    pairs.length > 1
      ? h(
          'div',
          {class: 'controls'},
          select(
            'Matrices',
            pairs.map((pair, i) => ({value: String(i), label: pair.label})),
            '0',
            (value) => show(Number(value)),
          ),
        )
      : null,
    box,
  );
}

function differenceMap({label, first, other, otherLabel}: MatrixPair): HTMLElement {
  const inOther = new Map(other.cpus.map((cpu, i) => [cpu, i]));
  const shared = first.cpus
    .map((cpu, i) => ({cpu, inFirst: i, inOther: inOther.get(cpu)}))
    .filter((entry): entry is {cpu: number; inFirst: number; inOther: number} =>
      isNumber(entry.inOther),
    );
  if (shared.length === 0) return h('p', {}, 'They have no CPU number in common.');
  const values = (row: number, column: number): [number, number] | null => {
    const from = shared[row];
    const to = shared[column];
    if (!from || !to || row === column) return null;
    const before = first.nanoseconds[from.inFirst]?.[to.inFirst];
    const after = other.nanoseconds[from.inOther]?.[to.inOther];
    return isNumber(before) && isNumber(after) && before > 0 ? [before, after] : null;
  };
  const relative = (row: number, column: number) => {
    const both = values(row, column);
    return both ? both[1] / both[0] - 1 : null;
  };
  const sizes: number[] = [];
  for (let row = 0; row < shared.length; row += 1) {
    for (let column = 0; column < shared.length; column += 1) {
      const value = relative(row, column);
      if (value !== null) sizes.push(Math.abs(value));
    }
  }
  // The last half percent may be disturbed; less than 2 % is no more than noise.
  const limit = Math.max(0.02, quantile(Float64Array.from(sizes).sort(), 0.995) || 0);
  const place = (value: number) => 0.5 + value / limit / 2;
  const map = new HeatMap(`Difference in latency, ${label}`);
  map.setData({
    labels: shared.map(({cpu}) => String(cpu)),
    value: relative,
    color: (value) => diverging(place(value)),
    cellText: (value) => `${value > 0 ? '+' : ''}${(value * 100).toFixed(0)}`,
    describe: (row, column) => {
      const title = `CPU ${shared[row]?.cpu} → CPU ${shared[column]?.cpu}`;
      const both = values(row, column);
      if (!both) return [title, row === column ? 'the same CPU' : 'not in both'];
      return [title, `${short(both[0])} ns → ${short(both[1])} ns`, percent(both[1] / both[0] - 1)];
    },
    boundaries: [],
  });
  const left = first.cpus.length - shared.length;
  return h(
    'div',
    {},
    legend(`how much slower ${otherLabel} is`, diverging, [
      {place: 0, label: percent(-limit)},
      {place: 0.5, label: 'same'},
      {place: 1, label: percent(limit)},
    ]),
    left > 0
      ? h('p', {class: 'soft'}, `${count(left, 'CPU')} of the first are not in the other.`)
      : null,
    map.element,
  );
}

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
  const digits = row.unit === 'ns' ? 1 : 3;
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

function valuesCard(comparison: Comparison): HTMLElement {
  // Pairs between cores may be many, and would bury the rest.
  const last = (kind: ComparedKind) => (kind.kind === 'cores' ? 1 : 0);
  const rows = rowsOf([...comparison.kinds].sort((a, b) => last(a) - last(b)));
  const labels = comparison.documents.map((entry) => entry.label);
  const filters = {kind: '', verdict: 'changed', search: ''};
  const keep = (row: ValueRow) =>
    (filters.kind === '' || row.kind === filters.kind) &&
    (filters.verdict === '' || row.verdict === filters.verdict) &&
    row.name.toLowerCase().includes(filters.search);
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
      columns: valueColumns(labels),
      layout: 'fitColumns',
      height: Math.min(rows.length * 38 + 50, Math.max(320, window.innerHeight * 0.6)),
      placeholder: 'No value matches.',
    });
    tabulator.on('tableBuilt', () => {
      built = true;
      refilter();
    });
  }).observe(box);

  const search = h('input', {
    type: 'search',
    input: () => {
      filters.search = search.value.trim().toLowerCase();
      refilter();
    },
  });
  const kinds = comparison.kinds.map(({kind}) => ({value: kind, label: kind}));
  const verdicts = [...new Set(rows.map((row) => row.verdict))]
    .filter(Boolean)
    .map((value) => ({value, label: value}));
  const leftOff = comparison.kinds.reduce((sum, kind) => sum + (kind.values_left_off ?? 0), 0);
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
    leftOff > 0
      ? h(
          'p',
          {class: 'soft'},
          `${count(leftOff, 'pair')} between cores that did not change are in the summary only.`,
        )
      : null,
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

function valueColumns(labels: string[]): ColumnDefinition[] {
  const rowOf = (component: {getRow: () => {getData: () => unknown}}) =>
    component.getRow().getData() as ValueRow;
  const text = (value: string, className = '') => h('span', {class: className}, value);
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
      formatter: (component) => {
        const change = rowOf(component).value.changes[i - 1];
        const verdict = verdictText(change, labels);
        const tone = change?.verdict !== 'changed' ? 'soft' : change.worse ? 'worse' : 'better';
        return text(`${percent(change?.relative ?? null)} ${verdict}`, tone);
      },
    });
  });
  return columns;
}
