import type { ErrorObject } from 'ajv';
import { _ as codeText } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isMultipleOf } from '../../lib/decimal.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { schemaFault } from '../schema-fault.ts';
import { allDiffer } from './canonical-text.ts';
import { SchemaError, SchemaWorkError } from './schema-error.ts';
import { Plans, SchemaEvaluation } from './schema-evaluation.ts';
import { isFormat } from './schema-formats.ts';
import { isOrdinary, plainForm } from './schema-forms.ts';
import { forgetPatternWork, schemaPattern } from './schema-patterns.ts';
import { DIALECT, resolveSchemas } from './schema-resources.ts';
import { isKeyword, visitSchemas } from './schema-walk.ts';
import { unicodeFormats } from './unicode-formats.ts';

/** The largest schema, in characters of its JSON, with the documents that it was given. */
export const MAX_SCHEMA_SIZE = 256 * 1024;
const MAX_DEPTH = 64;
const MAX_REFERENCES = 200;
const CACHE_SIZE = 200;
/** References followed in one check by Ajv. Schemas that refer to themselves can multiply without end. */
const MAX_STEPS = 1_000_000;
/** Put beside every reference before a schema is compiled; counts. */
const STEP = 'weft-step';

/** Other schemas that a schema may refer to, by address. */
export type SchemaDocuments = Readonly<Record<string, JsonObject>>;

/** Checks a value; where it does not fit, `errors` says why, the error that decided last. */
export type SchemaCheck = { (value: Json): boolean; errors?: ErrorObject[] | null };

/** A check is synchronous, so that one counter serves all. */
let steps = 0;

const NONE: SchemaDocuments = {};
/** By the objects, for the engine gives the same ones in every run; by their text, for what was loaded again. */
const byObject = new WeakMap<object, { documents: SchemaDocuments; check: SchemaCheck }>();
const byText = new Map<string, SchemaCheck>();

/**
 * Compiles a JSON Schema 2020-12. Patterns run on a linear-time engine; nothing is fetched: what it refers to is in it or in
 * `documents`. The check stops at the first error, so that a long list of wrong values costs no more than one.
 * @throws {SchemaError}
 */
export function compileSchema(schema: JsonObject, documents: SchemaDocuments = NONE): SchemaCheck {
  const known = byObject.get(schema);
  if (known?.documents === documents) return known.check;
  for (const one of [schema, ...Object.values(documents)]) checkShape(one);
  const text = JSON.stringify([schema, documents]);
  if (text.length > MAX_SCHEMA_SIZE)
    throw new SchemaError(
      `takes a schema of at most ${MAX_SCHEMA_SIZE} characters; this one has ${text.length}`,
    );
  let check = byText.get(text);
  if (check === undefined) {
    const [own, others] = JSON.parse(text) as [JsonObject, Record<string, JsonObject>];
    check = compile(own, others);
    if (byText.size >= CACHE_SIZE) byText.delete(byText.keys().next().value ?? '');
  } else {
    byText.delete(text);
  }
  byText.set(text, check);
  byObject.set(schema, { documents, check });
  return check;
}

