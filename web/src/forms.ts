// A form in the few values that the table, the filters and the scatter need.
import type {ModelAgreement} from './data';
import type {InstructionRow, Latency} from './document';
import {interval, isNumber, shownCycles} from './format';

export interface FormSummary {
  row: InstructionRow;
  text: string;
  mnemonic: string;
  isa: string;
  /** Under which a survey lists it. */
  heading: string;
  status: string;
  opcode: string;
  remark: string;
  /** The largest of all pairs, which is what a model states. */
  latency: number | null;
  latencyText: string;
  /** The pair that it is of. */
  shown?: Latency;
  /** The largest of what a model speaks about: no bounds, and nothing through memory. */
  comparableLatency: number | null;
  latencyInterval: string;
  latencyContended: boolean;
  throughput: number | null;
  /** "0.25", or "≤ 0.33" where only a bound is known. */
  throughputText: string;
  throughputInterval: string;
  throughputContended: boolean;
  modelLatency: number | null;
  modelThroughput: number | null;
  /** The model's latency of the pair that is compared. */
  comparableModel: number | null;
  latencyDiffers: boolean;
  throughputDiffers: boolean;
  latencyDifference: number | null;
  throughputDifference: number | null;
  /** All that the search looks at, in lower case. */
  searched: string;
}

export const kAgreement =
  'beyond the interval, by more than 2 % and by more than 0.05 cycles; values measured on a shared core are not compared';

export function isComparable(form: FormSummary): boolean {
  return form.latencyDifference !== null || form.throughputDifference !== null;
}

export function disagrees(form: FormSummary): boolean {
  return form.latencyDiffers || form.throughputDiffers;
}

/** Which forms differ from the model is the program's to say. */
export function summaries(rows: InstructionRow[], model: ModelAgreement | null): FormSummary[] {
  const forms = rows.map(summary);
  for (const group of model?.groups ?? []) {
    for (const place of group.rows) {
      const form = forms[place];
      if (form && group.quantity === 'latency') form.latencyDiffers = true;
      if (form && group.quantity === 'throughput') form.throughputDiffers = true;
    }
  }
  return forms;
}

function summary(row: InstructionRow): FormSummary {
  const mnemonic = row.mnemonic ?? row.text.split(/\s/, 1)[0] ?? '';
  const known = (row.latency ?? []).filter((pair) => isNumber(pair.cycles));
  const sharp = known.filter((pair) => pair.kind !== 'upper-bound');
  const slowest = shownLatency(known);
  const latency = slowest?.cycles ?? null;
  // Models know nothing of store forwarding; and a bound says nothing against one that is below it.
  const comparable = sharp.filter((p) => p.from !== 'memory' && p.to !== 'memory' && !p.contended);
  const comparableLatency = longest(comparable);
  const throughput = row.throughput?.cycles ?? null;
  const throughputContended = row.throughput?.contended ?? false;
  // Under a neighbour instructions only get slower.
  const isBound = throughputContended || (row.throughput?.upper_bound ?? false);
  const modelLatency = row.model?.latency ?? null;
  const modelThroughput = row.model?.throughput ?? null;
  // Like with like: a document of an older version has only the model's whole.
  const comparablePair = comparable.find((pair) => pair.cycles === comparableLatency);
  const comparableModel = comparablePair?.model ?? modelLatency;
  const minus = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b);
  return {
    row,
    text: row.text,
    mnemonic,
    isa: row.isa ?? '',
    heading: row.heading ?? '',
    status: row.status,
    opcode: row.opcode,
    remark: row.reason ?? (row.notes ?? []).join(', '),
    latency,
    latencyText: shownCycles(latency, slowest, slowest?.kind === 'upper-bound'),
    shown: slowest,
    comparableLatency,
    latencyInterval: slowest ? interval(slowest) : '',
    latencyContended: slowest?.contended ?? false,
    throughput,
    throughputText: shownCycles(throughput, row.throughput, isBound),
    throughputInterval: row.throughput ? interval(row.throughput) : '',
    throughputContended,
    modelLatency,
    modelThroughput,
    comparableModel,
    latencyDiffers: false,
    throughputDiffers: false,
    latencyDifference: minus(comparableLatency, comparableModel),
    throughputDifference: minus(throughputContended ? null : throughput, modelThroughput),
    searched: [
      row.text,
      mnemonic,
      row.opcode,
      row.isa,
      row.heading,
      row.known_as,
      row.reason,
      ...(row.notes ?? []),
    ]
      .join(' ')
      .toLowerCase(),
  };
}

function longest(pairs: Latency[]): number | null {
  return pairs.length > 0 ? Math.max(...pairs.map((pair) => pair.cycles ?? 0)) : null;
}

/**
 * The slowest pair, as the text report has it (ShownLatency in src/analysis/row_figures.cc). Bounds
 * count only where nothing better is known.
 */
function shownLatency(pairs: Latency[]): Latency | undefined {
  const sharp = pairs.filter((pair) => pair.kind !== 'upper-bound');
  const candidates = sharp.length > 0 ? sharp : pairs;
  const most = longest(candidates);
  return candidates.find((pair) => pair.cycles === most);
}
