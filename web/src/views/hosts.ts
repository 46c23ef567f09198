// Latency and bandwidth between hosts.
import {sequential} from '../color';
import type {HostMatrix, Numbered} from '../document';
import {card, h, select, table} from '../dom';
import {bytes, count, isNumber, short} from '../format';
import {HeatMap, legend} from '../heatmap';
import {quantile} from '../stats';

interface Shown {
  label: string;
  unit: string;
  values: Numbered[][];
  low: Numbered[][] | undefined;
  high: Numbered[][] | undefined;
  /** What the document's numbers are multiplied with. */
  factor: number;
}

/** Latencies by size, and bandwidth, as people read them. */
function shownOf(matrix: HostMatrix): Shown[] {
  const latencies = matrix.latency.map((each) => ({
    label: `${bytes(each.bytes)}, latency`,
    unit: 'µs',
    values: each.nanoseconds,
    low: each.low,
    high: each.high,
    factor: 1e-3,
  }));
  const {bandwidth} = matrix;
  return [
    ...latencies,
    {
      label: `${bytes(bandwidth.bytes)}, bandwidth`,
      unit: 'GB/s',
      values: bandwidth.gb_per_s,
      low: bandwidth.low,
      high: bandwidth.high,
      factor: 1,
    },
  ];
}

function sortedValues({values, factor}: Shown): Float64Array {
  const all = values.flat().filter(isNumber);
  return Float64Array.from(all, (value) => value * factor).sort();
}

export function hostsView(matrix: HostMatrix): HTMLElement {
  const shown = shownOf(matrix);
  const map = new HeatMap('Between hosts');
  const legendBox = h('div', {});
  const show = (index: number) => {
    const each = shown[index];
    if (!each) return;
    const sorted = sortedValues(each);
    const low = quantile(sorted, 0) || 0;
    const high = Math.max(quantile(sorted, 0.99) || 0, low * 1.01);
    const at = (values: Numbered[][] | undefined, row: number, column: number) => {
      const value = values?.[row]?.[column];
      return isNumber(value) ? value * each.factor : null;
    };
    map.setData({
      labels: matrix.hosts,
      value: (row, column) => at(each.values, row, column),
      color: (value) => sequential((value - low) / (high - low)),
      cellText: short,
      describe: (row, column) => {
        const title = `${matrix.hosts[row]} → ${matrix.hosts[column]}`;
        const value = at(each.values, row, column);
        if (value === null) return [title, row === column ? 'the same host' : 'not measured'];
        const ends = `${short(at(each.low, row, column))} to ${short(at(each.high, row, column))}`;
        return [title, `${short(value)} ${each.unit}`, `${ends} ${each.unit}`];
      },
      boundaries: [],
    });
    legendBox.replaceChildren(
      legend(each.unit, sequential, [
        {place: 0, label: short(low)},
        {place: 1, label: short(high)},
      ]),
    );
  };
  show(0);
  return h(
    'div',
    {class: 'stack'},
    h(
      'div',
      {class: 'hero'},
      h('h1', {}, 'Between hosts'),
      h(
        'p',
        {},
        `${matrix.hosts.length} hosts, ${matrix.partial ? 'at least ' : ''}`,
        `${count(matrix.rounds, 'visit')} to each pair.`,
      ),
    ),
    matrix.partial
      ? h('p', {class: 'callout warn'}, 'Ended early: this is what was measured until then.')
      : null,
    card(
      'Every pair',
      h(
        'div',
        {class: 'controls'},
        select(
          'Messages',
          shown.map(({label}, i) => ({value: String(i), label})),
          '0',
          (value) => show(Number(value)),
        ),
      ),
      map.element,
      legendBox,
    ),
    card(
      'By size',
      table(
        'Messages by size',
        [
          {title: 'Messages'},
          {title: 'Min', numeric: true},
          {title: 'Median', numeric: true},
          {title: 'Max', numeric: true},
          {title: 'Unit'},
        ],
        shown.map((each) => {
          const sorted = sortedValues(each);
          return [
            each.label,
            ...[0, 0.5, 1].map((share) => (sorted.length ? short(quantile(sorted, share)) : '')),
            each.unit,
          ];
        }),
      ),
    ),
    matrix.groups?.length
      ? card(
          'Groups',
          table(
            'Groups of hosts',
            [{title: 'Group'}, {title: 'µs', numeric: true}, {title: 'Hosts'}],
            matrix.groups.map((group) => [
              group.name,
              isNumber(group.nanoseconds) ? short(group.nanoseconds / 1e3) : '',
              group.hosts.join(', '),
            ]),
          ),
        )
      : null,
  );
}
