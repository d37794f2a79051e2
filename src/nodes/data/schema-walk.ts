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

/**
 * Visits every schema inside a JSON Schema, itself first. `pointer` leads to it, as in `$ref`. The depth was bounded before; a
 * worklist all the same.
 */
export function visitSchemas(root: JsonObject, visit: (schema: JsonObject, pointer: string) => void): void {
  const work: { schema: Json; pointer: string }[] = [{ schema: root, pointer: '#' }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { schema, pointer } = item;
    if (!isObject(schema)) continue;
    visit(schema, pointer);
    for (const [keyword, value] of Object.entries(schema)) {
      const at = `${pointer}/${keyword}`;
      if (LIST.has(keyword) && Array.isArray(value))
        for (const [i, element] of value.entries()) work.push({ schema: element, pointer: `${at}/${i}` });
      else if (MAP.has(keyword) && isObject(value))
        for (const [name, inner] of Object.entries(value))
          work.push({ schema: inner, pointer: `${at}/${pointerStep(name)}` });
      else if (ONE.has(keyword)) work.push({ schema: value, pointer: at });
    }
  }
}

function pointerStep(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
}
