// Measured against modelled: a point off the diagonal is where LLVM's scheduling model is wrong.
import {axis, chart, tooltip} from '../chart';
import type {ModelAgreement, ModelGroup} from '../data';
import {card, details, h} from '../dom';
import {count, fixed, sentence} from '../format';
import {type FormSummary, kAgreement} from '../forms';

interface Point {
  model: number;
  measured: number;
  forms: FormSummary[];
}

// What takes no time at all, as eliminated moves do, stands at the edge of the logarithmic scale.
const kMinCycles = 0.125;

type Quantity = 'latency' | 'throughput';

/** Forms with the same model and, to a twentieth of a cycle, the same measurement are one point. */
function points(forms: FormSummary[], quantity: Quantity): Point[] {
  const byPlace = new Map<string, Point>();
  for (const form of forms) {
    const model = quantity === 'latency' ? form.comparableModel : form.modelThroughput;
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

const kMostGroups = 30;

export function modelScatter(
  forms: FormSummary[],
  model: ModelAgreement,
  onPick: (forms: FormSummary[]) => void,
): HTMLElement {
  const {groups} = model;
  return card(
    'Against the model',
    h(
      'p',
      {},
      `LLVM’s model of ${model.cpu}: ${model.sentences.join('; ')}. `,
      h('span', {class: 'soft'}, `Different means: ${kAgreement}. Click a point for its forms.`),
    ),
    h(
      'div',
      {class: 'columns'},
      scatter(points(forms, 'latency'), 'latency', onPick),
      scatter(points(forms, 'throughput'), 'throughput', onPick),
    ),
    groups.length > 0
      ? details('Where the model differs, in words', () => groupList(forms, groups, onPick))
      : null,
    model.system.length > 0
      ? h(
          'p',
          {class: 'soft'},
          'System instructions, for which models have a stand-in, are not compared: ',
          [...new Set(model.system.map((place) => forms[place]?.mnemonic ?? ''))].join(', '),
        )
      : null,
  );
}

function groupList(
  forms: FormSummary[],
  groups: ModelGroup[],
  onPick: (forms: FormSummary[]) => void,
): HTMLElement {
  const formsOf = (group: ModelGroup) => [
    ...new Set(group.rows.map((place) => forms[place]).filter((form) => form !== undefined)),
  ];
  const left = groups.slice(kMostGroups).reduce((sum, group) => sum + group.rows.length, 0);
  return h(
    'div',
    {},
    h(
      'ul',
      {class: 'sentences', 'aria-label': 'Where the model differs'},
      ...groups
        .slice(0, kMostGroups)
        .map((group) =>
          h(
            'li',
            {},
            `${sentence(group.text)}. `,
            h(
              'button',
              {type: 'button', class: 'link', click: () => onPick(formsOf(group))},
              `Show ${group.rows.length === 1 ? 'it' : 'them'}`,
            ),
          ),
        ),
    ),
    left > 0 ? h('p', {class: 'soft'}, `And ${count(left, 'value')} in smaller groups.`) : null,
  );
}

function scatter(
  all: Point[],
  quantity: Quantity,
  onPick: (forms: FormSummary[]) => void,
): HTMLElement {
  const most = Math.max(1, ...all.map((point) => Math.max(point.model, point.measured)));
  const scale = {type: 'log', logBase: 2, min: kMinCycles, max: 2 ** Math.ceil(Math.log2(most))};
  const size = (point: Point) => 6 + 3 * Math.log2(point.forms.length);
  const isOff = (point: Point) =>
    point.forms.some((form) =>
      quantity === 'latency' ? form.latencyDiffers : form.throughputDiffers,
    );
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
            value: [Math.max(kMinCycles, point.model), Math.max(kMinCycles, point.measured)],
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
            data: [[{coord: [kMinCycles, kMinCycles]}, {coord: [scale.max, scale.max]}]],
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
