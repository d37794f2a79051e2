import type { Json } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';

/** JSON with sorted keys: the same for values that are the same. Data is bounded in depth when it enters. */
export function canonicalText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** Whether no two elements are the same, in a time that grows with the list and not with its square. */
export function allDiffer(list: readonly Json[]): boolean {
  return new Set(list.map(canonicalText)).size === list.length;
}
