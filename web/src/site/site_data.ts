// What the program puts into the first page of a site, and into the scripts of its folder data/.

export interface Machine {
  name: string;
  /** Results of one host are of one machine. */
  host: string;
  cpu: string;
  facts: string;
  ghz: number | null;
  forms: number;
  /** One way between two CPUs, by compare-and-swap. */
  nearest_ns: number | null;
  farthest_ns: number | null;
  median_ns: number | null;
  started: string;
  /** Its own report. */
  page: string;
  /** Its column. */
  data: string;
  /** What else is known of its forms. */
  details: string;
  /** How its core is built. */
  core: {name: string; value: number; unit: string; at_least: boolean}[];
  /** The script that a diagram of it is drawn from; empty: there is none. */
  core_data: string;
  /** Where the vendor's figures come from; empty: there are none. */
  vendor: string;
}

export interface Site {
  machines: Machine[];
  /** How many. */
  forms: number;
  /** Which: the script that says so. */
  form_data: string;
  /** How many loops and snippets. */
  loops: number;
  loop_data: string;
}

export interface Forms {
  forms: string[];
  isas: string[];
  /** The place of each form's extension in `isas`. */
  isa_of_form: number[];
  /** A form's place, and what people call it. */
  also: [number, string][];
}

/** The figures of one machine, a place per form. */
export interface Column {
  latency: (number | null)[];
  throughput: (number | null)[];
  /** A digit per form: 1 the latency is a bound, 2 the throughput is, 4 one of them is contended. */
  marks: string;
}

/**
 * Of a form: every pair, its ports, what LLVM says of latency and throughput, and what the vendor does.
 */
export type Details = (
  | [string, string, number | null, number | null, (number | null)?, (number | null)?]
  | null
)[];

/** A loop or snippet: of each machine what was measured, what its model says, whether it was contended. */
export interface Loop {
  text: string;
  name: string;
  cells: ([number | null, number | null, boolean] | null)[];
}

declare global {
  interface Window {
    /** Called by the scripts in data/, with what they hold, packed. */
    cyclescopeForms?: (unused: number, packed: string) => void;
    cyclescopeColumn?: (machine: number, packed: string) => void;
    cyclescopeDetails?: (machine: number, packed: string) => void;
    cyclescopeCore?: (machine: number, packed: string) => void;
    cyclescopeLoops?: (unused: number, packed: string) => void;
  }
}

/** Runs a script of data/. A page that was opened from a file can load nothing else. */
export function load(path: string): HTMLScriptElement {
  const script = document.createElement('script');
  script.src = path;
  document.head.append(script);
  return script;
}
