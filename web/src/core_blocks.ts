// The blocks of a core's diagram, as data: what each is called, its numbers, and what they rest on.
import {scaleOf} from './core_matrix';
import type {
  AnatomyRow,
  AnatomyValue,
  AnatomyWidth,
  CoreMatrix,
  MemoryLevel,
  Numbered,
  PortClassRow,
  PortMap,
  ResultDocument,
  TranslationLevel,
} from './document';
import {bytes, count, isNumber, short} from './format';
import {quantile} from './stats';

/** What a number rests on. */
export type Evidence =
  | {kind: 'row'; row: AnatomyRow}
  | {kind: 'width'; width: AnatomyWidth}
  | {kind: 'level'; level: MemoryLevel}
  | {kind: 'translation'; level: TranslationLevel}
  | {kind: 'port'; port: string; classes: PortClassRow[]}
  | {kind: 'cores'; cores: CoreMatrix};

export interface BlockValue {
  /** "512", "≥ 192", "32 KB". */
  text: string;
  /** Behind it, as long as there is room: "entries", "a cycle". */
  unit?: string;
  /** What else is to be known, a line each: "256 while shared", what it was measured with. */
  details: string[];
  contended?: boolean;
}

export interface CoreBlock {
  id: string;
  title: string;
  /** None where nothing was measured: the block is grey then. */
  values: BlockValue[];
  /** What stands in a grey block. */
  absence: string;
  evidence: Evidence[];
  /** How many such things there are a cycle, to be drawn as lanes. */
  lanes?: number;
}

/** As the document has them: those of one kind beside each other. */
export interface CoreBlocks {
  targets: CoreBlock[];
  predictor: CoreBlock[];
  codeCache: CoreBlock;
  decode: CoreBlock;
  decoded: CoreBlock[];
  dispatch: CoreBlock;
  reorderBuffer: CoreBlock;
  branches: CoreBlock;
  registers: CoreBlock[];
  schedulers: CoreBlock[];
  ports: CoreBlock[];
  queues: CoreBlock[];
  /** The nearest first. */
  memory: CoreBlock[];
  translation?: CoreBlock;
  neighbours: CoreBlock;
}

const kNotMeasured = 'not measured';
const kNothingClear = 'nothing clear';
const kNothingSeen = 'nothing seen';
/** Sizes that differ by less are one size. */
const kSameSize = 0.02;
/** More lines would not be read. */
const kMostValues = 4;

/** Without digits that say nothing: 5, 5.98, 322. */
function brief(value: Numbered | undefined): string {
  return isNumber(value) ? String(Number(short(value))) : short(value);
}

/** A number in the unit of its row, and that unit. */
function quantity(value: Numbered, unit: string): {text: string; unit: string} {
  if (unit === 'bytes') return {text: bytes(value), unit: ''};
  if (!isNumber(value)) return {text: short(value), unit};
  const isWhole = Math.abs(value) >= 100 || Number.isInteger(value);
  return {text: isWhole ? Math.round(value).toLocaleString('en') : brief(value), unit};
}

/** "≥ 512", "32 KB": a row's value as it is shown, with its unit; of a bound, its interval's lower end. */
export function rowText(row: AnatomyRow): {text: string; unit: string} {
  const value = row.at_least ? row.value?.low : row.value?.value;
  const {text, unit} = quantity(value ?? null, row.unit);
  return {text: `${row.at_least ? '≥ ' : ''}${text}`, unit};
}

/** "510 to 514"; empty where it is only known to be this or more, or is exact. */
export function rowInterval({value, unit, at_least: atLeast}: AnatomyRow): string {
  if (!value || atLeast || value.low === value.high) return '';
  return `${quantity(value.low, unit).text} to ${quantity(value.high, unit).text}`;
}

/** "256 while shared"; undefined where sharing changes nothing. */
export function sharedText({shared, unit}: AnatomyRow): string | undefined {
  return shared ? `${quantity(shared.value, unit).text} while shared` : undefined;
}

