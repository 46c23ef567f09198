// A heat map of pairs, drawn on a canvas of the size of its window: only what is in view is drawn, so
// that 768 × 768 pairs scroll as smoothly as 8 × 8.
import {css, inkOn, type Rgb} from './color';
import {h, uniqueId} from './dom';
import {onPrint} from './redraw';
import {onThemeChange, styleColor} from './theme';

export interface HeatMapData {
  /** One per row and column. */
  labels: string[];
  /** The value of a cell, or null. */
  value: (row: number, column: number) => number | null;
  color: (value: number) => Rgb;
  /** What a cell says of itself, when there is room. */
  cellText: (value: number) => string;
  /** What is said about a cell under the pointer, a line each. */
  describe: (row: number, column: number) => string[];
  /** A line is drawn before these rows and columns. */
  boundaries: number[];
}

const kGutter = 40;
const kLargestCell = 58;
const kCellWithText = 30;
const kCellWithGaps = 9;

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
  private active: {row: number; column: number} | undefined;
  private drawRequested = false;

  constructor(label: string) {
    const liveId = uniqueId();
    this.canvas = h('canvas', {
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'heat map',
      'aria-label': `${label}. Arrow keys move from pair to pair.`,
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

  private get size(): number {
    return this.data?.labels.length ?? 0;
  }

  private repaint(): void {
    if (!this.data || this.size === 0) return;
    const size = this.size;
    this.pixels.width = size;
    this.pixels.height = size;
    const context = this.pixels.getContext('2d');
    if (!context) return;
    const image = context.createImageData(size, size);
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < size; column += 1) {
        const value = this.data.value(row, column);
        if (value === null) continue;
        const [r, g, b] = this.data.color(value);
        const at = (row * size + column) * 4;
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
    if (!width || this.size === 0) return;
    const tallest = Math.max(280, Math.min(window.innerHeight * 0.8, 860));
    // Whole pixels in all, so that cells end where the canvas does.
    const fit = Math.floor(Math.min(width, tallest) - kGutter - 1) / this.size;
    this.cell = Math.min(kLargestCell, fit) * this.zoom;
    const content = Math.round(kGutter + this.cell * this.size) + 1;
    const viewWidth = Math.min(width, content);
    const viewHeight = Math.min(tallest, content);
    this.scroller.style.width = `${viewWidth}px`;
    this.scroller.style.height = `${viewHeight}px`;
    this.content.style.width = `${content}px`;
    this.content.style.height = `${content}px`;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(viewWidth * ratio);
    this.canvas.height = Math.round(viewHeight * ratio);
    this.canvas.style.width = `${viewWidth}px`;
    this.canvas.style.height = `${viewHeight}px`;
    this.requestDraw();
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
    if (!context || !this.data || this.size === 0 || this.canvas.width === 0) return;
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

  /** Where a row or column begins in the window. */
  private position(index: number, scrolled: number): number {
    return kGutter + index * this.cell - scrolled;
  }

  private visible(scrolled: number, extent: number): [number, number] {
    const first = Math.max(0, Math.floor(scrolled / this.cell));
    const end = Math.min(this.size, Math.ceil((scrolled + extent - kGutter) / this.cell));
    return [first, end];
  }

  private drawCells(context: CanvasRenderingContext2D, width: number, height: number): void {
    const {scrollLeft, scrollTop} = this.scroller;
    const [firstColumn, endColumn] = this.visible(scrollLeft, width);
    const [firstRow, endRow] = this.visible(scrollTop, height);
    const x = this.position(firstColumn, scrollLeft);
    const y = this.position(firstRow, scrollTop);
    const columns = endColumn - firstColumn;
    const rows = endRow - firstRow;
    context.save();
    context.beginPath();
    context.rect(kGutter, kGutter, width, height);
    context.clip();
    context.fillStyle = styleColor('--empty');
    context.fillRect(x, y, columns * this.cell, rows * this.cell);
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
      rows * this.cell,
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
      context.lineTo(x + i * this.cell, y + rows * this.cell);
    }
    for (let i = 0; i <= rows; i += 1) {
      context.moveTo(x, y + i * this.cell);
      context.lineTo(x + columns * this.cell, y + i * this.cell);
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
        context.fillText(
          this.data.cellText(value),
          this.position(column + 0.5, this.scroller.scrollLeft),
          this.position(row + 0.5, this.scroller.scrollTop),
        );
      }
    }
  }

  private drawBoundaries(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!this.data || this.data.boundaries.length === 0) return;
    const {scrollLeft, scrollTop} = this.scroller;
    const right = Math.min(width, this.position(this.size, scrollLeft));
    const bottom = Math.min(height, this.position(this.size, scrollTop));
    context.strokeStyle = styleColor('--text');
    context.lineWidth = 1;
    context.beginPath();
    for (const index of this.data.boundaries) {
      const x = Math.round(this.position(index, scrollLeft)) + 0.5;
      const y = Math.round(this.position(index, scrollTop)) + 0.5;
      if (x > kGutter && x < right) {
        context.moveTo(x, kGutter);
        context.lineTo(x, bottom);
      }
      if (y > kGutter && y < bottom) {
        context.moveTo(kGutter, y);
        context.lineTo(right, y);
      }
    }
    context.stroke();
  }

  private drawActive(context: CanvasRenderingContext2D): void {
    if (!this.active) return;
    const x = this.position(this.active.column, this.scroller.scrollLeft);
    const y = this.position(this.active.row, this.scroller.scrollTop);
    const side = Math.max(this.cell, 6);
    context.strokeStyle = styleColor('--accent-strong');
    context.lineWidth = 2;
    context.strokeRect(x + (this.cell - side) / 2, y + (this.cell - side) / 2, side, side);
  }

  private drawLabels(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!this.data) return;
    const {scrollLeft, scrollTop} = this.scroller;
    // As many labels as have room: a label needs 26 pixels in a row, 16 in a column.
    const step = niceStep(26 / this.cell);
    context.clearRect(0, 0, width, kGutter);
    context.clearRect(0, 0, kGutter, height);
    context.font = '12px ui-sans-serif, system-ui, sans-serif';
    context.textBaseline = 'middle';
    const faint = styleColor('--text-soft');
    const strong = styleColor('--accent-strong');
    context.textAlign = 'center';
    const [firstColumn, endColumn] = this.visible(scrollLeft, width);
    for (let i = firstColumn; i < endColumn; i += 1) {
      const isActive = this.active?.column === i;
      if (!isActive && (i % step !== 0 || (this.active && this.near(this.active.column, i))))
        continue;
      context.fillStyle = isActive ? strong : faint;
      const x = this.position(i + 0.5, scrollLeft);
      if (x >= kGutter) context.fillText(this.data.labels[i] ?? '', x, kGutter - 12);
    }
    context.textAlign = 'right';
    const [firstRow, endRow] = this.visible(scrollTop, height);
    for (let i = firstRow; i < endRow; i += 1) {
      const isActive = this.active?.row === i;
      if (!isActive && (i % step !== 0 || (this.active && this.near(this.active.row, i)))) continue;
      context.fillStyle = isActive ? strong : faint;
      const y = this.position(i + 0.5, scrollTop);
      if (y >= kGutter) context.fillText(this.data.labels[i] ?? '', kGutter - 6, y);
    }
  }

  /** So near to the active label that both would overlap. */
  private near(active: number, index: number): boolean {
    return active !== index && Math.abs(active - index) * this.cell < 26;
  }

  private onPointer(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor(
      (event.clientX - box.left - kGutter + this.scroller.scrollLeft) / this.cell,
    );
    const row = Math.floor(
      (event.clientY - box.top - kGutter + this.scroller.scrollTop) / this.cell,
    );
    const inside =
      event.clientX - box.left >= kGutter &&
      event.clientY - box.top >= kGutter &&
      row >= 0 &&
      column >= 0 &&
      row < this.size &&
      column < this.size;
    this.setActive(inside ? {row, column} : undefined);
  }

  private onKey(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const move = moves[event.key];
    if (!move || this.size === 0) return;
    event.preventDefault();
    const from = this.active ?? {row: 0, column: 0};
    const clamp = (index: number) => Math.min(this.size - 1, Math.max(0, index));
    const to = {row: clamp(from.row + move[0]), column: clamp(from.column + move[1])};
    this.scrollTo(to.row, to.column);
    this.setActive(to);
    this.live.textContent = this.data?.describe(to.row, to.column).join(', ') ?? '';
  }

  private scrollTo(row: number, column: number): void {
    const into = (index: number, scrolled: number, extent: number) => {
      const start = index * this.cell;
      if (start < scrolled) return start;
      return Math.max(scrolled, start + this.cell - (extent - kGutter));
    };
    const {scroller} = this;
    scroller.scrollTop = into(row, scroller.scrollTop, scroller.clientHeight);
    scroller.scrollLeft = into(column, scroller.scrollLeft, scroller.clientWidth);
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
    const x = this.position(active.column + 0.5, this.scroller.scrollLeft);
    const y = this.position(active.row + 0.5, this.scroller.scrollTop);
    const offset = Math.max(14, this.cell / 2 + 6);
    const {clientWidth} = this.element;
    const onLeft = x + offset + this.tip.offsetWidth > clientWidth;
    const left = onLeft ? x - offset - this.tip.offsetWidth : x + offset;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${Math.max(0, y - this.tip.offsetHeight / 2)}px`;
  }
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
