// The result document, as docs/schema.md describes it. Made by cyclescope_describe from
// include/cyclescope/result: change it there, and build the target update-schema.

/** A finite number, or null where there is none. */
export type Numbered = number | null;

/** A square: one row per CPU that starts, and in it one value per CPU that answers. */
export type Matrix = Numbered[][];

/** How far a measured value can be trusted. Its fields stand beside it. */
export interface Uncertainty {
  /** Lower end of the interval that covers the value at the document's confidence. */
  low: Numbered;
  /** Upper end of the interval. */
  high: Numbered;
  /** Samples behind the value. */
  kept?: number;
  /** Samples dropped as disturbed. */
  rejected?: number;
  /** How many visits, apart in time, the value is made of. Since version 0.2. */
  visits?: number;
  /** Another thread shared the core while it was measured: a latency has a wider interval, a throughput is an upper bound. Since version 0.2. */
  contended?: boolean;
  /** The samples fall into several groups; the value is the largest group's centre. */
  two_modes?: boolean;
  /** The centre and share of each group, where there are several. Since version 0.3. */
  states?: ValueState[];
  /** Too few samples survived: the value is a best estimate only. */
  disturbed?: boolean;
  /** Why sampling ended: the interval became narrow enough, or time ran out. Absent: precise. */
  end?: 'precise' | 'budget';
  /** The form that it agreed with at its one visit, and whose interval it has. Since version 0.2. */
  like?: string;
  /** The kept samples, in the order taken. */
  samples?: Numbered[];
}

/** The program that measured. */
export interface Tool {
  /** Of cyclescope. */
  version: string;
  /** It was built from. */
  commit?: string;
  /** It was built with. */
  compiler?: string;
  /** The version of LLVM in it. */
  llvm?: string;
}

/** Where one CPU stands in the topology that the system claims, by the system's logical indices. What the system does not say is absent. */
export interface CpuPlace {
  /** As the system counts. */
  cpu: number;
  /** CPUs of one core share this number. */
  core?: number;
  /** The same for a cache of level 2. */
  l2?: number;
  /** The same for a cluster of cores. */
  cluster?: number;
  /** The same for a cache of level 3. */
  l3?: number;
  /** The same for a die. */
  die?: number;
  /** The same for a package (socket). */
  package?: number;
  /** The same for a NUMA node. */
  numa?: number;
  /** On hybrid processors: performance, efficiency, ... */
  kind?: string;
}

/** The machine: what it claims to be, and the state it was in. What the system does not say is absent. */
export interface Host {
  /** Its name in the network. */
  name?: string;
  /** x86_64 or aarch64. */
  architecture: string;
  /** In the system's words. */
  cpu_model: string;
  /** What people call it: Granite Rapids (Redwood Cove), Neoverse-V1, ... Since version 0.2. */
  microarchitecture?: string;
  /** LLVM's name of the CPU. Since version 0.2. */
  llvm_cpu?: string;
  /** Intel, AMD, ARM, ... */
  cpu_vendor?: string;
  /** Its revision. */
  microcode?: string;
  /** With its version. */
  kernel?: string;
  /** The distribution. */
  system?: string;
  /** kvm, vmware, ...; "none" on bare metal; absent where unknown. */
  hypervisor?: string;
  /** How many CPUs the system has. */
  cpus_online?: number;
  /** Those that the process may use. */
  cpus_allowed?: number[];
  /** Those kept free of other work. */
  cpus_isolated?: number[];
  /** The frequency governor of the first CPU. */
  governor?: string;
  /** Clock rates above the base are allowed. */
  turbo?: boolean;
  /** Simultaneous multithreading is active. */
  smt?: boolean;
  /** Transparent ones: always, madvise or never. */
  huge_pages?: string;
  /** The load average of the last minute. */
  load_1min?: Numbered;
  /** Of the CPUs' time during a survey, how much the hypervisor withheld, from 0 to 1. Since version 0.2. */
  stolen_share?: Numbered;
  /** What the CPU offers, in the kernel's words. */
  features?: string[];
  /** One entry per CPU that the process may use. */
  topology?: CpuPlace[];
  /** "system", or the file it was read from. */
  topology_source?: string;
}

/** One chain of the self-check. */
export interface SelfCheckChain {
  /** What the chain repeats. */
  instruction: string;
  /** Cycles per instruction over the first chain's. */
  ratio: Numbered;
}

/** The check of the reference chains against each other. */
export interface SelfCheck {
  /** The chains agree. */
  trusted: boolean;
  /** One sentence. */
  verdict?: string;
  /** The first is the unit. */
  chains?: SelfCheckChain[];
}

/** The clock that everything was measured with. */
export interface Clock {
  /** Rate of the time-stamp counter. */
  tick_hz: Numbered;
  /** Where that rate comes from: cntfrq_el0, cpuid 15h, calibrated, ... */
  tick_source?: string;
  /** The same, measured with the operating system's clock. */
  calibrated_tick_hz?: Numbered;
  /** The counter runs at one rate whatever the core does. */
  invariant?: boolean;
  /** The smallest step of the counter. */
  resolution_ns?: Numbered;
  /** counter-user, counter or reference. */
  cycle_source: string;
  /** Why no better source was used; absent when the best was. */
  cycle_source_reason?: string;
  /** The reference's; absent when it was not needed. */
  jury?: SelfCheck;
}

/** An option of the command line. */
export interface GivenOption {
  /** The long one, without dashes. */
  name: string;
  /** Empty for an option that takes none. */
  value: string;
}

/** What was asked for. */
export interface Config {
  /** frequency, cores, ... */
  command: string;
  /** UTC, ISO 8601. */
  started?: string;
  /** Of every interval in the document. */
  confidence?: Numbered;
  /** As given. A list, since an option may be given twice. */
  options?: GivenOption[];
}

/** Something that makes the numbers less than they should be. */
export interface Warning {
  /** Short and stable: untrusted-reference, no-counters, ... */
  code: string;
  /** What is wrong. */
  message: string;
  /** The next step. */
  hint?: string;
}

/** What the engine was asked for, as it tells its tasks. */
export interface AskedOfEngine {
  /** The variable: SLURM_CPUS_PER_TASK, ... Since version 0.2. */
  name: string;
  /** In the engine's words. Since version 0.2. */
  value: string;
}

/** What started the run as one of many, in its own words. */
export interface Engine {
  /** slurm, openmpi, pmix or pmi. Since version 0.2. */
  name: string;
  /** The node's name as the engine knows it, else the host's. Since version 0.2. */
  node: string;
  /** Its number, or name. Since version 0.2. */
  job?: string;
  /** Of this task among all, from 0. Since version 0.2. */
  rank?: number;
  /** How many tasks there are. Since version 0.2. */
  ranks?: number;
  /** Of this task among those of the node, from 0. Since version 0.2. */
  local_rank?: number;
  /** All nodes of the job step: n[1-3]. Since version 0.2. */
  nodes?: string;
  /** What the engine was asked for. Since version 0.2. */
  asked?: AskedOfEngine[];
}

