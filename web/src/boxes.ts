// Boxes in rows and columns, as large as what they hold: the geometry of a diagram. Rows that find
// no room are broken into lines; the boxes of a line are equally high.

/** Of a box without others in it. */
export interface Leaf<Content> {
  kind: 'leaf';
  id: string;
  content: Content;
  /** How wide it is at least, as long as there is room. */
  basis: number;
  /** Of the room that is left, compared with others in its line. */
  grow?: number;
}

export interface Group<Content> {
  kind: 'row' | 'column';
  id: string;
  /** A titled group has a frame. */
  title?: string;
  children: Box<Content>[];
  basis: number;
  grow?: number;
  /** Between its children, where it is not that of all. */
  gap?: number;
}

export type Box<Content> = Leaf<Content> | Group<Content>;

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Placed<Content> extends Rect {
  box: Box<Content>;
}

export interface Spacing {
  gap: number;
  /** Inside of a frame, around its children. */
  padding: number;
  /** Of the line in which a frame has its title. */
  title: number;
}

/** How high a leaf is that is so wide. */
export type HeightOf<Content> = (content: Content, width: number) => number;

class Layout<Content> {
  readonly placed: Placed<Content>[] = [];

  constructor(
    private readonly spacing: Spacing,
    private readonly heightOf: HeightOf<Content>,
  ) {}

  private around(box: Group<Content>): {side: number; top: number; bottom: number} {
    const {padding, title} = this.spacing;
    return box.title === undefined
      ? {side: 0, top: 0, bottom: 0}
      : {side: padding, top: title, bottom: padding};
  }

  private gapOf(box: Group<Content>): number {
    return box.gap ?? this.spacing.gap;
  }

  /** The children of a row, line by line: as few lines as there can be, equally long. */
  private lines(box: Group<Content>, width: number): Box<Content>[][] {
    const {children} = box;
    if (box.kind === 'column') return children.map((child) => [child]);
    const gap = this.gapOf(box);
    const fits = (line: Box<Content>[]) =>
      line.length === 1 || line.reduce((sum, {basis}) => sum + basis + gap, -gap) <= width + 1e-6;
    const greedy: Box<Content>[][] = [];
    for (const child of children) {
      const last = greedy.at(-1);
      if (last && fits([...last, child])) last.push(child);
      else greedy.push([child]);
    }
    const perLine = Math.ceil(children.length / greedy.length);
    const even = greedy.map((_, i) => children.slice(i * perLine, (i + 1) * perLine));
    return even.every((line) => line.length > 0 && fits(line)) ? even : greedy;
  }

  private widths(line: Box<Content>[], width: number, gap: number): number[] {
    const room = width - gap * (line.length - 1);
    const wanted = line.reduce((sum, {basis}) => sum + basis, 0);
    const growth = line.reduce((sum, {grow}) => sum + (grow ?? 1), 0);
    return line.map(({basis, grow}) => basis + ((room - wanted) * (grow ?? 1)) / growth);
  }

  height(box: Box<Content>, width: number): number {
    if (box.kind === 'leaf') return this.heightOf(box.content, width);
    const {side, top, bottom} = this.around(box);
    const heights = this.lineHeights(box, width - 2 * side);
    const gaps = this.gapOf(box) * (heights.length - 1);
    return top + bottom + gaps + heights.reduce((sum, height) => sum + height, 0);
  }

  private lineHeights(box: Group<Content>, width: number): number[] {
    return this.lines(box, width).map((line) => {
      const widths = this.widths(line, width, this.gapOf(box));
      return Math.max(...line.map((child, i) => this.height(child, widths[i] ?? 0)));
    });
  }

  /** Into a place that may be higher than it needs: its lines share what is left. */
  place(box: Box<Content>, rect: Rect): void {
    this.placed.push({...rect, box});
    if (box.kind === 'leaf') return;
    const {side, top} = this.around(box);
    const gap = this.gapOf(box);
    const inner = rect.width - 2 * side;
    const lines = this.lines(box, inner);
    const heights = this.lineHeights(box, inner);
    const extra = (rect.height - this.height(box, rect.width)) / lines.length;
    let y = rect.y + top;
    lines.forEach((line, i) => {
      const height = (heights[i] ?? 0) + extra;
      const widths = this.widths(line, inner, gap);
      let x = rect.x + side;
      line.forEach((child, k) => {
        const width = widths[k] ?? 0;
        this.place(child, {x, y, width, height});
        x += width + gap;
      });
      y += height + gap;
    });
  }
}

/** Frames come before what is in them. */
export function placeBoxes<Content>(
  box: Box<Content>,
  width: number,
  spacing: Spacing,
  heightOf: HeightOf<Content>,
): {placed: Placed<Content>[]; height: number} {
  const layout = new Layout(spacing, heightOf);
  const height = layout.height(box, width);
  layout.place(box, {x: 0, y: 0, width, height});
  return {placed: layout.placed, height};
}
