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
