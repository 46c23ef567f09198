// Many machines, and which of them are not like the others: hosts × metrics, what is usual, and which are not.
import {axis, chart, tooltip} from '../chart';
import {diverging} from '../color';
import type {Fleet, FleetDeviation, FleetGroup, FleetMetric, FleetNode} from '../document';
import {type Child, card, details, h, select, table} from '../dom';
import {count, fixed, isNumber, percent, sentence, short} from '../format';
import {HeatMap, legend} from '../heatmap';
import {readableBins} from '../stats';

/** Standard deviations at the ends of the colour scale. */
const kMaxScore = 8;
const kMostListed = 200;

export function fleetView(fleet: Fleet): HTMLElement {
  return h(
    'div',
    {class: 'stack'},
    h('div', {class: 'hero'}, h('h1', {}, 'Fleet'), h('p', {}, summary(fleet))),
    ...callouts(fleet),
    outlierCard(fleet),
    ...fleet.groups.map((group) => groupCard(group, fleet)),
  );
}

/** "2 of 6 nodes are like the others; 1 slow, 1 different." */
function summary(fleet: Fleet): string {
  const parts = [
    [fleet.slow, 'slow'],
    [fleet.different, 'different'],
    [fleet.not_enough_data, 'without enough data'],
  ]
    .filter(([number]) => Number(number) > 0)
    .map(([number, what]) => `${Number(number).toLocaleString('en')} ${what}`);
  const all = count(fleet.nodes.length, 'node');
  const normal = (fleet.normal ?? 0).toLocaleString('en');
  return `${normal} of ${all} are like the others${parts.length ? `; ${parts.join(', ')}` : ''}.`;
}

function callouts(fleet: Fleet): HTMLElement[] {
  const warn = (text: string) => h('p', {class: 'callout warn'}, text);
  const jobs = (fleet.jobs ?? [])
    .filter(({missing}) => missing?.length)
    .map(({job, missing}) =>
      warn(
        `Job ${job} left no result of ${count(missing?.length ?? 0, 'node')}: ${missing
          ?.slice(0, 20)
          .join(', ')}${(missing?.length ?? 0) > 20 ? ', …' : ''}.`,
      ),
    );
  const unread = fleet.unread ?? [];
  const [first] = unread;
  if (!first) return jobs;
  return [
    ...jobs,
    warn(`${count(unread.length, 'file')} could not be read; the first: ${first.reason}.`),
  ];
}

/** The node's own survey, where there is one. A document may say anything: only a plain path is a link. */
function nodeLink({name, page}: FleetNode): Child {
  const isPath = page && /^[\w.][\w./+ -]*\.html$/.test(page);
  return isPath ? h('a', {href: encodeURI(`./${page}`)}, name) : name;
}

function valueText(value: number | null | undefined, unit: string | undefined): string {
  if (!isNumber(value)) return 'not measured';
  return unit ? `${short(value)} ${unit}` : `${fixed(100 * value, 1)} %`;
}

function deviationText(deviation: FleetDeviation): string {
  const {metric, value, unit, centre, difference} = deviation;
  const usual = `${valueText(value, unit)}, usually ${valueText(centre, unit)}`;
  return unit ? `${metric}: ${usual} (${percent(difference)})` : `${metric}: ${usual}`;
}

const verdictText = (node: FleetNode) => node.verdict.replaceAll('-', ' ');

function outlierCard(fleet: Fleet): Child {
  const outliers = fleet.nodes.filter(({verdict}) => verdict !== 'normal');
  if (outliers.length === 0) return null;
  const more = outliers.length - kMostListed;
  return card(
    'Not like the others',
    table(
      'Nodes that are not normal',
      [{title: 'Node'}, {title: 'Verdict'}, {title: 'Likely cause, and what decides', wraps: true}],
      outliers
        .slice(0, kMostListed)
        .map((node) => [
          nodeLink(node),
          verdictText(node),
          h(
            'div',
            {},
            sentence([node.cause, ...(node.notes ?? [])].filter(Boolean).join('; ')),
            ...(node.deviations ?? [])
              .slice(0, 3)
              .map((deviation) => h('span', {class: 'below'}, deviationText(deviation))),
          ),
        ]),
    ),
    more > 0
      ? h('p', {class: 'soft'}, `${count(more, 'more node')}: the document has them.`)
      : null,
  );
}

