// What a search box finds.

/**
 * What is looked for, in lower case: words, each on its own and in any order; or all of it in one,
 * where it looks like operands of an instruction ("ldr x0, [x1]").
 */
export function wordsOf(search: string): string[] {
  const text = search.trim().toLowerCase();
  return /[,[\]{}#]/.test(text) ? [text] : text.split(/\s+/).filter(Boolean);
}

/** Whether a text in lower case holds every word. */
export function hasWords(text: string, words: string[]): boolean {
  return words.every((word) => text.includes(word));
}
