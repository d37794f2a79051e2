import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import type { FieldError } from '../contract/errors.ts';
import type { NodeType } from '../contract/node-type.ts';
import { parseDuration } from '../lib/time/duration.ts';
import { compilePath } from '../lib/json/json-path.ts';
import type { JsonObject } from '../lib/json/json.ts';
import { OUTPUT_KEYWORD } from './output-schema.ts';
import { UI_KEYWORD } from './ui-hints.ts';
import { validateSchema } from './validate-schema.ts';
import { findStrings, isTemplated, createModeFinder, formatPointer, parsePointer } from './template-mode.ts';

/** Maximum number of errors reported for one configuration. */
const MAX_ERRORS = 50;
const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

let engine: Ajv2020 | undefined;

/** Created on first use, not at import. */
function ajv(): Ajv2020 {
  return (engine ??= newAjv());
}

function newAjv(): Ajv2020 {
  const made = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    discriminator: true,
    verbose: true,
    // A field may have the name of a property that every object has, such as `constructor`.
    ownProperties: true,
    // These schemas are our own; validating them at every start would take longer than compiling them.
    meta: false,
    validateSchema: false,
    // Optimization would take a third of the compile time, and V8 optimizes the code anyway.
    code: { optimize: false },
  });
  made.addKeyword(UI_KEYWORD);
  made.addKeyword(OUTPUT_KEYWORD);
  made.addFormat('weft-duration', (text: string) => parseDuration(text) !== null);
  made.addFormat('weft-path', isPath);
  // These formats let the editor offer the possible values. Whether the target exists is checked elsewhere.
  for (const format of ['weft-node', 'weft-workflow', 'weft-secret', 'weft-connection', 'weft-code'])
    made.addFormat(format, true);
  return made;
}

const savedChecks = new WeakMap<NodeType, ValidateFunction>();
const evaluatedChecks = new WeakMap<NodeType, ValidateFunction>();

/**
 * Validates a saved configuration against its schema and then with the type's own check. A string with a
 * template counts as a valid value of any type, except in literal fields. `field` is relative to the
 * configuration.
 */
export function validateConfig(type: NodeType, config: JsonObject): FieldError[] {
  const saved = getSavedCheck(type);
  if (!saved(config)) {
    const mode = createModeFinder(type.templates);
    const templated = findStrings(
      config,
      (text, location) => isTemplated(text) && mode(location) !== 'literal',
    );
    const errors = dropTemplateErrors(saved.errors ?? [], templated).map((error) =>
      validateSchema(error, config),
    );
    if (errors.length > 0) return removeDuplicates(errors);
  }
  const errors = type.check?.(config) ?? [];
  const { timeout } = config;
  // Some types set their own limit for timeout.
  if (typeof timeout === 'string' && parseDuration(timeout) === 0 && !errors.some(isTimeoutError))
    return removeDuplicates([...errors, { field: 'timeout', issue: 'must be a duration of more than 0' }]);
  return removeDuplicates(errors);
}

function isTimeoutError({ field }: FieldError): boolean {
  return field === 'timeout';
}

/**
 * Validates a configuration with evaluated templates. Templates that the node evaluates itself are skipped.
 */
export function validateValue(type: NodeType, config: unknown): readonly FieldError[] {
  const evaluated = getEvaluatedCheck(type);
  if (evaluated(config)) return NO_ERRORS;
  return removeDuplicates(
    dropTemplateErrors(evaluated.errors ?? [], new Set()).map((error) => validateSchema(error, config)),
  );
}

const jsonChecks = new WeakMap<JsonObject, ValidateFunction>();

/** Validates a value against a schema. `field` is relative to the value. */
export function validateJson(schema: JsonObject, value: unknown): readonly FieldError[] {
  let check = jsonChecks.get(schema);
  if (check === undefined) jsonChecks.set(schema, (check = compileWhole(schema as TSchema)));
  if (check(value)) return NO_ERRORS;
  return removeDuplicates(
    dropTemplateErrors(check.errors ?? [], new Set()).map((error) => validateSchema(error, value)),
  );
}

function getSavedCheck(type: NodeType): ValidateFunction {
  let check = savedChecks.get(type);
  if (check === undefined) savedChecks.set(type, (check = compile(type.config)));
  return check;
}

function getEvaluatedCheck(type: NodeType): ValidateFunction {
  let check = evaluatedChecks.get(type);
  if (check === undefined) {
    const deferred = Object.entries(type.templates ?? {}).filter(([, mode]) => mode === 'deferred');
    check =
      deferred.length === 0
        ? getSavedCheck(type)
        : compile(
            deferred.reduce((schema, [pattern]) => allowAnyAt(schema, pattern.split('.')), type.config),
          );
    evaluatedChecks.set(type, check);
  }
  return check;
}

/** A schema whose variants differ in the value of one field. */
type Variants = { discriminator: { propertyName: string }; oneOf: TSchema[] };

/** With more variants than this, each one is compiled when it is used. */
const MAX_VARIANTS_AT_ONCE = 20;

/** Compiled on first use, so that startup does not pay for types that no workflow uses. */
function compile(schema: TSchema): ValidateFunction {
  const { discriminator, oneOf } = schema as Partial<Variants>;
  if (discriminator === undefined || oneOf === undefined) return compileWhole(schema);
  const isAtOnce =
    oneOf.length <= MAX_VARIANTS_AT_ONCE &&
    !oneOf.some((variant) => isInherited(getTag(variant, discriminator.propertyName)));
  return isAtOnce ? compileWhole(schema) : compileVariants({ discriminator, oneOf });
}

