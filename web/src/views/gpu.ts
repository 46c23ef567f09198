// GPUs: their instructions in bars by group, memory as a ladder, multiprocessors as a heat map.
import {axis, chart, tooltip} from '../chart';
import {sequential} from '../color';
import {at, scaleOf} from '../core_matrix';
import type {GpuGroup, GpuInstruction, GpuMatrix, GpuRow, ResultDocument} from '../document';
import {type Child, card, details, h, segmented, table} from '../dom';
import {bytes, count, fixed, interval, isNumber, kNothing, short} from '../format';
import {HeatMap, legend} from '../heatmap';
import {curvesChart, levelsTable, pointsTable, translationTable} from './ladder';

const kBarHeight = 22;

export function gpuView(result: ResultDocument): HTMLElement {
  return h(
    'div',
    {class: 'stack'},
    h(
      'div',
      {class: 'hero'},
      h('h1', {}, 'GPU'),
      h('p', {}, 'Cycles of its instructions, of its memory, and from one place to another.'),
    ),
    ...(result.gpu ?? []).map((row, _, all) => rowView(row, all.length > 1)),
  );
}

function rowView(row: GpuRow, isOneOfSeveral: boolean): HTMLElement {
  const titled = (title: string) => (isOneOfSeveral ? `GPU ${row.device}: ${title}` : title);
  return h(
    'div',
    {class: 'stack'},
    deviceCard(row),
    ...groupsOf(row).map(([group, rows]) => groupCard(titled(group || 'Instructions'), rows)),
    ladderCard(titled('Memory'), row),
    row.matrix ? matrixCard(titled('Between multiprocessors'), row.matrix) : null,
    tripsCard(titled('There and back'), row),
  );
}

function deviceCard(row: GpuRow): HTMLElement {
  const clock = row.ghz ? `${fixed(row.ghz.value, 3)} GHz while measuring` : 'clock not measured';
  return card(
    `GPU ${row.device}: ${row.name}`,
    row.partial ? h('p', {class: 'callout warn'}, 'Interrupted: the rest is missing.') : null,
    h(
      'p',
      {},
      [
        `compute capability ${row.capability ?? kNothing}`,
        count(row.sms ?? 0, 'multiprocessor'),
        `${bytes(row.memory_bytes)} of memory`,
        `L2 ${bytes(row.l2_bytes)}`,
        `L1 and shared memory ${bytes(row.l1_bytes)}`,
        `${clock}, ${fixed(row.claimed_ghz, 3)} claimed`,
        `driver ${row.driver ?? kNothing}`,
      ].join(' · '),
    ),
  );
}

