// The latencies between CPUs as a drawing that stands for itself: a heat map, or the spectrum of levels
// where a map says nothing (two CPUs, or CPUs that move).
import {css, inkOn, sequential} from './color';
import {at, groupOrder, type Scale, scaleOf, spectrumOf} from './core_matrix';
import type {CoreMatrix} from './document';
import {svg} from './dom';
import {type Figure, figureOf, figureText, kFigureWidth} from './figure';
import {count, fixed, isNumber, short} from './format';
import {styleColor} from './theme';

const kLegendHeight = 44;
/** More cells than these squared are one picture. */
const kMostCells = 48;
const kCellWithText = 26;

export function coreFigure(cores: CoreMatrix): Figure | undefined {
  const moves = cores.floating !== undefined || cores.cpus.length <= 2;
  return (moves ? spectrum(cores) : undefined) ?? heatMap(cores);
}

export function heatMap(
  cores: CoreMatrix,
  scale: Scale = scaleOf(cores.nanoseconds),
): Figure | undefined {
  const size = cores.cpus.length;
  if (scale.sorted.length === 0 || size < 2) return undefined;
  const {order, boundaries} = groupOrder(cores);
  const value = (row: number, column: number) =>
    row === column ? null : at(cores.nanoseconds, order[row] ?? 0, order[column] ?? 0);
  const gutter = size <= kMostCells ? 26 : 0;
  const side = Math.min(kFigureWidth - gutter, size * 90);
  const cell = side / size;
  const children =
    size <= kMostCells
      ? cells(cores, order, value, scale.place, gutter, cell)
      : [picture(size, value, scale.place, side)];
  for (const boundary of boundaries) {
    const place = gutter + boundary * cell;
    const line = {stroke: styleColor('--text'), 'stroke-width': 1};
    children.push(
      svg('line', {x1: place, y1: gutter, x2: place, y2: gutter + side, ...line}),
      svg('line', {x1: gutter, y1: place, x2: gutter + side, y2: place, ...line}),
    );
  }
  children.push(...legend(gutter, gutter + side + 14, side, scale.ticks));
  const [low, high] = [scale.sorted[0], scale.sorted[scale.sorted.length - 1]];
  const label =
    `Heat map of the latency between ${count(size, 'CPU')}: ` +
    `${short(low)} to ${short(high)} ns, one way`;
  return figureOf(label, gutter + side + 14 + kLegendHeight, children);
}

function cells(
  cores: CoreMatrix,
  order: number[],
  value: (row: number, column: number) => number | null,
  place: (value: number) => number,
  gutter: number,
  cell: number,
): SVGElement[] {
  const children: SVGElement[] = [];
  const gap = cell > 12 ? 1.5 : 0.5;
  // A label needs 20 units.
  const step = Math.ceil(20 / cell);
  order.forEach((position, row) => {
    const cpu = String(cores.cpus[position]);
    const middle = gutter + (row + 0.5) * cell;
    if (row % step === 0) {
      children.push(
        figureText(gutter - 6, middle + 4, cpu, {'text-anchor': 'end', 'font-size': 11}),
        figureText(middle, gutter - 7, cpu, {'text-anchor': 'middle', 'font-size': 11}),
      );
    }
    order.forEach((_, column) => {
      const nanoseconds = value(row, column);
      const color = nanoseconds === null ? undefined : sequential(place(nanoseconds));
      const box = {
        x: gutter + column * cell,
        y: gutter + row * cell,
        width: cell - gap,
        height: cell - gap,
        rx: cell > 12 ? 2 : 0,
        fill: color ? css(color) : styleColor('--empty'),
      };
      children.push(svg('rect', box));
      if (color && cell >= kCellWithText) {
        const middleOf = (start: number) => start + (cell - gap) / 2;
        children.push(
          figureText(middleOf(box.x), middleOf(box.y) + 4, fixed(nanoseconds, 0), {
            'text-anchor': 'middle',
            'font-size': Math.min(16, cell / 2.4),
            fill: inkOn(color),
          }),
        );
      }
    });
  });
  return children;
}

