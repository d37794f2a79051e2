import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const MAX_ENUM_VALUES = 1_000;

/** The types that a schema states, or that its other keywords imply; empty: any. */
export function readTypes(schema: JsonObject): string[] {
  const { type } = schema;
  const stated = (Array.isArray(type) ? type : [type]).filter(
    (one): one is string => typeof one === 'string' && TYPES.includes(one),
  );
  if (stated.length > 0) return [...new Set(stated)];
  if (isObject(schema['properties']) || isObject(schema['additionalProperties'])) return ['object'];
  return schema['items'] === undefined ? [] : ['array'];
}

const COUNTS: Readonly<Record<string, string>> = {
  minLength: 'string',
  maxLength: 'string',
  minItems: 'array',
  maxItems: 'array',
  minProperties: 'object',
  maxProperties: 'object',
};
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

/** Keywords that limit the value, if they are valid and apply to one of the types. */
export function readConstraints(schema: JsonObject, types: readonly string[]): JsonObject {
  const made: JsonObject = {};
  for (const [keyword, type] of Object.entries(COUNTS)) {
    const limit = schema[keyword];
    if (types.includes(type) && Number.isSafeInteger(limit) && (limit as number) >= 0)
      made[keyword] = limit as number;
  }
  const isNumeric = types.includes('number') || types.includes('integer');
  for (const keyword of BOUNDS) {
    const limit = schema[keyword];
    if (isNumeric && typeof limit === 'number' && Number.isFinite(limit)) made[keyword] = limit;
  }
  if (types.includes('array') && schema['uniqueItems'] === true) made['uniqueItems'] = true;
  const { enum: options, const: constant } = schema;
  const allowed = constant === undefined ? options : [constant];
  if (Array.isArray(allowed) && allowed.length > 0 && allowed.length <= MAX_ENUM_VALUES) {
    const distinct = [...new Map(allowed.map((one) => [JSON.stringify(one), one])).values()];
    // Documents often quote numbers in an enumeration, or state a type that none of the values has.
    const isTyped = types.length === 0 || distinct.every((one) => hasType(one, types));
    if (isTyped)
      made['enum'] = types.includes('null') && !distinct.includes(null) ? [...distinct, null] : distinct;
  }
  return made;
}

function hasType(value: Json, types: readonly string[]): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  return types.includes(typeof value);
}

/** A schema for what fits both (`allOf`), without keywords that would hold for only a part of the fields. */
export function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject {
  const merged: JsonObject = { ...first, ...second };
  const types = mergeTypes(readTypes(first), readTypes(second));
  delete merged['type'];
  if (types.length > 0) merged['type'] = types.length === 1 ? (types[0] ?? 'object') : types;
  const [one, other] = [first['properties'], second['properties']];
  if (isObject(one) && isObject(other)) {
    const joined = Object.entries(other).map(([name, part]): [string, Json] => {
      const previous = Object.hasOwn(one, name) ? one[name] : undefined;
      return [name, isObject(previous) && isObject(part) ? mergeSchemas(previous, part) : part];
    });
    merged['properties'] = { ...one, ...Object.fromEntries(joined) };
  }
  const required = [first, second].flatMap((schema) =>
    Array.isArray(schema['required']) ? schema['required'] : [],
  );
  if (required.length > 0) merged['required'] = [...new Set(required)];
  if (merged['additionalProperties'] === false && first['properties'] !== second['properties'])
    delete merged['additionalProperties'];
  if (first['anyOf'] !== undefined && second['anyOf'] !== undefined) delete merged['anyOf'];
  if (isObject(merged['properties'])) delete merged['anyOf'];
  return removeForeign(merged, types);
}

function mergeTypes(first: readonly string[], second: readonly string[]): string[] {
  if (first.length === 0) return [...second];
  if (second.length === 0) return [...first];
  const common = first.filter((type) => second.includes(type));
  // A contradiction such as integer and number.
  return common.length > 0 ? common : [...first];
}

/** Adds the branches of `anyOf` or `oneOf`, of which any may fit. */
export function readBranches(schema: JsonObject, branches: readonly JsonObject[]): JsonObject {
  if (branches.length === 0) return schema;
  const isNull = (one: JsonObject): boolean =>
    one['type'] === 'null' || (Array.isArray(one['enum']) && one['enum'].every((value) => value === null));
  const others = branches.filter((one) => !isNull(one));
  const isNullable = others.length < branches.length;
  // The fields of an object are more useful in a form than the alternatives that further restrict them.
  if (isObject(schema['properties']) && Object.keys(schema['properties']).length > 0) return schema;
  const [only] = others;
  if (only === undefined) return schema;
  if (others.length === 1)
    return isNullable ? allowNull(mergeSchemas(schema, only)) : mergeSchemas(schema, only);
  if (others.some((one) => Object.keys(one).length === 0)) return withoutShape(schema);
  const scalar = others.every((one) => isScalar(one));
  if (scalar) {
    const types = [...new Set(others.flatMap((one) => readTypes(one)))];
    const options = others.flatMap((one) => (Array.isArray(one['enum']) ? one['enum'] : [undefined]));
    return {
      ...withoutShape(schema),
      type: isNullable ? [...types, 'null'] : types.length === 1 ? (types[0] ?? 'string') : types,
      ...(options.includes(undefined)
        ? {}
        : {
            enum: isNullable
              ? ([...new Set([...options, null])] as Json[])
              : ([...new Set(options)] as Json[]),
          }),
    };
  }
  return { ...withoutShape(schema), anyOf: isNullable ? [...others, { type: 'null' }] : [...others] };
}

const SCALARS = new Set(['string', 'number', 'integer', 'boolean']);

function isScalar(schema: JsonObject): boolean {
  const types = readTypes(schema);
  return types.length > 0 && types.every((type) => SCALARS.has(type));
}

function allowNull(schema: JsonObject): JsonObject {
  const types = readTypes(schema);
  if (types.length === 0 || types.includes('null')) return schema;
  const options = schema['enum'];
  return {
    ...schema,
    type: [...types, 'null'],
    ...(Array.isArray(options) && !options.includes(null) ? { enum: [...options, null] } : {}),
  };
}

function withoutShape(schema: JsonObject): JsonObject {
  const { type: _type, enum: _enum, required: _required, properties: _properties, ...rest } = schema;
  return removeForeign(rest, []);
}

const KEYWORD_TYPES: Readonly<Record<string, readonly string[]>> = {
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  items: ['array'],
  uniqueItems: ['array'],
  ...Object.fromEntries(Object.entries(COUNTS).map(([keyword, type]) => [keyword, [type]])),
  ...Object.fromEntries(BOUNDS.map((keyword) => [keyword, ['number', 'integer']])),
};

/** Removes keywords that apply to none of the types, which the validator reports as mistakes. */
function removeForeign(schema: JsonObject, types: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => {
      const needed = Object.hasOwn(KEYWORD_TYPES, keyword) ? KEYWORD_TYPES[keyword] : undefined;
      return needed === undefined || needed.some((type) => types.includes(type));
    }),
  );
}
