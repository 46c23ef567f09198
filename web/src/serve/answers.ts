// What the machine does with a loop: cycles, what binds it, its instructions.
import type {BlockRow, InstructionRow, ResultDocument} from '../document';
import {type Child, details, h, table} from '../dom';
import {cycles, interval, isNumber, plusMinus, sentence, shownCycles} from '../format';
import {instructionLink, uopsText} from './instruction_search';
import {pipelinePicture, timesOfMca} from './pipeline';
import {giveTip} from './tip';

/** All that is known so far about the loop of one version. */
export interface Known {
  measured?: BlockRow | undefined;
  predicted?: BlockRow | undefined;
  /** By text. */
  instructions?: Map<string, InstructionRow>;
  whyNoPorts?: string;
}

/** What is answered about. */
export interface Asked {
  side: string;
  att: boolean;
  hasModel: boolean;
  /** What rows of instructions come from; empty where they were measured here. */
  rowsOf: string;
  /** The instructions of the loop. */
  statements: string[];
}

function tile(label: string, value: string, note: string): HTMLElement {
  return h(
    'li',
    {},
    h('span', {class: 'tile-label'}, label),
    h('span', {class: 'tile-value big'}, value),
    h('span', {class: 'tile-note'}, note),
  );
}

function tiles({measured, predicted}: Known): Child {
  const list = h('ul', {class: 'strip answer-tiles'});
  if (measured && isNumber(measured.cycles)) {
    list.append(
      tile(
        'measured',
        shownCycles(measured.cycles, measured, measured.contended),
        measured.contended ? 'at most: busy core' : `${interval(measured)} cycles`,
      ),
    );
  }
  const model = predicted?.predicted ?? measured?.predicted;
  if (model && isNumber(model.cycles))
    list.append(tile('predicted', cycles(model.cycles), 'by the model'));
  if (measured?.mca)
    list.append(tile('llvm-mca', cycles(measured.mca.cycles), `for ${measured.mca.cpu}`));
  return list.childElementCount > 0 ? list : null;
}

interface Bound {
  name: string;
  cycles: number;
  text: string;
}

function boundsOf({measured, predicted}: Known): Bound[] {
  const bounds = measured?.bounds;
  if (bounds) {
    return [
      {name: 'chain', cycles: bounds.chain ?? 0, text: bounds.chain_text ?? ''},
      {
        name: 'issue',
        cycles: bounds.issue ?? 0,
        text: bounds.width ? `${cycles(bounds.width)} instructions a cycle` : '',
      },
      {name: 'resource', cycles: bounds.resource ?? 0, text: bounds.resource_text ?? ''},
      {
        name: 'ports',
        cycles: measured?.ports?.ports ?? 0,
        text: (measured?.ports?.binding_ports ?? []).join(', '),
      },
    ].filter(isKnown);
  }
  const model = predicted?.predicted?.bounds;
  if (!model) return [];
  return [
    {name: 'chain', cycles: model.chain ?? 0, text: model.chain_text ?? ''},
    {name: 'dispatch', cycles: model.dispatch ?? 0, text: ''},
    {name: 'ports', cycles: model.ports ?? 0, text: ''},
    {name: 'branches', cycles: model.branches ?? 0, text: ''},
    {name: 'unit', cycles: model.unit ?? 0, text: model.unit_text ?? ''},
  ].filter(isKnown);
}

/** The width of a core that is shared is not known, for one. */
function isKnown({cycles: bound}: Bound): boolean {
  return bound > 0;
}

/** Each bound as a bar; the time itself is a line across. */
function boundBars(known: Known): Child {
  const bounds = boundsOf(known);
  const time = known.measured?.cycles ?? known.predicted?.predicted?.cycles;
  const most = Math.max(...bounds.map((bound) => bound.cycles), time ?? 0);
  if (bounds.length === 0 || !(most > 0)) return null;
  const binds = known.measured?.bounds?.binds ?? known.predicted?.predicted?.binds;
  const share = (value: number) => `${(100 * value) / most}%`;
  const rows = bounds.map(({name, cycles: value, text}) =>
    h(
      'li',
      {class: name === binds ? 'binds' : ''},
      h('span', {class: 'bound-name'}, name, name === binds ? h('b', {}, ' binds') : null),
      h('span', {class: 'bound-value'}, cycles(value)),
      h(
        'span',
        {class: 'bound-bar', 'aria-hidden': 'true'},
        h('span', {class: 'bound-fill', style: `width: ${share(value)}`}),
        isNumber(time) ? h('span', {class: 'bound-time', style: `left: ${share(time)}`}) : null,
      ),
      text ? h('span', {class: 'small soft bound-text'}, text) : null,
    ),
  );
  return h(
    'section',
    {},
    h('h3', {}, 'It cannot be faster than'),
    h('ul', {class: 'bounds'}, ...rows),
    isNumber(time) ? h('p', {class: 'small soft'}, 'The line is the time itself.') : null,
  );
}

