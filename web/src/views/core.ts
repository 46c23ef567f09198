// A core as reviewers draw it: a diagram of what was measured, the evidence behind each block, and
// every quantity as a table.
import {pictureButtons} from '../copy_picture';
import {
  allBlocks,
  type CoreBlock,
  type CoreBlocks,
  coreBlocks,
  rowInterval,
  rowText,
  sharedText,
} from '../core_blocks';
import {coreDrawing} from '../core_diagram';
import {coreLayout} from '../core_layout';
import {corePicture} from '../core_picture';
import type {Result} from '../data';
import type {Anatomy, AnatomyRow} from '../document';
import {type Child, card, h, svg, table} from '../dom';
import {fixed, interval, sentence, short} from '../format';
import {machineFacts} from '../glance';
import {cpuName} from '../names';
import {onPrint} from '../redraw';
import {onThemeChange} from '../theme';
import {openEvidence, openRow} from './core_evidence';

/** As wide as the diagram is drawn for paper, which scales it. */
const kPaperWidth = 1000;

export function coreView(result: Result): HTMLElement {
  const {host, anatomy, tool, config} = result.document;
  const facts = machineFacts(host);
  const blocks = coreBlocks(result.document);
  const legend = legendOf(allBlocks(blocks));
  const footer = [
    'From time alone',
    `measured by cyclescope ${tool.version}`,
    config.started?.slice(0, 10),
    legend,
  ];
  const words = {name: cpuName(host), facts, footer: footer.filter(Boolean).join(' · ')};
  return h(
    'div',
    {class: 'stack'},
    h('div', {class: 'hero'}, h('h1', {}, cpuName(host)), h('p', {}, facts)),
    h(
      'section',
      {class: 'card', 'aria-label': 'The core as a diagram'},
      diagram(blocks),
      h(
        'p',
        {class: 'soft small'},
        `Found by time alone${anatomy ? ` on CPU ${anatomy.cpu}` : ''}. ${sentence(legend)}${legend ? '. ' : ''}`,
        h('span', {class: 'no-print'}, 'A block opens its evidence.'),
      ),
      pictureButtons('core', () => corePicture(blocks, words)),
    ),
    anatomy ? quantities(anatomy) : null,
  );
}

/** What the signs in the diagram mean, as far as they are there. */
function legendOf(blocks: CoreBlock[]): string {
  const values = blocks.flatMap((block) => block.values);
  const details = values.flatMap((value) => value.details);
  const signs: [string, boolean][] = [
    ['≥: something else ended first', values.some(({text}) => text.startsWith('≥'))],
    [
      'while shared: another thread ran on the core',
      details.some((text) => text.endsWith('while shared')),
    ],
    ['dotted: never seen on a core of its own', values.some(({contended}) => contended)],
    ['?: other ports explain the times as well', details.some((text) => text.endsWith(' ?'))],
    ['grey: no number', blocks.some((block) => block.values.length === 0)],
  ];
  return signs
    .filter(([, isThere]) => isThere)
    .map(([text]) => text)
    .join('; ');
}

/** Drawn anew for each width, so that its words are always as large as those around it. */
function diagram(blocks: CoreBlocks): HTMLElement {
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
      ...coreDrawing(layout, (block) => openEvidence(block)),
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

const kPartTitles: Record<AnatomyRow['part'], string> = {
  windows: 'Windows: what is in flight at once',
  'front-end': 'Front end',
  elimination: 'Elimination: what costs no port, or no slot',
  fusion: 'Fusion: pairs that go through the core as one',
  'memory-pipeline': 'Memory pipeline: what loads and stores do to each other',
};

/** A value with its unit, and that of a shared core. */
function valueCell(row: AnatomyRow): Child {
  if (!row.value) return '–';
  const {text, unit} = rowText(row);
  const words = [`${text} ${unit}`.trim(), sharedText(row)].filter(Boolean).join(', ');
  return h('span', {class: row.contended ? 'contended' : ''}, words);
}

function remarkOf(row: AnatomyRow): string {
  return [
    row.value ? row.note : row.reason || row.note,
    row.contended ? 'the core was shared' : '',
    row.status === 'measured' || !row.value ? '' : row.status,
  ]
    .filter(Boolean)
    .join('; ');
}

function partTable(part: AnatomyRow['part'], rows: AnatomyRow[]): Child {
  if (rows.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, kPartTitles[part]),
    table(
      kPartTitles[part],
      [
        {title: 'What'},
        {title: 'Measured', numeric: true},
        {title: 'Interval'},
        {title: 'With', wraps: true},
        {title: 'Remark', wraps: true},
      ],
      rows.map((row) => [
        h('button', {type: 'button', class: 'link', click: () => openRow(row)}, row.name),
        valueCell(row),
        rowInterval(row),
        row.filler ?? '',
        remarkOf(row),
      ]),
    ),
  );
}

function widthsTable({widths = []}: Anatomy): Child {
  if (widths.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, 'Widths'),
    table(
      'Widths',
      [{title: 'What'}, {title: 'A cycle', numeric: true}, {title: 'Interval'}, {title: 'With'}],
      widths.map(({name, per_cycle, pattern, at_least}) => [
        name,
        `${at_least ? '≥ ' : ''}${short(per_cycle.value)}`,
        at_least ? '' : interval(per_cycle),
        pattern,
      ]),
    ),
  );
}

function quantities(anatomy: Anatomy): HTMLElement {
  const parts = Object.keys(kPartTitles) as AnatomyRow['part'][];
  return card(
    'Every quantity',
    h('p', {class: 'soft'}, `Measured in ${fixed(anatomy.seconds, 1)} s.`),
    ...parts.map((part) =>
      partTable(
        part,
        anatomy.rows.filter((row) => row.part === part),
      ),
    ),
    widthsTable(anatomy),
  );
}
