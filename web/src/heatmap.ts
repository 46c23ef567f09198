// A heat map of pairs, or of rows by columns, drawn on a canvas of the size of its window: only what is
// in view is drawn, so that 768 × 768 pairs scroll as smoothly as 8 × 8.
import {css, inkOn, type Rgb} from './color';
import {h, uniqueId} from './dom';
import {onPrint} from './redraw';
import {onThemeChange, styleColor} from './theme';

export interface HeatMapData {
  /** One per row; and one per column, where `headings` are not given. */
  labels: string[];
  /** Of a map that is not of pairs: one per column, empty where the one before goes on. */
  headings?: string[];
  /** The value of a cell, or null. */
  value: (row: number, column: number) => number | null;
  color: (value: number) => Rgb;
  /** What a cell says of itself, when there is room. */
  cellText: (value: number) => string;
  /** What is said about a cell under the pointer, a line each. */
  describe: (row: number, column: number) => string[];
  /** A line is drawn before these rows and columns. */
  boundaries: number[];
  /** A cell was clicked, or chosen with the Enter key. */
  pick?: (row: number, column: number) => void;
}

/** Above the columns; left of the rows too, where they have numbers. */
const kGutter = 40;
const kGutterOfNames = 110;
const kSmallestCell = 6;
const kLargestCell = 58;
const kCellWithText = 30;
const kCellWithGaps = 9;
/** Of a row whose name is written beside it. */
const kNameHeight = 16;
/** How many windows of them are scrolled through. */
const kMostWindows = 6;
const kFont = '12px ui-sans-serif, system-ui, sans-serif';

export class HeatMap {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  // As large as all pairs, so that there is something to scroll; the canvas sticks to the window.
  private readonly content: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly tip: HTMLElement;
  private readonly live: HTMLElement;
  // One pixel per pair; the view is cut from it and enlarged.
  private readonly pixels = document.createElement('canvas');
  private data: HeatMapData | undefined;
  private zoom = 1;
  private cell = 1;
  /** Of a row; cells of pairs are square. */
  private rowHeight = 1;
  /** Right of the columns, for the last heading. */
  private right = 0;
  private active: {row: number; column: number} | undefined;
  private drawRequested = false;

  constructor(label: string) {
    const liveId = uniqueId();
    this.canvas = h('canvas', {
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'heat map',
      'aria-label': `${label}. Arrow keys move from cell to cell.`,
      'aria-describedby': liveId,
    });
    this.content = h('div', {}, this.canvas);
    this.scroller = h('div', {class: 'heatmap-scroller'}, this.content);
    this.tip = h('div', {class: 'tip', hidden: true, 'aria-hidden': 'true'});
    this.live = h('div', {id: liveId, class: 'visually-hidden', 'aria-live': 'polite'});
    this.element = h('div', {class: 'heatmap'}, this.scroller, this.tip, this.live);

    this.scroller.addEventListener('scroll', () => this.requestDraw());
    this.canvas.addEventListener('pointermove', (event) => this.onPointer(event));
    this.canvas.addEventListener('pointerdown', (event) => this.onPointer(event));
    this.canvas.addEventListener('pointerleave', () => this.setActive(undefined));
    this.canvas.addEventListener('blur', () => this.setActive(undefined));
    this.canvas.addEventListener('keydown', (event) => this.onKey(event));
    this.canvas.addEventListener('click', () => this.pick());
    new ResizeObserver(() => this.layout()).observe(this.element);
    onThemeChange(this.element, () => this.repaint());
    onPrint(this.element, () => this.drawNow());
  }

  setData(data: HeatMapData): void {
    this.data = data;
    this.active = undefined;
    this.tip.hidden = true;
    this.repaint();
    this.layout();
  }

  /** 1 shows all pairs at once; larger values enlarge. */
  setZoom(zoom: number): void {
    this.zoom = zoom;
    this.layout();
  }

  private drawNow(): void {
    this.layout();
    this.draw();
  }

  private get rows(): number {
    return this.data?.labels.length ?? 0;
  }

  private get columns(): number {
    return this.data?.headings?.length ?? this.rows;
  }

  private get isEmpty(): boolean {
    return this.rows === 0 || this.columns === 0;
  }

  /** Left of the rows. */
  private get left(): number {
    return this.data?.headings ? kGutterOfNames : kGutter;
  }

  private pick(): void {
    if (this.active) this.data?.pick?.(this.active.row, this.active.column);
  }

