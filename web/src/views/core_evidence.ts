// What a block of a core's diagram rests on: value, interval, filler, curve, and how it was measured.
import {axis, chart, type Palette, tooltip} from '../chart';
import {type CoreBlock, type Evidence, rowInterval, rowText, sharedText} from '../core_blocks';
import type {
  AnatomyCurve,
  AnatomyPoint,
  AnatomyRow,
  AnatomyWidth,
  MemoryLevel,
  PortClassRow,
  TranslationLevel,
} from '../document';
import {type Child, copyable, h, table} from '../dom';
import {bytes, cycles, fixed, interval, isNumber, sentence, short} from '../format';
import {openPanel} from '../panel';

/** How quantities are measured, by name; those that are not here have their part's method. */
const kMethods: Record<string, string> = {
  scheduler:
    'Two loads that miss every cache, and behind each a number of instructions that wait for it. While all of them fit into the scheduler, the misses overlap. Where the overlap ends, the scheduler does.',
  'branch targets':
    'A growing number of taken jumps, at several distances. Where a jump begins to take longer at the same number of jumps, a level of the branch target buffer ends.',
  'first code cache':
    'Taken jumps in cache lines of their own. Where jumps with different distances take longer from the same number of bytes on, the cache ends.',
  'decoded code':
    'Straight code of growing length, made of instructions that no port limits. Where its speed falls, the cache of decoded code ends.',
  'loop buffer':
    'Straight code of growing length, made of instructions that no port limits. Where its speed falls first, the loop buffer ends.',
  'mispredicted branch':
    'Branches by random bits against the same branches by a fixed pattern: half of the random ones are mispredicted, so that one costs twice the difference.',
  'return stack':
    'Calls of growing depth, from one of two places by random bits, so that only a stack can predict the returns. Where a level begins to take longer, the stack ends.',
  'branch history':
    'Two branches by the same random bit, with taken jumps between them. While the predictor remembers the first, the second is predicted.',
  'indirect targets':
    'One indirect jump that follows a random cycle of targets. Where it begins to take longer, the predictor does not hold all of them.',
};

const kMethodOfPart: Record<AnatomyRow['part'], string> = {
  windows:
    'Two loads that miss every cache, each in a chain of its own, with n fillers behind each. While all of that fits, the two misses overlap; behind the last entry the second waits for the first. Overlap is 1 side by side and 0 one after the other; entries of the loads themselves are added.',
  'front-end': 'Code of a known shape, timed over its size.',
  elimination: 'The same code with and without the instruction, timed.',
  fusion: 'The pair and its halves, timed.',
  'memory-pipeline': 'Loads and stores in a known relation, timed.',
};

/** A name that a document made up is no key of an object's own. */
function methodOf({name, part}: AnatomyRow): string {
  return (Object.hasOwn(kMethods, name) ? kMethods[name] : undefined) ?? kMethodOfPart[part] ?? '';
}

export function openEvidence(block: CoreBlock): void {
  const rows = block.evidence.flatMap((each) => (each.kind === 'row' ? [each.row] : []));
  openPanel(
    h('h2', {}, block.title),
    block.title,
    ...block.evidence.map(evidencePart),
    methodPart(rows),
    again(block),
  );
}

export function openRow(row: AnatomyRow): void {
  openPanel(
    h('h2', {}, row.name),
    row.name,
    rowPart(row),
    methodPart([row]),
    command(`--parts ${row.part}`),
  );
}

/** Once for all rows that are measured alike. */
function methodPart(rows: AnatomyRow[]): Child {
  const methods = [...new Set(rows.map(methodOf))];
  if (methods.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, 'How it is measured'),
    ...methods.map((method) => h('p', {class: 'soft'}, method)),
  );
}

function evidencePart(evidence: Evidence): Child {
  switch (evidence.kind) {
    case 'row':
      return rowPart(evidence.row);
    case 'width':
      return widthPart(evidence.width);
    case 'level':
      return levelPart(evidence.level);
    case 'translation':
      return translationPart(evidence.level);
    case 'port':
      return portPart(evidence.port, evidence.classes);
    case 'cores':
      return h(
        'div',
        {class: 'measured'},
        h(
          'p',
          {},
          `A cache line from CPU to CPU, one way, test ${evidence.cores.test}: the nearest and the farthest of all pairs.`,
        ),
        more('cores', 'Every pair'),
      );
  }
}

