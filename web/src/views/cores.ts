// Latency between every pair of CPUs: the heat map, its histogram, and what it tells.
import {axis, chart, tooltip} from '../chart';
import {sequential} from '../color';
import {at, groupOrder, scaleOf, spectrumOf, type Unit, unitsPerNanosecond} from '../core_matrix';
import type {CoreMatrix, Numbered, ResultDocument} from '../document';
import {type Child, card, details, h, segmented, select, table} from '../dom';
import {count, cpuList, fixed, isNumber, kNothing, sentence, short} from '../format';
import {HeatMap, legend} from '../heatmap';
import {bins, quantile} from '../stats';

type Order = 'number' | 'group';

const kMostCpusInTable = 64;
/** Fewer have no shape. */
const kFewestPairsInHistogram = 12;

export function coresView(result: ResultDocument): HTMLElement {
  const matrices = result.cores ?? [];
  const body = h('div', {class: 'stack'});
  const show = (index: number) => {
    const cores = matrices[index];
    if (cores) body.replaceChildren(matrixView(result, cores));
  };
  show(0);
  const choice =
    matrices.length > 1
      ? segmented(
          'Test',
          matrices.map((cores, i) => ({value: String(i), label: cores.test})),
          '0',
          (value) => show(Number(value)),
        )
      : null;
  return h(
    'div',
    {class: 'stack'},
    h(
      'div',
      {class: 'hero'},
      h('h1', {}, 'Core to core'),
      h('p', {}, 'How long a cache line takes from one CPU to another, one way.'),
    ),
    choice,
    body,
  );
}

