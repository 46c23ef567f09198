// What is computed from a matrix of latencies before it is drawn.
import {hasRate} from './clock';
import type {CoreLevel, CoreMatrix, Matrix, Numbered, ResultDocument} from './document';
import {isNumber} from './format';
import {quantile} from './stats';

export type Unit = 'ns' | 'cycles' | 'ticks';

export function at(matrix: Matrix | undefined, row: number, column: number): Numbered {
  return matrix?.[row]?.[column] ?? null;
}

/** How many of a unit a nanosecond is, where the document tells. */
export function unitsPerNanosecond(result: ResultDocument): Record<Unit, number | undefined> {
  const rates = (result.frequency ?? []).filter(hasRate).map((row) => row.core_ghz ?? 0);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const ticks = isNumber(result.clock.tick_hz) ? result.clock.tick_hz / 1e9 : 0;
  return {ns: 1, cycles: rates.length > 0 ? mean : undefined, ticks: ticks > 0 ? ticks : undefined};
}

/** The positions of the CPUs, group by group, and where a group of the outermost level ends. */
export function groupOrder(cores: CoreMatrix): {order: number[]; boundaries: number[]} {
  const groups = cores.groups ?? [];
  const levels = [...new Set(groups.map((group) => group.level))].sort((a, b) => b - a);
  const keys = new Map<number, number[]>();
  for (const cpu of cores.cpus) {
    keys.set(
      cpu,
      levels.map((level) => {
        const index = groups.findIndex((g) => g.level === level && g.cpus.includes(cpu));
        return index < 0 ? groups.length : index;
      }),
    );
  }
  const keyOf = (position: number) => keys.get(cores.cpus[position] ?? 0) ?? [];
  const order = cores.cpus
    .map((_, position) => position)
    .sort((a, b) => {
      const keyA = keyOf(a);
      const keyB = keyOf(b);
      for (let i = 0; i < keyA.length; i += 1) {
        const difference = (keyA[i] ?? 0) - (keyB[i] ?? 0);
        if (difference !== 0) return difference;
      }
      return (cores.cpus[a] ?? 0) - (cores.cpus[b] ?? 0);
    });
  // The outermost level that separates; a group of all CPUs separates nothing.
  const separating = levels.findIndex(
    (_, i) => new Set(order.map((position) => keyOf(position)[i])).size > 1,
  );
  const boundaries: number[] = [];
  for (let i = 1; separating >= 0 && i < order.length; i += 1) {
    if (keyOf(order[i] ?? 0)[separating] !== keyOf(order[i - 1] ?? 0)[separating]) {
      boundaries.push(i);
    }
  }
  return {order, boundaries};
}

export interface Scale {
  sorted: Float64Array;
  place: (value: number) => number;
  ticks: {place: number; value: number}[];
}

/** From end to end of the scale at least: where all pairs are alike, colour would only show noise. */
const kMinScaleRatio = 1.3;
/** Where matrices stand side by side: what is the same must look the same. */
const kMinScaleRatioSideBySide = 2;

/**
 * From the fastest pair to the slowest but the last half percent, which may be disturbed. Several
 * matrices have one scale in common.
 */
export function scaleOf(...matrices: Matrix[]): Scale {
  const [only] = matrices;
  if (!only || matrices.length > 1) return commonScale(matrices);
  // Of a large machine it takes a while, and several drawings ask for it.
  const known = scales.get(only);
  if (known) return known;
  const scale = commonScale(matrices);
  scales.set(only, scale);
  return scale;
}

const scales = new WeakMap<Matrix, Scale>();

function commonScale(matrices: Matrix[]): Scale {
  const values: number[] = [];
  for (const matrix of matrices) {
    matrix.forEach((row, i) => {
      row.forEach((value, j) => {
        if (i !== j && isNumber(value)) values.push(value);
      });
    });
  }
  const sorted = Float64Array.from(values).sort();
  const [least, most] = [quantile(sorted, 0), quantile(sorted, 0.995)];
  // What is alike stands in the middle.
  const middle = Math.sqrt(least * most);
  const side = Math.sqrt(matrices.length > 1 ? kMinScaleRatioSideBySide : kMinScaleRatio);
  const low = Math.min(least, middle / side);
  const high = Math.max(most, middle * side);
  const range = high > low ? high - low : 1;
  const place = (value: number) => (value - low) / range;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((tick) => ({place: tick, value: low + tick * range}));
  return {sorted, place, ticks: sorted.length > 0 ? ticks : []};
}

export interface Spectrum {
  /** Where the first bar begins, in nanoseconds; each is `step` times as far as the one before. */
  first: number;
  step: number;
  counts: number[];
  levels: CoreLevel[];
}

/** Less than this from end to end would only show noise. */
const kLeastSpan = 4;

/** How often which latency was seen; undefined where there is nothing to be seen. */
export function spectrumOf({spectrum}: CoreMatrix): Spectrum | undefined {
  if (!spectrum || spectrum.counts.length < 2) return undefined;
  const {first_ns: first, step, counts, levels} = spectrum;
  if (!isNumber(first) || !isNumber(step) || !(step > 1.001)) return undefined;
  const missing = Math.log(kLeastSpan) / Math.log(step) - counts.length;
  const side = Math.max(0, Math.ceil(missing / 2));
  const empty = Array.from({length: side}, () => 0);
  return {first: first / step ** side, step, counts: [...empty, ...counts, ...empty], levels};
}
