// All that is known about one form or block, in a panel beside the table.
import type {
  BlockRow,
  ClassicRow,
  InstructionRow,
  Latency,
  PortUse,
  Throughput,
  Uncertainty,
} from '../document';
import {type Child, copyable, h, svg, table} from '../dom';
import {
  count,
  cycles,
  fixed,
  interval,
  isNumber,
  kContended,
  kNothing,
  scaled,
  shellQuoted,
  shownCycles,
} from '../format';
import {openPanel} from '../panel';
import {bins} from '../stats';
import {pressurePart} from './ports';

/** `link` is what the address says while the panel is open, so that it can be shared. */
function open(title: string, link: string, ...children: Child[]): void {
  const before = location.hash.startsWith('#form=') ? '#instructions' : location.hash;
  if (link) history.replaceState(null, '', link);
  const panel = openPanel(h('h2', {class: 'mono'}, title), title, ...children);
  if (link) panel.addEventListener('close', () => history.replaceState(null, '', before || '#'));
}

/** The address of a form within a report. */
export function formLink(text: string): string {
  return `#form=${encodeURIComponent(text)}`;
}

/** What is known about a form, below its name. */
export function formParts(row: InstructionRow): Child[] {
  const facts = [row.opcode, row.isa, row.status].filter(Boolean).join(' · ');
  return [
    h('p', {class: 'soft'}, facts),
    row.reason ? h('p', {class: 'callout note'}, row.reason) : null,
    ...(row.notes ?? []).map((note) => h('p', {class: 'callout note'}, note)),
    pairMatrix(row.latency ?? []),
    throughputPart(row),
    latencyPart(row.latency ?? []),
    modelPart(row),
    portsPart(row),
    classicPart(row.classic ?? []),
    h('h3', {}, 'Measure it again'),
    copyable(
      `cyclescope instruction ${hasCode(row) ? '' : '--show-asm '}${shellQuoted(row.text)}`,
      'the command',
    ),
  ];
}

export function openForm(row: InstructionRow): void {
  open(
    row.text,
    formLink(row.text),
    ...formParts(row),
    h('h3', {}, 'Share it'),
    copyable(`${location.href.split('#')[0]}${formLink(row.text)}`, 'the link'),
  );
}

/** Of thousands of forms the page has no code (src/report/html.cc). */
function hasCode(row: InstructionRow): boolean {
  return [row.throughput, ...(row.latency ?? [])].some((measured) => measured?.code);
}

export function openBlock(block: BlockRow): void {
  open(
    'Block',
    '',
    copyable(block.text, 'the snippet'),
    block.init ? h('p', {class: 'soft'}, `After: ${block.init}`) : null,
    block.reason ? h('p', {class: 'callout note'}, block.reason) : null,
    isNumber(block.cycles)
      ? estimate('cycles per iteration', block.cycles, block, block.contended)
      : null,
    block.ports ? pressurePart(block) : null,
    code('The code that ran', block.code),
    classicPart(block.classic ?? []),
    h('h3', {}, 'Measure it again'),
    copyable(
      `cyclescope block ${block.init ? `--init ${shellQuoted(block.init)} ` : ''}${shellQuoted(block.text)}`,
      'the command',
    ),
  );
}

