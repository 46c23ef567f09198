// A machine at a glance, as data: what the first screen shows and the picture of it that is copied.
import {clockOf as clockRateOf, isSteady} from './clock';
import {scaleOf} from './core_matrix';
import type {Result} from './data';
import type {CoreMatrix, Host, ResultDocument, Uncertainty} from './document';
import {count, fixed, isNumber, short, shownCycles} from './format';
import {type FormSummary, summaries} from './forms';
import {type GlanceFigure, glanceFigures} from './glance_figures';
import {whyNotClear} from './memory_doubt';
import {cpuName, kindOfMachine} from './names';
import {quantile} from './stats';

/** A headline number with what it is compared with. */
export interface Headline {
  label: string;
  /** As it is shown: "≤ 1.00". */
  text: string;
  unit: string;
  value: number;
  low?: number;
  high?: number;
  /** What exactly was measured. */
  what: string;
  contended: boolean;
  /** Why it is marked so, where that is not another thread on the core. */
  doubt?: string;
  /** It may be less. */
  bound?: boolean;
  /** LLVM's model, or another result. */
  reference?: {name: string; value: number};
  /** What a full bar stands for; there is no bar where nothing is to be compared. */
  full?: number;
}

export interface Glance {
  name: string;
  facts: string;
  clock?: {ghz: string; range: string};
  figures: GlanceFigure[];
  headlines: Headline[];
  highlights: string[];
}

type Figure = Omit<Headline, 'full'>;

function bounds(measured: Partial<Uncertainty> | undefined): {low?: number; high?: number} {
  return {low: measured?.low ?? undefined, high: measured?.high ?? undefined};
}

/** The model's latency of the pair that is shown; models know nothing of store forwarding. */
function modelOf({shown, modelLatency}: FormSummary): number | null {
  if (!shown || shown.from === 'memory' || shown.to === 'memory') return null;
  return shown.model ?? modelLatency;
}

function ofForm(form: FormSummary): Figure | undefined {
  const byLatency = form.latency !== null;
  const value = form.latency ?? form.throughput;
  if (value === null) return undefined;
  const model = byLatency ? modelOf(form) : form.modelThroughput;
  return {
    label: form.row.known_as ?? form.text,
    text: byLatency ? form.latencyText : form.throughputText,
    unit: 'cycles',
    value,
    ...bounds(byLatency ? form.shown : form.row.throughput),
    what: `${byLatency ? 'latency' : 'throughput'} of ${form.text}`,
    contended: byLatency ? form.latencyContended : form.throughputContended,
    bound: (byLatency ? form.latencyText : form.throughputText).startsWith('≤'),
    reference: model === null ? undefined : {name: 'model', value: model},
  };
}

function ofForms({document: measured, model}: Result): Figure[] {
  const forms = summaries(measured.instructions ?? [], model);
  // For system instructions models have a stand-in, which nothing is to be compared with.
  const system = new Set(model?.system.map((place) => forms[place]));
  const figures = forms
    .filter((form) => form.row.known_as)
    .map((form) => ({form, figure: ofForm(form)}))
    .map(
      ({form, figure}) => figure && (system.has(form) ? {...figure, reference: undefined} : figure),
    )
    .filter((figure) => figure !== undefined);
  // A file of blocks has names, too, but no forms that people know.
  if (figures.length === 0) return figures;
  for (const block of measured.blocks ?? []) {
    if (!block.name || !isNumber(block.cycles)) continue;
    figures.push({
      label: block.name,
      text: shownCycles(block.cycles, block, block.contended),
      unit: 'cycles',
      value: block.cycles,
      ...bounds(block),
      what: `one trip of ${block.text}`,
      contended: block.contended ?? false,
      reference: isNumber(block.mca?.cycles)
        ? {name: 'llvm-mca', value: block.mca.cycles}
        : undefined,
    });
  }
  return figures;
}

const kMostLevels = 3;

function ofCores(cores: CoreMatrix | undefined): Figure[] {
  if (!cores) return [];
  const figure = (label: string, value: number, what: string): Figure => ({
    label,
    text: short(value),
    unit: 'ns',
    value,
    what: `${what}, test ${cores.test}`,
    contended: false,
  });
  const levels = (cores.spectrum?.levels ?? []).filter((level) => isNumber(level.ns));
  const {sorted} = scaleOf(cores.nanoseconds);
  const [only] = levels;
  if (only && levels.length === 1 && sorted.length > 0) {
    const median = quantile(sorted, 0.5);
    return [
      figure(only.name, median, 'a cache line from CPU to CPU, one way: median of all pairs'),
    ];
  }
  if (levels.length > 0) {
    const what = 'a cache line from CPU to CPU, one way: where most visits of this level lie';
    return levels.slice(0, kMostLevels).map((level) => figure(level.name, level.ns ?? 0, what));
  }
  if (sorted.length === 0) return [];
  const ends = [
    figure('nearest CPU', quantile(sorted, 0), 'a cache line to the nearest CPU, one way'),
    figure('farthest CPU', quantile(sorted, 0.995), 'a cache line to the farthest CPU, one way'),
  ];
  return cores.cpus.length > 2 ? ends : [{...ends[1], label: 'other CPU'} as Figure];
}

