// CPUs in boxes in boxes: as the system claims them to be, and as latencies group them.
import type {CoreGroup, CpuPlace} from './document';
import {h} from './dom';
import {fixed, isNumber} from './format';

export interface TopologyNode {
  label: string;
  /** Said more softly, after the label. */
  note?: string;
  isCore?: boolean;
  /** Not in what the system claims. */
  surprising?: boolean;
  cpu?: number;
  kind?: string;
  children: TopologyNode[];
}

type Level = Exclude<keyof CpuPlace, 'cpu' | 'kind'>;

// From the outside in.
const kLevels: [Level, string][] = [
  ['package', 'package'],
  ['numa', 'NUMA node'],
  ['die', 'die'],
  ['l3', 'L3'],
  ['cluster', 'cluster'],
  ['l2', 'L2'],
  ['core', 'core'],
];

const cpuNode = (cpu: number, kind?: string): TopologyNode => ({
  label: String(cpu),
  cpu,
  kind,
  children: [],
});

/** The boxes of the topology that the system claims. A level that separates nothing is left out. */
export function claimedTree(places: CpuPlace[]): TopologyNode[] {
  return nest(places, 0);
}

function nest(places: CpuPlace[], depth: number): TopologyNode[] {
  const level = kLevels[depth];
  if (!level) return places.map((place) => cpuNode(place.cpu, place.kind));
  const [key, word] = level;
  const groups = new Map<number, CpuPlace[]>();
  const outside: CpuPlace[] = [];
  for (const place of places) {
    const index = place[key];
    if (index === undefined) {
      outside.push(place);
      continue;
    }
    const group = groups.get(index);
    if (group) group.push(place);
    else groups.set(index, [place]);
  }
  const separates = groups.size > 1 || outside.length > 0 || depth === 0;
  // A box around a single CPU says no more than the CPU does.
  const holdsSeveral = [...groups.values()].some((group) => group.length > 1);
  if (!separates || !holdsSeveral) return nest(places, depth + 1);
  const boxes = [...groups].map(([index, group]) => ({
    label: `${word} ${index}`,
    isCore: key === 'core',
    children: nest(group, depth + 1),
  }));
  return [...boxes, ...(outside.length > 0 ? nest(outside, depth + 1) : [])];
}

/** The boxes that latencies show: groups in the groups of the next level. */
export function inferredTree(cpus: number[], groups: CoreGroup[]): TopologyNode[] {
  const highest = Math.max(-1, ...groups.map((group) => group.level));
  return nestGroups(new Set(cpus), groups, highest);
}

function nestGroups(cpus: Set<number>, groups: CoreGroup[], level: number): TopologyNode[] {
  const rest = new Set(cpus);
  const nodes: TopologyNode[] = [];
  if (level >= 0) {
    for (const group of groups) {
      if (group.level !== level || !group.cpus.every((cpu) => rest.has(cpu))) continue;
      for (const cpu of group.cpus) rest.delete(cpu);
      nodes.push({
        label: group.name,
        note: isNumber(group.nanoseconds) ? `${fixed(group.nanoseconds, 0)} ns` : undefined,
        surprising: !group.in_topology,
        children: nestGroups(new Set(group.cpus), groups, level - 1),
      });
    }
    return [...nodes, ...nestGroups(rest, groups, level - 1)];
  }
  return [...rest].sort((a, b) => a - b).map((cpu) => cpuNode(cpu));
}

/** More are laid out only when they come into view, and take as much room until then. */
const kMostLaidOut = 64;

export function topologyDrawing(label: string, nodes: TopologyNode[]): HTMLElement {
  const className = countCpus(nodes) > kMostLaidOut ? 'topology many' : 'topology';
  const attributes = {class: className, tabindex: 0, role: 'region', 'aria-label': label};
  return h('div', attributes, list(nodes));
}

function countCpus(nodes: TopologyNode[]): number {
  return nodes.reduce(
    (sum, {cpu, children}) => sum + (cpu === undefined ? countCpus(children) : 1),
    0,
  );
}

function list(nodes: TopologyNode[]): HTMLElement {
  const boxes = nodes.filter((node) => node.cpu === undefined);
  const cpus = nodes.filter((node) => node.cpu !== undefined);
  if (boxes.length === 0) return h('ul', {class: 'cpus'}, ...cpus.map(cpuItem));
  const element = h('ul', {class: 'boxes'}, ...boxes.map(boxItem));
  if (cpus.length > 0) {
    element.append(h('li', {class: 'loose'}, h('ul', {class: 'cpus'}, ...cpus.map(cpuItem))));
  }
  return element;
}

function cpuItem(node: TopologyNode): HTMLElement {
  const kind = node.kind ? ` ${node.kind}` : '';
  return h(
    'li',
    {
      class: `cpu ${node.kind === 'efficiency' ? 'small' : ''}`,
      title: `CPU ${node.label}${kind}`,
    },
    h('span', {class: 'visually-hidden'}, 'CPU '),
    node.label,
  );
}

function boxItem(node: TopologyNode): HTMLElement {
  return h(
    'li',
    {
      class: `box ${node.surprising ? 'surprising' : ''} ${node.isCore ? 'core' : ''}`,
      title: node.label,
    },
    h(
      'span',
      {class: 'box-label'},
      node.label,
      node.note ? h('span', {class: 'soft'}, ` · ${node.note}`) : null,
      node.surprising ? h('span', {class: 'visually-hidden'}, ', not in the topology') : null,
    ),
    list(node.children),
  );
}