/** How much of the time the core of one CPU was shared with another thread. */
export interface Contention {
  /** As the system counts. */
  cpu: number;
  /** Of the time, from 0 to 1. */
  share: Numbered;
  /** How often it was looked at. */
  probes?: number;
  /** Cycles of each of several independent adds while the core is ours alone. */
  wide_quiet?: Numbered;
  /** The same while it was shared, on average; as quiet where it never was. */
  wide_shared?: Numbered;
  /** Seconds spent waiting for a quiet core, on all CPUs together. */
  waited_s?: Numbered;
}

/** A check of `cyclescope doctor`. */
export interface Check {
  /** Short and stable: governor, steal, ... */
  name: string;
  /** How much it disturbs. */
  status: 'ok' | 'note' | 'warn';
  /** What is so on this machine. */
  finding: string;
  /** What it does to results. */
  effect?: string;
  /** The command that changes it. */
  remedy?: string;
}

/** One of several steady values that the same code has. */
export interface ValueState {
  /** In the unit of the value that it is a state of. Since version 0.3. */
  value: Numbered;
  /** Of the samples: 0 to 1. Since version 0.3. */
  share: Numbered;
}

/** One of the rates that a CPU's clock had. */
export interface FrequencyStep {
  /** The rate. */
  ghz: Numbered;
  /** Of the time, from 0 to 1. */
  share: Numbered;
}

/** One CPU's clock rate. */
export interface FrequencyRow extends Uncertainty {
  /** As the system counts. */
  cpu: number;
  /** How the measuring ended. */
  status?:
    | 'measured'
    | 'disturbed'
    | 'unsupported'
    | 'privileged'
    | 'crashed'
    | 'timeout'
    | 'unmeasurable';
  /** When not measured. */
  reason?: string;
  /** The time-stamp counter's rate. */
  base_ghz: Numbered;
  /** Core cycles per tick. */
  boost: Numbered;
  /** How fast the core really runs. */
  core_ghz: Numbered;
  /** The clock's rates over time, where it changed. Since version 0.2. */
  steps?: FrequencyStep[];
  /** As in the clock. */
  cycle_source?: string;
  /** The reference chains agree on this CPU. */
  jury_trusted?: boolean;
}

/** Cycles per instruction, where each is independent of the others. */
export interface Throughput extends Uncertainty {
  /** Cycles per instruction. */
  cycles: Numbered;
  /** It may be faster, but is not slower. Since version 0.2. */
  upper_bound?: boolean;
  /** What limits copies that stand back to back, where fillers between them (`nop`) told. pipes: fillers make no difference. decoder: it is faster with fillers, and `cycles` is that. Since version 0.2. */
  limit?: string;
  /** Cycles per instruction without fillers, where the decoder is the limit. Since version 0.2. */
  back_to_back?: Numbered;
  /** The class of operand values, where values matter. */
  values?: string;
  /** The repeated instructions, one a line. */
  code?: string;
  /** In a dry run: other arrangements that would be measured; the fastest counts. Since version 0.2. */
  alternatives?: string[];
}

/** A measured value that has an object of its own. */
export interface Estimate extends Uncertainty {
  /** The robust centre, in the unit that the object's name has. */
  value: Numbered;
}

/** The latency of one operand pair. */
export interface Latency extends Uncertainty {
  /** The operand read, named as in the form's text; `flags` and `memory` are operands too. */
  from: string;
  /** The operand written. */
  to: string;
  /** Cycles from one to the other. */
  cycles: Numbered;
  /** exact: nothing but the form is on the chain. connected: a connector of known latency closed the loop, and was taken off. upper-bound: only the sum of both is known. */
  kind: 'exact' | 'connected' | 'upper-bound';
  /** The connecting instructions. */
  connector?: string;
  /** The connector's own latency, which was taken off. Since version 0.2. */
  connector_cycles?: Estimate;
  /** To any other unit, where the unit hands its result on to itself sooner: `cycles` is that. Since version 0.3. */
  to_others?: Estimate;
  /** Instructions that run between the links and are not on the chain: they give other operands fresh values. Since version 0.2. */
  beside?: string;
  /** LLVM's latency of this very pair, in cycles. Since version 0.2. */
  model?: Numbered;
  /** The class of operand values, where values matter: fast or slow; whole flag or mixed flag, where it matters whether one instruction wrote all flags or two wrote some each. */
  values?: string;
  /** The measured chain, one instruction a line. */
  code?: string;
  /** In a dry run: other chains that would be measured; the best of all counts. Since version 0.2. */
  alternatives?: string[];
}

/** A row of the classic table. */
export interface ClassicRow {
  /** THR or LAT. */
  test: string;
  /** Core cycles, of the instruction alone: a connector of known latency is taken off. */
  cycles_per_instruction: Numbered;
  /** It may take less, but not more. Since version 0.2. */
  upper_bound?: boolean;
  /** Of the run that stands for the value: instructions by core cycles. */
  instructions_per_cycle: Numbered;
  /** That ran, with connectors and whatever else was between them. */
  instructions: Numbered;
  /** In which they ran. */
  core_cycles: Numbered;
  /** Of the time-stamp counter. */
  ticks: Numbered;
  /** The same as time. */
  seconds: Numbered;
  /** Core cycles per tick. */
  boost: Numbered;
  /** The time-stamp counter's rate. */
  base_ghz: Numbered;
  /** How fast the core ran. */
  core_ghz: Numbered;
  /** Only with performance counters that have them. */
  reference_cycles?: Numbered;
}

/** What LLVM's scheduling model says. */
export interface ModelFigures {
  /** LLVM's name. */
  cpu: string;
  /** In cycles, of the slowest pair. */
  latency?: Numbered;
  /** In cycles per instruction. */
  throughput?: Numbered;
}

/** µops that can go to any of these ports. */
export interface PortUse {
  /** How many. */
  uops: number;
  /** Their names, as in the port map. */
  ports: string[];
  /** They are those of a class whose ports are ambiguous in the port map. */
  ambiguous?: boolean;
}

/** A mix of instructions, repeated for ever. */
export interface PortMix {
  /** How many of which: `15 * add rax, rbx + 1 * bswap rax`. */
  mix: string;
  /** Measured; absent where it could not be, as on a core that was never quiet. */
  cycles?: Numbered;
  /** From the ports found. */
  predicted?: Numbered;
}

/** What the times of mixes say about the ports of an instruction. */
export interface PortFinding {
  /** Cycles for which it keeps something busy that is no port, such as a divider. */
  own_cycles?: Numbered;
  /** Why the times were not explained. */
  reason?: string;
  /** What limits its throughput: ports, dispatch, chain (it waits for its own result) or other. */
  binds?: string;
  /** LLVM's ports of it, by names as in the port map. */
  model?: PortUse[];
  /** The mixes behind it, when asked for. */
  mixes?: PortMix[];
}