/** A pixel per pair, enlarged. */
function picture(
  size: number,
  value: (row: number, column: number) => number | null,
  place: (value: number) => number,
  side: number,
): SVGElement {
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext('2d');
  const image = context?.createImageData(size, size);
  if (context && image) {
    // A fixed number of colours: hundreds of thousands of pairs share them.
    const steps = 255;
    const colors = Array.from({length: steps + 1}, (_, step) => sequential(step / steps));
    const {data} = image;
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < size; column += 1) {
        const nanoseconds = value(row, column);
        if (nanoseconds === null) continue;
        const step = Math.round(steps * Math.min(1, Math.max(0, place(nanoseconds))));
        const color = colors[step];
        if (!color) continue;
        const start = (row * size + column) * 4;
        data[start] = color[0];
        data[start + 1] = color[1];
        data[start + 2] = color[2];
        data[start + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  }
  return svg('image', {
    href: canvas.toDataURL('image/png'),
    width: side,
    height: side,
    preserveAspectRatio: 'none',
    style: 'image-rendering: pixelated',
  });
}

function legend(
  x: number,
  y: number,
  width: number,
  ticks: {place: number; value: number}[],
): SVGElement[] {
  const parts = 40;
  const length = Math.min(width, 260);
  const children: SVGElement[] = Array.from({length: parts}, (_, i) =>
    svg('rect', {
      x: x + (i * length) / parts,
      y,
      width: length / parts + 0.5,
      height: 8,
      fill: css(sequential((i + 0.5) / parts)),
    }),
  );
  const [first, last] = [ticks[0], ticks.at(-1)];
  if (first && last) {
    children.push(
      figureText(x, y + 24, `${short(first.value)} ns`),
      figureText(x + length, y + 24, `${short(last.value)} ns`, {'text-anchor': 'end'}),
    );
  }
  return children;
}

function spectrum(cores: CoreMatrix): Figure | undefined {
  const bars = spectrumOf(cores);
  if (!bars) return undefined;
  const {first, step, counts, levels} = bars;
  const top = 34;
  const height = 150;
  const bottom = top + height;
  const most = Math.max(...counts);
  const width = kFigureWidth / counts.length;
  const visits = cores.rounds ? 'visits' : 'pairs';
  const children: SVGElement[] = [
    svg('line', {
      x1: 0,
      y1: bottom,
      x2: kFigureWidth,
      y2: bottom,
      stroke: styleColor('--line'),
    }),
  ];
  counts.forEach((n, bar) => {
    if (n === 0) return;
    // The square root, so that what is seen once in a hundred times is seen here, too.
    const tall = Math.max(2, Math.sqrt(n / most) * height);
    children.push(
      svg('rect', {
        x: bar * width + 1,
        y: bottom - tall,
        width: width - 2,
        height: tall,
        rx: 2,
        fill: css(sequential(0.35 + (0.5 * bar) / counts.length)),
      }),
    );
  });
  const placeOf = (ns: number) => (Math.log(ns / first) / Math.log(step)) * width;
  let free = 0;
  for (const level of levels) {
    if (!isNumber(level.ns)) continue;
    const words = `${level.name} ${short(level.ns)} ns`;
    const half = words.length * 3.2;
    const x = Math.max(free + half, Math.min(kFigureWidth - half, placeOf(level.ns)));
    if (x + half > kFigureWidth + 1) continue;
    free = x + half + 8;
    children.push(figureText(x, 16, words, {'text-anchor': 'middle', fill: styleColor('--text')}));
  }
  // What the tallest bar stands for, beside it, where there is more room.
  const tallest = counts.indexOf(most);
  const isLeft = tallest < counts.length / 2;
  children.push(
    figureText(
      (isLeft ? tallest + 1 : tallest) * width + (isLeft ? 6 : -6),
      top + 12,
      `${most.toLocaleString('en')} ${visits}`,
      {'text-anchor': isLeft ? 'start' : 'end'},
    ),
  );
  const ends = [first, first * step ** (counts.length / 2), first * step ** counts.length];
  ends.forEach((ns, i) => {
    children.push(
      figureText((i * kFigureWidth) / 2, bottom + 18, `${short(ns)} ns`, {
        'text-anchor': ['start', 'middle', 'end'][i] ?? 'start',
      }),
    );
  });
  const label = `How often ${visits} to a pair of CPUs took how long: ${levels
    .map((level) => `${level.name} ${short(level.ns)} ns`)
    .join(', ')}`;
  return figureOf(label, bottom + 28, children);
}