/** Ajv looks up tags in an object, in which names such as `constructor` already exist. */
function isInherited(tag: unknown): boolean {
  return typeof tag === 'string' && tag in Object.prototype;
}

/** The same as `compileWhole` for the schema with all variants, except for the paths of the schema. */
function compileVariants({ discriminator, oneOf }: Variants): ValidateFunction {
  const { propertyName } = discriminator;
  const byTag = new Map(oneOf.map((variant) => [getTag(variant, propertyName), variant]));
  const tags = [...byTag.keys()].filter((tag) => !isInherited(tag));
  const compiled = new Map<TSchema, ValidateFunction>();
  const checkTag = compileWhole({
    type: 'object',
    discriminator,
    oneOf: tags.map((tag) => ({
      properties: { [propertyName]: { const: tag } },
      required: [propertyName],
    })),
  } as TSchema);
  const check = (config: unknown): boolean => {
    const variant = byTag.get((config as JsonObject | null)?.[propertyName]);
    let validate = variant === undefined ? checkTag : compiled.get(variant);
    if (variant !== undefined && validate === undefined)
      compiled.set(variant, (validate = compileWhole(variant)));
    const fits = validate?.(config) === true;
    made.errors = validate?.errors ?? null;
    return fits;
  };
  const made = check as ValidateFunction;
  return made;
}

function getTag(variant: TSchema, name: string): unknown {
  return (variant as { properties?: Record<string, { const?: unknown }> }).properties?.[name]?.const;
}

function compileWhole(schema: TSchema): ValidateFunction {
  const check = ajv().compile(schema);
  // Ajv would cache the schema forever, but types registered by users come and go.
  ajv().removeSchema(schema);
  return check;
}

/** Copies the schema and allows any value at a template pattern. */
function allowAnyAt(schema: TSchema, steps: readonly string[]): TSchema {
  const [step, ...rest] = steps;
  if (step === undefined) return {} as TSchema;
  const { oneOf, properties, items } = schema as {
    oneOf?: TSchema[];
    properties?: Record<string, TSchema>;
    items?: TSchema;
  };
  if (oneOf !== undefined)
    return { ...schema, oneOf: oneOf.map((variant) => allowAnyAt(variant, steps)) } as TSchema;
  if (step === '*' && items !== undefined) return { ...schema, items: allowAnyAt(items, rest) } as TSchema;
  const inner = properties?.[step];
  if (inner === undefined) return schema;
  return { ...schema, properties: { ...properties, [step]: allowAnyAt(inner, rest) } } as TSchema;
}

/**
 * Drops errors that are caused only by templated strings. An `anyOf` or `oneOf` with a branch that has no
 * errors left is valid; otherwise only the errors of the closest branch are reported.
 */
function dropTemplateErrors(errors: readonly ErrorObject[], templated: ReadonlySet<string>): ErrorObject[] {
  let left: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      left = settleBranches(error, left, errors);
    } else if (!isExcused(error, templated)) {
      left.push(error);
    }
  }
  return left;
}

function isExcused(error: ErrorObject, templated: ReadonlySet<string>): boolean {
  if (templated.has(error.instancePath)) return true;
  if (error.keyword !== 'discriminator') return false;
  const tag = String((error.params as Record<string, unknown>)['tag']);
  return templated.has(formatPointer([...parsePointer(error.instancePath), tag]));
}

function settleBranches(error: ErrorObject, left: ErrorObject[], all: readonly ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>();
  for (const other of all) {
    const branch = readBranch(error, other);
    if (branch !== undefined && !branches.has(branch)) branches.set(branch, []);
  }
  const outside = left.filter((other) => readBranch(error, other) === undefined);
  for (const other of left) branches.get(readBranch(error, other) ?? '')?.push(other);
  const candidates = [...branches.values()];
  if (candidates.length === 0) return [...left, error];
  if (candidates.some((branch) => branch.length === 0)) return outside;
  const likeliest = candidates.reduce((a, b) => (measureDepth(b) > measureDepth(a) ? b : a));
  return measureDepth(likeliest) > error.instancePath.length
    ? [...outside, ...likeliest]
    : [...outside, error];
}

/**
 * Returns the number of the branch if `other` is an error in a branch of the `anyOf` or `oneOf` of `error`.
 */
function readBranch(error: ErrorObject, other: ErrorObject): string | undefined {
  const inside =
    other.schemaPath.startsWith(`${error.schemaPath}/`) &&
    (other.instancePath === error.instancePath || other.instancePath.startsWith(`${error.instancePath}/`));
  return inside ? other.schemaPath.slice(error.schemaPath.length + 1).split('/')[0] : undefined;
}

/** The branch with the most deeply nested error is most likely the intended one. */
function measureDepth(branch: readonly ErrorObject[]): number {
  return Math.min(...branch.map((error) => error.instancePath.length));
}

function removeDuplicates(errors: readonly FieldError[]): FieldError[] {
  const seen = new Map(errors.map((problem) => [`${problem.field}\n${problem.issue}`, problem]));
  return [...seen.values()].slice(0, MAX_ERRORS);
}

function isPath(text: string): boolean {
  try {
    compilePath(text);
    return true;
  } catch {
    return false;
  }
}