/** Nodes that the group says what is usual for: its own, and odd ones of its kind. */
function comparedNodes(group: FleetGroup, fleet: Fleet): FleetNode[] {
  return fleet.nodes.filter(
    ({group: own, compared_with, values}) =>
      (compared_with ? compared_with === group.name : own === group.name) && values?.length,
  );
}

function groupFacts(group: FleetGroup): string {
  return [
    group.cpu_model,
    group.microcode && `microcode ${group.microcode}`,
    group.kernel,
    group.topology,
  ]
    .filter(Boolean)
    .join(', ');
}

function groupCard(group: FleetGroup, fleet: Fleet): Child {
  const title = `Group ${group.name}: ${count(group.nodes, 'node')}`;
  const metrics = group.metrics ?? [];
  const nodes = comparedNodes(group, fleet);
  if (metrics.length === 0 || nodes.length === 0) {
    return card(title, h('p', {}, groupFacts(group)));
  }
  const chosen = h('div', {'aria-live': 'polite'});
  const distribution = h('div', {});
  let metricShown = 0;
  let nodeShown: FleetNode | undefined;
  const show = () => {
    const metric = metrics[metricShown];
    if (!metric) return;
    distribution.replaceChildren(distributionView(metric, metricShown, nodes, nodeShown));
    chosen.replaceChildren(nodeShown ? nodeView(nodeShown) : '');
  };
  const choice = select(
    'Metric',
    metrics.map(({name}, i) => ({value: String(i), label: name})),
    '0',
    (value) => {
      metricShown = Number(value);
      show();
    },
  );
  const map = heatMap(metrics, nodes, (node, metric) => {
    nodeShown = nodes[node];
    metricShown = metric;
    const box = choice.querySelector('select');
    if (box) box.value = String(metric);
    show();
  });
  show();
  return card(
    title,
    h('p', {}, groupFacts(group)),
    h(
      'p',
      {class: 'soft'},
      'Every node by every value, in standard deviations from what is usual. Choose a cell to see ',
      'its distribution and the node.',
    ),
    map,
    legend('slower, in standard deviations', diverging, [
      {place: 0, label: `−${kMaxScore}`},
      {place: 0.5, label: 'usual'},
      {place: 1, label: `+${kMaxScore}`},
    ]),
    chosen,
    h('div', {class: 'controls'}, choice),
    distribution,
    details('What is usual', () => metricsTable(metrics)),
  );
}

function heatMap(
  metrics: FleetMetric[],
  nodes: FleetNode[],
  pick: (node: number, metric: number) => void,
): HTMLElement {
  const startsKind = (i: number) => metrics[i]?.kind !== metrics[i - 1]?.kind;
  const map = new HeatMap('Nodes and metrics');
  map.setData({
    labels: nodes.map(({name}) => name),
    headings: metrics.map(({kind}, i) => (startsKind(i) ? kind : '')),
    value: (row, column) => nodes[row]?.scores?.[column] ?? null,
    color: (score) => diverging(0.5 + score / kMaxScore / 2),
    cellText: (score) => fixed(score, 0),
    describe: (row, column) => {
      const node = nodes[row];
      const metric = metrics[column];
      if (!node || !metric) return [];
      const score = node.scores?.[column];
      return [
        `${node.name}: ${verdictText(node)}`,
        `${metric.name}: ${valueText(node.values?.[column], metric.unit)}`,
        `usually ${valueText(metric.centre, metric.unit)}`,
        ...(isNumber(score) ? [`${fixed(score, 1)} standard deviations slower`] : []),
      ];
    },
    boundaries: metrics.map((_, i) => i).filter((i) => i > 0 && startsKind(i)),
    pick,
  });
  return map.element;
}

