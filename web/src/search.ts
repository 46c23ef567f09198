// What a search box finds.

/** The words of a search, in lower case. */
export function wordsOf(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether a text in lower case holds every word, in any order. */
export function hasWords(text: string, words: string[]): boolean {
  return words.every((word) => text.includes(word));
}
