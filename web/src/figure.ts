// Drawings that stand for themselves, on the first screen and in the picture of it. Colours and fonts are in
// them, so that a copy keeps them.
import {svg} from './dom';
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
const kFont = 'ui-sans-serif, system-ui, sans-serif';

/** Of a text of that size, in the same units. */
export function textWidth(content: string, size: number): number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return content.length * size * 0.6;
  context.font = `${size}px ${kFont}`;
  return context.measureText(content).width;
}

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