  private repaint(): void {
    if (!this.data || this.isEmpty) return;
    const {rows, columns} = this;
    this.pixels.width = columns;
    this.pixels.height = rows;
    const context = this.pixels.getContext('2d');
    if (!context) return;
    const image = context.createImageData(columns, rows);
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const value = this.data.value(row, column);
        if (value === null) continue;
        const [r, g, b] = this.data.color(value);
        const at = (row * columns + column) * 4;
        image.data[at] = r;
        image.data[at + 1] = g;
        image.data[at + 2] = b;
        image.data[at + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
    this.requestDraw();
  }

  private layout(): void {
    const width = this.element.clientWidth;
    if (!width || this.isEmpty) return;
    const tallest = Math.max(280, Math.min(window.innerHeight * 0.8, 860));
    this.right = this.overhang();
    this.cell = this.fittingCell(width, tallest) * this.zoom;
    // Rows have names, which are to be read; of thousands a look at all of them is worth more.
    const hasNames = this.data?.headings && this.rows * kNameHeight <= kMostWindows * tallest;
    this.rowHeight = hasNames ? Math.max(this.cell, kNameHeight) : this.cell;
    const contentWidth = Math.round(this.left + this.cell * this.columns + this.right) + 1;
    const contentHeight = Math.round(kGutter + this.rowHeight * this.rows) + 1;
    const viewWidth = Math.min(width, contentWidth);
    const viewHeight = Math.min(tallest, contentHeight);
    this.scroller.style.width = `${viewWidth}px`;
    this.scroller.style.height = `${viewHeight}px`;
    this.content.style.width = `${contentWidth}px`;
    this.content.style.height = `${contentHeight}px`;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(viewWidth * ratio);
    this.canvas.height = Math.round(viewHeight * ratio);
    this.canvas.style.width = `${viewWidth}px`;
    this.canvas.style.height = `${viewHeight}px`;
    this.requestDraw();
  }

  /** Of pairs all are in view; of rows by columns all columns, as far as cells can still be hit. */
  private fittingCell(width: number, height: number): number {
    if (this.data?.headings) {
      const fit = Math.floor(width - this.left - this.right - 1) / this.columns;
      return Math.max(kSmallestCell, Math.min(kCellWithText, fit));
    }
    // Whole pixels in all, so that cells end where the canvas does.
    const fit = Math.floor(Math.min(width, height) - kGutter - 1) / this.rows;
    return Math.min(kLargestCell, fit);
  }

  private requestDraw(): void {
    if (this.drawRequested) return;
    this.drawRequested = true;
    requestAnimationFrame(() => {
      this.drawRequested = false;
      this.draw();
    });
  }

  private draw(): void {
    const context = this.canvas.getContext('2d');
    if (!context || !this.data || this.isEmpty || this.canvas.width === 0) return;
    const ratio = this.canvas.width / Number.parseFloat(this.canvas.style.width);
    const width = this.canvas.width / ratio;
    const height = this.canvas.height / ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.drawCells(context, width, height);
    this.drawBoundaries(context, width, height);
    this.drawActive(context);
    this.drawLabels(context, width, height);
  }

  /** Where a column begins in the window. */
  private x(column: number): number {
    return this.left + column * this.cell - this.scroller.scrollLeft;
  }

  private y(row: number): number {
    return kGutter + row * this.rowHeight - this.scroller.scrollTop;
  }

  private visibleColumns(width: number): [number, number] {
    return this.visible(this.scroller.scrollLeft, width - this.left, this.columns, this.cell);
  }

  private visibleRows(height: number): [number, number] {
    return this.visible(this.scroller.scrollTop, height - kGutter, this.rows, this.rowHeight);
  }

  private visible(scrolled: number, extent: number, all: number, side: number): [number, number] {
    const first = Math.max(0, Math.floor(scrolled / side));
    return [first, Math.min(all, Math.ceil((scrolled + extent) / side))];
  }

  private drawCells(context: CanvasRenderingContext2D, width: number, height: number): void {
    const [firstColumn, endColumn] = this.visibleColumns(width);
    const [firstRow, endRow] = this.visibleRows(height);
    const x = this.x(firstColumn);
    const y = this.y(firstRow);
    const columns = endColumn - firstColumn;
    const rows = endRow - firstRow;
    context.save();
    context.beginPath();
    context.rect(this.left, kGutter, width, height);
    context.clip();
    context.fillStyle = styleColor('--empty');
    context.fillRect(x, y, columns * this.cell, rows * this.rowHeight);
    context.imageSmoothingEnabled = false;
    context.drawImage(
      this.pixels,
      firstColumn,
      firstRow,
      columns,
      rows,
      x,
      y,
      columns * this.cell,
      rows * this.rowHeight,
    );
    if (this.cell >= kCellWithGaps) this.drawGaps(context, x, y, columns, rows);
    if (this.cell >= kCellWithText)
      this.drawTexts(context, firstRow, endRow, firstColumn, endColumn);
    context.restore();
  }

  private drawGaps(
    context: CanvasRenderingContext2D,
    x: number,
    y: number,
    columns: number,
    rows: number,
  ): void {
    context.strokeStyle = styleColor('--surface');
    context.lineWidth = this.cell > 20 ? 2 : 1;
    context.beginPath();
    for (let i = 0; i <= columns; i += 1) {
      context.moveTo(x + i * this.cell, y);
      context.lineTo(x + i * this.cell, y + rows * this.rowHeight);
    }
    for (let i = 0; i <= rows; i += 1) {
      context.moveTo(x, y + i * this.rowHeight);
      context.lineTo(x + columns * this.cell, y + i * this.rowHeight);
    }
    context.stroke();
  }

  private drawTexts(
    context: CanvasRenderingContext2D,
    firstRow: number,
    endRow: number,
    firstColumn: number,
    endColumn: number,
  ): void {
    if (!this.data) return;
    context.font = `${Math.min(13, this.cell / 3)}px ui-sans-serif, system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (let row = firstRow; row < endRow; row += 1) {
      for (let column = firstColumn; column < endColumn; column += 1) {
        const value = this.data.value(row, column);
        if (value === null) continue;
        context.fillStyle = inkOn(this.data.color(value));
        context.fillText(this.data.cellText(value), this.x(column + 0.5), this.y(row + 0.5));
      }
    }
  }

  private drawBoundaries(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!this.data || this.data.boundaries.length === 0) return;
    const right = Math.min(width, this.x(this.columns));
    const bottom = Math.min(height, this.y(this.rows));
    context.strokeStyle = styleColor('--text');
    context.lineWidth = 1;
    context.beginPath();
    for (const index of this.data.boundaries) {
      const x = Math.round(this.x(index)) + 0.5;
      const y = Math.round(this.y(index)) + 0.5;
      if (x > this.left && x < right) {
        context.moveTo(x, kGutter);
        context.lineTo(x, bottom);
      }
      // Rows by columns: the boundaries are those of columns.
      if (!this.data.headings && y > kGutter && y < bottom) {
        context.moveTo(this.left, y);
        context.lineTo(right, y);
      }
    }
    context.stroke();
  }

  private drawActive(context: CanvasRenderingContext2D): void {
    if (!this.active) return;
    const x = this.x(this.active.column);
    const y = this.y(this.active.row);
    const [width, height] = [Math.max(this.cell, 6), Math.max(this.rowHeight, 6)];
    context.strokeStyle = styleColor('--accent-strong');
    context.lineWidth = 2;
    context.strokeRect(
      x + (this.cell - width) / 2,
      y + (this.rowHeight - height) / 2,
      width,
      height,
    );
  }

  private drawLabels(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!this.data) return;
    context.clearRect(0, 0, width, kGutter);
    context.clearRect(0, 0, this.left, height);
    context.font = kFont;
    context.textBaseline = 'middle';
    const colorOf = (isActive: boolean) => styleColor(isActive ? '--accent-strong' : '--text-soft');
    // As many labels as have room: a label needs 26 pixels in a row, a name 16 in a column.
    const step = niceStep((this.data.headings ? kNameHeight : 26) / this.rowHeight);
    if (this.data.headings) {
      this.drawHeadings(context, this.data.headings, width, colorOf(false));
    } else {
      context.textAlign = 'center';
      const [firstColumn, endColumn] = this.visibleColumns(width);
      for (let i = firstColumn; i < endColumn; i += 1) {
        const isActive = this.active?.column === i;
        if (!isActive && (i % step !== 0 || (this.active && this.near(this.active.column, i))))
          continue;
        context.fillStyle = colorOf(isActive);
        const x = this.x(i + 0.5);
        if (x >= kGutter) context.fillText(this.data.labels[i] ?? '', x, kGutter - 12);
      }
    }
    context.textAlign = 'right';
    const [firstRow, endRow] = this.visibleRows(height);
    for (let i = firstRow; i < endRow; i += 1) {
      const isActive = this.active?.row === i;
      if (!isActive && (i % step !== 0 || (this.active && this.near(this.active.row, i)))) continue;
      context.fillStyle = colorOf(isActive);
      const y = this.y(i + 0.5);
      if (y >= kGutter) {
        context.fillText(this.data.labels[i] ?? '', this.left - 6, y, this.left - 8);
      }
    }
  }

  /** How far the last heading reaches beyond its columns, in a window in which they are as narrow as can be. */
  private overhang(): number {
    const last = blocksOf(this.data?.headings ?? []).at(-1);
    const context = this.canvas.getContext('2d');
    if (!last || !context) return 0;
    context.font = kFont;
    const columns = last.end - last.begin;
    return Math.max(0, context.measureText(last.heading).width - columns * kSmallestCell);
  }

  /** Each at its block, as far as that is in view, in one of two lines: the block before may be narrow. */
  private drawHeadings(
    context: CanvasRenderingContext2D,
    headings: string[],
    width: number,
    color: string,
  ): void {
    context.textAlign = 'left';
    context.fillStyle = color;
    const lines = [kGutter - 12, kGutter - 28].map((y) => ({y, free: this.left}));
    for (const {heading, begin, end} of blocksOf(headings)) {
      const [from, to] = [Math.max(this.left, this.x(begin)), this.x(end)];
      if (to <= this.left || from >= width) continue;
      const line =
        lines.find(({free}) => free <= from) ?? lines.find(({free}) => free < to - kSmallestCell);
      if (!line) continue;
      const x = Math.max(from, line.free);
      context.fillText(heading, x, line.y);
      line.free = x + context.measureText(heading).width + 8;
    }
  }

  /** So near to the active label that both would overlap. */
  private near(active: number, index: number): boolean {
    const needed = this.data?.headings ? kNameHeight : 26;
    return active !== index && Math.abs(active - index) * this.rowHeight < needed;
  }

  private onPointer(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor(
      (event.clientX - box.left - this.left + this.scroller.scrollLeft) / this.cell,
    );
    const row = Math.floor(
      (event.clientY - box.top - kGutter + this.scroller.scrollTop) / this.rowHeight,
    );
    const inside =
      event.clientX - box.left >= this.left &&
      event.clientY - box.top >= kGutter &&
      row >= 0 &&
      column >= 0 &&
      row < this.rows &&
      column < this.columns;
    this.setActive(inside ? {row, column} : undefined);
  }

  private onKey(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    if (event.key === 'Enter') this.pick();
    const move = moves[event.key];
    if (!move || this.isEmpty) return;
    event.preventDefault();
    const from = this.active ?? {row: 0, column: 0};
    const clamp = (index: number, all: number) => Math.min(all - 1, Math.max(0, index));
    const to = {
      row: clamp(from.row + move[0], this.rows),
      column: clamp(from.column + move[1], this.columns),
    };
    this.scrollTo(to.row, to.column);
    this.setActive(to);
    this.live.textContent = this.data?.describe(to.row, to.column).join(', ') ?? '';
  }

  private scrollTo(row: number, column: number): void {
    const into = (index: number, side: number, scrolled: number, extent: number) => {
      const start = index * side;
      if (start < scrolled) return start;
      return Math.max(scrolled, start + side - extent);
    };
    const {scroller, cell, rowHeight} = this;
    scroller.scrollTop = into(row, rowHeight, scroller.scrollTop, scroller.clientHeight - kGutter);
    scroller.scrollLeft = into(column, cell, scroller.scrollLeft, scroller.clientWidth - this.left);
  }

  private setActive(active: {row: number; column: number} | undefined): void {
    this.active = active;
    this.requestDraw();
    if (!active || !this.data) {
      this.tip.hidden = true;
      return;
    }
    const lines = this.data.describe(active.row, active.column);
    this.tip.replaceChildren(...lines.map((line, i) => h(i === 0 ? 'strong' : 'div', {}, line)));
    this.tip.hidden = false;
    const x = this.x(active.column + 0.5);
    const y = this.y(active.row + 0.5);
    const offset = Math.max(14, this.cell / 2 + 6);
    const {clientWidth} = this.element;
    const onLeft = x + offset + this.tip.offsetWidth > clientWidth;
    const left = onLeft ? x - offset - this.tip.offsetWidth : x + offset;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${Math.max(0, y - this.tip.offsetHeight / 2)}px`;
  }
}

interface Block {
  heading: string;
  begin: number;
  end: number;
}

/** Columns that one heading stands above. */
function blocksOf(headings: string[]): Block[] {
  const blocks: Block[] = [];
  headings.forEach((heading, column) => {
    const last = blocks.at(-1);
    if (last && heading === '') last.end = column + 1;
    else blocks.push({heading, begin: column, end: column + 1});
  });
  return blocks;
}

/** The step among 1, 2, 4, 8, 16, ... that is no smaller than needed. */
function niceStep(needed: number): number {
  let step = 1;
  while (step < needed) step *= 2;
  return step;
}

export interface LegendTick {
  place: number;
  label: string;
}

/** The colour scale beside a heat map, from place 0 to 1. */
export function legend(
  caption: string,
  colorAt: (place: number) => Rgb,
  ticks: LegendTick[],
): HTMLElement {
  const bar = h('div', {class: 'legend-bar'});
  const paint = () => {
    const stops = Array.from({length: 21}, (_, i) => css(colorAt(i / 20)));
    bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  };
  paint();
  onThemeChange(bar, paint);
  const scale = h('div', {class: 'legend-ticks'});
  for (const {place, label} of ticks) {
    const tick = h('span', {}, label);
    tick.style.left = `${place * 100}%`;
    scale.append(tick);
  }
  return h('div', {class: 'legend'}, h('div', {class: 'legend-caption'}, caption), bar, scale);
}