/** One instruction form. */
export interface InstructionRow {
  /** Assembly. */
  text: string;
  /** LLVM's name. */
  opcode: string;
  /** Its first word. */
  mnemonic?: string;
  /** The extension it belongs to. */
  isa?: string;
  /** headline: of the forms that a survey chooses. sweep: of a sweep. Absent: asked for by its text. Since version 0.2. */
  origin?: string;
  /** Under which `survey` lists it (divide, crypto, ...); rows of a sweep have none. */
  heading?: string;
  /** What people call it, of the few that stand for a machine: add, FP add, fma, ... Since version 0.2. */
  known_as?: string;
  /** How the measuring ended. */
  status:
    | 'measured'
    | 'disturbed'
    | 'unsupported'
    | 'privileged'
    | 'crashed'
    | 'timeout'
    | 'unmeasurable';
  /** When not measured. */
  reason?: string;
  /** With the operand values that take least time. */
  throughput?: Throughput;
  /** Of every class of operand values, where values matter. */
  throughput_by_values?: Throughput[];
  /** One entry per operand pair. */
  latency?: Latency[];
  /** The rows of the classic table. */
  classic?: ClassicRow[];
  /** What LLVM says of it. */
  model?: ModelFigures;
  /** Slots of dispatch that it takes. Since version 0.2. */
  slots?: Numbered;
  /** The ports that it uses, from the times of mixes; absent where those were not explained. Since version 0.2. */
  ports?: PortUse[];
  /** How they were found. Since version 0.2. */
  port_finding?: PortFinding;
  /** It waits for none of its sources. Since version 0.3. */
  zero_idiom?: boolean;
  /** eliminated move, zero idiom, false dependence on the output, ... */
  notes?: string[];
}

/** What it took to measure the rows of a sweep. */
export interface SweepEffort {
  /** From the start of the first worker to the end of the last. */
  seconds: Numbered;
  /** How often the tool handed over to a worker process, and got an answer. */
  switches: number;
  /** That were taken, of all experiments. */
  samples: number;
}

/** What became of the opcodes that LLVM lists: each is counted once, either here or by its row in `instructions`. */
export interface SweepSummary {
  /** That LLVM lists. */
  opcodes: number;
  /** The compiler's own: no CPU has them. */
  pseudos: number;
  /** Other names or other encodings of opcodes that have a row. */
  duplicates: number;
  /** Not asked for (`--filter`, `--isa`). */
  left_out: number;
  /** Interrupted, or out of time. */
  not_reached: number;
  /** What measuring took, this time. Since version 0.2. */
  effort?: SweepEffort;
}

/** Instructions of one µop that use the same ports. */
export interface PortClassRow {
  /** Their names. */
  ports: string[];
  /** How many the core takes in a cycle. Fewer than ports where something else limits them. */
  per_cycle: number;
  /** Other ports explain the times as well. */
  ambiguous?: boolean;
  /** The instructions; the first stands for all. */
  forms: string[];
}

/** A form that is in no class. */
export interface LeftOutForm {
  /** Assembly. */
  text: string;
  /** Why. */
  reason: string;
}

/** The ports of a core. */
export interface PortMap {
  /** Slots that the core dispatches in a cycle. */
  dispatch: Numbered;
  /** Names: LLVM's where our sets match its, else letters. */
  ports: string[];
  /** One entry per set of ports. */
  classes: PortClassRow[];
  /** Forms that were tried and are in no class. */
  left_out?: LeftOutForm[];
  /** How many other maps explain the times as well. */
  other_maps?: number;
  /** Mixes measured. */
  mixes?: number;
  /** Time that it took. */
  seconds?: Numbered;
}

/** A measured quantity in the unit that its row names. */
export interface AnatomyValue {
  /** The quantity. Since version 0.3. */
  value: Numbered;
  /** Lower end of its interval. Since version 0.3. */
  low: Numbered;
  /** Upper end of its interval. Since version 0.3. */
  high: Numbered;
}

/** A point of the curve that a quantity was read from. */
export interface AnatomyPoint {
  /** What was varied, in the unit of the curve's `at_unit`. Since version 0.3. */
  at: Numbered;
  /** What was measured there, in its `value_unit`. Since version 0.3. */
  value: Numbered;
  /** Another thread shared the core meanwhile. Since version 0.3. */
  shared?: boolean;
}

/** What a quantity was read from. */
export interface AnatomyCurve {
  /** Of what was varied: fillers, bytes, branches, ... Since version 0.3. */
  at_unit: string;
  /** Of what was measured: overlap, cycles, ... Since version 0.3. */
  value_unit: string;
  /** In the order of `at`. Since version 0.3. */
  points: AnatomyPoint[];
}

/** A quantity of a core. Part, name and filler together are its key: what fills a buffer decides what is seen of it. */
export interface AnatomyRow {
  /** Of the core. Since version 0.3. */
  part: 'windows' | 'front-end' | 'elimination' | 'fusion' | 'memory-pipeline';
  /** Of the quantity: reorder buffer, loads, mispredict, ... Since version 0.3. */
  name: string;
  /** The instructions, or the pattern, that it was measured with. Since version 0.3. */
  filler?: string;
  /** Of its value: entries, cycles, per cycle, bytes, ... Since version 0.3. */
  unit: string;
  /** How measuring it ended. Since version 0.3. */
  status:
    | 'measured'
    | 'disturbed'
    | 'unsupported'
    | 'privileged'
    | 'crashed'
    | 'timeout'
    | 'unmeasurable';
  /** Why there is no value. Since version 0.3. */
  reason?: string;
  /** Absent where nothing clear was seen. Since version 0.3. */
  value?: AnatomyValue;
  /** Something else ended first: it is this or more, not this. Since version 0.3. */
  at_least?: boolean;
  /** The same quantity while another thread shared the core, where it differs. Since version 0.3. */
  shared?: AnatomyValue;
  /** Where it has several steady values: each with its share. Since version 0.3. */
  states?: ValueState[];
  /** It was never seen while the core was ours alone: it may be larger then. Since version 0.3. */
  contended?: boolean;
  /** What else is to be known of it. Since version 0.3. */
  note?: string;
  /** What was run, where it was asked for. Since version 0.3. */
  code?: string[];
  /** What it was read from. Since version 0.3. */
  curve?: AnatomyCurve;
}

/** How many a part of the core takes in a cycle. */
export interface AnatomyWidth {
  /** fetch, decode, dispatch, taken branches, ... Since version 0.3. */
  name: string;
  /** What it was measured with. Since version 0.3. */
  pattern: string;
  /** How many. Since version 0.3. */
  per_cycle: AnatomyValue;
  /** Something else limited it first. Since version 0.3. */
  at_least?: boolean;
  /** Another thread shared the core while it was measured. Since version 0.3. */
  contended?: boolean;
}

/** How the core of one CPU is built. */
export interface Anatomy {
  /** As the system counts. Since version 0.3. */
  cpu: number;
  /** One entry per quantity and filler. Since version 0.3. */
  rows: AnatomyRow[];
  /** How many a cycle: what ports and blocks take the dispatch width from. Since version 0.3. */
  widths?: AnatomyWidth[];
  /** Time that it took. Since version 0.3. */
  seconds?: Numbered;
}

/** Where a loop begins in the program's source. */
export interface BlockSourcePlace {
  /** Its name, without folders. */
  file: string;
  /** From 1. */
  line: number;
}

/** What a loop takes with one kind of data. */
export interface BlockData extends Uncertainty {
  /** What memory held: random, constant. */
  data: string;
  /** Cycles per iteration. */
  cycles: Numbered;
}

