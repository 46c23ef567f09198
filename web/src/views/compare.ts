// Several results: what differs between them, judged where the program compared them.
import {heatMap} from '../core_figure';
import {scaleOf} from '../core_matrix';
import type {Comparison, Result} from '../data';
import {type Child, card, h, table} from '../dom';
import {count, percent} from '../format';
import {cpuName, distinctName} from '../names';
import {onPrint} from '../redraw';
import {onThemeChange} from '../theme';
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
    sideBySide(results),
    differenceCard(comparison, results),
    valuesCard(comparison),
  );
}

function documentsCard(comparison: Comparison, results: Result[]): HTMLElement {
  const verdict = comparison.regression
    ? h('span', {class: 'badge warn'}, 'something got worse')
    : h('span', {class: 'badge ok'}, 'nothing got worse');
  return card(
    'Results',
    h('p', {}, verdict),
    ...verdicts(comparison).map((text) => h('p', {}, text)),
    table(
      'The results compared',
      [
        {title: 'Result'},
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
        cpuName(measured.host),
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

/** The matrices of the first test, with one scale for all. */
function sideBySide(results: Result[]): Child {
  const test = results[0]?.document.cores?.[0]?.test;
  const matrices = results.map(({document: measured}) =>
    measured.cores?.find((cores) => cores.test === test),
  );
  const known = matrices.filter((cores) => cores !== undefined);
  if (known.length < 2) return null;
  const scale = scaleOf(...known.map((cores) => cores.nanoseconds));
  const figures = h('div', {class: 'figures'});
  const draw = () => {
    figures.replaceChildren(
      ...results.map((result, i) => {
        const cores = matrices[i];
        const figure = cores && heatMap(cores, scale);
        return h(
          'figure',
          {class: 'glance-figure'},
          h('figcaption', {}, `${result.label}  ${distinctName(result, results)}`),
          figure
            ? h('div', {role: 'img', 'aria-label': figure.label}, figure.element)
            : h('p', {class: 'soft'}, 'not measured'),
        );
      }),
    );
  };
  draw();
  onThemeChange(figures, draw);
  onPrint(figures, draw);
  return card(`Between cores, side by side (${test})`, figures);
}

/** "B against A: 3 slower or otherwise worse, 1 better, 120 the same, 4 cannot be told." */
function verdicts(comparison: Comparison): string[] {
  const [first, ...others] = comparison.documents;
  return others.map(({label}) => {
    const counts = comparison.kinds.flatMap((kind) =>
      kind.counts.filter((each) => each.document === label),
    );
    const sum = (part: (each: (typeof counts)[number]) => number) =>
      counts.reduce((all, each) => all + part(each), 0);
    const worse = sum((each) => each.worse);
    const better = sum((each) => each.changed - each.worse);
    return (
      `${label} against ${first?.label}: ${count(worse, 'value')} worse, ${better} better, ` +
      `${sum((each) => each.same)} the same, ${sum((each) => each.cannot_tell)} too uncertain to tell.`
    );
  });
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
