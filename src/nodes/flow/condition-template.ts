import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { findStrings, isTemplated } from '../template-mode.ts';

/**
 * Copies a condition and replaces every templated `value` with one that its operator accepts, so that the
 * rest can be validated before templates are evaluated. A templated `field` is kept and reported as an error.
 */
export function removeConditionTemplates(condition: JsonObject): JsonObject {
  const copy = structuredClone(condition);
  const work: Json[] = [copy];
  for (let part = work.pop(); part !== undefined; part = work.pop()) {
    if (Array.isArray(part)) {
      for (const element of part) work.push(element);
    } else if (isObject(part)) {
      if (part['value'] !== undefined && findStrings(part['value'], isTemplated).size > 0)
        part['value'] = part['operator'] === 'in' || part['operator'] === 'not_in' ? [] : 'x';
      for (const name of ['all', 'any', 'not']) {
        const inner = part[name];
        if (inner !== undefined) work.push(inner);
      }
    }
  }
  return copy;
}