/** What a register held before a snippet ran. */
export interface RegisterValue {
  /** Of the register. */
  name: string;
  /** Hexadecimal: a number of 64 bits. */
  value: string;
}

/** What llvm-mca says of a snippet, in cycles per iteration. */
export interface BlockPrediction {
  /** LLVM's name of the model. */
  cpu: string;
  /** Of its simulation, when it has settled. */
  cycles: Numbered;
  /** What the model's resources and width allow. */
  throughput_bound: Numbered;
  /** The longest chain of dependences with the model's latencies. */
  latency_bound: Numbered;
  /** What delayed instructions most often. */
  bottleneck?: string;
  /** As llvm-mca draws it. */
  timeline?: string;
}

/** What a snippet cannot be faster than, in cycles per iteration, from measured latencies and throughputs of its instructions. */
export interface BlockBounds {
  /** The longest chain of dependences. */
  chain?: Numbered;
  /** Its links: rax → rax: imul 3 + add 1. */
  chain_text?: string;
  /** All instructions, as many at once as the core can start. */
  issue?: Numbered;
  /** How many those are. */
  width?: Numbered;
  /** Copies of one instruction, at the rate at which it executes. */
  resource?: Numbered;
  /** Which instruction. */
  resource_text?: string;
  /** The chain is one instruction that adds to what it gave before. Since version 0.3. */
  accumulates?: boolean;
  /** The bound that explains the time: chain, resource, issue; absent where none does. Since version 0.3. */
  binds?: string;
  /** The second largest of the bounds. Since version 0.3. */
  next?: Numbered;
  /** What binds the snippet, in a sentence. */
  verdict?: string;
}

/** How busy a snippet keeps a port. */
export interface PortLoad {
  /** Its name. */
  port: string;
  /** µops in an iteration, when they are spread as well as possible. */
  cycles: Numbered;
}

/** What a snippet takes by the measured ports of its instructions, in cycles per iteration. */
export interface BlockPorts {
  /** Predicted: the largest of the four below. */
  cycles: Numbered;
  /** What its µops need. */
  ports: Numbered;
  /** What its slots need. */
  dispatch: Numbered;
  /** The longest chain of dependences, as in `bounds`. */
  chain?: Numbered;
  /** What else is busy, such as a divider. */
  other?: Numbered;
  /** The instruction that keeps it busy. */
  other_text?: string;
  /** ports, dispatch, chain or other. */
  binds: string;
  /** The ports that its µops need for longest. */
  binding_ports?: string[];
  /** One entry per port. */
  pressure: PortLoad[];
  /** Instructions whose ports are not known: only a slot is counted for each. */
  not_counted?: LeftOutForm[];
}

/** One snippet. */
export interface BlockRow extends Partial<Uncertainty> {
  /** Of the region or loop in a file; in a survey what people call it. Since version 0.2. */
  name?: string;
  /** Where two files or functions are compared: the one that it comes from. Since version 0.3. */
  side?: string;
  /** That the loop belongs to. Since version 0.3. */
  function?: string;
  /** Of the assembly file, where the loop begins. Since version 0.3. */
  line?: number;
  /** What the compiler's line numbers say. Since version 0.3. */
  source?: BlockSourcePlace;
  /** The snippet, as given. */
  text: string;
  /** What ran before it. */
  init?: string;
  /** How the measuring ended. */
  status:
    | 'measured'
    | 'disturbed'
    | 'unsupported'
    | 'privileged'
    | 'crashed'
    | 'timeout'
    | 'unmeasurable';
  /** When not measured. */
  reason?: string;
  /** Cycles per iteration; absent when not measured. */
  cycles?: Numbered;
  /** Where the time depends on the data: what each kind of data takes. Since version 0.3. */
  by_data?: BlockData[];
  /** Why it may: branch (data decide which way it goes), forwarding (a store is read again at once), division (it takes longer for some values). Since version 0.3. */
  data_cause?: string;
  /** Calls and jumps that lead out of the snippet, and are not measured. Since version 0.3. */
  left_out?: string[];
  /** In one iteration, as written. */
  instructions?: number;
  /** How often the snippet stands in the measured loop. */
  unroll?: number;
  /** It is a loop with a branch of its own, cycles are those of a trip, and it made so many, and twice as many. Since version 0.2. */
  trips?: number;
  /** How far a trip goes on in memory, summed over all arrays; absent where that is not known. Since version 0.3. */
  bytes_per_trip?: number;
  /** It ran in a loop. */
  loop?: boolean;
  /** Pages of memory that appeared where it touched them; of more than 32, all are one and the same. Since version 0.2. */
  pages?: number;
  /** Bytes of memory laid out for it, each stream with memory of its own. Since version 0.3. */
  footprint?: number;
  /** What memory held at first: random, constant, pointers, floats, zero, ones, file. Since version 0.2. */
  memory?: string;
  /** Each pass of the loop began with the initial values again. Since version 0.2. */
  passes?: boolean;
  /** What the general registers that it names held at first. Since version 0.2. */
  registers?: RegisterValue[];
  /** llvm-mca's prediction for this CPU. Since version 0.2. */
  mca?: BlockPrediction;
  /** What it cannot be faster than. Since version 0.2. */
  bounds?: BlockBounds;
  /** What the ports of its instructions say, when asked for. Since version 0.2. */
  ports?: BlockPorts;
  /** The rows of the classic table. */
  classic?: ClassicRow[];
  /** What a reader of the figures has to know. Since version 0.2. */
  notes?: string[];
  /** The measured instructions, one a line. */
  code?: string;
}

/** The visits to one pair, as an example of whether the machine changed. */
export interface CoreCanary {
  /** The CPU that starts. */
  first: number;
  /** The CPU that answers. */
  second: number;
  /** Visits after the first. */
  checks: number;
  /** The least of all its values. */
  least_ns: Numbered;
  /** The most. */
  most_ns: Numbered;
  /** How far chance alone takes them apart. */
  expected_ns?: Numbered;
}

/** Pairs measured at once, compared with a random sample of them measured alone. */
export interface ParallelCheck {
  /** How many were compared. */
  pairs: number;
  /** Median of at once over alone. */
  ratio: Numbered;
}

/** A level of latency: a peak among the values of visits. */
export interface CoreLevel {
  /** same core, same cluster or die, ...: by the groups, else by the gaps between levels. */
  name: string;
  /** At the peak. */
  ns: Numbered;
  /** Nine tenths of its visits lie between this and high. */
  low?: Numbered;
  /** See low. */
  high?: Numbered;
  /** Of all visits, from 0 to 1. */
  share: Numbered;
}

/** How often visits took how long, on a logarithmic scale; of the pairs where visits are not known. */
export interface CoreSpectrum {
  /** Where the first bar begins. */
  first_ns: Numbered;
  /** Each bar ends at so many times its beginning. */
  step: Numbered;
  /** The last bar holds what lies beyond it, too. */
  counts: number[];
  /** From the nearest to the farthest. */
  levels: CoreLevel[];
}

/** A level between which pairs move. */
export interface FloatingLevel {
  /** One way. */
  ns: Numbered;
  /** Of all visits, from 0 to 1. */
  share: Numbered;
  /** How long a pair stays at it; absent where none was seen to leave. */
  residence_ms?: Numbered;
}

