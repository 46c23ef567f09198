// Latency over footprints, both logarithmic, and what the curves tell: of CPUs and of GPUs.
import {axis, chart, type Palette, tooltip} from '../chart';
import type {Result} from '../data';
import type {MemoryCurve, MemoryLevel, MemoryPoint, MemoryRow, MemoryValue} from '../document';
import {type Child, h, segmented, table} from '../dom';
import {bytes, fixed, isNumber, short} from '../format';
import {notesOf, whyNotClear} from '../memory_doubt';

type Unit = 'ns' | 'cycles';

const kUnits: Unit[] = ['ns', 'cycles'];
/** Of a latency below it nothing is drawn: the axis is logarithmic. */
const kLeastShown = 0.01;
const kLines = 'Upright lines: where a level ends. Flat line: how long the last one takes.';
/** Of a level's name in the chart, in pixels. */
const kNameHeight = 14;

/** Of a footprint that was never visited while the core was known to be quiet. */
const kPointShared = 'no visit while the core was known to be quiet';

/** What a GPU has of it, too. */
export type Ladder = Pick<MemoryRow, 'curves' | 'levels' | 'translation' | 'claims' | 'notes'>;

interface NamedCurve {
  name: string;
  /** At the curve's end in the chart. */
  label: string;
  /** Curves of one machine have one colour. */
  machine: number;
  curve: MemoryCurve;
}

/** How often the core was shared, and what that means for the figures. */
export function sharedRemark(row: Ladder): Child {
  const why = whyNotClear(row);
  if (!why) return null;
  return h('p', {class: 'callout note'}, `Dotted figures and hollow points are not clear: ${why}.`);
}

function nameOf(curve: MemoryCurve): string {
  return `${curve.order}, ${curve.pages} pages`;
}

/** Those of this result, and of others the ones in random order, to be drawn over them. */
function curvesOf(row: Ladder, others: Result[]): NamedCurve[] {
  const isAlone = others.length === 0;
  const own = row.curves
    .filter(({order}) => (isAlone ? order !== 'line-per-page' : order === 'random'))
    .map((curve) => ({
      name: isAlone ? nameOf(curve) : `this result: ${nameOf(curve)}`,
      label: isAlone ? shortNameOf(curve) : 'this',
      machine: 0,
      curve,
    }));
  const theirs = others.flatMap((other, i) =>
    (other.document.memory?.[0]?.curves ?? [])
      .filter(({order}) => order === 'random')
      .map((curve) => ({
        name: `${other.label}: ${nameOf(curve)}`,
        label: other.label,
        machine: i + 1,
        curve,
      })),
  );
  return [...own, ...theirs].filter(({curve}) => curve.points.length > 1);
}

function shortNameOf({order, pages}: MemoryCurve): string {
  return order === 'page-by-page' ? 'by page' : pages;
}

function colorsOf(palette: Palette): string[] {
  return [palette.accent, palette.warm, palette.text, palette.soft];
}

function lineTypeOf({order, pages}: MemoryCurve): string {
  if (order === 'page-by-page') return 'dotted';
  return pages === 'huge' ? 'solid' : 'dashed';
}

