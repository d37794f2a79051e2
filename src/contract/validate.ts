import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { appendKey } from '../lib/json/json-path.ts';
import { toFieldErrors } from './validation-errors.ts';
import { createValidationError } from './errors.ts';

/** Maximum nesting of JSON input. */
export const MAX_NESTING = 64;
/**
 * With up to this many values in an input all errors are listed; in a larger one only the first, so that
 * invalid input stays cheap.
 */
const MAX_VALUES_FOR_ALL = 20_000;
/** Maximum number of errors in one response. */
const MAX_ERRORS = 100;

type Compiled = { first: ValidateFunction; all: ValidateFunction | null };
const compiled = new WeakMap<TSchema, Compiled>();
let engines: { first: Ajv2020; all: Ajv2020 } | null = null;

/**
 * Validates an input against one of the service's own schemas (never a user's) and returns it typed. Values
 * are not coerced, added or removed. `root` prefixes every field: with `definition`, an error is at
 * `definition.nodes[2].id`. @throws {WeftError} VALIDATION_ERROR with all errors: dotted paths, unknown
 * fields by name.
 */
export function validate<S extends TSchema>(schema: S, input: unknown, root = ''): Static<S> {
  const size = measure(input, root);
  let entry = compiled.get(schema);
  if (entry === undefined) {
    entry = { first: ajv().first.compile(schema), all: null };
    compiled.set(schema, entry);
  }
  if (entry.first(input)) return input as Static<S>;
  let failed = entry.first;
  if (size <= MAX_VALUES_FOR_ALL) {
    entry.all ??= ajv().all.compile(schema);
    entry.all(input);
    failed = entry.all;
  }
  throw createValidationError(toFieldErrors(failed.errors ?? [], input, root).slice(0, MAX_ERRORS));
}

/**
 * Counts the values of an input. @throws {WeftError} VALIDATION_ERROR when it is nested deeper than 64
 * levels.
 */
function measure(input: unknown, root: string): number {
  let count = 1;
  if (!isContainer(input)) return count;
  // `field` is the top-level field that contains the value, which locates it at any depth.
  const open: { value: object; depth: number; field: string }[] = [{ value: input, depth: 1, field: root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth, field } = next;
    if (depth > MAX_NESTING)
      throw createValidationError([{ field, issue: `is nested deeper than ${MAX_NESTING} levels` }]);
    const list = Array.isArray(value);
    const keys = Object.keys(value);
    count += keys.length;
    for (const key of keys) {
      const below = (value as Record<string, unknown>)[key];
      if (!isContainer(below)) continue;
      const name = depth === 1 ? appendKey(root, list ? Number(key) : key) : field;
      open.push({ value: below, depth: depth + 1, field: name });
    }
  }
  return count;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Ajv is created at the first validation, not at import. */
function ajv(): { first: Ajv2020; all: Ajv2020 } {
  engines ??= { first: makeAjv(false), all: makeAjv(true) };
  return engines;
}

function makeAjv(allErrors: boolean): Ajv2020 {
  const engine = new Ajv2020({
    allErrors,
    strict: false,
    verbose: true,
    ownProperties: true,
    // The schemas are trusted; validating them would delay the first request by the compile time of about 20
    // of them.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  addFormats.default(engine);
  return engine;
}