/** Virtual CPUs that the host moves between cores. The matrix then holds the medians of visits. */
export interface CoreFloating {
  /** How long a pair stays as it is; absent where none moved while it was followed. */
  residence_ms?: Numbered;
  /** How long pairs were followed, in sum. */
  followed_ms?: Numbered;
  /** Between which pairs move. */
  levels: FloatingLevel[];
  /** What each round's visits found, one way, in nanoseconds. */
  visits?: Matrix[];
}

/** CPUs that are closer to each other than to the rest. */
export interface CoreGroup {
  /** The topology's word (core 3, L3 0, package 1), or group A, ... where it has none. */
  name: string;
  /** 0 is the tightest. */
  level: number;
  /** Its members. */
  cpus: number[];
  /** Typical between its members. */
  nanoseconds?: Numbered;
  /** The system lists it too. */
  in_topology?: boolean;
}

/** What the matrix tells that the system does not. */
export interface CoreFinding {
  /** What contradicts. */
  kind:
    | 'shared-core'
    | 'split-core'
    | 'hidden-cluster'
    | 'asymmetry'
    | 'outlier'
    | 'drift'
    | 'parallel-bias'
    | 'floating';
  /** Whom it is about. */
  cpus?: number[];
  /** Between these CPUs, one way. Since version 0.2. */
  ns?: Numbered;
  /** The other direction, or what pairs like it take. Since version 0.2. */
  compared_ns?: Numbered;
  /** To all other CPUs, the least. Since version 0.2. */
  least_ns?: Numbered;
  /** To all other CPUs, the most. Since version 0.2. */
  most_ns?: Numbered;
  /** Of a loop that needs a whole core, while the other CPU runs it too; 1 is alone. Since version 0.2. */
  speed?: Numbered;
  /** The slowest time of the run over the fastest; pairs at once over pairs alone. Since version 0.2. */
  ratio?: Numbered;
  /** Of visits that found a pair on one core. Since version 0.2. */
  share?: Numbered;
  /** That this was seen on. Since version 0.2. */
  pairs?: number;
  /** Further findings of the kind that are not listed. Since version 0.2. */
  more?: number;
  /** The figures in one sentence. */
  text: string;
}

/** Latency between every pair of CPUs, by one test. */
export interface CoreMatrix {
  /** cas, exchange, add, store, two-lines or message. */
  test: string;
  /** What goes back and forth: lock cmpxchg, ... */
  instruction?: string;
  /** The CPUs of rows and columns, in their order. */
  cpus: number[];
  /** Visits to each pair. Since version 0.2. */
  rounds?: number;
  /** Whether visits agree: all pairs changed together (drifting), or pairs changed places (floating). Since version 0.2. */
  stability?: 'stable' | 'drifting' | 'floating';
  /** Interrupted: pairs not reached are null. */
  partial?: boolean;
  /** Pairs measured under disturbance. */
  disturbed?: [number, number][];
  /** Pairs that did not answer in time. */
  timed_out?: [number, number][];
  /** Batches behind the values. */
  batches_kept?: number;
  /** Batches dropped as disturbed. */
  batches_rejected?: number;
  /** Of the shuffled pair order; up to 64 bits. */
  seed?: number;
  /** Absent where the run was too short for a second look. */
  canary?: CoreCanary;
  /** Absent where nothing was measured at once. */
  parallel?: ParallelCheck;
  /** Levels of latency. Since version 0.2. */
  spectrum?: CoreSpectrum;
  /** Absent where virtual CPUs were not seen to move. Since version 0.2. */
  floating?: CoreFloating;
  /** CPUs that are close to each other. */
  groups?: CoreGroup[];
  /** What contradicts the topology. */
  findings?: CoreFinding[];
  /** One way, half a round trip. A row is the CPU that starts, a column the CPU that answers; null where nothing was measured. */
  nanoseconds: Matrix;
  /** Lower ends of the intervals, which come from between visits. */
  low?: Matrix;
  /** Upper ends of the intervals. */
  high?: Matrix;
  /** Within a cache line: the middle range of its batches, in nanoseconds. */
  spread_within?: Matrix;
  /** Between cache lines: the middle half of them, in nanoseconds. */
  spread_between?: Matrix;
  /** Of the column's CPU against the row's, in nanoseconds; only for `message`. */
  clock_offset?: Matrix;
  /** The groups in one sentence. Since version 0.2. */
  structure?: string;
}

/** A measured value in the unit that the object's name has. */
export interface MemoryValue {
  /** The median, or what was read from a curve. Since version 0.2. */
  value: Numbered;
  /** Lower end of the interval that covers the value at the document's confidence. Since version 0.2. */
  low: Numbered;
  /** Upper end of the interval. Since version 0.2. */
  high: Numbered;
}

/** The latency of a load from a footprint of one size. */
export interface MemoryPoint {
  /** The footprint: what the visited lines, or pages, span. Since version 0.2. */
  bytes: number;
  /** From one load to the next that needs its result. Since version 0.2. */
  cycles: MemoryValue;
  /** The same in nanoseconds. Since version 0.2. */
  ns: MemoryValue;
  /** A tenth of the samples took less. Since version 0.2. */
  p10_ns?: Numbered;
  /** A tenth of the samples took more. Since version 0.2. */
  p90_ns?: Numbered;
  /** Apart in time and on different pages. Since version 0.2. */
  visits?: number;
  /** Another thread shared the core while it was measured. Since version 0.2. */
  contended?: boolean;
}

/** Latency over footprints of growing size. */
export interface MemoryCurve {
  /** In which lines were visited. Since version 0.2. */
  order: 'random' | 'page-by-page' | 'line-per-page';
  /** That were asked for. Since version 0.2. */
  pages: 'small' | 'huge';
  /** Of such a page. Since version 0.2. */
  page_bytes?: number;
  /** Of the memory, how much really lay in huge pages, by the system's own account. Since version 0.2. */
  huge_share?: Numbered;
  /** Of all visits, the share in which another thread had a part of the core. Since version 0.2. */
  contended_share?: Numbered;
  /** The smallest footprint first. Since version 0.2. */
  points: MemoryPoint[];
}

/** A cache or memory, as read from a curve. */
export interface MemoryLevel {
  /** L1, L2, ..., memory. Since version 0.2. */
  name: string;
  /** Of a load that it answers. Since version 0.2. */
  cycles: MemoryValue;
  /** The same in nanoseconds. Since version 0.2. */
  ns: MemoryValue;
  /** The footprint that it and the levels before it hold. Absent for the last. Since version 0.2. */
  capacity_bytes?: MemoryValue;
  /** It rests on footprints at which another thread shared the core, or which were visited too seldom: a load may take less. Since version 0.2. */
  contended?: boolean;
  /** The footprints that decide where it ends were such: it holds this or more. Since version 0.2. */
  capacity_at_least?: boolean;
  /** The curve does not show it, but the times of single loads do. Since version 0.2. */
  by_single_loads?: boolean;
  /** What the system says that it holds. Since version 0.2. */
  claimed_bytes?: number;
}

