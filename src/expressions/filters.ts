import type { TemplateFunction } from './function.ts';
import { DATE_FUNCTIONS } from './functions/date.ts';
import { ENCODING_FUNCTIONS } from './functions/encoding.ts';
import { LIST_FUNCTIONS } from './functions/list.ts';
import { NUMBER_FUNCTIONS } from './functions/number.ts';
import { OBJECT_FUNCTIONS } from './functions/object.ts';
import { TEXT_FUNCTIONS } from './functions/text.ts';

/** Functions of one kind, as documentation lists them. */
export interface FilterGroup {
  readonly kind: 'text' | 'list' | 'number' | 'date' | 'object' | 'encoding';
  readonly functions: readonly TemplateFunction[];
}

/**
 * Every function of the template language: the table that the compiler, the tests and the documentation
 * share.
 */
export const FILTER_GROUPS: readonly FilterGroup[] = [
  { kind: 'text', functions: TEXT_FUNCTIONS },
  { kind: 'list', functions: LIST_FUNCTIONS },
  { kind: 'number', functions: NUMBER_FUNCTIONS },
  { kind: 'date', functions: DATE_FUNCTIONS },
  { kind: 'object', functions: OBJECT_FUNCTIONS },
  { kind: 'encoding', functions: ENCODING_FUNCTIONS },
];

const BY_NAME: ReadonlyMap<string, TemplateFunction> = new Map(
  FILTER_GROUPS.flatMap((group) => group.functions).map((fn) => [fn.name, fn]),
);

/** Names of standard CEL for functions that have another name here. */
const CEL_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'to_string'],
  ['double', 'to_number'],
  ['bool', 'to_boolean'],
]);

/** Finds a function by either of its names. */
export function findFunction(name: string): TemplateFunction | undefined {
  return BY_NAME.get(CEL_NAMES.get(name) ?? name);
}

/** The most similar known name, for error messages; undefined when none is close. */
export function similarFunction(name: string): string | undefined {
  const wanted = name.toLowerCase().replaceAll('_', '');
  let best: string | undefined;
  let least = wanted.length < 5 ? 2 : 3;
  for (const known of BY_NAME.keys()) {
    const distance = editDistance(wanted, known.toLowerCase().replaceAll('_', ''), least);
    if (distance < least) {
      least = distance;
      best = known;
    }
  }
  return best;
}

/** Levenshtein's distance of two names, or `limit` when their lengths already differ by as much. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? limit;
}