function areSame(one: AnatomyValue | undefined, other: AnatomyValue | undefined): boolean {
  if (!isNumber(one?.value) || !isNumber(other?.value)) return !one && !other;
  if ((one.low ?? 0) <= (other.high ?? 0) && (other.low ?? 0) <= (one.high ?? 0)) return true;
  return Math.abs(one.value - other.value) <= kSameSize * Math.max(one.value, other.value);
}

/**
 * The rows that tell a size, one for each size: a bound tells nothing where a size is known, a row
 * that was only seen on a shared core tells nothing where another was seen on a core of its own,
 * `nop` of which several have one entry tell nothing, and fillers that agree tell one size.
 */
function tellingRows(rows: AnatomyRow[]): AnatomyRow[] {
  const known = rows.filter(
    ({value, claim}) => isNumber(value?.value) && claim?.kind !== 'nops-share-entries',
  );
  const sized = known.filter((row) => !row.at_least);
  const own = sized.filter((row) => !row.contended);
  const exact = own.length > 0 ? own : sized;
  if (exact.length === 0) {
    const size = (row: AnatomyRow) => row.value?.value ?? 0;
    return known.sort((a, b) => size(b) - size(a)).slice(0, 1);
  }
  // Those with both sizes first, so that one without the other adds nothing to them.
  const ordered = [...exact].sort((a, b) => Number(!a.shared) - Number(!b.shared));
  const telling: AnatomyRow[] = [];
  for (const row of ordered) {
    const isTold = telling.some(
      (other) =>
        areSame(row.value, other.value) && (!row.shared || areSame(row.shared, other.shared)),
    );
    if (!isTold) telling.push(row);
  }
  return telling;
}

/** What is measured with several fillers names those whose sizes differ. */
function valuesOf(rows: AnatomyRow[], details: (row: AnatomyRow) => string[]): BlockValue[] {
  const telling = tellingRows(rows);
  return telling.slice(0, kMostValues).map((row) => ({
    ...rowText(row),
    details: [
      ...(telling.length > 1 && row.filler ? [row.filler] : []),
      ...[sharedText(row)].filter((text) => text !== undefined),
      ...details(row),
    ],
    contended: row.contended,
  }));
}

class Reader {
  constructor(private readonly measured: ResultDocument) {}

  private rows(name: string): AnatomyRow[] {
    return (this.measured.anatomy?.rows ?? []).filter((row) => row.name === name);
  }

  private width(name: string): AnatomyWidth | undefined {
    return this.measured.anatomy?.widths?.find((width) => width.name === name);
  }

  /** Why a quantity has no row. Of the front end, what does not show has none. */
  private absence(part: AnatomyRow['part']): string {
    const rows = this.measured.anatomy?.rows ?? [];
    const wasLookedFor = part === 'front-end' && rows.some((row) => row.part === part);
    return wasLookedFor ? kNothingSeen : kNotMeasured;
  }

  private block(
    part: AnatomyRow['part'],
    name: string,
    title: string,
    details: (row: AnatomyRow) => string[] = () => [],
  ): CoreBlock {
    const rows = this.rows(name).filter((row) => row.part === part);
    return {
      id: name.replaceAll(' ', '-'),
      title,
      values: valuesOf(rows, details),
      absence: rows.length > 0 ? kNothingClear : this.absence(part),
      evidence: rows.map((row) => ({kind: 'row', row})),
    };
  }

  window(name: string, title: string): CoreBlock {
    return this.block('windows', name, title);
  }

  /** Whether this CPU has instructions that would fill it. */
  exists(name: string): boolean {
    const rows = this.rows(name);
    return rows.length === 0 || rows.some((row) => row.status !== 'unsupported');
  }

  frontEnd(name: string, title: string): CoreBlock {
    return this.block('front-end', name, title);
  }