/** Which operand is how far from which: a row per operand that is read, a column per written one. */
function pairMatrix(pairs: Latency[]): Child {
  const sources = [...new Set(pairs.map((pair) => pair.from))];
  const results = [...new Set(pairs.map((pair) => pair.to))];
  // A single pair is told below.
  if (sources.length * results.length < 2) return null;
  const cell = (from: string, to: string): Child => {
    const all = pairs.filter((pair) => pair.from === from && pair.to === to);
    const isBound = all.some((pair) => pair.kind === 'upper-bound');
    const known = merged(all, samePair)
      .map(({value: pair}) => (isBound ? (pair.high ?? pair.cycles) : pair.cycles))
      .filter(isNumber);
    if (known.length === 0) return '';
    const bound = isBound ? '≤ ' : '';
    const [low, high] = [cycles(Math.min(...known)), cycles(Math.max(...known))];
    const text = `${bound}${low === high ? low : `${low} to ${high}`}`;
    const contended = all.some((pair) => pair.contended);
    return h('span', {class: contended ? 'contended' : ''}, text);
  };
  return h(
    'div',
    {},
    h('h3', {}, 'Cycles from operand to operand'),
    table(
      'Latency of each pair of operands',
      [{title: 'from \\ to'}, ...results.map((title) => ({title, numeric: true}))],
      sources.map((from) => [from, ...results.map((to) => cell(from, to))]),
    ),
  );
}

function portText(uses: PortUse[]): string {
  return uses
    .map(
      ({uops, ports, ambiguous}) =>
        `${uops} × ${ports.join(' or ')}${ambiguous ? ' (or others)' : ''}`,
    )
    .join(', ');
}

function portsPart({slots, ports, port_finding: finding}: InstructionRow): Child {
  if (!finding) return null;
  const parts = [
    ports ? `µops: ${portText(ports)}` : finding.reason,
    isNumber(slots) ? `slots: ${fixed(slots, 1)}` : '',
    isNumber(finding.own_cycles) ? `busy on its own for ${cycles(finding.own_cycles)} cycles` : '',
    finding.binds ? `limit: ${finding.binds}` : '',
    finding.model ? `LLVM’s model: ${portText(finding.model)}` : '',
  ];
  return h(
    'div',
    {},
    h('h3', {}, 'Ports'),
    ...parts.filter(Boolean).map((part) => h('p', {}, part)),
  );
}

function throughputPart(row: InstructionRow): Child {
  const all: Throughput[] = row.throughput_by_values?.length
    ? row.throughput_by_values
    : row.throughput
      ? [row.throughput]
      : [];
  if (all.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, 'Throughput'),
    ...merged(all, sameBound).map(({value: throughput, values}) =>
      h(
        'div',
        {class: 'measured'},
        estimate(
          `cycles per instruction${values ? `, ${values} operands` : ''}`,
          throughput.cycles,
          throughput,
          throughput.upper_bound || throughput.contended,
        ),
        throughput.limit ? h('p', {class: 'soft'}, limitText(throughput)) : null,
        code('The code that was repeated', throughput.code),
      ),
    ),
  );
}

/**
 * What differs in nothing but the class of operand values, and may be equal, as one: the text
 * report has the same lines (MergeValues in src/report/instruction_text.cc).
 */
function merged<Value extends Latency | Throughput>(
  all: Value[],
  isSame: (one: Value, other: Value) => boolean,
): {value: Value; values: string}[] {
  const kept: {value: Value; values: string}[] = [];
  for (const value of all) {
    const like = kept.find(
      (known) => value.values && isSame(known.value, value) && mayBeEqual(known.value, value),
    );
    if (like) like.values += ` and ${value.values}`;
    else kept.push({value, values: value.values ?? ''});
  }
  return kept;
}

function mayBeEqual(one: Partial<Uncertainty>, other: Partial<Uncertainty>): boolean {
  if (!isNumber(one.low) || !isNumber(one.high)) return false;
  if (!isNumber(other.low) || !isNumber(other.high)) return false;
  return one.low <= other.high && other.low <= one.high;
}

function samePair(one: Latency, other: Latency): boolean {
  return (
    one.from === other.from &&
    one.to === other.to &&
    one.kind === other.kind &&
    one.values !== other.values
  );
}

function sameBound(one: Throughput, other: Throughput): boolean {
  const isBound = (each: Throughput) => Boolean(each.upper_bound || each.contended);
  return isBound(one) === isBound(other);
}

