// The little statistics that drawing needs. What a result claims was computed where it was measured.

/** The value below which a share of the sorted values lies. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const a = sorted[below] ?? Number.NaN;
  const b = sorted[Math.min(below + 1, sorted.length - 1)] ?? a;
  return a + (b - a) * (place - below);
}

export interface Bins {
  start: number;
  width: number;
  counts: number[];
}

/**
 * Bins by the rule of Freedman and Diaconis, at most `most` of them. At least the square root of the
 * number of values, since latencies come in levels, whose distance the rule takes for their width.
 */
export function bins(sorted: ArrayLike<number>, most: number): Bins {
  const low = sorted[0] ?? 0;
  const high = sorted[sorted.length - 1] ?? 0;
  if (!(high > low)) return {start: low, width: 1, counts: [sorted.length]};
  const spread = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  const ideal = (2 * spread) / Math.cbrt(sorted.length);
  const wanted = ideal > 0 ? Math.ceil((high - low) / ideal) : most;
  const least = Math.ceil(Math.sqrt(sorted.length));
  const number = Math.min(most, Math.max(least, wanted));
  const width = (high - low) / number;
  const counts = new Array<number>(number).fill(0);
  for (let i = 0; i < sorted.length; i += 1) {
    const bin = Math.min(number - 1, Math.floor(((sorted[i] ?? low) - low) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return {start: low, width, counts};
}

/** The least of 1, 2, 5, 10, 20, 50, ... that is no smaller. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((digit) => digit * power >= value * (1 - 1e-9)) ?? 10);
}

/**
 * At most about `most` bins whose ends are read easily, none narrower than `least`: what lies nearer
 * together is the same. There are some on both sides of values that are all alike.
 */
export function readableBins(sorted: ArrayLike<number>, most: number, least: number): Bins {
  const low = sorted[0] ?? 0;
  const high = sorted[sorted.length - 1] ?? 0;
  const width = roundUp(Math.max((high - low) / most, least, Number.MIN_VALUE));
  const kMinBins = 10;
  let first = Math.floor(low / width);
  let end = Math.floor(high / width) + 1;
  const missing = Math.max(0, kMinBins - (end - first));
  first -= Math.floor(missing / 2);
  end += Math.ceil(missing / 2);
  const counts = new Array<number>(end - first).fill(0);
  for (let i = 0; i < sorted.length; i += 1) {
    const bin = Math.min(end - 1, Math.floor((sorted[i] ?? low) / width)) - first;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return {start: first * width, width, counts};
}
