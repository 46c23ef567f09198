// Draws a core as blocks. Colours and fonts are in the drawing, so that a copy keeps them.
import type {CoreBlock} from './core_blocks';
import type {Arrow, BlockText, CoreLayout, PlacedBlock, PlacedFrame, Region} from './core_layout';
import {svg} from './dom';
import {kFont} from './text_width';
import {styleColor} from './theme';

const kHue: Record<Region, string> = {
  front: '--core-front',
  order: '--core-order',
  execution: '--core-execution',
  memory: '--core-memory',
};
/** How much of a hue a frame and a block have. */
const kFrameOpacity = 0.07;
const kBlockOpacity = 0.16;

function frame({x, y, width, height, title, region}: PlacedFrame): SVGElement[] {
  const hue = styleColor(kHue[region]);
  return [
    svg('rect', {
      x,
      y,
      width,
      height,
      rx: 12,
      fill: hue,
      'fill-opacity': kFrameOpacity,
      stroke: hue,
      'stroke-opacity': 0.45,
    }),
    svg(
      'text',
      {
        x: x + 14,
        y: y + 22,
        'font-size': 13,
        'font-weight': 650,
        'font-family': kFont,
        fill: styleColor('--text'),
      },
      title,
    ),
  ];
}

const kTextColor: Record<BlockText['kind'], string> = {
  title: '--text-soft',
  value: '--text',
  contended: '--note',
  detail: '--text-soft',
};

function blockText({text, x, y, size, weight, kind}: BlockText): SVGElement {
  return svg(
    'text',
    {
      x,
      y,
      'font-size': size,
      'font-weight': weight,
      'font-family': kFont,
      fill: styleColor(kTextColor[kind]),
      ...(kind === 'contended' ? {'text-decoration': 'underline dotted'} : {}),
    },
    text,
  );
}

/** What stands there, and what only its look says. */
function labelOf({block, texts}: PlacedBlock): string {
  const words = texts.map(({text}) => text).join(' ');
  return block.values.some(({contended}) => contended) ? `${words}, on a shared core` : words;
}

/** With what opens its evidence, where there is some. */
function blockOf(placed: PlacedBlock, open?: (block: CoreBlock) => void): SVGElement {
  const {x, y, width, height, block, region, texts} = placed;
  const isGrey = block.values.length === 0;
  const hue = styleColor(isGrey ? '--text-soft' : kHue[region]);
  const children = [
    svg('rect', {class: 'core-ground', width, height, rx: 8, fill: styleColor('--surface')}),
    svg('rect', {
      class: 'core-face',
      width,
      height,
      rx: 8,
      fill: isGrey ? styleColor('--empty') : hue,
      'fill-opacity': isGrey ? 1 : kBlockOpacity,
      stroke: hue,
      'stroke-opacity': isGrey ? 0.5 : 0.8,
      'stroke-dasharray': isGrey ? '4 4' : undefined,
    }),
    // With a space between them, so that they are read as words.
    ...texts.flatMap((text) => [blockText(text), ' ']),
    ...placed.lanes.map((lane) => svg('rect', {...lane, rx: 2, fill: hue})),
  ];
  const place = {
    class: isGrey ? 'core-block grey' : 'core-block',
    transform: `translate(${x} ${y})`,
    'data-block': block.id,
  };
  if (!open || block.evidence.length === 0) return svg('g', place, ...children);
  return svg(
    'g',
    {
      ...place,
      role: 'button',
      tabindex: 0,
      'aria-label': labelOf(placed),
      click: () => open(block),
      keydown: (event) => {
        const {key} = event as KeyboardEvent;
        if (key !== 'Enter' && key !== ' ') return;
        event.preventDefault();
        open(block);
      },
    },
    ...children,
  );
}

function arrow({x1, y1, x2, y2}: Arrow): SVGElement[] {
  const color = styleColor('--text-soft');
  const head = 4.5;
  const isDown = y2 > y1;
  const [dx, dy] = isDown ? [head, -head * 1.4] : [-head * 1.4, head];
  const points = isDown
    ? `${x2},${y2} ${x2 - dx},${y2 + dy} ${x2 + dx},${y2 + dy}`
    : `${x2},${y2} ${x2 + dx},${y2 - dy} ${x2 + dx},${y2 + dy}`;
  return [
    svg('line', {
      x1,
      y1,
      x2: isDown ? x2 : x2 - head,
      y2: isDown ? y2 - head : y2,
      stroke: color,
      'stroke-width': 1.6,
    }),
    svg('polygon', {points, fill: color}),
  ];
}

/** What the diagram consists of, in its own units. */
export function coreDrawing(layout: CoreLayout, open?: (block: CoreBlock) => void): SVGElement[] {
  return [
    ...layout.frames.flatMap(frame),
    ...layout.arrows.flatMap(arrow),
    ...layout.blocks.map((block) => blockOf(block, open)),
  ];
}