function matrixView(result: ResultDocument, cores: CoreMatrix): HTMLElement {
  const factors = unitsPerNanosecond(result);
  const scale = scaleOf(cores.nanoseconds);
  const marks = new Map<string, string>();
  for (const [from, to] of cores.disturbed ?? []) marks.set(`${from} ${to}`, 'disturbed');
  for (const [from, to] of cores.timed_out ?? []) marks.set(`${from} ${to}`, 'no answer in time');

  let unit: Unit = 'ns';
  let order: Order = 'number';
  const byNumber = cores.cpus.map((_, i) => i);
  const byGroup = groupOrder(cores);
  const inUnit = (nanoseconds: Numbered) =>
    isNumber(nanoseconds) ? nanoseconds * (factors[unit] ?? 1) : null;
  const withUnit = (nanoseconds: Numbered) =>
    isNumber(nanoseconds) ? `${short(inUnit(nanoseconds))} ${unit}` : 'not measured';

  const oneWay = (row: number, column: number): string => {
    const low = at(cores.low, row, column);
    const high = at(cores.high, row, column);
    const range =
      isNumber(low) && isNumber(high) ? `, ${short(inUnit(low))} to ${short(inUnit(high))}` : '';
    const mark = marks.get(`${cores.cpus[row]} ${cores.cpus[column]}`);
    return `${withUnit(at(cores.nanoseconds, row, column))}${range}${mark ? `, ${mark}` : ''}`;
  };
  const describe = (row: number, column: number): string[] => {
    const from = cores.cpus[row];
    const to = cores.cpus[column];
    if (row === column) return [`CPU ${from}`, 'the same CPU'];
    const lines = [`CPU ${from} → CPU ${to}`, oneWay(row, column)];
    lines.push(`back: ${oneWay(column, row)}`);
    const between = at(cores.spread_between, row, column);
    const within = at(cores.spread_within, row, column);
    if (isNumber(between)) lines.push(`between lines ±${withUnit(between)}`);
    if (isNumber(within)) lines.push(`within a line ±${withUnit(within)}`);
    const offset = at(cores.clock_offset, row, column);
    if (isNumber(offset)) lines.push(`clock offset ${withUnit(offset)}`);
    return lines;
  };

  const map = new HeatMap(`Latency between CPUs, test ${cores.test}`);
  const legendBox = h('div', {});
  const statistics = h('div', {});
  const histogramBox = h('div', {});
  const update = () => {
    const positions = order === 'group' ? byGroup.order : byNumber;
    const place = (shown: number) => positions[shown] ?? 0;
    map.setData({
      labels: positions.map((position) => String(cores.cpus[position])),
      value: (row, column) => at(cores.nanoseconds, place(row), place(column)),
      color: (value) => sequential(scale.place(value)),
      cellText: (value) => fixed(inUnit(value), 0),
      describe: (row, column) => describe(place(row), place(column)),
      boundaries: order === 'group' ? byGroup.boundaries : [],
    });
    legendBox.replaceChildren(
      legend(
        `${unit}, one way`,
        sequential,
        scale.ticks.map(({place: tickPlace, value}) => ({
          place: tickPlace,
          label: short(inUnit(value)),
        })),
      ),
    );
    statistics.replaceChildren(statisticsTable(cores, withUnit));
    histogramBox.replaceChildren(histogram(scale.sorted, factors[unit] ?? 1, unit));
  };

  const zooms = cores.cpus.length > 32 ? ['1', '2', '4', '8'] : [];
  const controls = h(
    'div',
    {class: 'controls'},
    segmented(
      'Unit',
      (['ns', 'cycles', 'ticks'] as Unit[]).map((value) => ({
        value,
        label: value,
        disabled: factors[value] === undefined ? 'This result does not tell the rate' : undefined,
      })),
      unit,
      (value) => {
        unit = value as Unit;
        update();
      },
    ),
    segmented(
      'Order',
      [
        {value: 'number', label: 'by number'},
        {
          value: 'group',
          label: 'by group',
          disabled: cores.groups?.length ? undefined : 'No groups were found',
        },
      ],
      order,
      (value) => {
        order = value as Order;
        update();
      },
    ),
    zooms.length > 0
      ? segmented(
          'Zoom',
          zooms.map((value) => ({value, label: value === '1' ? 'all' : `× ${value}`})),
          '1',
          (value) => map.setZoom(Number(value)),
        )
      : null,
  );
  update();

  return h(
    'div',
    {class: 'stack'},
    card(
      `${cores.test}${cores.instruction ? `, with ${cores.instruction}` : ''}`,
      cores.partial
        ? h('p', {class: 'callout warn'}, 'Interrupted: pairs that were not reached are empty.')
        : null,
      controls,
      h(
        'div',
        {class: 'beside'},
        h(
          'div',
          {class: 'stack'},
          map.element,
          h('p', {class: 'soft'}, 'A row is the CPU that starts, a column the one that answers.'),
          matrixTable(cores),
        ),
        h('div', {class: 'stack'}, legendBox, statistics, methodNote(cores), histogramBox),
      ),
    ),
    spectrumCard(cores),
    floatingCard(cores),
    groupsCard(cores),
    findingsCard(cores),
  );
}

function statisticsTable(cores: CoreMatrix, withUnit: (value: Numbered) => string): HTMLElement {
  let least: {value: number; pair: string} | undefined;
  let most: {value: number; pair: string} | undefined;
  let sum = 0;
  let measured = 0;
  cores.nanoseconds.forEach((row, i) => {
    row.forEach((value, j) => {
      if (i === j || !isNumber(value)) return;
      const pair = `CPU ${cores.cpus[i]} → CPU ${cores.cpus[j]}`;
      if (!least || value < least.value) least = {value, pair};
      if (!most || value > most.value) most = {value, pair};
      sum += value;
      measured += 1;
    });
  });
  const {sorted} = scaleOf(cores.nanoseconds);
  const median = sorted.length > 0 ? quantile(sorted, 0.5) : null;
  return table(
    'Summary of all pairs',
    [{title: 'Of all pairs'}, {title: 'Latency', numeric: true}, {title: 'Pair'}],
    [
      ['min', withUnit(least?.value ?? null), least?.pair ?? kNothing],
      ['median', withUnit(median), ''],
      ['mean', withUnit(measured > 0 ? sum / measured : null), ''],
      ['max', withUnit(most?.value ?? null), most?.pair ?? kNothing],
    ],
  );
}

