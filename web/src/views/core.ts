// A core as reviewers draw it: a diagram of what was measured, the evidence behind each block, and
// every quantity as a table.
import {pictureButtons} from '../copy_picture';
import {allBlocks, coreBlocks, rowInterval, rowText, sharedText} from '../core_blocks';
import {diagram, legendOf} from '../core_panel';
import {corePicture} from '../core_picture';
import type {Result} from '../data';
import type {Anatomy, AnatomyRow} from '../document';
import {type Child, card, h, table} from '../dom';
import {fixed, interval, sentence, short} from '../format';
import {machineFacts} from '../glance';
import {cpuName} from '../names';
import {openEvidence, openRow} from './core_evidence';

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
      diagram(blocks, openEvidence),
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
