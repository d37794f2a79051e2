import type { Json } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';

/** JSON with sorted keys: equal values have the same text. The depth of data is limited on entry. */
export function formatCanonicalText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** Whether all elements differ, in time proportional to the size of the list. */
export function areAllDifferent(list: readonly Json[]): boolean {
  return new Set(list.map(formatCanonicalText)).size === list.length;
}
