// The first screen as one picture, to be copied and shown around: an SVG that needs nothing else.
import {svg} from './dom';
import {kFigureWidth, standalone} from './figure';
import {type Glance, type Headline, isOff} from './glance';
import {kFont, wrapped} from './text_width';
import {styleColor} from './theme';

const kWidth = 1200;
const kMargin = 48;
const kTile = {height: 84, gap: 16};

function words(
  x: number,
  y: number,
  size: number,
  content: string,
  extra: Record<string, string | number> = {},
): SVGElement {
  return svg(
    'text',
    {x, y, 'font-size': size, 'font-family': kFont, fill: styleColor('--text'), ...extra},
    content,
  );
}

function tile(headline: Headline, x: number, y: number, width: number): SVGElement[] {
  const soft = {fill: styleColor('--text-soft')};
  const off = isOff(headline);
  const children = [
    words(x, y + 14, 14, headline.label, soft),
    words(x, y + 46, 28, headline.text, {
      'font-weight': 600,
      fill: styleColor(headline.contended ? '--note' : '--text'),
    }),
    words(x + width, y + 46, 13, headline.unit, {...soft, 'text-anchor': 'end'}),
  ];
  const {full, value, reference} = headline;
  if (full === undefined) return children;
  const place = (part: number) => Math.min(1, part / full) * width;
  const bar = (length: number, color: string) =>
    svg('rect', {x, y: y + 58, width: length, height: 6, rx: 3, fill: styleColor(color)});
  children.push(
    bar(width, '--raised'),
    bar(Math.max(2, place(value)), off ? '--warm' : '--accent'),
  );
  if (reference) {
    const at = x + place(reference.value);
    children.push(
      svg('rect', {x: at - 2, y: y + 54, width: 2, height: 14, fill: styleColor('--text')}),
    );
  }
  return children;
}

export function glancePicture(glance: Glance, footer: string): SVGElement {
  const soft = {fill: styleColor('--text-soft')};
  const inner = kWidth - 2 * kMargin;
  const children: SVGElement[] = [];
  let y = kMargin + 34;
  const nameWidth = glance.clock ? inner - 300 : inner;
  for (const line of wrapped(glance.name, 38, nameWidth)) {
    children.push(words(kMargin, y, 38, line, {'font-weight': 650}));
    y += 44;
  }
  if (glance.clock) {
    const end = {'text-anchor': 'end'};
    children.push(
      words(kWidth - kMargin, kMargin + 34, 38, `${glance.clock.ghz} GHz`, {
        ...end,
        'font-weight': 650,
      }),
      words(kWidth - kMargin, kMargin + 62, 16, `${glance.clock.range} GHz`, {...end, ...soft}),
    );
  }
  for (const line of wrapped(glance.facts, 16, nameWidth)) {
    children.push(words(kMargin, y - 12, 16, line, soft));
    y += 22;
  }
  y += 24;

  let below = y;
  for (const {draw, caption} of glance.figures) {
    const {element, height} = draw();
    const place = {x: kMargin, y: below, width: kFigureWidth, height};
    for (const [name, value] of Object.entries(place)) element.setAttribute(name, String(value));
    below += height + 16;
    children.push(element, words(kMargin, below, 13, caption, soft));
    below += 24;
  }
  const hasFigure = glance.figures.length > 0;
  const left = hasFigure ? kMargin + kFigureWidth + 48 : kMargin;
  const columns = hasFigure ? 3 : 5;
  const width = (kWidth - kMargin - left - (columns - 1) * 28) / columns;
  glance.headlines.forEach((headline, i) => {
    const row = Math.floor(i / columns);
    const x = left + (i % columns) * (width + 28);
    const top = y + row * (kTile.height + kTile.gap);
    children.push(...tile(headline, x, top, width));
    below = Math.max(below, top + kTile.height);
  });
  y = below + 34;
  for (const highlight of glance.highlights) {
    wrapped(highlight, 18, inner - 24).forEach((line, i) => {
      if (i === 0) {
        children.push(
          svg('circle', {cx: kMargin + 5, cy: y - 6, r: 5, fill: styleColor('--warm')}),
        );
      }
      children.push(words(kMargin + 24, y, 18, line));
      y += 28;
    });
  }
  children.push(words(kMargin, y + 20, 14, footer, soft));
  const height = y + 20 + kMargin - 16;
  return standalone(kWidth, height, children);
}
