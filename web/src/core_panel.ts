// A core's diagram as an element of a page, and what the signs in it mean.
import type {CoreBlock, CoreBlocks} from './core_blocks';
import {coreDrawing} from './core_diagram';
import {coreLayout} from './core_layout';
import {h, svg} from './dom';
import {onPrint} from './redraw';
import {onThemeChange} from './theme';

/** As wide as the diagram is drawn for paper, which scales it. */
const kPaperWidth = 1000;

/** What the signs in the diagram mean, as far as they are there. */
export function legendOf(blocks: CoreBlock[]): string {
  const values = blocks.flatMap((block) => block.values);
  const details = values.flatMap((value) => value.details);
  const signs: [string, boolean][] = [
    ['≥: something else ended first', values.some(({text}) => text.startsWith('≥'))],
    [
      'while shared: another thread ran on the core',
      details.some((text) => text.endsWith('while shared')),
    ],
    ['dotted: seen on a shared core only', values.some(({contended}) => contended)],
    ['?: other ports explain the times as well', details.some((text) => text.endsWith(' ?'))],
    ['grey: no number', blocks.some((block) => block.values.length === 0)],
  ];
  return signs
    .filter(([, isThere]) => isThere)
    .map(([text]) => text)
    .join('; ');
}

/** Drawn anew for each width, so that its words are always as large as those around it. */
export function diagram(blocks: CoreBlocks, open?: (block: CoreBlock) => void): HTMLElement {
  const element = h('div', {class: 'core-diagram'});
  let drawn = 0;
  const draw = (width: number) => {
    drawn = width;
    const focused = document.activeElement?.getAttribute('data-block');
    const layout = coreLayout(blocks, width);
    const drawing = svg(
      'svg',
      {
        viewBox: `-1 -1 ${layout.width + 2} ${layout.height + 2}`,
        role: 'group',
        'aria-label': 'Block diagram of the core',
      },
      ...coreDrawing(layout, open),
    );
    element.replaceChildren(drawing);
    const places = [...drawing.querySelectorAll<SVGElement>('[role=button]')];
    places.find((place) => place.dataset.block === focused)?.focus();
  };
  const fit = () => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== drawn) draw(width);
  };
  new ResizeObserver(fit).observe(element);
  onThemeChange(element, () => {
    if (drawn > 0) draw(drawn);
  });
  onPrint(element, () => draw(kPaperWidth));
  window.addEventListener('afterprint', fit);
  return element;
}
