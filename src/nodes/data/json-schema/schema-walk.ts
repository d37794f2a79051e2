import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';

/** Keywords that contain a schema, a list of schemas, or a map of schemas. All other values are data. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
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
const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
/** Keywords without schemas. */
const OTHER_KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$id $schema $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment type enum const multipleOf maximum ' +
    'exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains ' +
    'minContains maxProperties minProperties required dependentRequired format contentEncoding contentMediaType title ' +
    'description default deprecated readOnly writeOnly examples example'
  ).split(' '),
);

/** Whether JSON Schema 2020-12 defines the keyword; `x-…` keywords are always allowed. */
export function isKeyword(name: string): boolean {
  return (
    SCHEMA_KEYWORDS.has(name) ||
    SCHEMA_LIST_KEYWORDS.has(name) ||
    SCHEMA_MAP_KEYWORDS.has(name) ||
    OTHER_KEYWORDS.has(name) ||
    name.startsWith('x-')
  );
}

/**
 * Visits a JSON Schema and every schema inside it. `pointer` is the JSON pointer of each, as in `$ref`.
 * Iterative, although the depth has been limited before.
 */
export function visitSchemas(root: JsonObject, visit: (schema: JsonObject, pointer: string) => void): void {
  const work: { schema: Json; pointer: string }[] = [{ schema: root, pointer: '#' }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { schema, pointer } = item;
    if (!isObject(schema)) continue;
    visit(schema, pointer);
    for (const inner of listInnerSchemas(schema))
      work.push({ schema: inner.schema, pointer: `${pointer}/${inner.at}` });
  }
}

/** Returns the schemas directly inside a schema; `at` is the end of the pointer to each. */
export function listInnerSchemas(schema: JsonObject): { schema: Json; at: string }[] {
  const found: { schema: Json; at: string }[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value))
      for (const [i, element] of value.entries()) found.push({ schema: element, at: `${keyword}/${i}` });
    else if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value))
      for (const [name, inner] of Object.entries(value))
        found.push({ schema: inner, at: `${keyword}/${pointerStep(name)}` });
    else if (SCHEMA_KEYWORDS.has(keyword)) found.push({ schema: value, at: keyword });
  }
  return found;
}

function pointerStep(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
}
