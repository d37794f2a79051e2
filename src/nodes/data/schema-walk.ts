import type { Json, JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';

/** Keywords by what they hold: a schema, a list of them, or a map of them. Anything else is data and never entered. */
const ONE: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAP: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Visits every schema inside a JSON Schema, itself first. The depth was bounded before; a worklist all the same. */
export function visitSchemas(root: JsonObject, visit: (schema: JsonObject) => void): void {
  const work: Json[] = [root];
  for (let schema = work.pop(); schema !== undefined; schema = work.pop()) {
    if (!isObject(schema)) continue;
    visit(schema);
    for (const [keyword, value] of Object.entries(schema)) {
      if (LIST.has(keyword) && Array.isArray(value)) for (const element of value) work.push(element);
      else if (MAP.has(keyword) && isObject(value))
        for (const inner of Object.values(value)) work.push(inner);
      else if (ONE.has(keyword)) work.push(value);
    }
  }
}
