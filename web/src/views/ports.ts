// The ports of the core as a diagram, and how busy snippets keep them.
import type {BlockPorts, BlockRow, PortClassRow, PortMap, ResultDocument} from '../document';
import {type Child, card, details, h, table} from '../dom';
import {count, cycles, fixed, isNumber} from '../format';

export function portsView(result: ResultDocument): HTMLElement {
  const map = result.port_map;
  const blocks = (result.blocks ?? []).filter(({ports}) => ports);
  return h(
    'div',
    {class: 'stack'},
    h(
      'div',
      {class: 'hero'},
      h('h1', {}, 'Ports'),
      h('p', {}, 'Which ports of the core instructions use, from the times of mixes alone.'),
    ),
    map ? mapCard(map) : null,
    ...blocks.map((block) => card('Pressure', pressurePart(block))),
  );
}

/** Ports as columns, classes of instructions as rows. */
function mapCard(map: PortMap): HTMLElement {
  const limited = map.classes.some((row) => hasLimit(row));
  const ambiguous = map.classes.some((row) => row.ambiguous);
  const diagram = table(
    'Ports of each class of instructions',
    [
      {title: 'Instructions'},
      ...map.ports.map((title) => ({title})),
      {title: 'A cycle', numeric: true},
    ],
    map.classes.map((row) => [
      formsCell(row),
      ...map.ports.map((port) => portCell(row.ports.includes(port), row.ambiguous ?? false)),
      `${row.per_cycle}${hasLimit(row) ? ' !' : ''}`,
    ]),
  );
  diagram.classList.add('port-diagram');
  return card(
    'The core',
    h(
      'p',
      {},
      `${count(map.ports.length, 'port')}, ${fixed(map.dispatch, 2)} slots dispatched a cycle; `,
      `${count(map.mixes ?? 0, 'mix', 'mixes')} measured in ${fixed(map.seconds, 1)} s.`,
    ),
    diagram,
    ambiguous ? h('p', {class: 'soft'}, '○ Other ports explain the times as well.') : null,
    limited ? h('p', {class: 'soft'}, '! Something other than ports limits them.') : null,
    leftOut(map),
  );
}

/** Fewer start in a cycle than there are ports. */
function hasLimit(row: PortClassRow): boolean {
  return row.ports.length > row.per_cycle;
}

function formsCell(row: PortClassRow): Child {
  const [first, ...others] = row.forms;
  return h(
    'div',
    {},
    h('code', {}, first ?? ''),
    others.length > 0
      ? details(`${others.length} more`, () =>
          h('ul', {}, ...others.map((form) => h('li', {}, h('code', {}, form)))),
        )
      : null,
  );
}

function portCell(used: boolean, ambiguous: boolean): Child {
  if (!used) return '';
  return h('span', {class: 'port-dot', title: ambiguous ? 'perhaps' : ''}, ambiguous ? '○' : '●');
}

function leftOut(map: PortMap): Child {
  const forms = map.left_out ?? [];
  if (forms.length === 0) return null;
  return details(`${count(forms.length, 'form')} in no class`, () =>
    table(
      'Forms that are in no class',
      [{title: 'Form'}, {title: 'Why'}],
      forms.map(({text, reason}) => [h('code', {}, text), reason]),
    ),
  );
}

/** The larger of the four bounds, and whose it is. */
function bindsText(ports: BlockPorts): string {
  const whose =
    ports.binds === 'ports' ? (ports.binding_ports ?? []).join(' ') : (ports.other_text ?? '');
  const isNamed = ports.binds === 'ports' || ports.binds === 'other';
  return isNamed ? `largest: ${ports.binds}, ${whose}` : `largest: ${ports.binds}`;
}

/** Measured and predicted, and a bar for each port. */
export function pressurePart(block: BlockRow): Child {
  const {ports} = block;
  if (!ports) return null;
  const predicted = ports.cycles ?? 0;
  const longest = Math.max(predicted, 1e-9);
  const residual = isNumber(block.cycles) ? block.cycles - predicted : undefined;
  return h(
    'div',
    {class: 'stack'},
    h('pre', {tabindex: 0}, h('code', {}, block.text)),
    table(
      'Cycles per iteration, measured and predicted',
      [{title: 'From'}, {title: 'Cycles', numeric: true}, {title: 'Remark'}],
      [
        ['measured', cycles(block.cycles), ''],
        ['ports', cycles(ports.cycles), bindsText(ports)],
        ['residual', cycles(residual), 'measured less predicted'],
        ...(block.mca ? [['llvm-mca', cycles(block.mca.cycles), block.mca.cpu]] : []),
      ],
    ),
    table(
      'Pressure on each port',
      [{title: 'Port'}, {title: 'Cycles', numeric: true}, {title: 'Share of the time'}],
      ports.pressure.map((load) => [
        load.port,
        cycles(load.cycles),
        pressureBar((load.cycles ?? 0) / longest, (ports.binding_ports ?? []).includes(load.port)),
      ]),
    ),
    ...(ports.not_counted ?? []).map(({text, reason}) =>
      h('p', {class: 'soft'}, `Counted as a slot only: ${text}: ${reason}`),
    ),
  );
}

function pressureBar(share: number, binds: boolean): Child {
  const value = h('div', {class: `bar-value${binds ? ' off' : ''}`});
  value.style.width = `${(100 * Math.min(share, 1)).toFixed(1)}%`;
  return h('div', {class: 'bar pressure'}, value);
}
