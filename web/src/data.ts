// The result document as docs/schema.md describes it, and what the program puts into the page.

export type Numbered = number | null;

export interface Estimate {
  low: Numbered;
  high: Numbered;
  kept?: number;
  rejected?: number;
  two_modes?: boolean;
  disturbed?: boolean;
  end?: 'precise' | 'budget';
  samples?: Numbered[];
}

export interface Place {
  cpu: number;
  core?: number;
  l2?: number;
  cluster?: number;
  l3?: number;
  die?: number;
  package?: number;
  numa?: number;
  kind?: string;
}

export interface Host {
  name?: string;
  architecture: string;
  cpu_model: string;
  cpu_vendor?: string;
  microcode?: string;
  kernel?: string;
  system?: string;
  hypervisor?: string;
  cpus_online?: number;
  cpus_allowed?: number[];
  cpus_isolated?: number[];
  governor?: string;
  turbo?: boolean;
  smt?: boolean;
  huge_pages?: string;
  load_1min?: Numbered;
  features?: string[];
  topology?: Place[];
  topology_source?: string;
}

export interface Clock {
  tick_hz: Numbered;
  tick_source?: string;
  calibrated_tick_hz?: Numbered;
  invariant?: boolean;
  resolution_ns?: Numbered;
  cycle_source: string;
  cycle_source_reason?: string;
  jury?: {
    trusted: boolean;
    verdict?: string;
    chains?: {instruction: string; ratio: Numbered}[];
  };
}

export interface Check {
  name: string;
  status: 'ok' | 'note' | 'warn';
  finding: string;
  effect?: string;
  remedy?: string;
}

export interface FrequencyRow extends Estimate {
  cpu: number;
  status?: string;
  reason?: string;
  base_ghz: Numbered;
  boost: Numbered;
  core_ghz: Numbered;
  cycle_source?: string;
  jury_trusted?: boolean;
}

export interface Throughput extends Estimate {
  cycles: Numbered;
  values?: string;
  code?: string;
}

export interface Latency extends Estimate {
  from: string;
  to: string;
  cycles: Numbered;
  kind: 'exact' | 'connected' | 'upper-bound';
  connector?: string;
  values?: string;
  code?: string;
}

export interface ClassicRow {
  test: string;
  cycles_per_instruction: Numbered;
  instructions_per_cycle: Numbered;
  instructions: Numbered;
  core_cycles: Numbered;
  ticks: Numbered;
  seconds: Numbered;
  boost: Numbered;
  base_ghz: Numbered;
  core_ghz: Numbered;
}

export interface InstructionRow {
  text: string;
  opcode: string;
  mnemonic?: string;
  isa?: string;
  heading?: string;
  status: string;
  reason?: string;
  throughput?: Throughput;
  throughput_by_values?: Throughput[];
  latency?: Latency[];
  classic?: ClassicRow[];
  model?: {cpu: string; latency?: Numbered; throughput?: Numbered};
  notes?: string[];
}

export interface BlockRow extends Estimate {
  text: string;
  init?: string;
  status: string;
  reason?: string;
  cycles?: Numbered;
  instructions?: number;
  unroll?: number;
  loop?: boolean;
  classic?: ClassicRow[];
  code?: string;
}

export type Matrix = Numbered[][];

export interface CoreGroup {
  name: string;
  level: number;
  cpus: number[];
  nanoseconds?: Numbered;
  in_topology?: boolean;
}

export interface CoreLevel {
  name: string;
  ns: Numbered;
  low?: Numbered;
  high?: Numbered;
  share: Numbered;
}

/** How often visits took how long: each bar ends at `step` times its beginning. */
export interface CoreSpectrum {
  first_ns: Numbered;
  step: Numbered;
  counts: number[];
  levels: CoreLevel[];
}

/** Virtual CPUs that move between cores. */
export interface CoreFloating {
  residence_ms?: Numbered;
  followed_ms?: Numbered;
  levels: {ns: Numbered; share: Numbered; residence_ms?: Numbered}[];
  visits?: Matrix[];
}

export interface CoreMatrix {
  test: string;
  instruction?: string;
  cpus: number[];
  rounds?: number;
  stability?: string;
  structure?: string;
  spectrum?: CoreSpectrum;
  floating?: CoreFloating;
  partial?: boolean;
  disturbed?: [number, number][];
  timed_out?: [number, number][];
  batches_kept?: number;
  batches_rejected?: number;
  groups?: CoreGroup[];
  findings?: {kind: string; cpus?: number[]; text: string}[];
  nanoseconds: Matrix;
  low?: Matrix;
  high?: Matrix;
  spread_within?: Matrix;
  spread_between?: Matrix;
  clock_offset?: Matrix;
}

export interface ResultDocument {
  schema: string;
  tool: {version: string; commit?: string; compiler?: string; llvm?: string};
  host: Host;
  clock: Clock;
  config: {
    command: string;
    started?: string;
    confidence?: number;
    options?: {name: string; value: string}[];
  };
  warnings: {code: string; message: string; hint?: string}[];
  partial?: boolean;
  doctor?: Check[];
  frequency?: FrequencyRow[];
  instructions?: InstructionRow[];
  blocks?: BlockRow[];
  cores?: CoreMatrix[];
}

export type Verdict =
  | 'changed'
  | 'same'
  | 'cannot tell'
  | 'only in first'
  | 'only in other'
  | 'in neither';

export interface ComparedValue {
  name: string;
  estimates: ({value: Numbered; low: Numbered; high: Numbered; vouched: boolean} | null)[];
  changes: {
    document: string;
    verdict: Verdict;
    difference: Numbered;
    low: Numbered;
    high: Numbered;
    relative: Numbered;
    worse: boolean;
  }[];
}

export interface ComparedKind {
  kind: string;
  unit: string;
  threshold: number;
  counts: {
    document: string;
    changed: number;
    worse: number;
    same: number;
    cannot_tell: number;
    only_in_first: number;
    only_in_other: number;
    median_relative: Numbered;
  }[];
  values: ComparedValue[];
  values_left_off?: number;
}

export interface Comparison {
  documents: {label: string; source: string}[];
  notices: string[];
  regression: boolean;
  kinds: ComparedKind[];
}

export interface Result {
  label: string;
  source: string;
  document: ResultDocument;
}

export interface PageData {
  results: Result[];
  comparison?: Comparison;
}

export function readPageData(): PageData {
  return JSON.parse(document.getElementById('data')?.textContent ?? '{}') as PageData;
}