function limitText(throughput: Throughput): string {
  const limit = `limit: ${throughput.limit}`;
  return throughput.back_to_back === undefined
    ? limit
    : `${limit}; back to back: ${fixed(throughput.back_to_back, 2)} cycles`;
}

const kKindMeaning: Record<Latency['kind'], string> = {
  exact: 'exact: nothing else is on the chain',
  connected: 'connected: the known latency of the connector is subtracted',
  'upper-bound': 'upper bound: it includes the latency of the connector',
};

function kindMeaning(pair: Latency): string {
  if (pair.kind === 'upper-bound' && !pair.connector) return 'upper bound: copies start no sooner';
  return kKindMeaning[pair.kind] ?? pair.kind;
}

function latencyPart(pairs: Latency[]): Child {
  if (pairs.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, 'Latency'),
    ...merged(pairs, samePair).map(({value: pair, values}) =>
      h(
        'div',
        {class: 'measured'},
        h(
          'p',
          {},
          h('strong', {class: 'mono'}, `${pair.from} → ${pair.to}`),
          values ? `, ${values} operands` : '',
          h('span', {class: 'soft'}, ` ${kindMeaning(pair)}`),
        ),
        estimate('cycles', pair.cycles, pair, pair.kind === 'upper-bound'),
        pair.connector
          ? h(
              'p',
              {class: 'soft'},
              'Connector: ',
              h('code', {}, pair.connector),
              pair.connector_cycles ? `, ${cycles(pair.connector_cycles.value)} cycles` : '',
            )
          : null,
        pair.to_others
          ? h('p', {class: 'soft'}, `To other units: ${cycles(pair.to_others.value)} cycles`)
          : null,
        pair.beside
          ? h('p', {class: 'soft'}, 'Beside the chain: ', h('code', {}, pair.beside))
          : null,
        isNumber(pair.model)
          ? h('p', {class: 'soft'}, `LLVM’s model of this pair: ${cycles(pair.model)} cycles`)
          : null,
        code('The chain', pair.code),
      ),
    ),
  );
}

function code(summary: string, text: string | undefined): Child {
  if (!text) return null;
  return h('details', {}, h('summary', {}, summary), copyable(text, 'the code'));
}

function modelPart(row: InstructionRow): Child {
  const {model} = row;
  if (!model) return null;
  return h(
    'p',
    {},
    h('strong', {}, `LLVM’s model (${model.cpu}): `),
    `latency ${cycles(model.latency)}, throughput ${cycles(model.throughput)} cycles`,
  );
}

function classicPart(rows: ClassicRow[]): Child {
  if (rows.length === 0) return null;
  const titles = [
    'VAL',
    'IPC',
    'Instr.',
    'Cycles',
    'TSCnt.',
    'ExecT.',
    'Boost',
    'Base',
    'Frequency',
  ];
  return table(
    'The classic table',
    [{title: 'Test'}, ...titles.map((title) => ({title, numeric: true}))],
    rows.map((row) => [
      row.test,
      `${row.upper_bound ? '≤ ' : ''}${fixed(row.cycles_per_instruction, 2)}`,
      fixed(row.instructions_per_cycle, 2),
      scaled(row.instructions),
      scaled(row.core_cycles),
      scaled(row.ticks),
      scaled(row.seconds, 's'),
      row.boost ? `×${fixed(row.boost, 2)}` : kNothing,
      `${fixed(row.base_ghz, 2)} GHz`,
      row.core_ghz ? `${fixed(row.core_ghz, 2)} GHz` : kNothing,
    ]),
  );
}

