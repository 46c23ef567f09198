// How long a load takes, by how much memory is visited: the stairs of caches and memory.
import type {MemoryPoint, MemoryRow} from './document';
import {svg} from './dom';
import {type Figure, figureOf, figureText, kFigureWidth} from './figure';
import {bytes, isNumber, short} from './format';
import {textWidth} from './text_width';
import {styleColor} from './theme';

/** For the names of levels, in two lines where they need them. */
const kTop = 42;
const kHeight = 130;
/** For the numbers of the axis. */
const kLeft = 52;
const kRight = kFigureWidth;

/** Of the curve in random order over the largest pages; undefined where there is none. */
export function memoryFigure(row: MemoryRow): Figure | undefined {
  const curves = row.curves.filter(({order}) => order === 'random');
  const curve = curves.find(({pages}) => pages === 'huge') ?? curves[0];
  const points = (curve?.points ?? []).filter((point) => point.bytes > 0 && isShown(point));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || last.bytes <= first.bytes) return undefined;
  const times = points.map(timeOf);
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const x = (size: number) =>
    kLeft + ((kRight - kLeft) * Math.log(size / first.bytes)) / Math.log(last.bytes / first.bytes);
  const y = (ns: number) =>
    kTop + kHeight - (kHeight * Math.log(ns / least)) / Math.log(Math.max(most / least, 2));
  const bottom = kTop + kHeight + 8;
  const path = points.map((point, i) => `${i ? 'L' : 'M'}${x(point.bytes)} ${y(timeOf(point))}`);
  const children = [
    ...axisOf(least, most, y),
    svg('line', {x1: kLeft, y1: bottom, x2: kRight, y2: bottom, stroke: styleColor('--line')}),
    svg('path', {
      d: path.join(''),
      fill: 'none',
      stroke: styleColor('--accent'),
      'stroke-width': 2.5,
      'stroke-linejoin': 'round',
    }),
    ...levelNames(row, x, first.bytes, last.bytes),
    figureText(kLeft, bottom + 18, bytes(first.bytes)),
    figureText(kRight, bottom + 18, bytes(last.bytes), {'text-anchor': 'end'}),
  ];
  const label = `How long a load takes from ${bytes(first.bytes)} to ${bytes(last.bytes)}: ${row.levels
    .map(({name, ns}) => `${name} ${short(ns.value)} ns`)
    .join(', ')}`;
  return figureOf(label, bottom + 28, children);
}

const timeOf = (point: MemoryPoint) => point.ns.value ?? 0;
const isShown = (point: MemoryPoint) => isNumber(point.ns.value) && point.ns.value > 0;

/** Times that are read easily: 1, 3, 10, 30, 100 ns, ..., a line each. */
function axisOf(least: number, most: number, y: (ns: number) => number): SVGElement[] {
  const children: SVGElement[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power += 1) {
    for (const digit of [1, 3]) {
      const ns = digit * 10 ** power;
      if (ns < 0.98 * least || ns > 1.02 * most) continue;
      const line = {x1: kLeft, x2: kRight, y1: y(ns), y2: y(ns), stroke: styleColor('--line')};
      children.push(
        svg('line', {...line, 'stroke-dasharray': '2 4'}),
        figureText(kLeft - 6, y(ns) + 4, `${Number(ns.toPrecision(1))} ns`, {'text-anchor': 'end'}),
      );
    }
  }
  return children;
}

interface LevelName {
  words: string;
  /** In the middle of its stair. */
  place: number;
  half: number;
}

/** Moves names that would overlap apart; none leaves the drawing. */
function apart(names: LevelName[]): LevelName[] {
  const kGap = 8;
  let free = kLeft;
  const shifted = names.map((name) => {
    const place = Math.max(free + name.half, name.place);
    free = place + name.half + kGap;
    return {...name, place};
  });
  let end = kRight;
  for (const name of shifted.reverse()) {
    name.place = Math.min(name.place, end - name.half);
    end = name.place - name.half - kGap;
  }
  return shifted.reverse();
}

/** Every level has its name, memory above all: in two lines where one has no room for them. */
function levelNames(
  {levels}: MemoryRow,
  x: (size: number) => number,
  first: number,
  last: number,
): SVGElement[] {
  let begin = first;
  const names = levels.map(({name, ns, capacity_bytes}) => {
    const end = Math.min(last, Math.max(begin, capacity_bytes?.value ?? last));
    const words = `${name} ${short(ns.value)} ns`;
    const place = (x(begin) + x(end)) / 2;
    begin = end;
    return {words, place, half: textWidth(words, 12) / 2};
  });
  const width = names.reduce((sum, {half}) => sum + 2 * half + 8, 0);
  const lines = width <= kRight - kLeft ? 1 : 2;
  return Array.from({length: lines}, (_, line) =>
    apart(names.filter((_, i) => i % lines === line)).map(({words, place}) =>
      figureText(place, 14 + 15 * line, words, {
        'text-anchor': 'middle',
        fill: styleColor('--text'),
      }),
    ),
  ).flat();
}
