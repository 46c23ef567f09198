// Where the blocks of a core lie, as reviewers draw one: instructions enter at the top and go down,
// memory is at the side where there is room for it.
import {type Box, type Group, type Leaf, type Placed, placeBoxes, type Rect} from './boxes';
import type {BlockValue, CoreBlock, CoreBlocks} from './core_blocks';
import {shortened, textWidth, wrapped} from './text_width';

export type Region = 'front' | 'order' | 'execution' | 'memory';

/** A line of text in a block; `x` and `y` count from the block's corner. */
export interface BlockText {
  text: string;
  x: number;
  y: number;
  size: number;
  weight: number;
  kind: 'title' | 'value' | 'contended' | 'detail';
}

export interface PlacedBlock extends Rect {
  block: CoreBlock;
  region: Region;
  texts: BlockText[];
  /** Small squares, as many as things pass in a cycle; from the block's corner, too. */
  lanes: Rect[];
}

export interface PlacedFrame extends Rect {
  title: string;
  region: Region;
}

/** From the edge of one box to that of the next. */
export interface Arrow {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface CoreLayout {
  width: number;
  height: number;
  frames: PlacedFrame[];
  blocks: PlacedBlock[];
  arrows: Arrow[];
}

interface Content {
  block: CoreBlock;
  region: Region;
}

const kSpacing = {gap: 12, padding: 14, title: 34};
/** Between what an arrow connects. */
const kArrowGap = 26;
const kBlockPadding = 12;
const kTitle = {size: 12.5, weight: 600, line: 17};
const kNumber = {size: 22, weight: 650, line: 29};
const kSmallNumber = {size: 15, weight: 650, line: 21};
const kDetail = {size: 12, weight: 400, line: 16};

class BlockWriter {
  readonly texts: BlockText[] = [];
  private y = kBlockPadding - 2;

  constructor(private readonly width: number) {}

  private get room(): number {
    return this.width - 2 * kBlockPadding;
  }

  get height(): number {
    return this.y + kBlockPadding - 3;
  }

  line(content: string, style: typeof kTitle, kind: BlockText['kind']): void {
    this.y += style.line;
    // What cannot be drawn has no width that is known.
    const drawn = content.replace(/\p{C}/gu, '\ufffd');
    const text = shortened(drawn, style.size, this.room, style.weight);
    const {size, weight} = style;
    this.texts.push({text, x: kBlockPadding, y: this.y - style.line * 0.25, size, weight, kind});
  }

  /** On the line that was written last, behind what stands there; false where it finds no room. */
  behind(content: string, style: typeof kTitle, kind: BlockText['kind']): boolean {
    const last = this.texts.at(-1);
    if (!last) return false;
    const x = last.x + textWidth(last.text, last.size, last.weight) + 6;
    const {size, weight} = style;
    if (x + textWidth(content, size, weight) > this.width - kBlockPadding) return false;
    this.texts.push({text: content, x, y: last.y, size, weight, kind});
    return true;
  }

  /** On two lines at most: what is longer is cut, and the evidence has all of it. */
  lines(content: string, style: typeof kTitle, kind: BlockText['kind']): void {
    const [first = '', ...others] = wrapped(content, style.size, this.room, style.weight);
    this.line(first, style, kind);
    if (others.length > 0) this.line(others.join(' '), style, kind);
  }

