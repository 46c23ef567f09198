// Drawings that stand for themselves, on the first screen and in the picture of it. Colours and fonts are in
// them, so that a copy keeps them.
import {svg} from './dom';
import {kFont} from './text_width';
import {styleColor} from './theme';

export interface Figure {
  /** What it shows, in a sentence. */
  label: string;
  element: SVGElement;
  /** In the drawing's own units. */
  height: number;
}

/** The size of a drawing in its own units; it scales to its place. */
export const kFigureWidth = 420;

export function figureText(
  x: number,
  y: number,
  content: string,
  extra: Record<string, string | number> = {},
): SVGElement {
  return svg(
    'text',
    {x, y, 'font-size': 12, 'font-family': kFont, fill: styleColor('--text-soft'), ...extra},
    content,
  );
}

export function figureOf(label: string, height: number, children: SVGElement[]): Figure {
  const viewBox = `0 0 ${kFigureWidth} ${height}`;
  return {label, height, element: svg('svg', {viewBox, 'aria-hidden': 'true'}, ...children)};
}

/** A picture that needs no page around it, on the page's background. */
export function standalone(width: number, height: number, children: SVGElement[]): SVGElement {
  return svg(
    'svg',
    {xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height},
    svg('rect', {width, height, fill: styleColor('--surface')}),
    ...children,
  );
}
