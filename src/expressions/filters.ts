import type { TemplateFunction } from './function.ts';
import { DATE_FUNCTIONS } from './functions/date.ts';
import { ENCODING_FUNCTIONS } from './functions/encoding.ts';
import { LIST_FUNCTIONS } from './functions/list.ts';
import { NUMBER_FUNCTIONS } from './functions/number.ts';
import { OBJECT_FUNCTIONS } from './functions/object.ts';
import { TEXT_FUNCTIONS } from './functions/text.ts';
import { editDistance } from '../lib/text/edit-distance.ts';

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

/** Characters of an unknown name that are compared: no known name is longer. */
const MAX_COMPARED = 40;

/** The most similar known name, for error messages; undefined when none is close. */
export function findSimilarFunction(name: string): string | undefined {
  const wanted = name.toLowerCase().replaceAll('_', '');
  let best: string | undefined;
  let least = wanted.length < 5 ? 2 : 3;
  for (const known of BY_NAME.keys()) {
    const distance = editDistance(wanted.slice(0, MAX_COMPARED), known.toLowerCase().replaceAll('_', ''));
    if (distance < least) {
      least = distance;
      best = known;
    }
  }
  return best;
}
