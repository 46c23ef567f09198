// Measured against modelled: a point off the diagonal is where LLVM's scheduling model is wrong.
import {axis, chart, tooltip} from '../chart';
import {card, details, h, table} from '../dom';
import {count, cycles, fixed} from '../format';
import {disagrees, type FormSummary, kAgreement} from '../forms';

interface Point {
  model: number;
  measured: number;
  forms: FormSummary[];
}

type Quantity = 'latency' | 'throughput';

/** Forms with the same model and, to a twentieth of a cycle, the same measurement are one point. */
function points(forms: FormSummary[], quantity: Quantity): Point[] {
  const byPlace = new Map<string, Point>();
  for (const form of forms) {
    const model = quantity === 'latency' ? form.modelLatency : form.modelThroughput;
    const measured = quantity === 'latency' ? form.latency : form.throughput;
    if (model === null || measured === null) continue;
    const rounded = Math.round(measured * 20) / 20;
    const key = `${model} ${rounded}`;
    const point = byPlace.get(key);
    if (point) point.forms.push(form);
    else byPlace.set(key, {model, measured: rounded, forms: [form]});
  }
  return [...byPlace.values()];
}

export function modelScatter(
  forms: FormSummary[],
  onPick: (forms: FormSummary[]) => void,
): HTMLElement {
  const modelled = forms.filter((form) => form.row.model);
  const differing = modelled.filter(disagrees);
  const cpu = modelled[0]?.row.model?.cpu ?? '';
  const largest = [...differing]
    .sort((a, b) => largestDifference(b) - largestDifference(a))
    .slice(0, 50);
  return card(
    'Against the model',
    h(
      'p',
      {},
      `${count(modelled.length - differing.length, 'form agrees', 'forms agree')} with LLVM’s model of ${cpu}, `,
      `${differing.length} ${differing.length === 1 ? 'differs' : 'differ'}. `,
      h('span', {class: 'soft'}, `${kAgreement} counts as different. Click a point for its forms.`),
    ),
    h(
      'div',
      {class: 'columns'},
      scatter(points(forms, 'latency'), 'latency', onPick),
      scatter(points(forms, 'throughput'), 'throughput', onPick),
    ),
    details('Show the largest differences as a table', () =>
      table(
        'Forms that differ most from the model',
        [
          {title: 'Instruction'},
          {title: 'Latency', numeric: true},
          {title: 'Model', numeric: true},
          {title: 'Throughput', numeric: true},
          {title: 'Model', numeric: true},
        ],
        largest.map((form) => [
          h('code', {}, form.text),
          form.latencyText,
          cycles(form.modelLatency),
          cycles(form.throughput),
          cycles(form.modelThroughput),
        ]),
      ),
    ),
  );
}

function largestDifference(form: FormSummary): number {
  return Math.max(Math.abs(form.latencyDifference ?? 0), Math.abs(form.throughputDifference ?? 0));
}

function scatter(
  all: Point[],
  quantity: Quantity,
  onPick: (forms: FormSummary[]) => void,
): HTMLElement {
  const most = Math.max(1, ...all.map((point) => Math.max(point.model, point.measured)));
  const size = (point: Point) => 6 + 3 * Math.log2(point.forms.length);
  const isOff = (point: Point) =>
    Math.abs(point.measured - point.model) > Math.max(0.1, 0.1 * point.model);
  const drawing = chart(
    `Measured against modelled ${quantity} of ${count(all.length, 'point')}`,
    320,
    (palette) => ({
      grid: {left: 56, right: 16, top: 16, bottom: 48},
      // A logarithmic scale would lose the zeros; most forms are small, so that the wheel zooms in.
      dataZoom: [
        {type: 'inside', xAxisIndex: 0, filterMode: 'none'},
        {type: 'inside', yAxisIndex: 0, filterMode: 'none'},
      ],
      xAxis: axis(`${quantity} in the model, cycles`, palette, {min: 0, max: Math.ceil(most)}),
      yAxis: axis('measured, cycles', palette, {min: 0, max: Math.ceil(most), nameGap: 38}),
      tooltip: tooltip(palette, (params) => {
        const {point} = params.data as {point: Point};
        const named = point.forms.slice(0, 4).map((form) => form.text);
        const more = point.forms.length - named.length;
        return [
          `model ${fixed(point.model, 2)}, measured ${fixed(point.measured, 2)}`,
          ...named,
          ...(more > 0 ? [`and ${more} more`] : []),
        ];
      }),
      series: [
        {
          type: 'scatter',
          data: all.map((point) => ({
            value: [point.model, point.measured],
            point,
            symbolSize: size(point),
            itemStyle: {
              color: isOff(point) ? palette.warm : palette.accent,
              opacity: 0.75,
              borderColor: palette.surface,
            },
          })),
          markLine: {
            silent: true,
            symbol: 'none',
            label: {show: false},
            lineStyle: {color: palette.soft, type: 'dashed', opacity: 0.7},
            data: [[{coord: [0, 0]}, {coord: [Math.ceil(most), Math.ceil(most)]}]],
          },
        },
      ],
    }),
    (params) => onPick((params.data as {point: Point}).point.forms),
  );
  drawing.element.classList.add(`scatter-${quantity}`);
  return h(
    'div',
    {},
    h('h3', {}, quantity === 'latency' ? 'Latency' : 'Throughput'),
    drawing.element,
  );
}