function nodeView(node: FleetNode): HTMLElement {
  return h(
    'p',
    {class: 'callout note'},
    h(
      'span',
      {},
      nodeLink(node),
      `: ${[verdictText(node), node.cause, ...(node.notes ?? [])].filter(Boolean).join('; ')}`,
    ),
  );
}

/** Shares of time are shown as percentages. */
const shownValue = (metric: FleetMetric, value: number) => (metric.unit ? value : 100 * value);

function distributionView(
  metric: FleetMetric,
  place: number,
  nodes: FleetNode[],
  marked: FleetNode | undefined,
): HTMLElement {
  const unit = metric.unit || '%';
  const measuredBy = (node: FleetNode | undefined) => node?.values?.[place];
  const values = nodes
    .map(measuredBy)
    .filter(isNumber)
    .map((value) => shownValue(metric, value));
  const sorted = Float64Array.from(values).sort();
  // What matters is ten bins wide: a finer look would show noise.
  const matters = (metric.interest ?? 0) * (metric.unit ? (metric.centre ?? 0) : 100);
  const {start, width, counts} = readableBins(sorted, 60, matters / 10);
  const low = (bin: number) => start + bin * width;
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(width))));
  const label = (bin: number) =>
    `${fixed(low(bin), digits)} to ${fixed(low(bin + 1), digits)} ${unit}`;
  const isOdd = (node: FleetNode) =>
    node.deviations?.some(({metric: name}) => name === metric.name) ?? false;
  const odd = nodes.filter((node) => node === marked || isOdd(node)).slice(0, 12);
  const drawing = chart(`Distribution of ${metric.name}`, 240, (palette) => ({
    grid: {left: 60, right: 16, top: 28, bottom: 48},
    xAxis: axis(unit, palette, {
      min: low(0),
      max: low(counts.length),
      splitLine: {show: false},
      axisLabel: {color: palette.soft, showMinLabel: false, showMaxLabel: false},
    }),
    yAxis: axis('nodes', palette, {nameGap: 44, minInterval: 1}),
    tooltip: tooltip(palette, (params) => {
      const {bin} = params.data as {bin: number};
      return [label(bin), count(counts[bin] ?? 0, 'node')];
    }),
    series: [
      {
        type: 'bar',
        barWidth: '92%',
        itemStyle: {color: palette.accent},
        data: counts.map((value, bin) => ({value: [low(bin + 0.5), value], bin})),
        markLine: {
          symbol: 'none',
          silent: true,
          lineStyle: {color: palette.warm},
          label: {color: palette.text, formatter: ({name}: {name: string}) => name},
          data: odd
            .map((node) => ({name: node.name, value: measuredBy(node)}))
            .filter((each): each is {name: string; value: number} => isNumber(each.value))
            .map(({name, value}) => ({name, xAxis: shownValue(metric, value)})),
        },
      },
    ],
  }));
  return h(
    'div',
    {},
    h('h3', {}, `Distribution of ${metric.name}`),
    drawing.element,
    details('Show as a table', () =>
      table(
        `Distribution of ${metric.name}`,
        [{title: unit}, {title: 'Nodes', numeric: true}],
        counts.map((value, bin) => [label(bin), value]),
      ),
    ),
  );
}

function metricsTable(metrics: FleetMetric[]): HTMLElement {
  const spread = (value: number | null, unit: string | undefined) =>
    isNumber(value) ? `${fixed(100 * value, 2)} %${unit ? '' : ' of the time'}` : '';
  return table(
    'What is usual',
    [
      {title: 'Metric'},
      {title: 'Nodes', numeric: true},
      {title: 'Centre', numeric: true},
      {title: 'Spread below', numeric: true},
      {title: 'Spread above', numeric: true},
      {title: 'Matters from', numeric: true},
    ],
    metrics.map((metric) => [
      metric.name,
      metric.nodes,
      valueText(metric.centre, metric.unit),
      spread(metric.spread_below, metric.unit),
      spread(metric.spread_above, metric.unit),
      spread(metric.interest, metric.unit),
    ]),
  );
}