export function curvesChart(row: Ladder, others: Result[]): Child {
  const curves = curvesOf(row, others);
  if (curves.length === 0) return null;
  let unit: Unit = 'ns';
  const latencyOf = (point: MemoryPoint): MemoryValue => point[unit];
  const sizes = readableSizes(
    curves.flatMap(({curve}) => curve.points.map((point) => point.bytes)),
  );
  const drawing = chart('Latency over footprints', 380, (palette) => ({
    grid: {
      left: 60,
      right: others.length === 0 ? 64 : 84,
      // A line for each level's name.
      top: 12 + kNameHeight * row.levels.length,
      bottom: 52,
    },
    xAxis: axis('footprint', palette, {
      type: 'log',
      logBase: 2,
      splitNumber: 10,
      min: 'dataMin',
      max: 'dataMax',
      axisTick: {customValues: sizes},
      axisLabel: {
        color: palette.soft,
        customValues: sizes,
        hideOverlap: true,
        formatter: (value: number) => bytes(value),
      },
    }),
    yAxis: axis(unit, palette, {type: 'log', nameGap: 44}),
    tooltip: tooltip(palette, (params) => {
      const {name, point} = params.data as {name: string; point: MemoryPoint};
      return pointLines(name, point);
    }),
    series: curves.map(({name, machine, curve}, i) => ({
      type: 'line',
      name,
      symbolSize: 5,
      lineStyle: {width: 1.5, type: lineTypeOf(curve)},
      color: colorsOf(palette)[machine % 4],
      endLabel: {
        show: true,
        color: colorsOf(palette)[machine % 4],
        formatter: () => endLabels(curves, unit)[i] ?? '',
        width: 80,
        overflow: 'break',
      },
      data: curve.points
        .filter((point) => (latencyOf(point).value ?? 0) > kLeastShown)
        .map((point) => ({
          value: [point.bytes, latencyOf(point).value],
          symbol: point.contended ? 'emptyCircle' : 'circle',
          name,
          point,
        })),
      markLine: i === 0 ? levelLines(row, unit, palette) : undefined,
    })),
  }));
  return h(
    'div',
    {class: 'stack'},
    segmented(
      'Unit',
      kUnits.map((value) => ({value, label: value})),
      unit,
      (value) => {
        unit = value as Unit;
        drawing.update();
      },
    ),
    drawing.element,
    h('p', {class: 'soft'}, `Curves: ${curves.map(({name}) => name).join('; ')}. ${kLines}`),
  );
}

/** 1 KB, 16 KB, 256 KB, ... as far as a curve goes. */
function readableSizes(footprints: number[]): number[] {
  const most = footprints.reduce((a, b) => Math.max(a, b), 0);
  const least = footprints.reduce((a, b) => Math.min(a, b), most);
  const sizes: number[] = [];
  for (let size = 1024; size <= most; size *= 16) if (size >= least) sizes.push(size);
  return sizes;
}

/** What stands at the end of each curve: one label for those that end at one place. */
function endLabels(curves: NamedCurve[], unit: Unit): string[] {
  const kSamePlateauRatio = 1.15;
  const ends = curves.map(({curve}) => curve.points.at(-1)?.[unit].value ?? 0);
  const isNear = (i: number, j: number) => {
    const [a, b] = [ends[i] ?? 0, ends[j] ?? 0];
    return Math.max(a, b) <= kSamePlateauRatio * Math.min(a, b);
  };
  const named = curves.map(() => new Set<string>());
  curves.forEach(({label}, i) => {
    const place = named.findIndex((names, j) => j === i || (names.size > 0 && isNear(i, j)));
    named[place]?.add(label);
  });
  return named.map((names) => [...names].join(',\n'));
}

/** Where levels end, and how long what has no end takes. */
function levelLines(row: Ladder, unit: Unit, palette: Palette): object {
  const last = row.levels.at(-1);
  const plateau = last && !last.capacity_bytes ? last[unit].value : undefined;
  return {
    symbol: 'none',
    silent: true,
    lineStyle: {color: palette.soft, type: 'dotted'},
    label: {color: palette.soft},
    data: [
      ...row.levels
        .filter(({capacity_bytes}) => capacity_bytes)
        .map((level, i) => ({
          xAxis: level.capacity_bytes?.value,
          // One above the other, since levels may end near each other.
          label: {formatter: () => `${level.name} ${holds(level)}`, distance: 2 + i * kNameHeight},
        })),
      ...(isNumber(plateau)
        ? [
            {
              yAxis: plateau,
              label: {
                position: 'insideStartTop',
                formatter: () => `${last?.name} ${short(plateau)} ${unit}`,
              },
            },
          ]
        : []),
    ],
  };
}

