// Measured against modelled: a point off the diagonal is where LLVM's scheduling model is wrong.
import {axis, chart, tooltip} from '../chart';
import {card, details, h, table} from '../dom';
import {count, cycles, fixed} from '../format';
import {differs, disagrees, type FormSummary, isComparable, kAgreement} from '../forms';

interface Point {
  model: number;
  measured: number;
  forms: FormSummary[];
}

// What takes no time at all, as eliminated moves do, stands at the edge of the logarithmic scale.
const kLeast = 0.125;

type Quantity = 'latency' | 'throughput';

/** Forms with the same model and, to a twentieth of a cycle, the same measurement are one point. */
function points(forms: FormSummary[], quantity: Quantity): Point[] {
  const byPlace = new Map<string, Point>();
  for (const form of forms) {
    const model = quantity === 'latency' ? form.modelLatency : form.modelThroughput;
    const measured = quantity === 'latency' ? form.comparableLatency : form.throughput;
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
  const compared = forms.filter(isComparable);
  const differing = compared.filter(disagrees);
  const cpu = compared[0]?.row.model?.cpu ?? '';
  const largest = [...differing]
    .sort((a, b) => largestDifference(b) - largestDifference(a))
    .slice(0, 50);
  return card(
    'Against the model',
    h(
      'p',
      {},
      `${count(compared.length - differing.length, 'form agrees', 'forms agree')} with LLVM’s model of ${cpu}, `,
      `${differing.length} ${differing.length === 1 ? 'differs' : 'differ'}. `,
      h('span', {class: 'soft'}, `${kAgreement}, that is. Click a point for its forms.`),
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
  const scale = {type: 'log', logBase: 2, min: kLeast, max: 2 ** Math.ceil(Math.log2(most))};
  const size = (point: Point) => 6 + 3 * Math.log2(point.forms.length);
  const isOff = (point: Point) => differs(point.measured - point.model, point.model);
  // Charts copy the data that they are given: an index leads back to the forms themselves.
  const pointOf = (params: {data: unknown}) => all[(params.data as {index: number}).index];
  const drawing = chart(
    `Measured against modelled ${quantity} of ${count(all.length, 'point')}`,
    320,
    (palette) => ({
      grid: {left: 70, right: 16, top: 16, bottom: 48, outerBoundsMode: 'none'},
      xAxis: axis(`${quantity} in the model, cycles`, palette, scale),
      yAxis: axis('measured, cycles', palette, {...scale, nameGap: 46}),
      tooltip: tooltip(palette, (params) => {
        const point = pointOf(params);
        if (!point) return [];
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
          data: all.map((point, index) => ({
            value: [Math.max(kLeast, point.model), Math.max(kLeast, point.measured)],
            index,
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
            data: [[{coord: [kLeast, kLeast]}, {coord: [scale.max, scale.max]}]],
          },
        },
      ],
    }),
    (params) => onPick(pointOf(params)?.forms ?? []),
  );
  drawing.element.classList.add(`scatter-${quantity}`);
  return h(
    'div',
    {},
    h('h3', {}, quantity === 'latency' ? 'Latency' : 'Throughput'),
    drawing.element,
  );
}