/** A store of address translations (TLB), as read from a curve of one line per page. */
export interface TranslationLevel {
  /** Whose addresses it holds. Since version 0.2. */
  pages: 'small' | 'huge';
  /** Of such a page. Since version 0.2. */
  page_bytes?: number;
  /** How many pages it holds. Since version 0.2. */
  entries: MemoryValue;
  /** That a load takes longer beyond. Since version 0.2. */
  cycles: MemoryValue;
}

/** Where the curve contradicts what the system says. */
export interface MemoryFinding {
  /** What contradicts. Since version 0.2. */
  kind: 'smaller-cache' | 'larger-cache' | 'no-such-cache' | 'unknown-cache' | 'early-memory';
  /** Whom it is about. Since version 0.2. */
  level: string;
  /** Where it ends; of early-memory, the footprint from which on loads take as long as from memory. Since version 0.2. */
  found_bytes?: Numbered;
  /** Where the system says that it ends. Since version 0.2. */
  claimed_bytes?: number;
  /** Of early-memory: how long that is. Since version 0.2. */
  memory_ns?: Numbered;
  /** The figures in one sentence. Since version 0.2. */
  text: string;
}

/** Several chains of loads at once. */
export interface ParallelPoint {
  /** How many. Since version 0.2. */
  chains: number;
  /** Per load, all chains together. Since version 0.2. */
  ns: MemoryValue;
  /** Loads under way at a time: the latency of one over the time per load. Since version 0.2. */
  in_flight: Numbered;
}

/** How many loads one core keeps under way at a time. */
export interface MemoryParallelism {
  /** That answers the loads. Since version 0.2. */
  level: string;
  /** The footprint. Since version 0.2. */
  bytes: number;
  /** One chain first. Since version 0.2. */
  points: ParallelPoint[];
}

/** How much goes to or from a level in a second. */
export interface MemoryBandwidth {
  /** As in the levels. Since version 0.2. */
  level: string;
  /** The footprint of each CPU. Since version 0.2. */
  bytes: number;
  /** A copied byte counts twice. Since version 0.2. */
  kind: 'read' | 'write' | 'copy' | 'non-temporal';
  /** That moves the data. Since version 0.2. */
  instruction?: string;
  /** How many at once, each with memory of its own. Since version 0.2. */
  cpus: number;
  /** In 10^9 bytes, all of them together. Since version 0.2. */
  gb_per_s: MemoryValue;
  /** Another thread shared the core: it is a lower bound. Since version 0.2. */
  contended?: boolean;
}

/** Memory's latency while other CPUs read from it. */
export interface LoadedLatency {
  /** What the others read. Since version 0.2. */
  gb_per_s: MemoryValue;
  /** Of a load meanwhile. Since version 0.2. */
  ns: MemoryValue;
}

/** Memory of one NUMA node as one CPU sees it. */
export interface MemoryPlace {
  /** As the system counts. Since version 0.2. */
  cpu: number;
  /** As the system counts. Since version 0.2. */
  node: number;
  /** Of a load. Since version 0.2. */
  ns: MemoryValue;
  /** That this CPU alone reads. Since version 0.2. */
  gb_per_s: MemoryValue;
}

/** A store, a load, or a load of what was stored just before, where it matters where they lie. */
export interface MemoryAccess extends Partial<Uncertainty> {
  /** What is not plain about it. Since version 0.2. */
  kind: 'forwarding' | 'line-split' | 'page-split';
  /** The code that was measured, as `block` takes it. Since version 0.2. */
  text: string;
  /** Width of the store; 0: there is none. Since version 0.2. */
  store_bytes?: number;
  /** Width of the load; 0: there is none. Since version 0.2. */
  load_bytes?: number;
  /** The data is in a vector register. Since version 0.2. */
  vector?: boolean;
  /** Forwarding: bytes from the store's first byte to the load's. Splits: bytes that lie before the line's or page's end; 0: all of it lies behind, for comparison. Since version 0.2. */
  distance?: number;
  /** How the measuring ended. Since version 0.2. */
  status:
    | 'measured'
    | 'disturbed'
    | 'unsupported'
    | 'privileged'
    | 'crashed'
    | 'timeout'
    | 'unmeasurable';
  /** From one result to the next where a load follows a store, per access otherwise; absent when not measured. */
  cycles?: Numbered;
}

/** Caches and memory as one CPU sees them. */
export interface MemoryRow {
  /** As the system counts. Since version 0.2. */
  cpu: number;
  /** The NUMA node whose memory it is, where one was asked for. Since version 0.2. */
  node?: number;
  /** Of a cache line. Since version 0.2. */
  line_bytes?: number;
  /** Latency over footprints. Since version 0.2. */
  curves: MemoryCurve[];
  /** What the curves tell, the nearest first. Since version 0.2. */
  levels: MemoryLevel[];
  /** Stores of address translations. Since version 0.2. */
  translation?: TranslationLevel[];
  /** What contradicts the system. Since version 0.2. */
  findings?: MemoryFinding[];
  /** One entry per level. Since version 0.2. */
  parallelism?: MemoryParallelism[];
  /** One entry per level, kind and number of CPUs. Since version 0.2. */
  bandwidth?: MemoryBandwidth[];
  /** The least load first. Since version 0.2. */
  loaded?: LoadedLatency[];
  /** One entry per NUMA node that has memory and CPU that it was looked at from. Since version 0.2. */
  places?: MemoryPlace[];
  /** What single accesses take that are not plain. Since version 0.2. */
  accesses?: MemoryAccess[];
  /** What there was no time for, or not enough. Since version 0.2. */
  left_out?: string[];
  /** Of the memory that was visited, how much the system had swapped out: large footprints then took longer than they should. Since version 0.2. */
  swapped_bytes?: number;
  /** Interrupted: what was measured until then. Since version 0.2. */
  partial?: boolean;
}

/** From one source to one result of an instruction. */
export interface GpuLatency extends Uncertainty {
  /** The source, as in the text. Since version 0.2. */
  from: string;
  /** The result, as in the text. Since version 0.2. */
  to: string;
  /** Of the multiprocessor's clock. */
  cycles: Numbered;
  /** What the figure is made of. Since version 0.2. */
  kind: 'exact' | 'connected' | 'round-trip';
  /** The instruction between copies, where there is one. Since version 0.2. */
  connector?: string;
  /** Of one copy of this chain, by the size of the code, without the connector. Since version 0.2. */
  machine_instructions?: Numbered;
}

/** How often an instruction is executed in a cycle. A warp of 32 threads counts 32. */
export interface GpuThroughput {
  /** On one multiprocessor. Since version 0.2. */
  per_sm: Estimate;
  /** On all of them at once. Since version 0.2. */
  per_gpu?: Estimate;
  /** Other instructions took part of the time: it may be more. Since version 0.2. */
  at_least?: boolean;
  /** Of an instruction on matrices: multiplications and additions of one multiprocessor in a cycle. Since version 0.2. */
  operations_per_sm?: Numbered;
}