function again({evidence}: CoreBlock): Child {
  const parts = new Set(evidence.flatMap((each) => (each.kind === 'row' ? [each.row.part] : [])));
  if (evidence.some(({kind}) => kind === 'width')) parts.add('front-end');
  return parts.size > 0 ? command(`--parts ${[...parts].join(',')}`) : null;
}

function command(options: string): Child {
  return h(
    'div',
    {},
    h('h3', {}, 'Measure it again'),
    copyable(`cyclescope anatomy ${options}`, 'the command'),
  );
}

/** A view that has all of it. */
function more(view: string, text: string): Child {
  return h('p', {}, h('a', {href: `#${view}`, click: closePanel}, text));
}

function closePanel(event: Event): void {
  (event.currentTarget as Element).closest('dialog')?.close();
}

const facts = (pairs: [string, Child][]): HTMLElement =>
  h(
    'dl',
    {class: 'facts'},
    ...pairs
      .filter(([, value]) => value)
      .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );

function rowPart(row: AnatomyRow): Child {
  const {text, unit} = rowText(row);
  const states = (row.states ?? [])
    .map(({value, share}) => `${short(value)} (${fixed((share ?? 0) * 100, 0)} %)`)
    .join(', ');
  const value = row.value
    ? h('span', {class: row.contended ? 'value contended' : 'value'}, `${text} ${unit}`.trim())
    : h('span', {class: 'value soft'}, 'nothing clear');
  return h(
    'div',
    {class: 'measured evidence'},
    h('p', {class: 'estimate'}, value),
    row.reason ? h('p', {class: 'callout note'}, row.reason) : null,
    row.contended
      ? h(
          'p',
          {class: 'callout note'},
          'Another thread shared the core in every visit: on a quiet core it may be larger.',
        )
      : null,
    facts([
      ['Measured with', row.filler ? h('code', {}, row.filler) : null],
      ['Interval', row.value ? intervalText(row) : ''],
      ['Shared', sharedText(row) ?? ''],
      ['Several states', states],
      ['Remark', row.note ?? ''],
      ['Status', row.status === 'measured' ? '' : row.status],
    ]),
    row.curve?.points.length ? curveChart(row, row.curve) : null,
    row.code?.length ? h('pre', {tabindex: 0}, h('code', {}, row.code.join('\n'))) : null,
  );
}

function intervalText(row: AnatomyRow): string {
  if (row.at_least) return 'this or more: something else ended first';
  return rowInterval(row) || 'exact';
}

/** Sizes that are orders apart are told apart by their logarithms. */
const kWideRange = 40;

function curveChart(row: AnatomyRow, curve: AnatomyCurve): HTMLElement {
  const {at_unit: atUnit, value_unit: valueUnit} = curve;
  const points = curve.points.filter(({at, value}) => isNumber(at) && isNumber(value));
  const places = points.map(({at}) => at ?? 0).filter((at) => at > 0);
  const isWide = Math.max(...places) > kWideRange * Math.min(...places);
  const line = (wanted: AnatomyPoint[], name: string, color: string, extra: object = {}) => ({
    type: 'line',
    name,
    data: wanted.map(({at, value}) => [at, value]),
    symbolSize: 5,
    color,
    lineStyle: {color, width: 1.6},
    ...extra,
  });
  const mark = (color: string) =>
    isNumber(row.value?.value)
      ? {
          markLine: {
            silent: true,
            symbol: 'none',
            label: {show: false},
            lineStyle: {color, type: 'dashed'},
            data: [{xAxis: row.value.value}],
          },
        }
      : {};
  const own = points.filter(({shared}) => !shared);
  const shared = points.filter((point) => point.shared);
  const label = `${valueUnit} by ${atUnit}`;
  const drawing = chart(label, 240, (palette: Palette) => ({
    grid: {left: 56, right: 16, top: 16, bottom: 46},
    xAxis: axis(atUnit, palette, {
      type: isWide ? 'log' : 'value',
      logBase: 2,
      min: 'dataMin',
      max: 'dataMax',
      axisLabel: {
        color: palette.soft,
        hideOverlap: true,
        formatter: (at: number) =>
          atUnit === 'bytes' ? bytes(at) : short(at).replace(/\.0+$/, ''),
      },
    }),
    yAxis: axis(valueUnit, palette, {nameGap: 38}),
    tooltip: tooltip(palette, ({data}) => {
      const [at, value] = data as [number, number];
      return [`${short(at)} ${atUnit}`, `${fixed(value, 3)} ${valueUnit}`];
    }),
    series: [
      line(own, 'alone', palette.accent, mark(palette.soft)),
      ...(shared.length > 0 ? [line(shared, 'shared', palette.warm)] : []),
    ],
  }));
  const caption = [
    `${sentence(label)}. Dashed: the value.`,
    shared.length > 0 ? 'Orange: another thread shared the core.' : '',
  ];
  return h(
    'figure',
    {},
    drawing.element,
    h('figcaption', {class: 'soft'}, caption.filter(Boolean).join(' ')),
  );
}

