// The way of instructions through the core, as a model sees it: a line each, time from left to
// right.
import type {PredictedTimes} from '../document';
import {type Child, h, svg} from '../dom';

const kRow = 18;
/** Letters of an instruction that are shown, and on a phone. */
const kLetters = 38;
const kLettersOfPhone = 20;
const kPixelsPerLetter = 6.7;
const kMinPixelsPerCycle = 7;

const kPhases: [string, string][] = [
  ['waits', 'waits for operands or ports'],
  ['runs', 'executes'],
  ['stays', 'is done, waits to retire'],
];

function label(times: PredictedTimes): string {
  const waits =
    times.waits_for === 'nothing'
      ? ''
      : `, waits for ${times.waits_for === 'operand' ? (times.producer ?? 'an operand') : `a ${times.waits_for}`}`;
  return `${times.text}: dispatched at ${times.dispatched}, starts at ${times.issued}, done at ${times.done}, retired at ${times.retired}${waits}`;
}

/** Where llvm-mca's drawing begins, and where the text of an instruction does. */
const kDrawing = 10;
const kDrawn = 91;
const kIterations = 4;

/** What llvm-mca drew: "[0,1]     D==eeeER  .    addsd xmm0, xmm1". */
export function timesOfMca(drawn: string | undefined): PredictedTimes[] {
  return (drawn ?? '').split('\n').flatMap((line) => {
    const iteration = line.match(/^\[(\d+),\d+\]/)?.[1];
    const cycles = line.slice(kDrawing, kDrawn);
    const [dispatched, retired] = [cycles.indexOf('D'), cycles.indexOf('R')];
    if (iteration === undefined || Number(iteration) >= kIterations) return [];
    if (dispatched < 0 || retired < 0) return [];
    // What is eliminated is executed when it is dispatched.
    const issued = cycles.includes('e') ? cycles.indexOf('e') : dispatched;
    const done = cycles.includes('E') ? cycles.indexOf('E') : issued;
    return [
      {
        iteration: Number(iteration),
        text: line.slice(kDrawn).trim(),
        dispatched,
        ready: issued,
        issued,
        done,
        retired,
        waits_for: 'nothing',
      },
    ];
  });
}

/** As the user wrote them: a branch leads to a label there, and to a distance in the model. */
function asWritten(timeline: PredictedTimes[], statements: string[]): PredictedTimes[] {
  const count = timeline.filter(({iteration}) => iteration === 0).length;
  if (count !== statements.length) return timeline;
  return timeline.map((times, i) => ({...times, text: statements[i % count] ?? times.text}));
}

function shortened(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

/** The first iterations. Empty where the model has none. */
export function pipelinePicture(
  predicted: PredictedTimes[] | undefined,
  side: string,
  statements: string[],
): Child {
  if (!predicted?.length) return null;
  const timeline = asWritten(predicted, statements);
  const end = Math.max(...timeline.map(({retired}) => retired)) + 1;
  const scale = Math.max(kMinPixelsPerCycle, Math.min(26, 700 / end));
  const letters = window.matchMedia('(max-width: 560px)').matches ? kLettersOfPhone : kLetters;
  const begin = 8 + letters * kPixelsPerLetter;
  const width = begin + end * scale + 8;
  const height = (timeline.length + 1) * kRow + 6;
  const parts: SVGElement[] = [];
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => each * scale >= 34) ?? 200;
  for (let cycle = 0; cycle <= end; cycle += step) {
    const x = begin + cycle * scale;
    parts.push(
      svg('line', {x1: x, x2: x, y1: kRow, y2: height - 4, class: 'pipeline-grid'}),
      svg('text', {x, y: 12, class: 'pipeline-cycle'}, String(cycle)),
    );
  }
  timeline.forEach((times, i) => {
    const y = (i + 1) * kRow;
    const span = (from: number, to: number, name: string) =>
      svg('rect', {
        x: begin + from * scale,
        y: y + 3,
        width: Math.max(0, (to - from) * scale - 1),
        height: kRow - 6,
        rx: 2,
        class: `pipeline-${name}`,
      });
    const isFirst = times.iteration !== timeline[i - 1]?.iteration;
    if (isFirst && i > 0)
      parts.push(svg('line', {x1: 0, x2: width, y1: y, y2: y, class: 'pipeline-iteration'}));
    parts.push(
      svg(
        'g',
        {},
        svg('title', {}, label(times)),
        svg(
          'text',
          {x: 4, y: y + 13, class: 'pipeline-text'},
          shortened(times.text.replaceAll('\t', ' '), letters),
        ),
        span(times.dispatched, times.issued, 'waits'),
        span(times.issued, times.done, 'runs'),
        span(times.done, times.retired, 'stays'),
      ),
    );
  });
  return h(
    'figure',
    {class: 'pipeline'},
    h(
      'div',
      {
        class: 'pipeline-scroll',
        tabindex: 0,
        role: 'region',
        'aria-label': `The pipeline with ${side}`,
      },
      svg(
        'svg',
        {
          width,
          height,
          viewBox: `0 0 ${width} ${height}`,
          role: 'img',
          'aria-label': `The first ${timeline.length} instructions in the pipeline, over ${end} cycles`,
        },
        ...parts,
      ),
    ),
    h(
      'figcaption',
      {class: 'small soft legend'},
      ...kPhases.map(([name, text]) => h('span', {}, h('i', {class: `key-${name}`}), text)),
      'cycles from left to right',
    ),
  );
}
