// What people look for that no instruction is called.

const kWords: [RegExp, string][] = [
  [/^(lock )?cmpxchg|^cas/, 'cas compare and swap'],
  [/^(lock )?xadd|^ldadd/, 'fetch and add'],
  [/^vf(n?m)(add|sub)|^fn?m(add|sub|l[as])|^fml[as]/, 'fma multiply add'],
  [/^i?mulx?\b|^[us]?mul/, 'multiply'],
  [/^i?div\b|^[us]div/, 'divide'],
];

/** In lower case; empty for most. */
export function alsoKnownAs(form: string): string {
  return kWords
    .filter(([pattern]) => pattern.test(form))
    .map(([, words]) => words)
    .join(' ');
}
