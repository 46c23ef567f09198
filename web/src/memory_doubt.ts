// Why levels and footprints of a curve may be marked as not clear: the document's own claim.
import type {MemoryRow} from './document';

const kKinds = new Set(['core-was-shared', 'sharing-unknown', 'too-few-visits']);

/** The sentences of those claims that are of one of these kinds. */
export function notesOf(
  {claims, notes}: Pick<MemoryRow, 'claims' | 'notes'>,
  kinds: Set<string>,
): string[] {
  return (notes ?? []).filter((_, at) => kinds.has(claims?.[at]?.kind ?? ''));
}

export function whyNotClear(row: Pick<MemoryRow, 'claims' | 'notes'>): string {
  return notesOf(row, kKinds).join('; ');
}
