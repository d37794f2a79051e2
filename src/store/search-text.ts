import { searchText } from '../lib/text/search-text.ts';

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