/** As it was written: a branch leads to a label there, and to a distance in the code that ran. */
function written(text: string, statements: string[]): string {
  const branch = text.match(/^(\S+) -?\d+$/)?.[1];
  const alike = statements.filter((each) => branch && each.split(' ')[0] === branch);
  return (alike.length === 1 ? alike[0] : undefined) ?? text;
}

function pressure({predicted, measured}: Known, {statements}: Asked): Child {
  const loads = measured?.ports?.pressure ?? predicted?.predicted?.ports;
  if (!loads?.length) return null;
  const most = Math.max(...loads.map((load) => load.cycles ?? 0), 0.01);
  const binding = new Set(
    measured?.ports?.binding_ports ?? predicted?.predicted?.binding_ports ?? [],
  );
  const notCounted = measured?.ports
    ? (measured.ports.not_counted ?? []).map(({text}) => text)
    : (predicted?.predicted?.without_ports ?? []);
  return h(
    'section',
    {},
    h('h3', {}, 'Pressure on each port'),
    h(
      'ul',
      {class: 'bounds ports'},
      ...loads.map((load) =>
        h(
          'li',
          {class: binding.has(load.port) ? 'binds' : ''},
          h('span', {class: 'bound-name'}, load.port),
          h('span', {class: 'bound-value'}, cycles(load.cycles)),
          h(
            'span',
            {class: 'bound-bar', 'aria-hidden': 'true'},
            h('span', {class: 'bound-fill', style: `width: ${(100 * (load.cycles ?? 0)) / most}%`}),
          ),
        ),
      ),
    ),
    measured?.ports
      ? null
      : h('p', {class: 'small soft'}, 'By the ports that the simulated core chose.'),
    notCounted.length > 0
      ? h(
          'p',
          {class: 'small soft'},
          `Counted as a slot only: ${notCounted.map((text) => written(text, statements)).join(', ')}.`,
        )
      : null,
  );
}

/** "3.00", or "1.00 to 4.00" where pairs of operands differ. */
function limitText(limit: string | undefined): string {
  if (!limit) return '';
  return `, limit: ${limit === 'pipes' ? 'not the decoder' : limit}`;
}

function latencyText(row: InstructionRow): string {
  const pairs = (row.latency ?? []).filter((pair) => isNumber(pair.cycles));
  const known = pairs
    .map((pair) => (pair.kind === 'upper-bound' ? (pair.high ?? pair.cycles) : pair.cycles))
    .filter(isNumber);
  if (known.length === 0) return '';
  const [low, high] = [cycles(Math.min(...known)), cycles(Math.max(...known))];
  const bound = pairs.every(({kind}) => kind === 'upper-bound') ? '≤ ' : '';
  return `${bound}${low === high ? low : `${low} to ${high}`}`;
}

/** What the pointer at an instruction shows. */
function instructionTip(row: InstructionRow): Child[] {
  const line = (name: string, text: string) =>
    h('div', {}, h('span', {class: 'mono'}, name), ` ${text}`);
  const pairs = (row.latency ?? []).slice(0, 8).map((pair) => {
    const isBound = pair.kind === 'upper-bound';
    const values = pair.values ? `, ${pair.values} operands` : '';
    return line(
      `${pair.from} → ${pair.to}`,
      `${shownCycles(pair.cycles, pair, isBound)} cycles (${interval(pair)})${values}`,
    );
  });
  const {throughput} = row;
  return [
    ...pairs,
    throughput
      ? line(
          'throughput',
          `${shownCycles(throughput.cycles, throughput, throughput.contended)} (${interval(throughput)})${limitText(throughput.limit)}`,
        )
      : null,
    row.ports?.length ? line('ports', uopsText(row.ports)) : null,
    row.status === 'measured' ? null : h('div', {}, row.status),
    ...(row.notes ?? []).map((note) => h('div', {class: 'soft'}, note)),
  ];
}

