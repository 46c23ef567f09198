// Questions to the program that this page comes from, and its answers as they come.
import type {ResultDocument} from '../document';

export type Language = 'c' | 'c++' | 'assembly';

export interface Code {
  side: string;
  language: Language;
  att: boolean;
  text: string;
  compiler: string;
  flags: string[];
  line: number;
  loop?: number;
}

export interface HostFacts {
  version: string;
  architecture: string;
  cpu: string;
  measures: boolean;
  has_model: boolean;
  compilers: {id: string; name: string}[];
  why_no_compiler?: string;
}

export interface Message {
  line: number;
  column: number;
  severity: 'error' | 'warning' | 'note';
  text: string;
}

export interface Loop {
  name: string;
  function: string;
  /** Of the editor's text. */
  lines: number[];
  assembly_lines: number[];
  /** Its instructions, without labels and comments. */
  statements: string[];
}

export interface Assembly {
  side: string;
  shown: {line: number; source: number; text: string}[];
  loops: Loop[];
  messages: Message[];
  att: boolean;
  chosen?: number;
  trouble?: string;
}

export interface Forms {
  search: string;
  found: number;
  of: number;
  texts: string[];
}

/** Each of the server's events, by its name (src/serve/playground.h). */
export interface Handlers {
  host?: (facts: HostFacts) => void;
  assembly?: (assembly: Assembly) => void;
  progress?: (progress: {part: string; done: number; total: number}) => void;
  predicted?: (document: ResultDocument) => void;
  measured?: (document: ResultDocument) => void;
  difference?: (difference: {sentences: string[]}) => void;
  /** A row for each of the texts; and why the core's ports are not known, where they are not. */
  instructions?: (rows: {texts: string[]; document: ResultDocument; why_no_ports: string}) => void;
  forms?: (forms: Forms) => void;
  error?: (error: {message: string}) => void;
}

const kToken = new URLSearchParams(location.search).get('token') ?? '';

function send(path: string, question: object, signal?: AbortSignal): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', 'X-Cyclescope-Token': kToken},
    body: JSON.stringify(question),
    signal: signal ?? null,
  });
}

function dispatch(block: string, handlers: Handlers): void {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const handler = handlers[(field('event') ?? '') as keyof Handlers];
  const data = field('data');
  if (handler && data) (handler as (content: unknown) => void)(JSON.parse(data));
}

/** Sends a question, and calls back for each event of the answer; resolves with its end. */
export async function ask(
  path: string,
  question: object,
  handlers: Handlers,
  signal?: AbortSignal,
): Promise<void> {
  let response: Response;
  try {
    response = await send(path, question, signal);
  } catch {
    if (!signal?.aborted)
      handlers.error?.({message: 'cyclescope does not answer: is it still running?'});
    return;
  }
  if (!response.ok) {
    const told = await response.json().catch(() => ({message: `HTTP ${response.status}`}));
    handlers.error?.(told);
    return;
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    while (reader) {
      const {value, done} = await reader.read();
      if (done) break;
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) dispatch(block, handlers);
    }
  } catch {
    if (!signal?.aborted) handlers.error?.({message: 'the connection to cyclescope broke'});
  }
}

/** What the tab asked for is not wanted any more. */
export async function cancel(tab: string): Promise<void> {
  await send('/api/cancel', {tab}).catch(() => undefined);
}