function methodNote(cores: CoreMatrix): Child {
  if (cores.batches_kept === undefined) return null;
  const rejected = cores.batches_rejected ?? 0;
  const disturbed = cores.disturbed?.length ?? 0;
  const late = cores.timed_out?.length ?? 0;
  const parts = [`${count(cores.batches_kept, 'batch', 'batches')} kept, ${rejected} dropped.`];
  if (disturbed > 0) parts.push(`${count(disturbed, 'pair')} measured under disturbance.`);
  if (late > 0) parts.push(`${count(late, 'pair')} gave no answer in time.`);
  return h('p', {class: 'soft'}, parts.join(' '));
}

function histogram(sorted: Float64Array, factor: number, unit: string): HTMLElement {
  if (sorted.length === 0) return h('p', {class: 'soft'}, 'No pair was measured.');
  if (sorted.length < kFewestPairsInHistogram) return h('div', {});
  const {start, width, counts} = bins(sorted, 60);
  const low = (bin: number) => (start + bin * width) * factor;
  const label = (bin: number) => `${short(low(bin))} to ${short(low(bin + 1))} ${unit}`;
  const drawing = chart(`Histogram of the latency of all pairs in ${unit}`, 240, (palette) => ({
    grid: {left: 60, right: 12, top: 12, bottom: 48},
    xAxis: {
      ...axis(unit, palette),
      type: 'category',
      data: counts.map((_, bin) => short(low(bin))),
      splitLine: {show: false},
    },
    yAxis: axis('pairs', palette, {nameGap: 44, minInterval: 1}),
    tooltip: tooltip(palette, (params) => {
      const {bin, value} = params.data as {bin: number; value: number};
      return [label(bin), count(value, 'pair')];
    }),
    series: [
      {
        type: 'bar',
        barCategoryGap: '8%',
        itemStyle: {color: palette.accent},
        data: counts.map((value, bin) => ({value, bin})),
      },
    ],
  }));
  return h(
    'div',
    {},
    h('h3', {}, 'Histogram of the pairs'),
    drawing.element,
    details('Show as a table', () =>
      table(
        'Histogram of the pairs',
        [{title: 'Latency'}, {title: 'Pairs', numeric: true}],
        counts.map((value, bin) => [label(bin), value]),
      ),
    ),
  );
}

/** The levels of latency: the one picture that says what kind of machine this is. */
function spectrumCard(cores: CoreMatrix): Child {
  const spectrum = spectrumOf(cores);
  if (!spectrum) return null;
  const {first, step} = spectrum;
  const what = cores.rounds ? 'visits' : 'pairs';
  const low = (bar: number) => first * step ** bar;
  const label = (bar: number) => `${short(low(bar))} to ${short(low(bar + 1))} ns`;
  const levelAt = (bar: number) =>
    spectrum.levels
      .filter((level) => isNumber(level.ns) && level.ns >= low(bar) && level.ns < low(bar + 1))
      .map((level) => level.name)
      .join(', ');
  const drawing = chart(`Spectrum of latencies: ${what} by nanoseconds`, 260, (palette) => ({
    grid: {left: 60, right: 12, top: 28, bottom: 48},
    xAxis: {
      ...axis('ns', palette),
      type: 'category',
      data: spectrum.counts.map((_, bar) => short(low(bar + 0.5))),
      splitLine: {show: false},
    },
    yAxis: axis(what, palette, {nameGap: 44, minInterval: 1}),
    tooltip: tooltip(palette, (params) => {
      const {bar, value} = params.data as {bar: number; value: number};
      return [label(bar), count(value, what.slice(0, -1)), levelAt(bar)].filter((line) => line);
    }),
    series: [
      {
        type: 'bar',
        barCategoryGap: '8%',
        itemStyle: {color: palette.accent},
        label: {
          show: true,
          position: 'top',
          color: palette.text,
          formatter: (params: {dataIndex: number}) => levelAt(params.dataIndex),
        },
        data: spectrum.counts.map((value, bar) => ({value, bar})),
      },
    ],
  }));
  return card(
    'Levels',
    cores.structure ? h('p', {}, cores.structure) : null,
    drawing.element,
    table(
      'Levels of latency',
      [
        {title: 'Level'},
        {title: 'ns', numeric: true},
        {title: 'Nine in ten visits, ns'},
        {title: `Share of ${what}, %`, numeric: true},
      ],
      spectrum.levels.map((level) => [
        level.name,
        fixed(level.ns, 1),
        `${fixed(level.low, 1)} to ${fixed(level.high, 1)}`,
        fixed(isNumber(level.share) ? level.share * 100 : null, 1),
      ]),
    ),
  );
}

