// Caches and memory: the ladder of latencies, bandwidth, places, forwarding.
import {axis, chart, tooltip} from '../chart';
import type {Result} from '../data';
import type {MemoryAccess, MemoryRow} from '../document';
import {type Child, card, details, h, table} from '../dom';
import {bytes, count, isNumber, kNothing, sentence, short} from '../format';
import {notesOf} from '../memory_doubt';
import {
  curvesChart,
  levelsTable,
  pointsTable,
  range,
  sharedRemark,
  singleLoadsRemark,
  translationTable,
} from './ladder';

export function memoryView(result: Result, results: Result[]): HTMLElement {
  const rows = result.document.memory ?? [];
  const others = results.filter((other) => other !== result && other.document.memory?.length);
  return h(
    'div',
    {class: 'stack'},
    h(
      'div',
      {class: 'hero'},
      h('h1', {}, 'Memory'),
      h('p', {}, 'How long a load takes, by how much memory is visited in turn.'),
    ),
    ...rows.map((row, i) => rowView(row, i === 0 ? others : [])),
  );
}

function rowView(row: MemoryRow, others: Result[]): HTMLElement {
  const place = row.node === undefined ? '' : `, memory of node ${row.node}`;
  return h(
    'div',
    {class: 'stack'},
    card(
      `From CPU ${row.cpu}${place}`,
      row.partial ? h('p', {class: 'callout warn'}, 'Interrupted: the rest is missing.') : null,
      row.left_out?.length && !row.partial
        ? h(
            'p',
            {class: 'callout warn'},
            `There was too little time for ${row.left_out.join(', ')}; `,
            'cyclescope memory --budget 60 takes more.',
          )
        : null,
      ...notesOf(row, new Set(['no-plateau'])).map((note) =>
        h('p', {class: 'callout warn'}, sentence(note)),
      ),
      sharedRemark(row),
      ...(row.findings ?? []).map((finding) =>
        h('p', {class: 'callout warn'}, sentence(finding.text)),
      ),
      curvesChart(row, others),
      levelsTable(row),
      singleLoadsRemark(row),
      translationTable(row),
      details('Every footprint', () => h('div', {class: 'stack'}, ...row.curves.map(pointsTable))),
    ),
    parallelismCard(row),
    bandwidthCard(row),
    loadedCard(row),
    placesCard(row),
    forwardingCard(row),
    splitsCard(row),
  );
}

function parallelismCard(row: MemoryRow): Child {
  const levels = row.parallelism ?? [];
  if (levels.length === 0) return null;
  const counts = [...new Set(levels.flatMap(({points}) => points.map(({chains}) => chains)))];
  counts.sort((a, b) => a - b);
  return card(
    'Loads at once',
    h('p', {class: 'soft'}, 'How many loads are under way, by how many chains are followed.'),
    table(
      'Loads under way',
      [
        {title: 'Level'},
        ...counts.map((chains) => ({title: count(chains, 'chain'), numeric: true})),
      ],
      levels.map(({level, points}) => [
        level,
        ...counts.map((chains) => short(points.find((p) => p.chains === chains)?.in_flight)),
      ]),
    ),
  );
}

function bandwidthCard(row: MemoryRow): Child {
  const rows = row.bandwidth ?? [];
  if (rows.length === 0) return null;
  return card(
    'Bandwidth',
    table(
      'Bandwidth of each level',
      [
        {title: 'Level'},
        {title: 'Kind'},
        {title: 'CPUs', numeric: true},
        {title: 'GB/s', numeric: true},
        {title: 'Interval', numeric: true},
        {title: 'Footprint', numeric: true},
        {title: 'Instruction'},
      ],
      rows.map((each) => [
        each.level,
        each.kind,
        each.cpus,
        short(each.gb_per_s.value),
        range(each.gb_per_s),
        bytes(each.bytes),
        `${each.instruction ?? ''}${each.contended ? ' (contended)' : ''}`,
      ]),
    ),
  );
}

function loadedCard(row: MemoryRow): Child {
  const points = (row.loaded ?? []).filter(({ns}) => isNumber(ns.value));
  if (points.length === 0) return null;
  const drawing = chart("Memory's latency over what other CPUs read", 240, (palette) => ({
    grid: {left: 64, right: 24, top: 12, bottom: 52},
    xAxis: axis('GB/s read by other CPUs', palette),
    yAxis: axis('ns', palette, {nameGap: 44}),
    tooltip: tooltip(palette, (params) => {
      const [rate, ns] = (params.data as {value: number[]}).value;
      return [`${short(ns)} ns`, `at ${short(rate)} GB/s`];
    }),
    series: [
      {
        type: 'line',
        color: palette.accent,
        data: points.map(({gb_per_s, ns}) => ({value: [gb_per_s.value, ns.value]})),
      },
    ],
  }));
  return card(
    'Latency under load',
    drawing.element,
    table(
      'Latency by what others read',
      [
        {title: 'GB/s', numeric: true},
        {title: 'ns', numeric: true},
        {title: 'Interval, ns', numeric: true},
      ],
      points.map(({gb_per_s, ns}) => [short(gb_per_s.value), short(ns.value), range(ns)]),
    ),
  );
}

function placesCard(row: MemoryRow): Child {
  const places = row.places ?? [];
  if (places.length === 0) return null;
  return card(
    'Nodes',
    table(
      'Memory of each node',
      [
        {title: 'Node'},
        {title: 'From CPU', numeric: true},
        {title: 'ns', numeric: true},
        {title: 'Interval, ns', numeric: true},
        {title: 'GB/s', numeric: true},
      ],
      places.map((place) => [
        place.node,
        place.cpu,
        short(place.ns.value),
        range(place.ns),
        short(place.gb_per_s.value),
      ]),
    ),
  );
}

function cyclesOf(access: MemoryAccess | undefined): string {
  if (!access) return kNothing;
  if (!isNumber(access.cycles)) return access.status;
  return `${short(access.cycles)}${access.contended ? ' (contended)' : ''}`;
}

function forwardingCard(row: MemoryRow): Child {
  const accesses = (row.accesses ?? []).filter(
    ({kind, status}) => kind === 'forwarding' && status !== 'unsupported',
  );
  if (accesses.length === 0) return null;
  return card(
    'From a store through memory to a load',
    table(
      'Store forwarding',
      [
        {title: 'Stored bytes', numeric: true},
        {title: 'Loaded bytes', numeric: true},
        {title: 'Distance in bytes', numeric: true},
        {title: 'Cycles', numeric: true},
        {title: 'Code'},
      ],
      accesses.map((access) => [
        access.store_bytes ?? 0,
        access.load_bytes ?? 0,
        access.distance ?? 0,
        cyclesOf(access),
        access.text,
      ]),
    ),
  );
}

function splitsCard(row: MemoryRow): Child {
  const accesses = row.accesses ?? [];
  const plain = accesses.filter(
    ({kind, distance, status}) => kind === 'line-split' && !distance && status !== 'unsupported',
  );
  if (plain.length === 0) return null;
  const splitOf = (kind: string, access: MemoryAccess) =>
    accesses.find((each) => each.kind === kind && each.distance && each.text === access.text);
  return card(
    'Accesses across the end of a line or page',
    table(
      'Splits',
      [
        {title: 'Code'},
        {title: 'Cycles, plain', numeric: true},
        {title: 'Across lines', numeric: true},
        {title: 'Across pages', numeric: true},
      ],
      plain.map((access) => [
        access.text,
        cyclesOf(access),
        cyclesOf(splitOf('line-split', access)),
        cyclesOf(splitOf('page-split', access)),
      ]),
    ),
  );
}