  /** One value is large; several stand below each other, each with its words behind it. */
  value({text, unit, details, contended}: BlockValue, isOnly: boolean): void {
    const style = isOnly ? kNumber : kSmallNumber;
    const [first = '', ...others] = details;
    if (text) this.line(text, style, contended ? 'contended' : 'value');
    if (text && isOnly && unit) this.behind(unit, kDetail, 'detail');
    const isBeside = text && !isOnly && first && this.behind(first, kDetail, 'detail');
    for (const detail of isBeside ? others : details)
      if (detail) this.lines(detail, kDetail, 'detail');
  }
}

/** What is written into a block that is so wide, and how high it is then. */
function written(block: CoreBlock, width: number): {texts: BlockText[]; height: number} {
  const writer = new BlockWriter(width);
  writer.lines(block.title, kTitle, 'title');
  for (const value of block.values) writer.value(value, block.values.length === 1);
  if (block.values.length === 0) writer.lines(block.absence, kDetail, 'detail');
  return {texts: writer.texts, height: writer.height};
}

/**
 * At the right of what is written, or below it; none where there is no room, since the number is
 * enough.
 */
function lanesIn({width, height}: Rect, {lanes = 0}: CoreBlock, texts: BlockText[]): Rect[] {
  const size = 9;
  const step = size + 4;
  const clear = 10;
  const length = lanes * step - 4;
  const right = Math.max(
    ...texts.map((each) => each.x + textWidth(each.text, each.size, each.weight)),
  );
  const bottom = Math.max(...texts.map(({y}) => y));
  const place = (x: number, y: number) =>
    Array.from({length: lanes}, (_, i) => ({x: x + i * step, y, width: size, height: size}));
  if (right + clear + length + kBlockPadding <= width) {
    return place(width - kBlockPadding - length, (height - size) / 2);
  }
  if (bottom + clear + size + kBlockPadding <= height && length + 2 * kBlockPadding <= width) {
    return place(kBlockPadding, height - kBlockPadding - size);
  }
  return [];
}

/** Groups have names of their own. */
const leafId = (block: string): string => `block ${block}`;

function leaf(block: CoreBlock, region: Region, basis: number, grow = 1): Leaf<Content> {
  return {kind: 'leaf', id: leafId(block.id), content: {block, region}, basis, grow};
}

function group(
  kind: 'row' | 'column',
  id: string,
  children: Box<Content>[],
  more: Partial<Group<Content>> = {},
): Group<Content> {
  return {kind, id, children, basis: 280, ...more};
}

const kBlockBasis = 130;

function leaves(blocks: CoreBlock[], region: Region, basis = kBlockBasis): Leaf<Content>[] {
  return blocks.map((block) => leaf(block, region, basis));
}

function frontEnd(blocks: CoreBlocks): Box<Content> {
  const predictor = group(
    'column',
    'predictor',
    [
      group('row', 'targets', leaves(blocks.targets, 'front', 150)),
      group('row', 'predictor-others', leaves(blocks.predictor, 'front', 108)),
    ],
    {title: 'Branch predictor', basis: 480, grow: 3},
  );
  const code = group(
    'column',
    'code',
    [
      group('row', 'fetched', leaves([blocks.codeCache, blocks.decode], 'front'), {
        gap: kArrowGap,
      }),
      group('row', 'decoded', leaves(blocks.decoded, 'front')),
    ],
    {basis: 310, grow: 1},
  );
  return group('row', 'front-end', [predictor, code], {title: 'Front end', gap: kArrowGap});
}

/** As wide as its words, as long as they are no sentence. */
function portLeaf(block: CoreBlock): Leaf<Content> {
  const titleWidth = textWidth(block.title, kTitle.size, kTitle.weight);
  const details = block.values.flatMap((value) => value.details);
  const widest = Math.max(titleWidth, ...details.map((text) => textWidth(text, kDetail.size)));
  return leaf(block, 'execution', Math.min(136, Math.max(76, widest + 2 * kBlockPadding + 1)));
}

/** Between dispatch and retirement, and where instructions are executed. */
function pipeline(blocks: CoreBlocks): Box<Content> {
  const order = group(
    'column',
    'order',
    [
      group('row', 'in-flight', [
        leaf(blocks.reorderBuffer, 'order', 170, 3),
        leaf(blocks.branches, 'order', kBlockBasis),
      ]),
      group('row', 'registers', leaves(blocks.registers, 'order')),
    ],
    {title: 'Out of order'},
  );
  const execution = group(
    'column',
    'execution',
    [
      group('row', 'schedulers', leaves(blocks.schedulers, 'execution')),
      group('row', 'ports', blocks.ports.map(portLeaf), {gap: 8}),
    ],
    {title: 'Execution'},
  );
  return group('column', 'pipeline', [order, execution], {basis: 560, grow: 8, gap: kArrowGap});
}

/** Small ones beside each other. */
function memory(blocks: CoreBlocks): Box<Content> {
  const pair = (id: string, some: CoreBlock[]) => group('row', id, leaves(some, 'memory', 114));
  const [first, ...levels] = blocks.memory;
  const last = levels.pop();
  const isThere = (block: CoreBlock | undefined) => block !== undefined;
  return group(
    'column',
    'memory',
    [
      pair('queues', blocks.queues),
      pair('first-level', [first, blocks.translation].filter(isThere)),
      ...leaves(levels, 'memory'),
      pair('far', [last, blocks.neighbours].filter(isThere)),
    ],
    {title: 'Loads, stores and memory', basis: 298, grow: 1},
  );
}

function core(blocks: CoreBlocks): Box<Content> {
  const back = group('row', 'back-end', [pipeline(blocks), memory(blocks)], {gap: kArrowGap});
  const parts = [frontEnd(blocks), leaf(blocks.dispatch, 'order', 280), back];
  return group('column', 'core', parts, {gap: kArrowGap});
}

/** Of the frames; what is in them has its own. */
const kRegions: Record<string, Region> = {
  'front-end': 'front',
  predictor: 'front',
  order: 'order',
  execution: 'execution',
  memory: 'memory',
};

/** What instructions and data pass, in this order. */
const kConnections: [string, string][] = [
  ['predictor', 'code'],
  [leafId('first-code-cache'), leafId('decode')],
  ['front-end', leafId('dispatch')],
  [leafId('dispatch'), 'back-end'],
  ['order', 'execution'],
  ['execution', 'memory'],
];

/** Evenly over the part of an edge that both boxes have. */
function spread(begin: number, end: number, lanes: number): number[] {
  const step = Math.min(28, (end - begin) / lanes);
  const middle = (begin + end) / 2;
  return Array.from({length: lanes}, (_, i) => middle + (i - (lanes - 1) / 2) * step);
}

function arrowsBetween(from: Rect, to: Rect, lanes: number): Arrow[] {
  const kGapPx = 3;
  if (to.y >= from.y + from.height) {
    const begin = Math.max(from.x, to.x);
    const end = Math.min(from.x + from.width, to.x + to.width);
    return spread(begin, end, lanes).map((x) => ({
      x1: x,
      y1: from.y + from.height + kGapPx,
      x2: x,
      y2: to.y - kGapPx,
    }));
  }
  const begin = Math.max(from.y, to.y);
  const end = Math.min(from.y + from.height, to.y + to.height);
  return spread(begin, end, 1).map((y) => ({
    x1: from.x + from.width + kGapPx,
    y1: y,
    x2: to.x - kGapPx,
    y2: y,
  }));
}

/** As many arrows as instructions go that way in a cycle. */
function lanesBetween(from: string, to: string, {decode, dispatch}: CoreBlocks): number {
  if (from === leafId('dispatch')) return dispatch.lanes ?? 1;
  return to === leafId('dispatch') ? (decode.lanes ?? 1) : 1;
}

function arrowsOf(placed: Placed<Content>[], blocks: CoreBlocks): Arrow[] {
  const places = new Map(placed.map((place) => [place.box.id, place]));
  return kConnections.flatMap(([from, to]) => {
    const [begin, end] = [places.get(from), places.get(to)];
    return begin && end ? arrowsBetween(begin, end, lanesBetween(from, to, blocks)) : [];
  });
}

export function coreLayout(blocks: CoreBlocks, width: number): CoreLayout {
  const heightOf = ({block}: Content, wide: number) => written(block, wide).height;
  const {placed, height} = placeBoxes(core(blocks), width, kSpacing, heightOf);
  const layout: CoreLayout = {
    width,
    height,
    frames: [],
    blocks: [],
    arrows: arrowsOf(placed, blocks),
  };
  for (const {box, ...rect} of placed) {
    if (box.kind === 'leaf') {
      const {texts} = written(box.content.block, rect.width);
      const lanes = lanesIn(rect, box.content.block, texts);
      layout.blocks.push({...rect, ...box.content, texts, lanes});
    } else if (box.title !== undefined) {
      layout.frames.push({...rect, title: box.title, region: kRegions[box.id] ?? 'order'});
    }
  }
  return layout;
}
