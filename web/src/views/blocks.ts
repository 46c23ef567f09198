// Snippets and loops in a table.
import type {BlockRow, ResultDocument} from '../document';
import {type Child, card, h, table} from '../dom';
import {cycles, interval, kNothing, shownCycles} from '../format';
import {openBlock} from './form_details';
import {measuredCell} from './measured_cell';

export function blocksCard(result: ResultDocument): Child {
  const blocks = result.blocks ?? [];
  if (blocks.length === 0) return null;
  const hasPredictions = blocks.some(({predicted}) => predicted?.cycles !== undefined);
  return card(
    'Blocks',
    table(
      'Cycles per iteration of snippets',
      [
        {title: 'Snippet'},
        {title: 'Cycles', numeric: true},
        {title: 'Interval', numeric: true},
        ...(hasPredictions ? [{title: 'Predicted', numeric: true}] : []),
        {title: 'Instructions', numeric: true},
        {title: 'Status'},
      ],
      blocks.map((block) => [
        h(
          'button',
          {type: 'button', class: 'link mono', click: () => openBlock(block)},
          block.text.replaceAll('\n', '; '),
        ),
        measuredCell(
          shownCycles(block.cycles, block, block.contended),
          undefined,
          block.contended ?? false,
        ),
        block.cycles === undefined ? kNothing : interval(block),
        ...(hasPredictions ? [cycles(block.predicted?.cycles)] : []),
        block.instructions,
        [
          [block.status, block.reason].filter(Boolean).join(': '),
          leftOut(block),
          sameWay(block),
          byData(block),
        ]
          .filter(Boolean)
          .join('; '),
      ]),
    ),
  );
}

/** What of a snippet is not counted. */
function leftOut(block: BlockRow): string {
  return block.left_out?.length ? `without ${block.left_out.join(', ')}, which is not counted` : '';
}

/** That its branches never go another way, which a program's do. */
function sameWay(block: BlockRow): string {
  const place = (block.claims ?? []).findIndex(({kind}) => kind === 'same-way');
  return place < 0 ? '' : (block.notes?.[place] ?? '');
}

/** What it takes with each kind of data, where that differs. */
function byData(block: BlockRow): string {
  return (block.by_data ?? [])
    .map(({data, cycles: taken}) => `${data} data ${taken?.toFixed(2) ?? kNothing}`)
    .join(', ');
}