  /** A block for each level, which has a time of its own: its note tells it. */
  targets(): CoreBlock[] {
    const name = 'branch targets';
    const rows = this.rows(name).filter(({part}) => part === 'front-end');
    const known = rows.filter(({value}) => isNumber(value?.value));
    if (known.length === 0) return [this.frontEnd(name, 'Branch targets')];
    return known.map((row, i) => ({
      id: `targets-${i}`,
      // Its number stays beside its word where the title takes two lines.
      title: known.length > 1 ? `Branch targets, level\u00a0${i + 1}` : 'Branch targets',
      values: [{...rowText(row), details: row.note ? [row.note] : [], contended: row.contended}],
      absence: kNothingClear,
      evidence: [{kind: 'row', row}],
    }));
  }

  schedulers(): CoreBlock[] {
    const rows = this.rows('scheduler').filter(({part}) => part === 'windows');
    const known = rows.filter(({status}) => status !== 'unsupported');
    if (known.length === 0) return [this.window('scheduler', 'Schedulers')];
    return known.map((row, i) => ({
      id: `scheduler-${i}`,
      title: 'Scheduler',
      values: isNumber(row.value?.value)
        ? [
            {
              ...rowText(row),
              details: [row.filler, sharedText(row)].filter((text) => text !== undefined),
              contended: row.contended,
            },
          ]
        : [],
      absence: kNothingClear,
      evidence: [{kind: 'row', row}],
    }));
  }

  private widthValue({per_cycle, at_least, contended}: AnatomyWidth, unit: string): BlockValue {
    return {
      text: at_least ? `≥ ${brief(per_cycle.low)}` : brief(per_cycle.value),
      unit,
      details: [],
      contended,
    };
  }

  widthBlock(name: string, title: string): CoreBlock {
    const width = this.width(name);
    return {
      id: name,
      title,
      values: width ? [this.widthValue(width, 'a cycle')] : [],
      absence: this.absence('front-end'),
      evidence: width ? [{kind: 'width', width}] : [],
      lanes: lanesOf(width?.per_cycle.value),
    };
  }

  /** The dispatch width is known from `ports`, too. */
  dispatch(): CoreBlock {
    const block = this.widthBlock('dispatch', 'Dispatch');
    const map = this.measured.port_map;
    if (block.values.length > 0 || !map || !isNumber(map.dispatch)) return block;
    return {
      ...block,
      values: [{text: brief(map.dispatch), unit: 'a cycle', details: []}],
      evidence: map.ports.map((port) => portEvidence(port, map.classes)),
      lanes: lanesOf(map.dispatch),
    };
  }

  codeCache(): CoreBlock {
    const block = this.frontEnd('first code cache', 'L1 instruction cache');
    const fetch = this.width('fetch (bytes)');
    if (!fetch) return block;
    const value = this.widthValue(fetch, 'bytes a cycle');
    const [first] = block.values;
    if (first) first.details.push(`${value.text} bytes fetched a cycle`);
    else block.values.push(value);
    block.evidence.push({kind: 'width', width: fetch});
    return block;
  }

  ports(): CoreBlock[] {
    const map = this.measured.port_map;
    if (!map?.ports.length) {
      return [{id: 'ports', title: 'Ports', values: [], absence: kNotMeasured, evidence: []}];
    }
    return portBlocks(map);
  }

  memory(): CoreBlock[] {
    const row = this.measured.memory?.[0];
    if (!row?.levels.length) {
      return ['L1 data cache', 'L2', 'L3', 'Memory'].map((title) => ({
        id: title.toLowerCase().replaceAll(' ', '-'),
        title,
        values: [],
        absence: kNotMeasured,
        evidence: [],
      }));
    }
    return row.levels.map((level, i) => levelBlock(level, i));
  }

  /** Where the first stores of address translations were seen. */
  translation(): CoreBlock | undefined {
    return translationBlock(this.measured.memory?.[0]?.translation ?? []);
  }

  neighbours(): CoreBlock {
    const cores = this.measured.cores?.[0];
    const values = cores ? neighbourValues(cores) : [];
    return {
      id: 'other-cores',
      title: 'Other cores',
      values,
      absence: kNotMeasured,
      evidence: cores && values.length > 0 ? [{kind: 'cores', cores}] : [],
    };
  }
}

