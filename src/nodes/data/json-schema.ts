import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json, JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { schemaRegExp } from '../../lib/regex.ts';
import { plainForm, UnsupportedSchema } from './schema-forms.ts';
import { visitSchemas } from './schema-walk.ts';
import { unicodeFormats } from './unicode-formats.ts';

/** The largest schema, in characters of its JSON. */
export const MAX_SCHEMA_SIZE = 256 * 1024;
const MAX_DEPTH = 64;
const MAX_REFERENCES = 200;
const CACHE_SIZE = 200;
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
/** References followed in one check. Schemas that refer to themselves can multiply without end. */
const MAX_STEPS = 1_000_000;
/** Put beside every reference before a schema is compiled; counts. */
const STEP = 'weft-step';

/** A schema that cannot be used; the message says why. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Thrown while a value is checked: the schema asks for more than MAX_STEPS, or for a recursion without end. */
export class SchemaWorkError extends Error {
  override readonly name = 'SchemaWorkError';
}

/** A check is synchronous, so that one counter serves all. */
let steps = 0;

/** By the object, for the engine gives the same one in every run; by its text, for one that was loaded again. */
const byObject = new WeakMap<object, ValidateFunction>();
const byText = new Map<string, ValidateFunction>();

/**
 * Compiles a JSON Schema 2020-12. Patterns run on a linear-time engine; nothing is fetched. The validator stops at the
 * first error, so that a long list of wrong values costs no more than one. @throws {SchemaError}
 */
export function compileSchema(schema: JsonObject): ValidateFunction {
  const known = byObject.get(schema);
  if (known !== undefined) return known;
  checkShape(schema);
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA_SIZE)
    throw new SchemaError(
      `takes a schema of at most ${MAX_SCHEMA_SIZE} characters; this one has ${text.length}`,
    );
  let validate = byText.get(text);
  if (validate === undefined) {
    validate = compile(JSON.parse(text) as JsonObject);
    if (byText.size >= CACHE_SIZE) byText.delete(byText.keys().next().value ?? '');
  } else {
    byText.delete(text);
  }
  byText.set(text, validate);
  byObject.set(schema, validate);
  return validate;
}

/** Whether a value fits; the errors are at `validate.errors`. @throws {SchemaWorkError} */
export function fits(validate: ValidateFunction, value: Json): boolean {
  steps = 0;
  try {
    return validate(value);
  } catch (error) {
    // A schema that refers to itself at the same place recurses until the stack is used up.
    if (error instanceof RangeError) throw new SchemaWorkError('refers to itself without end');
    throw error;
  }
}

function counted(schema: JsonObject): JsonObject {
  visitSchemas(schema, (inner) => {
    if (inner['$ref'] !== undefined || inner['$dynamicRef'] !== undefined) inner[STEP] = true;
  });
  return schema;
}

function countStep(): boolean {
  if (++steps > MAX_STEPS) throw new SchemaWorkError(`takes more than ${MAX_STEPS} steps for what arrived`);
  return true;
}

/** Knows what a JSON Schema is. Made on first use, and once: that costs 20 ms. */
let metaSchema: Ajv2020 | null = null;

function compile(schema: JsonObject): ValidateFunction {
  const { $schema = DIALECT, ...own } = schema;
  if (typeof $schema !== 'string' || $schema.replace(/#$/, '') !== DIALECT)
    throw new SchemaError(`takes a schema of ${DIALECT}`);
  metaSchema ??= new Ajv2020({ strict: false, code: { regExp: schemaRegExp } });
  if (metaSchema.validateSchema({ ...own, $schema: DIALECT }) !== true) {
    const reason = metaSchema.errorsText(metaSchema.errors?.slice(0, 1), { dataVar: 'schema' });
    throw new SchemaError(`is not a JSON Schema: ${reason}`);
  }
  try {
    // An instance of its own: Ajv keeps every schema that it compiled.
    return newAjv(JSON.stringify(own).includes(DIALECT)).compile(counted(plainForm(own)));
  } catch (error) {
    if (error instanceof UnsupportedSchema) throw new SchemaError(error.message);
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaError(`is not a JSON Schema that can be used: ${reason.slice(0, 500)}`);
  }
}

/** `meta`: it refers to the schema of schemas, which costs 20 ms. */
function newAjv(meta: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    // A name such as toString is a name like any other.
    ownProperties: true,
    meta,
    validateSchema: false,
    logger: false,
    verbose: true,
    code: { regExp: schemaRegExp },
  });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(unicodeFormats)) ajv.addFormat(name, format);
  ajv.addVocabulary(['$anchor', 'example', 'x-order']);
  // Ajv compares each element with each other one; lists may be long.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, list: Json[]) => !wanted || allDiffer(list),
    errors: false,
  });
  ajv.addKeyword({ keyword: STEP, validate: countStep, errors: false, before: '$ref' });
  return ajv;
}

function allDiffer(list: Json[]): boolean {
  return new Set(list.map(canonicalText)).size === list.length;
}

/** JSON with sorted keys. Data is bounded in depth when it enters. */
function canonicalText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** Bounds that must hold before Ajv, which recurses, sees the schema. */
function checkShape(schema: JsonObject): void {
  let references = 0;
  const work: { value: Json; depth: number }[] = [{ value: schema, depth: 1 }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { value, depth } = item;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) throw new SchemaError(`takes a schema of at most ${MAX_DEPTH} levels`);
    if (!Array.isArray(value) && (value['$ref'] !== undefined || value['$dynamicRef'] !== undefined))
      references++;
    if (references > MAX_REFERENCES)
      throw new SchemaError(`takes at most ${MAX_REFERENCES} references ($ref)`);
    for (const part of Object.values(value)) work.push({ value: part, depth: depth + 1 });
  }
}
