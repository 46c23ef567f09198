// Charts in the page's colours. What a chart shows also stands in a table beside it.
import {BarChart, LineChart, ScatterChart} from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components';
import {type EChartsCoreOption, type EChartsType, init, use} from 'echarts/core';
import {CanvasRenderer} from 'echarts/renderers';
import {h} from './dom';
import {onThemeChange, styleColor} from './theme';

use([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  GridComponent,
  LineChart,
  MarkLineComponent,
  ScatterChart,
  TooltipComponent,
]);

export interface Palette {
  text: string;
  soft: string;
  line: string;
  accent: string;
  warm: string;
  surface: string;
}

export interface Chart {
  element: HTMLElement;
  update: () => void;
  instance: () => EChartsType | undefined;
}

/**
 * A chart that is made when it first has room, and drawn anew when its size or the colours change.
 * `option` is asked each time.
 */
export function chart(
  label: string,
  height: number,
  option: (palette: Palette) => EChartsCoreOption,
  onClick?: (params: {data: unknown}) => void,
): Chart {
  const element = h('div', {class: 'chart', role: 'img', 'aria-label': label});
  element.style.height = `${height}px`;
  let instance: EChartsType | undefined;

  const update = () => {
    if (!instance) return;
    const palette: Palette = {
      text: styleColor('--text'),
      soft: styleColor('--text-soft'),
      line: styleColor('--line'),
      accent: styleColor('--accent'),
      warm: styleColor('--warm'),
      surface: styleColor('--surface'),
    };
    instance.setOption(
      {
        animation: false,
        textStyle: {fontFamily: 'ui-sans-serif, system-ui, sans-serif', color: palette.soft},
        ...option(palette),
      },
      {notMerge: true},
    );
  };

  const make = () => {
    if (instance || element.clientWidth === 0) return;
    instance = init(element, null, {renderer: 'canvas'});
    if (onClick) instance.on('click', (params) => onClick(params as {data: unknown}));
    update();
  };

  new ResizeObserver(() => {
    if (element.clientWidth === 0) return;
    // The text beside it need not wait for the first drawing: that comes after this frame.
    if (instance) instance.resize();
    else setTimeout(make);
  }).observe(element);
  onThemeChange(element, update);
  return {element, update, instance: () => instance};
}

/** What all value axes share. */
export function axis(name: string, palette: Palette, extra: object = {}): object {
  return {
    type: 'value',
    name,
    nameLocation: 'middle',
    nameGap: 30,
    nameTextStyle: {color: palette.soft},
    axisLine: {show: true, lineStyle: {color: palette.line}},
    axisLabel: {color: palette.soft},
    splitLine: {lineStyle: {color: palette.line, opacity: 0.6}},
    ...extra,
  };
}

/** A tooltip whose lines are text, whatever they hold. */
export function tooltip(palette: Palette, lines: (params: {data: unknown}) => string[]): object {
  return {
    trigger: 'item',
    backgroundColor: palette.surface,
    borderColor: palette.line,
    textStyle: {color: palette.text},
    formatter: (params: {data: unknown}) =>
      h(
        'div',
        {class: 'chart-tip'},
        ...lines(params).map((line, i) => h(i === 0 ? 'strong' : 'div', {}, line)),
      ),
  };
}
