// How long a load takes, by how much memory is visited: the stairs of caches and memory.
import type {MemoryPoint, MemoryRow} from './document';
import {svg} from './dom';
import {type Figure, figureOf, figureText, kFigureWidth} from './figure';
import {bytes, isNumber, short} from './format';
import {styleColor} from './theme';

const kTop = 34;
const kHeight = 130;

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
    (kFigureWidth * Math.log(size / first.bytes)) / Math.log(last.bytes / first.bytes);
  const y = (ns: number) =>
    kTop + kHeight - (kHeight * Math.log(ns / least)) / Math.log(Math.max(most / least, 2));
  const bottom = kTop + kHeight + 8;
  const path = points.map((point, i) => `${i ? 'L' : 'M'}${x(point.bytes)} ${y(timeOf(point))}`);
  const children = [
    svg('line', {x1: 0, y1: bottom, x2: kFigureWidth, y2: bottom, stroke: styleColor('--line')}),
    svg('path', {
      d: path.join(''),
      fill: 'none',
      stroke: styleColor('--accent'),
      'stroke-width': 2.5,
      'stroke-linejoin': 'round',
    }),
    ...levelNames(row, x, first.bytes, last.bytes),
    figureText(0, bottom + 18, bytes(first.bytes)),
    figureText(kFigureWidth, bottom + 18, bytes(last.bytes), {'text-anchor': 'end'}),
  ];
  const label = `How long a load takes from ${bytes(first.bytes)} to ${bytes(last.bytes)}: ${row.levels
    .map(({name, ns}) => `${name} ${short(ns.value)} ns`)
    .join(', ')}`;
  return figureOf(label, bottom + 28, children);
}

const timeOf = (point: MemoryPoint) => point.ns.value ?? 0;
const isShown = (point: MemoryPoint) => isNumber(point.ns.value) && point.ns.value > 0;

/** Each in the middle of its stair, as long as there is room. */
function levelNames(
  {levels}: MemoryRow,
  x: (size: number) => number,
  first: number,
  last: number,
): SVGElement[] {
  const children: SVGElement[] = [];
  let begin = first;
  let free = 0;
  for (const {name, ns, capacity_bytes} of levels) {
    const end = Math.min(last, Math.max(begin, capacity_bytes?.value ?? last));
    const words = `${name} ${short(ns.value)} ns`;
    const half = words.length * 3.2;
    const middle = (x(begin) + x(end)) / 2;
    begin = end;
    const place = Math.max(free + half, Math.min(kFigureWidth - half, middle));
    if (place + half > kFigureWidth + 1) continue;
    free = place + half + 8;
    const color = styleColor('--text');
    children.push(figureText(place, 16, words, {'text-anchor': 'middle', fill: color}));
  }
  return children;
}
