/** Normalizes text for search: case and the composition of accents do not matter. */
export function searchText(text: string): string {
  // Upper case first, so that ß matches SS and a final sigma matches any sigma. A NUL would end SQLite's
  // pattern.
  const whole = text.toWellFormed().replaceAll('\0', '\ufffd');
  return whole.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** Characters of a name that are compared in sorted lists; an index entry of PostgreSQL is limited. */
const MAX_SORTED = 200;

/** The form of a name by which lists are sorted: case does not matter. */
export function sortText(name: string): string {
  return Array.from(searchText(name)).slice(0, MAX_SORTED).join('');
}

/** A LIKE pattern (escape character `\`) that matches `search` anywhere; `%` and `_` are literal. */
export function searchPattern(search: string): string {
  return `%${searchText(search).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