/** One form of a PTX instruction, or a few in a row. */
export interface GpuInstruction {
  /** PTX. Since version 0.2. */
  text: string;
  /** Of the table of forms that people look for first. Since version 0.2. */
  group?: string;
  /** How measuring ended. Since version 0.2. */
  status:
    | 'measured'
    | 'disturbed'
    | 'unsupported'
    | 'privileged'
    | 'crashed'
    | 'timeout'
    | 'unmeasurable';
  /** Of a status that is not `measured`. Since version 0.2. */
  reason?: string;
  /** The driver's compiler made less of the copies than there were: nothing is known. Since version 0.2. */
  folded?: boolean;
  /** That the driver's compiler makes of one copy, by the size of the code. Since version 0.2. */
  machine_instructions?: Numbered;
  /** How the compiler was kept from folding. Since version 0.2. */
  chain?: 'plain' | 'guarded' | 'alternate' | 'kernel';
  /** One entry per source and result. Since version 0.2. */
  latency?: GpuLatency[];
  /** Of what has no chain: cycles from one to the next, in one warp. Since version 0.2. */
  repeat?: Estimate;
  /** With all warps of a multiprocessor. Since version 0.2. */
  throughput?: GpuThroughput;
  /** What was repeated: one copy of the chain. Since version 0.2. */
  ptx?: string[];
  /** What the GPU executes for a few copies, by nvdisasm, where it is installed. Since version 0.2. */
  assembly?: string[];
}

/** Lines in L2 as multiprocessors see them. */
export interface GpuL2 {
  /** Cycles of a load from lines that are near; of all lines, where no groups are seen. Since version 0.2. */
  near: Estimate;
  /** From lines that are nearer to the other group. Since version 0.2. */
  far?: Estimate;
  /** Of all multiprocessors and lines; in cycles. Since version 0.2. */
  spectrum?: CoreSpectrum;
}

/** Multiprocessors that lie together. */
export interface GpuGroup {
  /** partition A, ...: one part of L2 is near to all of them. GPC 0, ...: in the order of their first; apart: of no GPC. Since version 0.2. */
  name: string;
  /** As the GPU counts. Since version 0.2. */
  sms: number[];
}

/** Between every pair of multiprocessors: a flag in L2, one way, in cycles. */
export interface GpuMatrix {
  /** Of rows and columns, in their order. Since version 0.2. */
  sms: number[];
  /** The median over several lines. A row is the one that starts. Since version 0.2. */
  cycles: Matrix;
  /** By the best of the lines. Since version 0.2. */
  least?: Matrix;
  /** By the worst of them. Since version 0.2. */
  most?: Matrix;
  /** Levels among all lines; in cycles. Since version 0.2. */
  spectrum?: CoreSpectrum;
  /** By how far the lines are from each of them. Since version 0.2. */
  groups?: GpuGroup[];
  /** By where the blocks of a cluster run; absent where a GPU has no clusters. Since version 0.2. */
  gpcs?: GpuGroup[];
}

/** A word from a CPU to the GPU and back, through the host's memory. */
export interface GpuCpuTrip extends Uncertainty {
  /** As the system counts. Since version 0.2. */
  cpu: number;
  /** Both ways. */
  ns: Numbered;
}

/** A word to another GPU and back, through this one's memory. */
export interface GpuPeerTrip {
  /** The other one, as the driver counts. Since version 0.2. */
  device: number;
  /** Of this GPU's clock, both ways. Since version 0.2. */
  cycles: Estimate;
  /** The same in nanoseconds. Since version 0.2. */
  ns: Estimate;
}

/** A GPU. */
export interface GpuRow {
  /** As the driver counts. Since version 0.2. */
  device: number;
  /** As the driver says. Since version 0.2. */
  name: string;
  /** Its place on the bus. Since version 0.2. */
  pci?: string;
  /** Compute capability: 9.0. Since version 0.2. */
  capability?: string;
  /** The version of CUDA that the driver knows. Since version 0.2. */
  driver?: string;
  /** Multiprocessors. Since version 0.2. */
  sms?: number;
  /** In all. Since version 0.2. */
  memory_bytes?: number;
  /** As the driver says. Since version 0.2. */
  l2_bytes?: number;
  /** With shared memory, of one multiprocessor, as NVIDIA documents it; 0: not known. Since version 0.2. */
  l1_bytes?: number;
  /** The most of it that can be shared memory. Since version 0.2. */
  shared_bytes?: number;
  /** The highest clock, as the driver says. Since version 0.2. */
  claimed_ghz?: Numbered;
  /** The clock while measuring, against the GPU's own timer. Since version 0.2. */
  ghz?: Estimate;
  /** One entry per form. Since version 0.2. */
  instructions?: GpuInstruction[];
  /** Latency over footprints, from one multiprocessor. Since version 0.2. */
  curves?: MemoryCurve[];
  /** What the curves tell, the nearest first. Since version 0.2. */
  levels?: MemoryLevel[];
  /** Stores of address translations. Since version 0.2. */
  translation?: TranslationLevel[];
  /** Its near and its far part. Since version 0.2. */
  l2?: GpuL2;
  /** Between multiprocessors. Since version 0.2. */
  matrix?: GpuMatrix;
  /** One entry per CPU. Since version 0.2. */
  cpus?: GpuCpuTrip[];
  /** One entry per other GPU that it can reach. Since version 0.2. */
  peers?: GpuPeerTrip[];
  /** Interrupted: what was measured until then. Since version 0.2. */
  partial?: boolean;
}

/** One value that the nodes of a group are compared by. */
export interface FleetMetric {
  /** core clock, imul rax, rbx: latency, L2, ... Since version 0.2. */
  name: string;
  /** What the value is about. Since version 0.2. */
  kind: 'clock' | 'instruction' | 'cores' | 'memory' | 'bandwidth' | 'stolen' | 'neighbour';
  /** GHz, cycles, ns, GB/s; empty for a share of time. Since version 0.2. */
  unit?: string;
  /** That have it. Since version 0.2. */
  nodes: number;
  /** The median of the nodes. Since version 0.2. */
  centre: Numbered;
  /** Standard deviation between nodes below the centre: relative, but of shares of time. Since version 0.2. */
  spread_below: Numbered;
  /** The same above it. Since version 0.2. */
  spread_above: Numbered;
  /** The smallest difference that matters, as the spreads are. Since version 0.2. */
  interest: Numbered;
}

/** Nodes that should be equal. */
export interface FleetGroup {
  /** A, B, ...: the largest first. Since version 0.2. */
  name: string;
  /** How many. Since version 0.2. */
  nodes: number;
  /** What they have in common. Since version 0.2. */
  cpu_model: string;
  /** The same. Since version 0.2. */
  microcode?: string;
  /** The same. Since version 0.2. */
  kernel?: string;
  /** 2 packages, 2 NUMA nodes, 32 cores, 64 CPUs. Since version 0.2. */
  topology?: string;
  /** By what they are compared; none in a small group. Since version 0.2. */
  metrics?: FleetMetric[];
}

