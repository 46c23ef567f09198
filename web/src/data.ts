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
  estimates: ({value: Numbered; low: Numbered; high: Numbered; vouched: boolean} | null)[];
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

export interface Result {
  label: string;
  source: string;
  document: ResultDocument;
}

export interface PageData {
  results: Result[];
  comparison?: Comparison;
}

export function readPageData(): PageData {
  return JSON.parse(document.getElementById('data')?.textContent ?? '{}') as PageData;
}
