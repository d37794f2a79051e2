/**
 * A LIKE pattern for stored JSON in lower case that contains all words. The longest probably selects best;
 * the others must be checked afterwards.
 */
export function candidatePattern(words: readonly string[]): string {
  return `%${escapePattern(words.toSorted((a, b) => b.length - a.length)[0]!)}%`;
}

/** `%` replaces characters that JSON may escape, and those whose case SQL does not know. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9 .:/-]+/g, '%').toLowerCase();
}