/** Whether a value fits; the errors are at `check.errors`. @throws {SchemaWorkError} */
export function fits(check: SchemaCheck, value: Json): boolean {
  steps = 0;
  forgetPatternWork();
  try {
    return check(value);
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

function compile(schema: JsonObject, documents: SchemaDocuments): SchemaCheck {
  metaSchema ??= new Ajv2020({ strict: false, code: { regExp: schemaPattern } });
  for (const one of [schema, ...Object.values(documents)]) checkForm(one, metaSchema);
  try {
    return isOrdinary(schema) && Object.keys(documents).length === 0
      ? compiled(schema)
      : interpreted(schema, documents, metaSchema);
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaError(`is not a JSON Schema that can be used: ${reason.slice(0, 500)}`);
  }
}

/** By Ajv, which writes a function for it. An instance of its own: Ajv keeps every schema that it compiled. */
function compiled(schema: JsonObject): SchemaCheck {
  const { $schema: _, ...own } = schema;
  return newAjv().compile(counted(plainForm(own)));
}

/** For what Ajv refuses or gets wrong: slower, and right. */
function interpreted(schema: JsonObject, documents: SchemaDocuments, known: Ajv2020): SchemaCheck {
  const standardDocument = (address: string): JsonObject | undefined => {
    const standard = known.getSchema(address)?.schema;
    return isObject(standard) ? standard : undefined;
  };
  checkDialects([schema, ...Object.values(documents)], documents, standardDocument);
  const set = resolveSchemas(schema, documents, standardDocument);
  const keepsSeen = [...set.resourceOf.keys()].some(
    (one) => Object.hasOwn(one, 'unevaluatedItems') || Object.hasOwn(one, 'unevaluatedProperties'),
  );
  const plans = new Plans(set);
  const check: SchemaCheck = (value) => {
    const evaluation = new SchemaEvaluation(plans, keepsSeen);
    const isFit = evaluation.fits(value);
    check.errors = isFit || evaluation.error === null ? null : [evaluation.error];
    return isFit;
  };
  return check;
}

/** Who names a schema of schemas of his own has to fit it. */
function checkDialects(
  schemas: readonly JsonObject[],
  documents: SchemaDocuments,
  standardDocument: (address: string) => JsonObject | undefined,
): void {
  for (const schema of schemas) {
    const name = schema['$schema'];
    const own = typeof name === 'string' ? documents[name] : undefined;
    if (own === undefined) continue;
    const evaluation = new SchemaEvaluation(
      new Plans(resolveSchemas(own, documents, standardDocument)),
      true,
    );
    if (evaluation.fits(schema)) continue;
    const at = evaluation.error?.instancePath ?? '';
    throw new SchemaError(`does not fit its $schema: ${evaluation.error?.keyword} at "${at}"`);
  }
}

/** What makes a JSON Schema of an object, whatever becomes of it. */
function checkForm(schema: JsonObject, known: Ajv2020): void {
  if (known.validateSchema({ ...schema, $schema: DIALECT }) !== true) {
    const [first] = known.errors ?? [];
    const fault = first === undefined ? { field: '', issue: '' } : schemaFault(first, schema);
    throw new SchemaError(`is not a JSON Schema: ${fault.field} ${fault.issue}`);
  }
  visitSchemas(schema, (inner) => {
    const { format, pattern, patternProperties } = inner;
    const name =
      schema['$schema'] === undefined ? Object.keys(inner).find((key) => !isKeyword(key)) : undefined;
    if (name !== undefined)
      throw new SchemaError(
        `has an unknown keyword: ${JSON.stringify(name)}; a schema that names its $schema may have keywords of its own`,
      );
    if (typeof format === 'string' && !isFormat(format))
      throw new SchemaError(`has an unknown format ${JSON.stringify(format)}`);
    try {
      if (typeof pattern === 'string') schemaPattern(pattern);
      if (isObject(patternProperties)) for (const key of Object.keys(patternProperties)) schemaPattern(key);
    } catch (error) {
      throw new SchemaError(error instanceof Error ? error.message : String(error));
    }
  });
}

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    // A name such as toString is a name like any other.
    ownProperties: true,
    meta: false,
    validateSchema: false,
    logger: false,
    verbose: true,
    code: { regExp: schemaPattern },
  });
  // It notes what each keyword looked at, for keywords that are not given to it, and stumbles over that.
  Object.assign(ajv.opts, { unevaluated: false });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(unicodeFormats)) ajv.addFormat(name, format);
  ajv.addVocabulary(['$anchor', 'example']);
  // Ajv compares each element with each other one; lists may be long.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, list: Json[]) => !wanted || allDiffer(list),
    errors: false,
  });
  // Ajv divides, and 19.99 / 0.01 is no whole number.
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (of: number, value: number) => isMultipleOf(value, of),
    errors: false,
    error: { message: 'is no multiple', params: ({ schemaCode }) => codeText`{multipleOf: ${schemaCode}}` },
  });
  ajv.addKeyword({ keyword: STEP, validate: countStep, errors: false, before: '$ref' });
  return ajv;
}

/** Bounds that must hold before anything that recurses sees the schema. */
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
