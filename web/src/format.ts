// Numbers and lists as people read them.
import type {FrequencyStep, Numbered, Uncertainty} from './document';

export const kNothing = '–';

export function isNumber(value: Numbered | undefined): value is number {
  return value !== null && value !== undefined;
}

/** With this number of digits, and never "-0". */
function digitsOf(value: number, digits: number): string {
  return value.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, '');
}

export function fixed(value: Numbered | undefined, digits: number): string {
  return isNumber(value) ? digitsOf(value, digits) : kNothing;
}

/** Three significant digits or more, without digits that say nothing: 0.25, 1.50, 48.2, 1234. */
export function short(value: Numbered | undefined): string {
  if (!isNumber(value)) return kNothing;
  const size = Math.abs(value);
  return digitsOf(value, size >= 1000 ? 0 : size >= 10 ? 1 : 2);
}

export function cycles(value: Numbered | undefined): string {
  return isNumber(value) ? digitsOf(value, Math.abs(value) >= 100 ? 1 : 2) : kNothing;
}

/**
 * A value, or "≤" and the upper end of its interval where only a bound is known: the value itself
 * may be below the truth.
 */
export function shownCycles(
  value: Numbered | undefined,
  estimate: Partial<Uncertainty> | undefined,
  isBound: boolean | undefined,
  text: (shown: Numbered | undefined) => string = cycles,
): string {
  if (!isBound || !isNumber(value)) return text(value);
  return `≤ ${text(estimate?.high ?? value)}`;
}

/** With as many digits as it takes to tell both ends apart: 2.98 to 3.02, 4169 to 4300. */
export function interval(estimate: Partial<Uncertainty>): string {
  if (!isNumber(estimate.low) || !isNumber(estimate.high)) return kNothing;
  const width = estimate.high - estimate.low;
  const digits = width > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(width)))) : 3;
  return `${digitsOf(estimate.low, digits)} to ${digitsOf(estimate.high, digits)}`;
}

/** "±0.02": half of the interval, in one digit that counts. */
export function plusMinus(estimate: Partial<Uncertainty> | undefined): string {
  if (!isNumber(estimate?.low) || !isNumber(estimate?.high)) return '';
  const half = Number(((estimate.high - estimate.low) / 2).toPrecision(1));
  if (!(half > 0)) return '';
  return `±${digitsOf(half, Math.min(4, Math.max(0, -Math.floor(Math.log10(half)))))}`;
}

/** 14.98 k, 33.5 µ: with the prefix that keeps its digits. */
export function scaled(value: Numbered | undefined, unit = ''): string {
  if (!isNumber(value)) return kNothing;
  const prefixes: [number, string][] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
    [1e-3, 'm'],
    [1e-6, 'µ'],
  ];
  const [factor, name] = prefixes.find(([least]) => Math.abs(value) >= least) ?? [1e-9, 'n'];
  return value === 0 ? `0 ${unit}`.trim() : `${fixed(value / factor, 2)} ${name}${unit}`.trim();
}

/** What was said of a value whose core another thread shared. */
export const kContended =
  'Contended: another thread shared the core. A latency is less precise, a throughput only an upper bound.';

/** "2.5 GHz 40 %, 2.9 GHz 50 %, other 10 %" */
export function stepsText(steps: FrequencyStep[] | undefined): string {
  if (!steps?.length) return '';
  const shares = steps.map(({share}) => share ?? 0);
  const other = 1 - shares.reduce((sum, share) => sum + share, 0);
  return [
    ...steps.map(
      ({ghz, share}) => `${fixed(ghz, 2)} GHz ${fixed(share === null ? null : share * 100, 0)} %`,
    ),
    ...(other >= 0.005 ? [`other ${fixed(other * 100, 0)} %`] : []),
  ].join(', ');
}

export function percent(relative: Numbered | undefined): string {
  if (!isNumber(relative)) return '';
  const size = Math.abs(relative * 100).toFixed(1);
  const sign = size === '0.0' ? '' : relative > 0 ? '+' : '−';
  return `${sign}${size} %`;
}

export function frequency(hz: Numbered | undefined): string {
  if (!isNumber(hz) || hz === 0) return kNothing;
  return hz >= 1e9 ? `${(hz / 1e9).toFixed(4)} GHz` : `${(hz / 1e6).toFixed(3)} MHz`;
}

/** 48 KB, 1.25 MB: in powers of 1,024. */
export function bytes(value: Numbered | undefined): string {
  if (!isNumber(value)) return kNothing;
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = value;
  while (size >= 999.5 && unit + 1 < units.length) {
    size /= 1024;
    unit += 1;
  }
  return `${Number(size.toPrecision(3))} ${units[unit]}`;
}

/** 0-3, 8: CPU numbers as the command line takes them. */
export function cpuList(cpus: number[]): string {
  const sorted = [...cpus].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (end + 1 < sorted.length && sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    parts.push(end === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(', ');
}

/** A text as one word for a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** With a capital first letter. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? singular : plural}`;
}