/** "48 KB", or "≥ 32 KB" where it may be more. */
function holds({capacity_bytes, capacity_at_least}: MemoryLevel): string {
  return `${capacity_at_least ? '≥ ' : ''}${bytes(capacity_bytes?.value)}`;
}

function pointLines(name: string, point: MemoryPoint): string[] {
  return [
    `${bytes(point.bytes)}, ${name}`,
    `${short(point.ns.value)} ns (${range(point.ns)})`,
    `${short(point.cycles.value)} cycles (${range(point.cycles)})`,
    `from the 10th to the 90th percentile ${short(point.p10_ns)} to ${short(point.p90_ns)} ns`,
    point.contended ? 'contended' : `${point.visits} visits`,
  ];
}

export function range(value: MemoryValue): string {
  return `${short(value.low)} to ${short(value.high)}`;
}

/** `why` it is not clear. */
function markedIf(isMarked: boolean | undefined, text: string, why: string): Child {
  return isMarked ? h('span', {class: 'contended', title: `Not clear: ${why}.`}, text) : text;
}

/** A value with its interval beneath: beside it there is no room on a phone. */
function withBelow(value: Child, below: string): Child {
  return h('span', {}, value, below === '' ? null : h('span', {class: 'below'}, below));
}

/** Levels that the chart does not show as a step. */
export function singleLoadsRemark(row: Ladder): Child {
  const notes = notesOf(row, new Set(['seen-by-single-loads']));
  return notes.length === 0 ? null : h('p', {}, `${notes.join('; ')}.`);
}

export function levelsTable(row: Ladder): Child {
  if (row.levels.length === 0) return null;
  const why = whyNotClear(row);
  return table(
    'Levels',
    [
      {title: 'Level'},
      {title: 'Cycles', numeric: true},
      {title: 'ns', numeric: true},
      {title: 'Holds', numeric: true},
      {title: 'System says', numeric: true},
    ],
    row.levels.map((level) => [
      level.name,
      withBelow(markedIf(level.contended, short(level.cycles.value), why), range(level.cycles)),
      markedIf(level.contended, short(level.ns.value), why),
      withBelow(
        markedIf(level.capacity_at_least, holds(level), why),
        level.capacity_bytes && !level.capacity_at_least
          ? `${bytes(level.capacity_bytes.low)} to ${bytes(level.capacity_bytes.high)}`
          : '',
      ),
      bytes(level.claimed_bytes),
    ]),
  );
}

export function translationTable(row: Ladder): Child {
  const levels = row.translation ?? [];
  if (levels.length === 0) return null;
  return table(
    'Translation of addresses',
    [
      {title: 'Pages'},
      {title: 'Entries', numeric: true},
      {title: 'Interval', numeric: true},
      {title: 'Cycles more beyond', numeric: true},
    ],
    levels.map((level) => [
      `${level.pages}, ${bytes(level.page_bytes)}`,
      fixed(level.entries.value, 0),
      `${fixed(level.entries.low, 0)} to ${fixed(level.entries.high, 0)}`,
      short(level.cycles.value),
    ]),
  );
}

export function pointsTable(curve: MemoryCurve): HTMLElement {
  return h(
    'div',
    {},
    h('h3', {}, `${curve.order}, ${curve.pages} pages`),
    table(
      `Footprints, ${curve.order}, ${curve.pages} pages`,
      [
        {title: 'Footprint', numeric: true},
        {title: 'Cycles', numeric: true},
        {title: 'ns', numeric: true},
        {title: 'Interval, ns', numeric: true},
        {title: '10 % to 90 %, ns', numeric: true},
        {title: 'Visits', numeric: true},
      ],
      curve.points.map((point) => [
        bytes(point.bytes),
        markedIf(point.contended, short(point.cycles.value), kPointShared),
        markedIf(point.contended, short(point.ns.value), kPointShared),
        range(point.ns),
        `${short(point.p10_ns)} to ${short(point.p90_ns)}`,
        `${point.visits}${point.contended ? ', contended' : ''}`,
      ]),
    ),
  );
}
