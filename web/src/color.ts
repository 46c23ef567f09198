// Colour scales. On a light page slow is dark, on a dark page slow is bright: either way what is fast
// recedes and what is slow stands out.
import {isDark} from './theme';

export type Rgb = [number, number, number];

const kLightRamp: Rgb[] = [
  [238, 245, 243],
  [176, 218, 209],
  [98, 172, 174],
  [52, 118, 155],
  [58, 76, 136],
  [66, 44, 108],
];
const kDarkRamp: Rgb[] = [
  [24, 36, 48],
  [27, 68, 88],
  [32, 110, 120],
  [74, 158, 134],
  [164, 200, 124],
  [248, 236, 168],
];
// From faster to slower.
const kLightDiverging: Rgb[] = [
  [20, 92, 130],
  [120, 176, 196],
  [240, 241, 239],
  [226, 160, 116],
  [164, 62, 30],
];
const kDarkDiverging: Rgb[] = [
  [96, 190, 220],
  [50, 100, 124],
  [34, 44, 56],
  [140, 84, 54],
  [244, 152, 100],
];

/** The colour at a place between 0 and 1. */
function along(ramp: Rgb[], place: number): Rgb {
  const scaled = Math.min(1, Math.max(0, place)) * (ramp.length - 1);
  const index = Math.min(ramp.length - 2, Math.floor(scaled));
  const a = ramp[index] as Rgb;
  const b = ramp[index + 1] as Rgb;
  const mix = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * (scaled - index));
  return [mix(0), mix(1), mix(2)];
}

export const sequential = (place: number): Rgb => along(isDark() ? kDarkRamp : kLightRamp, place);

export const diverging = (place: number): Rgb =>
  along(isDark() ? kDarkDiverging : kLightDiverging, place);

export const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;

/** Black or white, whichever is read better on the colour. */
export function inkOn([r, g, b]: Rgb): string {
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#10181f' : '#ffffff';
}