function instructionTable(
  {instructions, whyNoPorts}: Known,
  {side, att, statements, rowsOf}: Asked,
): Child {
  const known = instructions ?? new Map<string, InstructionRow>();
  if (!statements.some((text) => known.has(text))) return null;
  const hasPorts = statements.some((text) => known.get(text)?.ports?.length);
  const rows = statements.map((text): Child[] => {
    const row = known.get(text);
    let name: HTMLElement = h('span', {class: 'mono'}, text);
    if (row) {
      name = h('a', {class: 'mono', href: instructionLink(text, att)}, text);
      giveTip(name, () => instructionTip(row));
    }
    return [
      name,
      row ? latencyText(row) : '',
      row?.throughput
        ? shownCycles(row.throughput.cycles, row.throughput, row.throughput.contended)
        : '',
      ...(hasPorts ? [row?.ports ? uopsText(row.ports) : ''] : []),
    ];
  });
  return h(
    'section',
    {},
    h('h3', {}, 'Instruction by instruction'),
    table(
      `Latency and throughput of each instruction of ${side}`,
      [
        {title: 'instruction'},
        {title: 'latency', numeric: true},
        {title: 'throughput', numeric: true},
        ...(hasPorts ? [{title: 'ports', wraps: true}] : []),
      ],
      rows,
    ),
    rowsOf ? h('p', {class: 'small soft'}, rowsOf) : null,
    whyNoPorts && !hasPorts ? h('p', {class: 'small soft'}, `${sentence(whyNoPorts)}.`) : null,
  );
}

/** What binds, and what would help: the sentences of its claims. */
function sentences({measured, predicted}: Known): string[] {
  const told = [
    measured?.bounds?.verdict,
    ...(measured?.notes ?? []),
    predicted?.predicted?.verdict ? `by the model: ${predicted.predicted.verdict}` : undefined,
    predicted?.predicted?.reason,
    ...(predicted?.predicted?.unknown?.length
      ? [`the model does not have ${predicted.predicted.unknown.join(', ')}`]
      : []),
  ];
  return [...new Set(told.filter((text): text is string => Boolean(text)))].map(sentence);
}

/** What a model would add, where there is none. */
function modelHint(): HTMLElement {
  return h(
    'p',
    {class: 'small soft hint'},
    'A model of this machine adds predictions, and ports and a pipeline that were measured: ',
    h('code', {}, 'cyclescope model --export-json model.json'),
    ', then ',
    h('code', {}, 'cyclescope serve --machine model.json'),
  );
}

export function answerOf(known: Known, asked: Asked): Child[] {
  const {measured, predicted} = known;
  const reason = measured?.reason ?? predicted?.reason;
  const byData = (measured?.by_data ?? []).map(
    (each) => `${each.data} data ${cycles(each.cycles)} ${plusMinus(each)}`,
  );
  const told = sentences(known);
  return [
    tiles(known),
    reason ? h('p', {class: 'callout note'}, sentence(reason)) : null,
    byData.length > 0 ? h('p', {}, `Data matter: ${byData.join(', ')}.`) : null,
    told.length > 0
      ? h('ul', {class: 'highlights'}, ...told.map((text) => h('li', {}, text)))
      : null,
    boundBars(known),
    pressure(known, asked),
    instructionTable(known, asked),
    pipelineOf(known, asked),
    asked.hasModel ? null : modelHint(),
    measured?.code
      ? details('The code that ran', () => h('pre', {tabindex: 0}, h('code', {}, measured.code)))
      : null,
  ];
}

/** Our own model's; where there is none, llvm-mca's. */
function pipelineOf({predicted, measured}: Known, {side, statements}: Asked): Child {
  const own = pipelinePicture(predicted?.predicted?.timeline, side, statements);
  if (own) return h('section', {}, h('h3', {}, 'In the pipeline, by the model'), own);
  const other = pipelinePicture(timesOfMca(measured?.mca?.timeline), side, statements);
  if (!other) return null;
  const title = `In the pipeline, by llvm-mca for ${measured?.mca?.cpu}`;
  return h('section', {}, h('h3', {}, title), other);
}

/** The row of one side, or the only one. */
export function rowOf(document: ResultDocument, side: string): BlockRow | undefined {
  const rows = document.blocks ?? [];
  return rows.find((row) => row.side === side) ?? (rows.length === 1 ? rows[0] : undefined);
}
