import type { JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { visitSchemas } from './schema-walk.ts';

/** What the validator would do wrongly without a word. */
export class UnsupportedSchema extends Error {}

/** Places where a schema applies or not, as the value is. */
const CONDITIONAL = /\/(?:anyOf|oneOf|if|then|else|not|dependentSchemas)(?:\/|$)/;

/** What is found on one walk over a schema. */
type Found = {
  anchors: Map<string, string>;
  dynamic: JsonObject[];
  conditions: JsonObject[];
  /** There are schemas within it that have an address of their own. */
  hasOthers: boolean;
  hasContains: boolean;
  hasConditionalItems: boolean;
  hasUnevaluated: boolean;
  hasUnevaluatedItems: boolean;
};

/**
 * Writes what is right, but what the validator takes for a mistake or gets wrong, in a form that it gets right, in place and
 * with the same meaning:
 * - `if`, `then`, `else`, `minContains` and `maxContains` that have no effect, or leave no list;
 * - a property named `__proto__`;
 * - `$dynamicRef` within one schema resource, where it is `$ref`;
 * - `if` where it matters which properties and items were looked at.
 * @throws {UnsupportedSchema}
 */
export function plainForm(schema: JsonObject): JsonObject {
  const found = look(schema);
  if (found.hasUnevaluatedItems && found.hasContains)
    throw new UnsupportedSchema('contains and unevaluatedItems in one schema are not supported');
  if (found.hasUnevaluatedItems && found.hasConditionalItems)
    throw new UnsupportedSchema('unevaluatedItems and items that apply only at times are not supported');
  if (found.dynamic.length > 0 && found.hasOthers)
    throw new UnsupportedSchema('$dynamicRef is not supported where a schema within the schema has an $id');
  for (const inner of found.dynamic) makeStatic(inner, found.anchors);
  for (const inner of found.conditions) {
    completeIf(inner);
    if (found.hasUnevaluated) makeChoice(inner);
  }
  return schema;
}

function look(schema: JsonObject): Found {
  const found: Found = {
    anchors: new Map(),
    dynamic: [],
    conditions: [],
    hasOthers: false,
    hasContains: false,
    hasConditionalItems: false,
    hasUnevaluated: false,
    hasUnevaluatedItems: false,
  };
  visitSchemas(schema, (inner, pointer) => {
    const has = (name: string): boolean => Object.hasOwn(inner, name);
    if (inner !== schema && has('$id')) found.hasOthers = true;
    if (has('contains')) found.hasContains = true;
    if (has('items') && CONDITIONAL.test(pointer)) found.hasConditionalItems = true;
    if (has('unevaluatedItems')) found.hasUnevaluatedItems = true;
    if (has('unevaluatedItems') || has('unevaluatedProperties')) found.hasUnevaluated = true;
    for (const name of ['$anchor', '$dynamicAnchor']) {
      const anchor = inner[name];
      if (typeof anchor === 'string') found.anchors.set(`#${anchor}`, pointer);
    }
    if (has('$dynamicRef')) found.dynamic.push(inner);
    if (has('if') || has('then') || has('else')) found.conditions.push(inner);
    movePrototype(inner);
    completeContains(inner);
  });
  return found;
}

function makeStatic(schema: JsonObject, anchors: ReadonlyMap<string, string>): void {
  const target = schema['$dynamicRef'];
  if (typeof target !== 'string' || schema['$ref'] !== undefined)
    throw new UnsupportedSchema('$dynamicRef and $ref side by side are not supported');
  schema['$ref'] = anchors.get(target) ?? target;
  delete schema['$dynamicRef'];
}

function completeIf(schema: JsonObject): void {
  const { then } = schema;
  if (schema['if'] === undefined) schema['if'] = then === undefined;
  // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  if (then === undefined) schema['then'] = true;
}

/** A choice counts what `if` looked at only where it held. */
function makeChoice(schema: JsonObject): void {
  const { if: condition = true, then: yes = true, else: no = true } = schema;
  const choice = {
    oneOf: [{ allOf: [condition, yes] }, { allOf: [{ not: structuredClone(condition) }, no] }],
  };
  addAll(schema, choice);
  for (const name of ['if', 'then', 'else']) delete schema[name];
}

function completeContains(schema: JsonObject): void {
  const { contains, minContains, maxContains } = schema;
  if (contains === undefined) {
    delete schema['minContains'];
    delete schema['maxContains'];
  } else if (minContains === 0) schema['maxContains'] ??= Number.MAX_SAFE_INTEGER;
  if (Number(minContains ?? 1) > Number(maxContains ?? Infinity)) {
    // No list has more than two of something, and less than one.
    addAll(schema, { not: { type: 'array' } });
    delete schema['minContains'];
    delete schema['maxContains'];
  }
}

/** The validator passes over a property of this name, but not over a pattern that is it. */
function movePrototype(schema: JsonObject): void {
  const { properties, patternProperties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, '__proto__')) return;
  const { ['__proto__']: moved = true, ...rest } = properties;
  const patterns = isObject(patternProperties) ? patternProperties : {};
  const name = '^__proto__$';
  const both = patterns[name] === undefined ? moved : { allOf: [moved, patterns[name]] };
  schema['properties'] = rest;
  schema['patternProperties'] = { ...patterns, [name]: both };
}

function addAll(schema: JsonObject, inner: JsonObject): void {
  const all = schema['allOf'];
  schema['allOf'] = [...(Array.isArray(all) ? all : []), inner];
}
