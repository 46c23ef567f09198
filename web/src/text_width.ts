// How wide a text is in a drawing, and how it is brought into its place.

export const kFont = 'ui-sans-serif, system-ui, sans-serif';

let context: CanvasRenderingContext2D | null | undefined;

export function textWidth(text: string, size: number, weight = 400): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return text.length * size * 0.55;
  context.font = `${weight} ${size}px ${kFont}`;
  return context.measureText(text).width;
}

/** The lines of a text; a word that is wider than all of a line has one of its own. */
export function wrapped(content: string, size: number, width: number, weight = 400): string[] {
  const lines: string[] = [];
  for (const word of content.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, size, weight) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

/** The text, or its beginning and "…" where there is no room for all of it. */
export function shortened(text: string, size: number, width: number, weight = 400): string {
  if (textWidth(text, size, weight) <= width) return text;
  const letters = [...text];
  let fits = 0;
  let beyond = letters.length;
  while (beyond - fits > 1) {
    const middle = Math.floor((fits + beyond) / 2);
    const isShort = textWidth(`${letters.slice(0, middle).join('')}…`, size, weight) <= width;
    if (isShort) fits = middle;
    else beyond = middle;
  }
  return `${letters.slice(0, fits).join('').trimEnd()}…`;
}
