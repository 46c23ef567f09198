// How much slower or faster each pair of CPUs is in another result.
import {diverging} from '../color';
import type {Comparison, Result} from '../data';
import type {CoreMatrix} from '../document';
import {type Child, card, h, select} from '../dom';
import {count, isNumber, percent, short} from '../format';
import {HeatMap, legend} from '../heatmap';
import {quantile} from '../stats';

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

/** Whether the program called it changed: "cas 0 to 5" of B. */
type IsChanged = (test: string, document: string, from: number, to: number) => boolean;

function changesIn(comparison: Comparison): IsChanged {
  const kind = comparison.kinds.find((each) => each.kind === 'cores');
  const changed = new Set<string>();
  for (const value of kind?.values ?? []) {
    for (const change of value.changes) {
      if (change.verdict === 'changed') changed.add(`${change.document} ${value.name}`);
    }
  }
  return (test, document, from, to) => changed.has(`${document} ${test} ${from} to ${to}`);
}

export function differenceCard(comparison: Comparison, results: Result[]): Child {
  const pairs = matrixPairs(results);
  if (pairs.length === 0) return null;
  const threshold = comparison.kinds.find((each) => each.kind === 'cores')?.threshold ?? 0;
  const box = h('div', {});
  const show = (index: number) => {
    const pair = pairs[index];
    if (pair) box.replaceChildren(differenceMap(pair, changesIn(comparison), threshold));
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

function differenceMap(
  {label, first, other, otherLabel}: MatrixPair,
  isChanged: IsChanged,
  threshold: number,
): HTMLElement {
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
  // What may be chance has no colour.
  const differs = (row: number, column: number) =>
    isChanged(first.test, otherLabel, shared[row]?.cpu ?? -1, shared[column]?.cpu ?? -1);
  const relative = (row: number, column: number) => {
    const both = values(row, column);
    return both && differs(row, column) ? both[1] / both[0] - 1 : null;
  };
  const sizes: number[] = [];
  for (let row = 0; row < shared.length; row += 1) {
    for (let column = 0; column < shared.length; column += 1) {
      const value = relative(row, column);
      if (value !== null) sizes.push(Math.abs(value));
    }
  }
  // The last half percent may be disturbed; less than the threshold is no more than noise.
  const limit = Math.max(threshold, quantile(Float64Array.from(sizes).sort(), 0.995) || 0);
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
      return [
        title,
        `${short(both[0])} ns → ${short(both[1])} ns`,
        percent(both[1] / both[0] - 1),
        ...(differs(row, column) ? [] : ['the same, or too uncertain to tell']),
      ];
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
    h('p', {class: 'soft'}, 'Pairs without colour are the same, or too uncertain to tell.'),
    left > 0
      ? h('p', {class: 'soft'}, `${count(left, 'CPU')} of the first are not in the other.`)
      : null,
    map.element,
  );
}
