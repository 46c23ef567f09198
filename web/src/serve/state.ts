// What the page keeps: in the browser, so that a reload shows the same, and in a link.
import type {Language} from './api';

export interface Version {
  language: Language;
  att: boolean;
  compiler: string;
  flags: string;
  text: string;
}

export interface State {
  versions: Version[];
}

const kKey = 'cyclescope-playground';

const kFirstTexts: Record<string, string> = {
  x86_64: '1: vfmadd231pd ymm0, ymm1, [rdi]\nadd rdi, 32\ncmp rdi, rsi\njne 1b\n',
  aarch64: '1: ldr q1, [x0], #16\nfmla v0.2d, v1.2d, v2.2d\ncmp x0, x1\nb.ne 1b\n',
};
const kFirstSource = `double dot(const double* a, const double* b, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}
`;

/** What the editor shows to someone who comes for the first time. */
export function firstVersion(architecture: string, compiler: string | undefined): Version {
  return compiler
    ? {language: 'c', att: false, compiler, flags: '-O2', text: kFirstSource}
    : {
        language: 'assembly',
        att: false,
        compiler: '',
        flags: '-O2',
        text: kFirstTexts[architecture] ?? '',
      };
}

/** A link may have been changed on its way, and what is stored may be of another version. */
function checked(value: unknown): State | undefined {
  const versions = (value as State | undefined)?.versions;
  if (!Array.isArray(versions) || versions.length < 1 || versions.length > 2) return undefined;
  const isGood = versions.every(
    (each) =>
      ['c', 'c++', 'assembly'].includes(each?.language) &&
      typeof each.att === 'boolean' &&
      [each.compiler, each.flags, each.text].every((text) => typeof text === 'string'),
  );
  return isGood ? {versions} : undefined;
}

export function load(): State | undefined {
  try {
    return checked(JSON.parse(localStorage.getItem(kKey) ?? 'null'));
  } catch {
    return undefined;
  }
}

export function store(state: State): void {
  try {
    localStorage.setItem(kKey, JSON.stringify(state));
  } catch {
    // Without storage a reload begins anew.
  }
}

async function through(
  bytes: BlobPart,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

const kCodeLink = '#code=';

export function isCodeLink(fragment: string): boolean {
  return fragment.startsWith(kCodeLink);
}

/** "#code=...": all of the code, packed. It has no token in it. */
export async function toFragment(state: State): Promise<string> {
  const packed = await through(JSON.stringify(state), new CompressionStream('deflate-raw'));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(''));
  return `${kCodeLink}${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

export async function fromFragment(fragment: string): Promise<State | undefined> {
  if (!isCodeLink(fragment)) return undefined;
  try {
    const text = atob(fragment.slice(kCodeLink.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const unpacked = await through(bytes, new DecompressionStream('deflate-raw'));
    return checked(JSON.parse(new TextDecoder().decode(unpacked)));
  } catch {
    return undefined;
  }
}

/** "-O2  -DX=1" as words. */
export function words(flags: string): string[] {
  return flags.split(/\s+/).filter(Boolean);
}
