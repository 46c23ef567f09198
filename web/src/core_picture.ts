// A core's diagram as one picture, to be copied and shown around: an SVG that needs nothing else.
import type {CoreBlocks} from './core_blocks';
import {coreDrawing} from './core_diagram';
import {coreLayout} from './core_layout';
import {svg} from './dom';
import {standalone} from './figure';
import {kFont, wrapped} from './text_width';
import {styleColor} from './theme';

const kWidth = 1280;
const kMargin = 40;

export interface PictureWords {
  name: string;
  facts: string;
  footer: string;
}

export function corePicture(blocks: CoreBlocks, {name, facts, footer}: PictureWords): SVGElement {
  const inner = kWidth - 2 * kMargin;
  const children: SVGElement[] = [];
  let y = kMargin;
  const lines = (content: string, size: number, color: string, more: object = {}) => {
    for (const line of wrapped(content, size, inner)) {
      y += size * 1.3;
      const font = {'font-size': size, 'font-family': kFont, fill: styleColor(color), ...more};
      children.push(svg('text', {x: kMargin, y: y - size * 0.3, ...font}, line));
    }
  };
  lines(name, 34, '--text', {'font-weight': 650});
  if (facts) lines(facts, 15, '--text-soft');
  y += 18;
  const layout = coreLayout(blocks, inner);
  children.push(svg('g', {transform: `translate(${kMargin} ${y})`}, ...coreDrawing(layout)));
  y += layout.height + 14;
  lines(footer, 14, '--text-soft');
  const height = Math.ceil(y + kMargin - 12);
  return standalone(kWidth, height, children);
}
