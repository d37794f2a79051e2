import type { JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { DIALECT } from './schema-resources.ts';
import { isKeyword, visitSchemas } from './schema-walk.ts';

/** What Ajv does not do, or gets wrong. */
const HARD = ['$dynamicRef', 'contains', 'unevaluatedItems', 'unevaluatedProperties'];

/**
 * Whether Ajv gets a schema right. It does not with some keywords, references out of it, schemas inside that have an `$id`, another
 * dialect, and a property named `__proto__`.
 */
export function isOrdinary(root: JsonObject): boolean {
  const { $schema = DIALECT } = root;
  let isPlain = typeof $schema === 'string' && $schema.replace(/#$/, '') === DIALECT;
  visitSchemas(root, (schema) => {
    const { $ref: reference, properties } = schema;
    if (HARD.some((name) => Object.hasOwn(schema, name))) isPlain = false;
    if (typeof reference === 'string' && !reference.startsWith('#')) isPlain = false;
    if (schema !== root && Object.hasOwn(schema, '$id')) isPlain = false;
    if (isObject(properties) && Object.hasOwn(properties, '__proto__')) isPlain = false;
  });
  return isPlain;
}

/**
 * Writes what is right, but what Ajv takes for a mistake, in a form that it takes, in place and with the same meaning: keywords
 * that nobody knows, and `if`, `then`, `else`, `minContains` and `maxContains` that have no effect.
 */
export function plainForm(root: JsonObject): JsonObject {
  visitSchemas(root, (schema) => {
    for (const name of Object.keys(schema))
      if (!isKeyword(name) || name.startsWith('x-')) delete schema[name];
    delete schema['minContains'];
    delete schema['maxContains'];
    if (!Object.hasOwn(schema, 'if')) {
      delete schema['then'];
      delete schema['else'];
      // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    } else schema['then'] ??= true;
  });
  return root;
}