/** A value of a node that decides its verdict. */
export interface FleetDeviation {
  /** As in the group. Since version 0.2. */
  metric: string;
  /** What the value is about. Since version 0.2. */
  kind: 'clock' | 'instruction' | 'cores' | 'memory' | 'bandwidth' | 'stolen' | 'neighbour';
  /** Of the value; empty for a share of time. Since version 0.2. */
  unit?: string;
  /** The node's. Since version 0.2. */
  value: Numbered;
  /** Lower end of the node's own interval. Since version 0.2. */
  low: Numbered;
  /** Upper end of it. Since version 0.2. */
  high: Numbered;
  /** The group's. Since version 0.2. */
  centre: Numbered;
  /** From the centre: relative to it, but of shares of time. Since version 0.2. */
  difference: Numbered;
  /** The same in standard deviations, of the group and of the node's value together. Since version 0.2. */
  score: Numbered;
  /** To the slower side. Since version 0.2. */
  slower?: boolean;
}

/** One machine of the fleet. */
export interface FleetNode {
  /** As the engine knows it, else its host name. Since version 0.2. */
  name: string;
  /** slow: something takes longer than on nodes like it. different: it is not like them, but not slower. Since version 0.2. */
  verdict: 'normal' | 'slow' | 'different' | 'not-enough-data';
  /** To which it belongs; absent for a node without a result. Since version 0.2. */
  group?: string;
  /** Another group, where its own is too small to say what is usual. Since version 0.2. */
  compared_with?: string;
  /** Results that were put together. Since version 0.2. */
  passes?: number;
  /** What is likely behind it, in one sentence. Since version 0.2. */
  cause?: string;
  /** What decides, the clearest first. Since version 0.2. */
  deviations?: FleetDeviation[];
  /** What else is to be said: a pass that failed, ... Since version 0.2. */
  notes?: string[];
  /** The files that its results were read from. Since version 0.2. */
  sources?: string[];
  /** Its own report, as the fleet's page refers to it. Since version 0.2. */
  page?: string;
  /** One per metric of the group it is compared with; null where it has none. Since version 0.2. */
  values?: Numbered[];
  /** The same in standard deviations from the centre; above 0 is slower. Since version 0.2. */
  scores?: Numbered[];
}

/** A job of an engine that left results. */
export interface FleetJob {
  /** slurm, openmpi, pmix or pmi. Since version 0.2. */
  engine: string;
  /** Its number, or name. Since version 0.2. */
  job?: string;
  /** Tasks that were started; 0: not known. Since version 0.2. */
  ranks: number;
  /** Results that were found. Since version 0.2. */
  results: number;
  /** Nodes of the job that left no result. Since version 0.2. */
  missing?: string[];
}

/** A file that is no result that can be judged. */
export interface UnreadResult {
  /** The file. Since version 0.2. */
  source: string;
  /** What is wrong with it. Since version 0.2. */
  reason: string;
}

/** Which of many machines are not like the others. */
export interface Fleet {
  /** How many nodes are like the others. Since version 0.2. */
  normal?: number;
  /** How many are slow. Since version 0.2. */
  slow?: number;
  /** How many are different. Since version 0.2. */
  different?: number;
  /** Of how many nothing can be said. Since version 0.2. */
  not_enough_data?: number;
  /** Expected among the slow and different ones, as a share of them: what the limits were chosen for. Since version 0.2. */
  false_alarms?: Numbered;
  /** Nodes that should be equal. Since version 0.2. */
  groups: FleetGroup[];
  /** Those that are not normal first. Since version 0.2. */
  nodes: FleetNode[];
  /** That the results come from, where an engine started them. Since version 0.2. */
  jobs?: FleetJob[];
  /** Files that could not be read. Since version 0.2. */
  unread?: UnreadResult[];
}

/** How long messages of one size take between hosts. */
export interface HostLatency {
  /** Of a message. Since version 0.2. */
  bytes: number;
  /** One way, half a round trip; null where nothing was measured. Since version 0.2. */
  nanoseconds: Matrix;
  /** Lower ends of the intervals, which come from between visits. Since version 0.2. */
  low?: Matrix;
  /** Upper ends of the intervals. Since version 0.2. */
  high?: Matrix;
}

/** How much passes between hosts in a second. */
export interface HostBandwidth {
  /** Of a message; many are under way at a time. Since version 0.2. */
  bytes: number;
  /** In 10^9 bytes, one way. Since version 0.2. */
  gb_per_s: Matrix;
  /** Lower ends of the intervals. Since version 0.2. */
  low?: Matrix;
  /** Upper ends of the intervals. Since version 0.2. */
  high?: Matrix;
}

/** Hosts that are closer to each other than to the rest: a rack, a switch. */
export interface HostGroup {
  /** group A, ... Since version 0.2. */
  name: string;
  /** 0 is the tightest. Since version 0.2. */
  level: number;
  /** Its members. Since version 0.2. */
  hosts: string[];
  /** Typical between its members. Since version 0.2. */
  nanoseconds?: Numbered;
}

/** Latency and bandwidth between every pair of hosts, by MPI. */
export interface HostMatrix {
  /** Of rows and columns, in their order. Since version 0.2. */
  hosts: string[];
  /** Visits to each pair; some may have one more where it is partial. Since version 0.2. */
  rounds: number;
  /** Of the shuffled order of pairs; up to 64 bits. Since version 0.2. */
  seed?: number;
  /** The shortest message first. Since version 0.2. */
  latency: HostLatency[];
  /** With the longest messages. Since version 0.2. */
  bandwidth: HostBandwidth;
  /** Hosts that are close to each other. Since version 0.2. */
  groups?: HostGroup[];
  /** Ended early: what was measured until then. Since version 0.2. */
  partial?: boolean;
}

/** Everything that one run measured. Fields not listed here may appear in later versions and are to be ignored. */
export interface ResultDocument {
  /** The version of this form. */
  schema: string;
  /** The program that measured. */
  tool: Tool;
  /** The machine. */
  host: Host;
  /** Where ticks and cycles come from. */
  clock: Clock;
  /** What was asked for. */
  config: Config;
  /** What makes the numbers less than they should be. */
  warnings: Warning[];
  /** Interrupted: what was measured until then. */
  partial?: boolean;
  /** Why there is nothing more: the run failed, or it began and was never heard of again. Since version 0.2. */
  failure?: string;
  /** What started the run as one of many: Slurm, MPI. Since version 0.2. */
  engine?: Engine;
  /** One entry per CPU whose core was looked at for other threads. Since version 0.2. */
  contention?: Contention[];
  /** What on this machine disturbs measuring. */
  doctor?: Check[];
  /** One entry per CPU. */
  frequency?: FrequencyRow[];
  /** One entry per form. */
  instructions?: InstructionRow[];
  /** What became of the opcodes that LLVM lists. */
  sweep?: SweepSummary;
  /** The ports of the core. Since version 0.2. */
  port_map?: PortMap;
  /** How the core is built. Since version 0.3. */
  anatomy?: Anatomy;
  /** One entry per snippet. */
  blocks?: BlockRow[];
  /** One entry per test. */
  cores?: CoreMatrix[];
  /** One entry per CPU that was measured from. Since version 0.2. */
  memory?: MemoryRow[];
  /** One entry per GPU. Since version 0.2. */
  gpu?: GpuRow[];
  /** Which of many machines are not like the others. Since version 0.2. */
  fleet?: Fleet;
  /** Between every pair of hosts. Since version 0.2. */
  hosts?: HostMatrix;
}
