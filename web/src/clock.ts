// Which rates the clocks of a machine's CPUs had.
import type {FrequencyRow} from './document';
import {isNumber} from './format';
import {quantile} from './stats';

export interface ClockRates {
  low: number;
  median: number;
  high: number;
}

/** Rates that a clock had less often are more likely another thread's time. */
const kMinShownShare = 0.05;

/** A CPU whose samples were all disturbed has none: 0. */
export function hasRate({core_ghz}: FrequencyRow): boolean {
  return isNumber(core_ghz) && core_ghz > 0;
}

/** Of all CPUs together; of those with something else on them only where there are no others. */
export function clockOf(rows: FrequencyRow[]): ClockRates | undefined {
  const known = rows.filter(hasRate);
  const sound = known.filter((row) => (row.status ?? 'measured') === 'measured' && !row.disturbed);
  const counted = sound.length > 0 ? sound : known;
  if (counted.length === 0) return undefined;
  const rates = Float64Array.from(counted.map((row) => row.core_ghz ?? 0)).sort();
  // Where a clock moved, its rates tell more than their mean.
  const all = counted.flatMap((row) => {
    const steps = (row.steps ?? []).filter((step) => (step.share ?? 0) >= kMinShownShare);
    return steps.length > 0 ? steps.map((step) => step.ghz ?? 0) : [row.core_ghz ?? 0];
  });
  const median = quantile(rates, 0.5);
  return {low: Math.min(...all, median), median, high: Math.max(...all, median)};
}

/** All the same, as far as a reader cares. */
export function isSteady({low, high}: ClockRates): boolean {
  return high - low < 0.005 * high;
}
