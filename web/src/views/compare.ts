// Several results: what differs between them, judged where the program compared them.
import type {Comparison, Result} from '../data';
import {type Child, card, h, table} from '../dom';
import {percent} from '../format';
import {valuesCard} from './compared_values';
import {differenceCard} from './difference_map';

export function compareView(comparison: Comparison, results: Result[]): HTMLElement {
  return h(
    'div',
    {class: 'stack'},
    h(
      'div',
      {class: 'hero'},
      h('h1', {}, 'Compare'),
      h(
        'p',
        {},
        'Every result against the first. A value counts as changed only when its intervals say so.',
      ),
    ),
    documentsCard(comparison, results),
    countsCard(comparison),
    differenceCard(results),
    valuesCard(comparison),
  );
}

function documentsCard(comparison: Comparison, results: Result[]): HTMLElement {
  const verdict = comparison.regression
    ? h('span', {class: 'badge warn'}, 'something got slower')
    : h('span', {class: 'badge ok'}, 'nothing got slower');
  return card(
    'Results',
    h('p', {}, verdict),
    table(
      'The results compared',
      [
        {title: ''},
        {title: 'File'},
        {title: 'Host'},
        {title: 'CPU'},
        {title: 'Cycles from'},
        {title: 'Started'},
        {title: 'cyclescope'},
      ],
      results.map(({label, source, document: measured}) => [
        label,
        source,
        measured.host.name,
        measured.host.cpu_model,
        measured.clock.cycle_source,
        measured.config.started,
        measured.tool.version,
      ]),
    ),
    comparison.notices.length > 0
      ? h(
          'ul',
          {class: 'callouts'},
          ...comparison.notices.map((notice) => h('li', {class: 'callout note'}, notice)),
        )
      : null,
  );
}

function countsCard(comparison: Comparison): HTMLElement {
  const rows: Child[][] = [];
  for (const kind of comparison.kinds) {
    for (const counts of kind.counts) {
      rows.push([
        kind.kind,
        counts.document,
        counts.changed,
        counts.worse,
        counts.same,
        counts.cannot_tell,
        counts.only_in_first,
        counts.only_in_other,
        percent(counts.median_relative),
        `${(kind.threshold * 100).toFixed(1)} %`,
      ]);
    }
  }
  const numeric = (title: string) => ({title, numeric: true});
  return card(
    'Summary',
    table(
      'How many values changed',
      [
        {title: 'Kind'},
        {title: 'Against the first'},
        numeric('Changed'),
        numeric('Of those worse'),
        numeric('Same'),
        numeric('Cannot tell'),
        numeric('Only in the first'),
        numeric('Only in the other'),
        numeric('Median change'),
        numeric('Threshold'),
      ],
      rows,
    ),
  );
}