/** Half of an instruction a cycle has no lane. */
function lanesOf(perCycle: Numbered | undefined): number | undefined {
  if (!isNumber(perCycle) || perCycle < 1) return undefined;
  return Math.min(16, Math.round(perCycle));
}

function portEvidence(port: string, classes: PortClassRow[]): Evidence {
  return {kind: 'port', port, classes: classes.filter(({ports}) => ports.includes(port))};
}

/**
 * "mov rax, [m]": where memory stands tells loads from stores. "vpaddd ymm": which vector registers
 * tells nothing, and how wide they are is told once.
 */
function shortForm(form: string): string {
  const [mnemonic = '', ...others] = form
    .replace(/\w+ ptr /g, '')
    .replace(/\[[^\]]*\]/g, '[m]')
    .replace(/\b([xyz]mm)\d+\b/g, '$1')
    .split(' ');
  const operands = others.join(' ').split(', ');
  const areVectors = operands.every((operand) => /^[xyz]mm$/.test(operand));
  const told = areVectors ? [...new Set(operands)] : operands;
  return [mnemonic, told.join(', ')].filter(Boolean).join(' ');
}

const mnemonicOf = (form: string): string => form.split(' ')[0] ?? '';

/** Mnemonics that run on other ports with other operands, which are named then. */
function ambiguousMnemonics(classes: PortClassRow[]): Set<string> {
  const classOf = new Map<string, PortClassRow>();
  const found = new Set<string>();
  for (const row of classes) {
    for (const mnemonic of row.forms.map(mnemonicOf)) {
      if ((classOf.get(mnemonic) ?? row) !== row) found.add(mnemonic);
      classOf.set(mnemonic, row);
    }
  }
  return found;
}

const kMostPortLines = 8;

/** What runs on it; what runs on the most ports first. */
function portLines(port: string, classes: PortClassRow[], named: Set<string>): string[] {
  const own = classes
    .filter(({ports}) => ports.includes(port))
    .sort((a, b) => b.ports.length - a.ports.length);
  const texts = own.flatMap(({forms, ambiguous}) =>
    forms.map((form) => {
      const mnemonic = mnemonicOf(form);
      const text = named.has(mnemonic) ? shortForm(form) : mnemonic;
      return `${text}${ambiguous ? ' ?' : ''}`;
    }),
  );
  const lines = [...new Set(texts)];
  if (lines.length <= kMostPortLines) return lines;
  return [...lines.slice(0, kMostPortLines - 1), `${lines.length - kMostPortLines + 1} more`];
}

/** Ports that run the same are one block. */
function portBlocks({ports, classes}: PortMap): CoreBlock[] {
  const named = ambiguousMnemonics(classes);
  const groups = new Map<string, string[]>();
  for (const port of ports) {
    const key = classes.map((row) => Number(row.ports.includes(port))).join('');
    groups.set(key, [...(groups.get(key) ?? []), port]);
  }
  return [...groups.values()].map((alike, i) => {
    const lines = portLines(alike[0] ?? '', classes, named);
    return {
      id: `ports-${i}`,
      title: alike.join(' · '),
      values: [{text: '', details: lines.length > 0 ? lines : ['nothing that was tried']}],
      absence: kNotMeasured,
      evidence: alike.map((port) => portEvidence(port, classes)),
    };
  });
}

/** L1 may be that of instructions, too: here it is what loads find. */
function levelBlock(level: MemoryLevel, place: number): CoreBlock {
  const {name, cycles, ns, capacity_bytes: capacity, capacity_at_least: atLeast} = level;
  const isMemory = !isNumber(capacity?.value);
  const cyclesText = `${brief(cycles.value)} cycles`;
  const value: BlockValue = isMemory
    ? {text: brief(ns.value), unit: 'ns', details: [cyclesText]}
    : {
        text: `${atLeast ? '≥ ' : ''}${bytes(capacity?.value)}`,
        details: [`${cyclesText}, ${brief(ns.value)} ns`],
      };
  return {
    id: `level-${place}`,
    title: name === 'L1' ? 'L1 data cache' : name === 'memory' ? 'Memory' : name,
    values: [{...value, contended: level.contended}],
    absence: kNotMeasured,
    evidence: [{kind: 'level', level}],
  };
}

