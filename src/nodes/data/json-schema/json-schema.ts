import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FieldError } from '../../../contract/errors.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { validateSchema } from '../../validate-schema.ts';
import { SchemaError } from './schema-error.ts';
import { Plans, SchemaEvaluation } from './schema-evaluation.ts';
import { isFormat } from './schema-formats.ts';
import { resetPatternWork, compileSchemaPattern } from './schema-patterns.ts';
import { DIALECT, resolveSchemas } from './schema-resources.ts';
import { isKeyword, visitSchemas } from './schema-walk.ts';

/** Maximum size of a schema with its documents, in characters of JSON. */
export const MAX_SCHEMA_LENGTH = 256 * 1024;
const MAX_DEPTH = 64;
const MAX_REFERENCES = 200;
const CACHE_SIZE = 200;

/** Other schemas that a schema may refer to, by URI. */
export type SchemaDocuments = Readonly<Record<string, JsonObject>>;

/** Validates a value. After a failure, `errors` contains the reason, with the decisive error last. */
export type SchemaCheck = { (value: Json): boolean; errors?: ErrorObject[] | null };

const NONE: SchemaDocuments = {};
/**
 * Cached by object, because the engine passes the same objects in every run, and by text, for schemas loaded
 * again.
 */
const byObject = new WeakMap<object, { documents: SchemaDocuments; check: SchemaCheck }>();
const byText = new Map<string, SchemaCheck>();

/**
 * Compiles a JSON Schema 2020-12 for validation. The schema is interpreted and never turned into code.
 * Patterns run on a linear-time engine. Nothing is fetched: references resolve within the schema or in
 * `documents`. Validation stops at the first error, so that a long list of invalid values costs no more than
 * one.
 * @throws {SchemaError}
 */
export function compileSchema(schema: JsonObject, documents: SchemaDocuments = NONE): SchemaCheck {
  const known = byObject.get(schema);
  if (known?.documents === documents) return known.check;
  for (const one of [schema, ...Object.values(documents)]) checkShape(one);
  const text = JSON.stringify([schema, documents]);
  if (text.length > MAX_SCHEMA_LENGTH)
    throw new SchemaError(`must have at most ${MAX_SCHEMA_LENGTH} characters, not ${text.length}`);
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

/** Whether a value matches; errors are in `check.errors`. @throws {SchemaWorkError} */
export function matchesSchema(check: SchemaCheck, value: Json): boolean {
  resetPatternWork();
  return check(value);
}

/**
 * The error of a value that does not match a schema; null if it does. Validation stops at the first error.
 * `field` is relative to the value. @throws {SchemaError} @throws {SchemaWorkError}
 */
export function findSchemaViolation(
  schema: JsonObject,
  value: Json,
  documents: SchemaDocuments = NONE,
): FieldError | null {
  const check = compileSchema(schema, documents);
  if (matchesSchema(check, value)) return null;
  // The error of a group (`anyOf`) follows the errors of its branches and describes the problem as a whole.
  const error = check.errors?.at(-1);
  return error === undefined ? { field: '', issue: 'is not valid' } : validateSchema(error, value);
}

/**
 * Validates schemas against the meta-schema. Never compiles a user's schema. Created on first use, which
 * takes 20 ms.
 */
let metaSchema: Ajv2020 | null = null;

function compile(schema: JsonObject, documents: SchemaDocuments): SchemaCheck {
  metaSchema ??= new Ajv2020({ strict: false });
  for (const one of [schema, ...Object.values(documents)]) checkForm(one, metaSchema);
  try {
    return createCheck(schema, documents, metaSchema);
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaError(`must be a valid JSON Schema: ${reason.slice(0, 500)}`);
  }
}

function createCheck(schema: JsonObject, documents: SchemaDocuments, known: Ajv2020): SchemaCheck {
  const standardDocument = (address: string): JsonObject | undefined => {
    const standard = known.getSchema(address)?.schema;
    return isObject(standard) ? standard : undefined;
  };
  checkDialects([schema, ...Object.values(documents)], documents, standardDocument);
  const set = resolveSchemas(schema, documents, standardDocument);
  const keepsSeen = [...set.resourceBySchema.keys()].some(
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

/** A schema with a custom meta-schema must match it. */
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
    throw new SchemaError(`must match its $schema: ${evaluation.error?.keyword} at "${at}"`);
  }
}

/** Validates the form of a schema, independent of its content. */
function checkForm(schema: JsonObject, known: Ajv2020): void {
  if (known.validateSchema({ ...schema, $schema: DIALECT }) !== true) {
    const [first] = known.errors ?? [];
    const problem = first === undefined ? { field: '', issue: '' } : validateSchema(first, schema);
    throw new SchemaError(`must be a JSON Schema: ${problem.field} ${problem.issue}`);
  }
  visitSchemas(schema, (inner) => {
    const { format, pattern, patternProperties } = inner;
    const name =
      schema['$schema'] === undefined ? Object.keys(inner).find((key) => !isKeyword(key)) : undefined;
    if (name !== undefined)
      throw new SchemaError(
        `has an unknown keyword ${JSON.stringify(name)}; custom keywords require $schema`,
      );
    if (typeof format === 'string' && !isFormat(format))
      throw new SchemaError(`has an unknown format ${JSON.stringify(format)}`);
    try {
      if (typeof pattern === 'string') compileSchemaPattern(pattern);
      if (isObject(patternProperties))
        for (const key of Object.keys(patternProperties)) compileSchemaPattern(key);
    } catch (error) {
      throw new SchemaError(error instanceof Error ? error.message : String(error));
    }
  });
}

/** Limits checked before any recursion over the schema. */
function checkShape(schema: JsonObject): void {
  let references = 0;
  const work: { value: Json; depth: number }[] = [{ value: schema, depth: 1 }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { value, depth } = item;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) throw new SchemaError(`must be nested at most ${MAX_DEPTH} levels deep`);
    if (!Array.isArray(value) && (value['$ref'] !== undefined || value['$dynamicRef'] !== undefined))
      references++;
    if (references > MAX_REFERENCES)
      throw new SchemaError(`must have at most ${MAX_REFERENCES} references ($ref)`);
    for (const part of Object.values(value)) work.push({ value: part, depth: depth + 1 });
  }
}