function widthPart({name, pattern, per_cycle, at_least, contended}: AnatomyWidth): Child {
  const value = `${at_least ? '≥ ' : ''}${short(per_cycle.value)} a cycle`;
  return h(
    'div',
    {class: 'measured evidence'},
    h('p', {class: 'estimate'}, h('span', {class: contended ? 'value contended' : 'value'}, value)),
    facts([
      ['What', name],
      ['Measured with', pattern],
      [
        'Interval',
        at_least ? 'this or more: something else limited it first' : interval(per_cycle),
      ],
      ['Remark', contended ? 'another thread shared the core' : ''],
    ]),
    h(
      'p',
      {class: 'soft'},
      'Straight code or jumps without dependences, which no port limits: only fetch, decode and dispatch do.',
    ),
  );
}

function levelPart({cycles: load, ns, capacity_bytes, capacity_at_least}: MemoryLevel): Child {
  return h(
    'div',
    {class: 'measured evidence'},
    facts([
      ['A load takes', `${cycles(load.value)} cycles (${interval(load)}), ${short(ns.value)} ns`],
      [
        'Holds',
        isNumber(capacity_bytes?.value)
          ? `${capacity_at_least ? '≥ ' : ''}${bytes(capacity_bytes.value)} (${bytes(capacity_bytes.low)} to ${bytes(capacity_bytes.high)})`
          : '',
      ],
    ]),
    h(
      'p',
      {class: 'soft'},
      'A pointer chase through growing footprints: each load needs the result of the one before.',
    ),
    more('memory', 'The curve'),
  );
}

function translationPart({entries, cycles: longer, pages, page_bytes}: TranslationLevel): Child {
  return h(
    'div',
    {class: 'measured evidence'},
    facts([
      ['Pages', `${short(entries.value)} (${interval(entries)})`],
      ['Of', page_bytes ? bytes(page_bytes) : pages],
      ['Beyond', `${cycles(longer.value)} cycles more a load`],
    ]),
    h(
      'p',
      {class: 'soft'},
      'A pointer chase with one line in each page, over a growing number of pages.',
    ),
    more('memory', 'The curve'),
  );
}

function portPart(port: string, classes: PortClassRow[]): Child {
  const others = (row: PortClassRow) => row.ports.filter((each) => each !== port).join(' ');
  return h(
    'div',
    {class: 'measured evidence'},
    table(
      `What runs on ${port}`,
      [{title: 'Instructions'}, {title: 'Also on'}, {title: 'A cycle', numeric: true}],
      classes.map((row) => [
        h('code', {}, row.forms.join('\n')),
        `${others(row)}${row.ambiguous ? ' (or others)' : ''}`,
        String(row.per_cycle),
      ]),
    ),
    h(
      'p',
      {class: 'soft'},
      'Mixes of instructions that compete for ports, from their times alone.',
    ),
    more('ports', 'Every port'),
  );
}