function estimate(
  unit: string,
  value: number | null,
  measured: Partial<Uncertainty>,
  isBound = false,
): HTMLElement {
  const remarks: string[] = [];
  if (measured.kept !== undefined) {
    remarks.push(`${count(measured.kept, 'sample')} kept, ${measured.rejected ?? 0} dropped`);
  }
  if (measured.visits !== undefined) remarks.push(count(measured.visits, 'visit'));
  if (measured.like) remarks.push(`agrees with ${measured.like}`);
  if (measured.states) {
    const values = measured.states.map((state) => fixed(state.value, 2)).join(' or ');
    const shares = measured.states.map((state) => fixed((state.share ?? 0) * 100, 0)).join(' : ');
    remarks.push(`${values} (${shares})`);
  } else if (measured.two_modes) {
    remarks.push('two modes');
  }
  if (measured.disturbed) remarks.push('disturbed: a best estimate only');
  if (measured.end === 'budget') remarks.push('time ran out before it was precise');
  return h(
    'div',
    {class: 'estimate'},
    h(
      'div',
      {},
      h(
        'span',
        {class: measured.contended ? 'value contended' : 'value'},
        shownCycles(value, measured, isBound),
      ),
      ` ${unit}`,
      h('div', {class: 'soft'}, `interval ${interval(measured)}`),
      h('div', {class: 'soft'}, remarks.join(', ')),
      measured.contended ? h('div', {class: 'contended-remark'}, kContended) : null,
    ),
    h('div', {class: 'sample-figures'}, distribution(measured), overTime(measured)),
  );
}

/** The samples in the order taken, over the interval. */
function overTime(measured: Partial<Uncertainty>): Child {
  const samples = (measured.samples ?? []).filter(isNumber);
  if (samples.length < 3) return null;
  const width = 220;
  const height = 56;
  const all = [...samples, measured.low ?? samples[0], measured.high ?? samples[0]].filter(
    isNumber,
  );
  const low = Math.min(...all);
  const high = Math.max(...all);
  const y = (value: number) => height - 4 - ((value - low) / (high - low || 1)) * (height - 8);
  const x = (i: number) => 4 + (i / (samples.length - 1)) * (width - 8);
  const label = measured.contended
    ? 'In the order taken; another thread shared the core'
    : 'In the order taken';
  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: measured.contended ? 'over-time shared' : 'over-time',
    role: 'img',
    'aria-label': `${count(samples.length, 'sample')}. ${label}`,
  });
  if (isNumber(measured.low) && isNumber(measured.high)) {
    const top = y(measured.high);
    const tall = Math.max(1, y(measured.low) - top);
    drawing.append(svg('rect', {class: 'band', x: 0, y: top, width, height: tall}));
  }
  samples.forEach((sample, i) => {
    drawing.append(svg('circle', {cx: x(i), cy: y(sample), r: 2.2}));
  });
  return h('figure', {}, drawing, h('figcaption', {class: 'soft'}, label));
}

/** The samples as a small histogram, over the interval. */
function distribution(measured: Partial<Uncertainty>): Child {
  const samples = (measured.samples ?? []).filter(isNumber).sort((a, b) => a - b);
  if (samples.length < 3) return null;
  const width = 220;
  const height = 56;
  const {start, width: binWidth, counts} = bins(samples, 40);
  const end = start + binWidth * counts.length;
  const most = Math.max(...counts);
  const x = (value: number) => ((value - start) / (end - start || 1)) * width;
  const label = `${count(samples.length, 'sample')} from ${interval({low: samples[0], high: samples.at(-1)})}`;
  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'distribution',
    role: 'img',
    'aria-label': label,
  });
  if (isNumber(measured.low) && isNumber(measured.high)) {
    const from = Math.max(0, x(measured.low));
    const to = Math.min(width, x(measured.high));
    drawing.append(
      svg('rect', {class: 'band', x: from, y: 0, width: Math.max(1, to - from), height}),
    );
  }
  counts.forEach((n, bin) => {
    const barHeight = (n / most) * (height - 6);
    drawing.append(
      svg('rect', {
        class: 'column',
        x: x(start + bin * binWidth) + 0.5,
        y: height - barHeight,
        width: Math.max(1, width / counts.length - 1),
        height: barHeight,
      }),
    );
  });
  return h('figure', {}, drawing, h('figcaption', {class: 'soft'}, label));
}