function translationBlock(levels: TranslationLevel[]): CoreBlock | undefined {
  const known = levels.filter(({entries}) => isNumber(entries.value));
  if (known.length === 0) return undefined;
  return {
    id: 'translation',
    title: 'TLB',
    values: known.slice(0, kMostValues).map(({pages, page_bytes, entries}) => ({
      text: Math.round(entries.value ?? 0).toLocaleString('en'),
      details: [page_bytes ? `pages, ${bytes(page_bytes)}` : `${pages} pages`],
    })),
    absence: kNotMeasured,
    evidence: known.map((level) => ({kind: 'translation', level})),
  };
}

function neighbourValues(cores: CoreMatrix): BlockValue[] {
  const levels = (cores.spectrum?.levels ?? []).filter(({ns}) => isNumber(ns));
  const {sorted} = scaleOf(cores.nanoseconds);
  const [only] = levels;
  if (only && levels.length === 1 && sorted.length > 0) {
    return [{text: `${brief(quantile(sorted, 0.5))} ns`, details: [only.name]}];
  }
  if (levels.length > 0) {
    return levels
      .slice(0, kMostValues)
      .map(({name, ns}) => ({text: `${brief(ns)} ns`, details: [name]}));
  }
  if (sorted.length === 0) return [];
  const ns = (share: number) => `${brief(quantile(sorted, share))} ns`;
  const cpus = count(cores.cpus.length, 'CPU');
  if (ns(0) === ns(0.995)) return [{text: ns(0), details: [cpus]}];
  return [
    {text: ns(0), details: ['nearest']},
    {text: ns(0.995), details: [`farthest of ${cpus}`]},
  ];
}

export function coreBlocks(measured: ResultDocument): CoreBlocks {
  const reader = new Reader(measured);
  const loopBuffer = reader.frontEnd('loop buffer', 'Loop buffer');
  return {
    targets: reader.targets(),
    predictor: [
      reader.frontEnd('return stack', 'Return stack'),
      reader.frontEnd('branch history', 'History'),
      reader.frontEnd('indirect targets', 'Indirect targets'),
      reader.frontEnd('mispredicted branch', 'Mispredict'),
      reader.widthBlock('taken branches', 'Taken branches'),
    ],
    codeCache: reader.codeCache(),
    decode: reader.widthBlock('decode', 'Decode'),
    decoded: [
      reader.frontEnd('decoded code', 'µop cache'),
      // Few cores have one.
      ...(loopBuffer.evidence.length > 0 ? [loopBuffer] : []),
    ],
    dispatch: reader.dispatch(),
    reorderBuffer: reader.window('reorder buffer', 'Reorder buffer'),
    registers: [
      reader.window('integer registers', 'Integer registers'),
      reader.window('vector registers', 'Vector registers'),
      reader.window('flags', 'Flags'),
      ...(reader.exists('mask registers')
        ? [reader.window('mask registers', 'Mask registers')]
        : []),
    ],
    branches: reader.window('branches', 'Branches in flight'),
    schedulers: reader.schedulers(),
    ports: reader.ports(),
    queues: [reader.window('loads', 'Load queue'), reader.window('stores', 'Store queue')],
    memory: reader.memory(),
    translation: reader.translation(),
    neighbours: reader.neighbours(),
  };
}

export function allBlocks(blocks: CoreBlocks): CoreBlock[] {
  const values: (CoreBlock | CoreBlock[] | undefined)[] = Object.values(blocks);
  return values.flat().filter((block) => block !== undefined);
}