function ofMemory({memory}: ResultDocument): Figure[] {
  const row = memory?.[0];
  if (!row) return [];
  return row.levels
    .filter((level) => isNumber(level.ns?.value))
    .map((level) => ({
      label: level.name,
      text: short(level.ns?.value),
      unit: 'ns',
      value: level.ns?.value ?? 0,
      ...bounds(level.ns),
      what: `a load from ${level.name}`,
      contended: level.contended ?? false,
      doubt: level.contended ? whyNotClear(row) : undefined,
    }));
}

/** Of a sweep, which has no form that stands out: how many, and how many of LLVM's numbers hold. */
function ofSweep({document: measured, model}: Result): Figure[] {
  const rows = measured.instructions ?? [];
  const done = rows.filter((row) => row.status === 'measured').length;
  if (done === 0) return [];
  const share = (label: string, part: number, all: number, what: string): Figure[] =>
    all === 0
      ? []
      : [
          {
            label,
            text: fixed((100 * part) / all, 0),
            unit: '%',
            value: (100 * part) / all,
            what,
            contended: false,
          },
        ];
  return [
    {
      label: 'forms measured',
      text: done.toLocaleString('en'),
      unit: '',
      value: done,
      what: `of ${count(rows.length, 'form')}`,
      contended: false,
    },
    ...share(
      'latencies as in LLVM',
      model?.latency.agreeing ?? 0,
      model?.latency.compared ?? 0,
      'by LLVM’s model',
    ),
    ...share(
      'throughputs as in LLVM',
      model?.throughput.agreeing ?? 0,
      model?.throughput.compared ?? 0,
      'by LLVM’s model',
    ),
  ];
}

function figuresOf(result: Result): Figure[] {
  const forms = ofForms(result);
  return [
    ...(forms.length > 0 ? forms : ofSweep(result)),
    ...ofCores(result.document.cores?.[0]),
    ...ofMemory(result.document),
  ];
}

function clockOf({frequency, host}: ResultDocument): Glance['clock'] {
  const rows = frequency ?? [];
  const clock = clockRateOf(rows);
  if (!clock) return undefined;
  // Arm's generic timer has nothing to do with the core's clock.
  const base = host.architecture === 'aarch64' ? undefined : rows[0]?.base_ghz;
  const range = isSteady(clock) ? 'steady' : `${fixed(clock.low, 2)} to ${fixed(clock.high, 2)}`;
  return {
    ghz: fixed(clock.median, 2),
    range: isNumber(base) ? `${range}; base ${fixed(base, 2)}` : range,
  };
}

/** What is below the name of a CPU: its model, how many there are, what kind of machine it is. */
export function machineFacts(host: Host): string {
  const cpus = host.cpus_online ?? host.cpus_allowed?.length ?? 0;
  const facts = [
    host.microarchitecture && !host.microarchitecture.endsWith(host.cpu_model ?? '')
      ? host.cpu_model
      : '',
    cpus > 0 ? count(cpus, 'CPU') : '',
    kindOfMachine(host),
    host.name,
  ];
  return facts.filter(Boolean).join(' · ');
}

/** `other` is what it is compared with; LLVM's model where there is no other result. */
export function glanceOf(result: Result, other?: Result): Glance {
  const {host} = result.document;
  const others = new Map((other ? figuresOf(other) : []).map((figure) => [figure.label, figure]));
  const figures = figuresOf(result).map((figure) => {
    const same = others.get(figure.label);
    return other && same ? {...figure, reference: {name: other.label, value: same.value}} : figure;
  });
  // One alone has nothing to be compared with.
  const distances = figures.filter((each) => each.unit === 'ns').map((each) => each.value);
  const longest = distances.length > 1 ? Math.max(...distances) : undefined;
  const full = ({unit, value, reference}: Figure) => {
    if (unit === '%') return 100;
    if (unit === 'ns' && !other) return longest;
    return reference ? Math.max(value, reference.value) : undefined;
  };
  return {
    name: cpuName(host),
    facts: machineFacts(host),
    clock: clockOf(result.document),
    figures: glanceFigures(result.document),
    headlines: figures.map((figure) => ({...figure, full: full(figure)})),
    highlights: result.highlights,
  };
}

/** Whether a headline number is something other than what it is compared with, for sure. */
export function isOff({value, low, high, reference, contended, bound}: Headline): boolean {
  if (!reference || contended || (bound && value > reference.value)) return false;
  const distance = Math.max((low ?? value) - reference.value, reference.value - (high ?? value));
  return distance > Math.max(0.05, 0.02 * reference.value);
}
