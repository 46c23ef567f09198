// Why levels and footprints of a curve may be marked as not clear.
import type {MemoryRow} from './document';
import {fixed} from './format';

/** What is marked so may have nothing to do with other threads; as the text report says it (memory_text.cc). */
export function whyNotClear({curves}: Pick<MemoryRow, 'curves'>): string {
  const share = Math.max(0, ...curves.map((curve) => curve.contended_share ?? 0));
  if (share > 0) return `the core was shared in up to ${fixed(100 * share, 0)} % of the visits`;
  if (curves.some(({points}) => points.some((point) => point.contended))) {
    return 'the self-check failed, and so it is not known when the core was shared';
  }
  return 'there was time for too few visits';
}