/** How long pairs of a machine whose virtual CPUs move stay at a level. */
function floatingCard(cores: CoreMatrix): Child {
  const floating = cores.floating;
  if (!floating) return null;
  return card(
    'Virtual CPUs move',
    h('p', {}, 'The matrix shows the median of the visits to each pair.'),
    table(
      'Levels between which pairs move',
      [
        {title: 'Level, ns', numeric: true},
        {title: 'Share of visits, %', numeric: true},
        {title: 'Stays for, ms', numeric: true},
      ],
      floating.levels.map((level) => [
        fixed(level.ns, 1),
        fixed(isNumber(level.share) ? level.share * 100 : null, 1),
        isNumber(level.residence_ms) ? short(level.residence_ms) : '',
      ]),
    ),
  );
}

function groupsCard(cores: CoreMatrix): Child {
  const groups = cores.groups ?? [];
  if (groups.length === 0) return null;
  const sorted = [...groups].sort((a, b) => a.level - b.level);
  return card(
    'Groups',
    h(
      'p',
      {},
      'CPUs that are close to each other, tightest first. Groups without a name of the topology’s ',
      'are not known to the system.',
    ),
    table(
      'Groups of CPUs',
      [
        {title: 'Group'},
        {title: 'Level', numeric: true},
        {title: 'CPUs'},
        {title: 'Within, ns', numeric: true},
        {title: 'Topology'},
      ],
      sorted.map((group) => [
        group.name,
        group.level,
        cpuList(group.cpus),
        fixed(group.nanoseconds, 1),
        group.in_topology ? 'agrees' : h('span', {class: 'badge note'}, 'not listed'),
      ]),
    ),
  );
}

function findingsCard(cores: CoreMatrix): Child {
  const findings = cores.findings ?? [];
  return card(
    'Findings',
    findings.length === 0
      ? h('p', {}, 'None.')
      : h(
          'ul',
          {class: 'callouts'},
          ...findings.map((finding) =>
            h(
              'li',
              {class: 'callout note'},
              h('span', {}, sentence(finding.text)),
              h('span', {class: 'hint'}, finding.kind.replaceAll('-', ' ')),
            ),
          ),
        ),
  );
}

/** The whole matrix where a person can still read it; else the row of a CPU that is chosen. */
function matrixTable(cores: CoreMatrix): Child {
  if (cores.cpus.length <= kMostCpusInTable) {
    return details('Show as a table', () =>
      table(
        `Latency between CPUs in nanoseconds, test ${cores.test}`,
        [{title: 'From \\ to'}, ...cores.cpus.map((cpu) => ({title: String(cpu), numeric: true}))],
        cores.nanoseconds.map((row, i) => [
          `CPU ${cores.cpus[i]}`,
          ...row.map((value) => (isNumber(value) ? fixed(value, 1) : '')),
        ]),
      ),
    );
  }
  return details('Show a CPU’s row as a table', () => {
    const box = h('div', {});
    const show = (position: number) => {
      box.replaceChildren(
        table(
          `Latency from CPU ${cores.cpus[position]} in nanoseconds`,
          [{title: 'To'}, {title: 'ns', numeric: true}, {title: 'Back, ns', numeric: true}],
          cores.cpus.map((cpu, other) => [
            `CPU ${cpu}`,
            fixed(at(cores.nanoseconds, position, other), 1),
            fixed(at(cores.nanoseconds, other, position), 1),
          ]),
        ),
      );
    };
    show(0);
    const choices = cores.cpus.map((cpu, i) => ({value: String(i), label: `CPU ${cpu}`}));
    return h(
      'div',
      {},
      select('From', choices, '0', (value) => show(Number(value))),
      box,
    );
  });
}