/** The forms by group, in the document's order. */
function groupsOf(row: GpuRow): [string, GpuInstruction[]][] {
  const groups = new Map<string, GpuInstruction[]>();
  for (const each of row.instructions ?? []) {
    const group = each.group ?? '';
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  return [...groups];
}

function latenciesOf(row: GpuInstruction): number[] {
  const values = (row.latency ?? []).map(({cycles}) => cycles).filter(isNumber);
  return values.length === 0 && isNumber(row.repeat?.value) ? [row.repeat.value] : values;
}

function latencyText(row: GpuInstruction): string {
  const values = latenciesOf(row);
  if (values.length === 0) return kNothing;
  const least = Math.min(...values);
  const most = Math.max(...values);
  return most - least > 0.02 * least ? `${short(least)} to ${short(most)}` : short(least);
}

function noteOf(row: GpuInstruction): string {
  if (row.folded) return 'folded by the compiler';
  if (row.status !== 'measured') return `${row.status}: ${row.reason ?? ''}`;
  const notes = [];
  if ((row.machine_instructions ?? 1) > 1.25) {
    notes.push(`${fixed(row.machine_instructions, 0)} machine instructions`);
  }
  if (row.latency?.some(({kind}) => kind === 'round-trip')) notes.push('with the way back');
  return notes.join(', ');
}

function groupCard(title: string, rows: GpuInstruction[]): HTMLElement {
  const drawn = rows.filter((row) => latenciesOf(row).length > 0);
  const names = drawn.map(({text}) => text.split(' ')[0] ?? text);
  const bars = chart(`Cycles, ${title}`, 40 + kBarHeight * drawn.length, (palette) => ({
    grid: {left: 8, right: 48, top: 8, bottom: 8, containLabel: true},
    xAxis: {type: 'value', show: false},
    yAxis: axis('', palette, {type: 'category', inverse: true, data: names}),
    tooltip: tooltip(palette, (params) => {
      const {row} = params.data as {row: GpuInstruction};
      return [row.text, `${latencyText(row)} cycles`, noteOf(row)].filter((line) => line !== '');
    }),
    series: [
      {
        type: 'bar',
        color: palette.accent,
        label: {show: true, position: 'right', color: palette.soft},
        data: drawn.map((row) => ({value: Math.min(...latenciesOf(row)), row})),
      },
    ],
  }));
  return card(
    title,
    drawn.length > 1 ? bars.element : null,
    table(
      `${title}: cycles and throughput`,
      [
        {title: 'Instruction'},
        {title: 'Cycles', numeric: true},
        {title: 'Per SM and cycle', numeric: true},
        {title: 'Per GPU and cycle', numeric: true},
        {title: 'FLOP per SM and cycle', numeric: true},
        {title: 'Remark'},
      ],
      rows.map((row) => [
        row.text,
        latencyText(row),
        `${row.throughput?.at_least ? '≥ ' : ''}${short(row.throughput?.per_sm.value)}`,
        short(row.throughput?.per_gpu?.value),
        fixed(row.throughput?.operations_per_sm, 0),
        noteOf(row),
      ]),
    ),
    details('Every pair of operands', () => pairsTable(title, rows)),
  );
}

function pairsTable(title: string, rows: GpuInstruction[]): HTMLElement {
  return table(
    `Pairs, ${title}`,
    [
      {title: 'Instruction'},
      {title: 'From'},
      {title: 'To'},
      {title: 'Cycles', numeric: true},
      {title: 'Interval', numeric: true},
      {title: 'Kind'},
    ],
    rows.flatMap((row) =>
      (row.latency ?? []).map((pair) => [
        row.text,
        pair.from,
        pair.to,
        short(pair.cycles),
        interval(pair),
        pair.connector ? `${pair.kind}, ${pair.connector}` : pair.kind,
      ]),
    ),
  );
}

function ladderCard(title: string, row: GpuRow): Child {
  const ladder = {
    curves: row.curves ?? [],
    levels: row.levels ?? [],
    translation: row.translation ?? [],
  };
  if (ladder.curves.length === 0 && !row.l2) return null;
  const far = row.l2?.far ? `, far ones ${short(row.l2.far.value)}` : '';
  return card(
    title,
    curvesChart(ladder, []),
    levelsTable(ladder),
    translationTable(ladder),
    row.l2 ? h('p', {}, `Lines of L2: near ones ${short(row.l2.near.value)} cycles${far}.`) : null,
    details('Every footprint', () => h('div', {class: 'stack'}, ...ladder.curves.map(pointsTable))),
  );
}

/** Positions group by group, and where a group ends. */
function byGroup(matrix: GpuMatrix): {order: number[]; boundaries: number[]} {
  const placeIn = (groups: GpuGroup[], position: number) =>
    groups.findIndex(({sms}) => sms.includes(matrix.sms[position] ?? -1));
  const groupOf = (position: number) => placeIn(matrix.groups ?? [], position);
  const gpcOf = (position: number) => placeIn(matrix.gpcs ?? [], position);
  const order = matrix.sms
    .map((_, i) => i)
    .sort((a, b) => groupOf(a) - groupOf(b) || gpcOf(a) - gpcOf(b) || a - b);
  const boundaries = order
    .map((_, i) => i)
    .filter((i) => {
      const [here, before] = [order[i] ?? 0, order[i - 1] ?? 0];
      return i > 0 && (groupOf(here) !== groupOf(before) || gpcOf(here) !== gpcOf(before));
    });
  return {order, boundaries};
}

function matrixCard(title: string, matrix: GpuMatrix): HTMLElement {
  const scale = scaleOf(matrix.cycles);
  const grouped = byGroup(matrix);
  const plain = {order: matrix.sms.map((_, i) => i), boundaries: []};
  const map = new HeatMap('Cycles between multiprocessors');
  const show = (by: {order: number[]; boundaries: number[]}) => {
    const place = (shown: number) => by.order[shown] ?? 0;
    map.setData({
      labels: by.order.map((position) => String(matrix.sms[position])),
      value: (row, column) => at(matrix.cycles, place(row), place(column)),
      color: (value) => sequential(scale.place(value)),
      cellText: (value) => fixed(value, 0),
      describe: (row, column) => describePair(matrix, place(row), place(column)),
      boundaries: by.boundaries,
    });
  };
  const hasGroups = (matrix.groups?.length ?? 0) + (matrix.gpcs?.length ?? 0) > 0;
  const gpcs = (matrix.gpcs ?? [])
    .filter(({name}) => name !== 'apart')
    .map(({sms}) => sms.length)
    .join(', ');
  show(hasGroups ? grouped : plain);
  const groups = (matrix.groups ?? []).map(({name, sms}) => `${name}: ${sms.length}`).join(', ');
  return card(
    title,
    h('p', {class: 'soft'}, 'A flag in L2, one way, in cycles: the median over several lines.'),
    hasGroups
      ? segmented(
          'Order',
          [
            {value: 'group', label: 'by group'},
            {value: 'number', label: 'by number'},
          ],
          'group',
          (value) => show(value === 'group' ? grouped : plain),
        )
      : null,
    map.element,
    legend(
      'cycles, one way',
      sequential,
      scale.ticks.map(({place, value}) => ({place, label: short(value)})),
    ),
    groups ? h('p', {}, `By how they see L2: ${groups}.`) : null,
    gpcs ? h('p', {}, `By GPC: ${gpcs}.`) : null,
  );
}

function describePair(matrix: GpuMatrix, row: number, column: number): string[] {
  const from = matrix.sms[row];
  if (row === column) return [`SM ${from}`, 'the same multiprocessor'];
  const cycles = at(matrix.cycles, row, column);
  return [
    `SM ${from} → SM ${matrix.sms[column]}`,
    isNumber(cycles) ? `${short(cycles)} cycles` : 'not measured',
    `${short(at(matrix.least, row, column))} to ${short(at(matrix.most, row, column))} over lines`,
  ];
}

function tripsCard(title: string, row: GpuRow): Child {
  const cpus = row.cpus ?? [];
  const peers = row.peers ?? [];
  if (cpus.length === 0 && peers.length === 0) return null;
  return card(
    title,
    table(
      `${title}: times`,
      [{title: 'From'}, {title: 'ns', numeric: true}, {title: 'Interval', numeric: true}],
      [
        ...cpus.map((trip) => [`CPU ${trip.cpu}`, short(trip.ns), interval(trip)]),
        ...peers.map((trip) => [`GPU ${trip.device}`, short(trip.ns.value), interval(trip.ns)]),
      ],
    ),
  );
}
