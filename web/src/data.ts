// What the program puts into the page: results, each a document of document.ts, and perhaps their
// comparison.
import type {Numbered, ResultDocument} from './document';

export type Verdict =
  | 'changed'
  | 'same'
  | 'cannot tell'
  | 'only in first'
  | 'only in other'
  | 'in neither';

export interface ComparedValue {
  name: string;
  estimates: ({
    value: Numbered;
    low: Numbered;
    high: Numbered;
    trusted: boolean;
    /** It is that of `high` or less. */
    bound?: boolean;
    /** It is that of `low` or more. */
    at_least?: boolean;
  } | null)[];
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

/** Forms that differ from the model in one way (src/analysis/model_agreement.h). */
export interface ModelGroup {
  quantity: 'latency' | 'throughput';
  family: string;
  operands: string;
  pattern: 'offset' | 'factor' | 'longer' | 'shorter' | 'not-in-model' | 'mixed';
  /** Cycles of an offset, or the factor. */
  amount: number;
  /** Values of that quantity, family and operands, with those that agree. */
  compared: number;
  /** All of it in one sentence. */
  text: string;
  /** Places in the document's instructions. */
  rows: number[];
}

export interface ModelAgreement {
  cpu: string;
  latency: {compared: number; agreeing: number};
  throughput: {compared: number; agreeing: number};
  /** How many values agree, in words. */
  sentences: string[];
  groups: ModelGroup[];
  /** Of system instructions, which are not in the groups. */
  system: number[];
}

export interface Result {
  label: string;
  source: string;
  /** As it can be given again. */
  command: string;
  /** The two or three things to hear first. */
  highlights: string[];
  model: ModelAgreement | null;
  document: ResultDocument;
}

export interface PageData {
  results: Result[];
  comparison?: Comparison;
}

/** Unpacks what the program packed (src/report/html_template.h). */
export async function unpacked<Content>(packed: string): Promise<Content> {
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return (await new Response(stream).json()) as Content;
}

export function readPageData(): Promise<PageData> {
  return unpacked(document.getElementById('data')?.textContent ?? '');
}
