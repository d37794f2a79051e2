import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import type { FieldError } from '../contract/errors.ts';
import type { NodeType } from '../contract/node-type.ts';
import { parseDuration } from '../lib/time/duration.ts';
import { compilePath } from '../lib/json/json-path.ts';
import type { JsonObject } from '../lib/json/json.ts';
import { validateSchema } from './validate-schema.ts';
import { findStrings, isTemplated, modeFinder, pointer, pointerSteps } from './template-mode.ts';

/** The most faults that are reported of one configuration. */
const MAX_FAULTS = 50;
const NO_FAULTS: readonly FieldError[] = Object.freeze([]);

let engine: Ajv2020 | undefined;

/** Set up at the first check, not at import. */
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
    // The schemas are our own; checking them at every start would cost more than compiling them.
    meta: false,
    validateSchema: false,
    // That would take a third of the time to compile, and makes nothing quicker that V8 compiles in turn.
    code: { optimize: false },
  });
  made.addFormat('weft-duration', (text: string) => parseDuration(text) !== null);
  made.addFormat('weft-path', isPath);
  // These tell what a text names, so that a form can offer it; whether it is there is asked elsewhere.
  for (const format of ['weft-node', 'weft-workflow', 'weft-secret', 'weft-connection', 'weft-code'])
    made.addFormat(format, true);
  return made;
}

const savedChecks = new WeakMap<NodeType, ValidateFunction>();
const evaluatedChecks = new WeakMap<NodeType, ValidateFunction>();

/**
 * The faults of a configuration as it is saved: of its schema, then those that only the type itself can tell. A string
 * that holds a template stands for a value of any type, except where the type takes it literally. `field` is relative
 * to the configuration.
 */
export function validateConfig(type: NodeType, config: JsonObject): FieldError[] {
  const saved = checkOfSaved(type);
  if (!saved(config)) {
    const mode = modeFinder(type.templates);
    const templated = findStrings(config, (text, place) => isTemplated(text) && mode(place) !== 'literal');
    const faults = remaining(saved.errors ?? [], templated).map((error) => validateSchema(error, config));
    if (faults.length > 0) return distinct(faults);
  }
  const faults = type.check?.(config) ?? [];
  const { timeout } = config;
  // Of some types a time-out has a bound of their own.
  if (typeof timeout === 'string' && parseDuration(timeout) === 0 && !faults.some(isOfTimeout))
    return distinct([...faults, { field: 'timeout', issue: 'takes a duration of more than 0' }]);
  return distinct(faults);
}

function isOfTimeout({ field }: FieldError): boolean {
  return field === 'timeout';
}

/** The faults of a configuration whose templates are evaluated; what the node evaluates itself is left out. */
export function validateValue(type: NodeType, config: unknown): readonly FieldError[] {
  const evaluated = checkOfEvaluated(type);
  if (evaluated(config)) return NO_FAULTS;
  return distinct(remaining(evaluated.errors ?? [], new Set()).map((error) => validateSchema(error, config)));
}

function checkOfSaved(type: NodeType): ValidateFunction {
  let check = savedChecks.get(type);
  if (check === undefined) savedChecks.set(type, (check = compile(type.config)));
  return check;
}

function checkOfEvaluated(type: NodeType): ValidateFunction {
  let check = evaluatedChecks.get(type);
  if (check === undefined) {
    const deferred = Object.entries(type.templates ?? {}).filter(([, mode]) => mode === 'deferred');
    check =
      deferred.length === 0
        ? checkOfSaved(type)
        : compile(deferred.reduce((schema, [pattern]) => without(schema, pattern.split('.')), type.config));
    evaluatedChecks.set(type, check);
  }
  return check;
}

/** On first use: a start does not pay for types that no workflow uses, nor one turn for all that a type needs. */
function compile(schema: TSchema): ValidateFunction {
  const check = ajv().compile(schema);
  // Ajv would keep it for ever; types of users come and go.
  ajv().removeSchema(schema);
  return check;
}

/** The schema with anything allowed at a pattern of template places. */
function without(schema: TSchema, steps: readonly string[]): TSchema {
  const [step, ...rest] = steps;
  if (step === undefined) return {} as TSchema;
  const { oneOf, properties, items } = schema as {
    oneOf?: TSchema[];
    properties?: Record<string, TSchema>;
    items?: TSchema;
  };
  if (oneOf !== undefined)
    return { ...schema, oneOf: oneOf.map((variant) => without(variant, steps)) } as TSchema;
  if (step === '*' && items !== undefined) return { ...schema, items: without(items, rest) } as TSchema;
  const inner = properties?.[step];
  if (inner === undefined) return schema;
  return { ...schema, properties: { ...properties, [step]: without(inner, rest) } } as TSchema;
}

/**
 * Errors that stay when templated strings stand for any value. An `anyOf` or `oneOf` of which one branch has no
 * error left is met; of one that is not met, the errors of its likeliest branch are told, not those of all.
 */
function remaining(errors: readonly ErrorObject[], templated: ReadonlySet<string>): ErrorObject[] {
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
  return templated.has(pointer([...pointerSteps(error.instancePath), tag]));
}

function settleBranches(error: ErrorObject, left: ErrorObject[], all: readonly ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>();
  for (const other of all) {
    const branch = branchOf(error, other);
    if (branch !== undefined && !branches.has(branch)) branches.set(branch, []);
  }
  const outside = left.filter((other) => branchOf(error, other) === undefined);
  for (const other of left) branches.get(branchOf(error, other) ?? '')?.push(other);
  const candidates = [...branches.values()];
  if (candidates.length === 0) return [...left, error];
  if (candidates.some((branch) => branch.length === 0)) return outside;
  const likeliest = candidates.reduce((a, b) => (closeness(b) > closeness(a) ? b : a));
  return closeness(likeliest) > error.instancePath.length ? [...outside, ...likeliest] : [...outside, error];
}

/** The branch's number, when `other` is an error inside a branch of the `anyOf` or `oneOf` that `error` is about. */
function branchOf(error: ErrorObject, other: ErrorObject): string | undefined {
  const inside =
    other.schemaPath.startsWith(`${error.schemaPath}/`) &&
    (other.instancePath === error.instancePath || other.instancePath.startsWith(`${error.instancePath}/`));
  return inside ? other.schemaPath.slice(error.schemaPath.length + 1).split('/')[0] : undefined;
}

/** A branch whose errors lie deeper was likelier meant. */
function closeness(branch: readonly ErrorObject[]): number {
  return Math.min(...branch.map((error) => error.instancePath.length));
}

function distinct(faults: readonly FieldError[]): FieldError[] {
  const seen = new Map(faults.map((fault) => [`${fault.field}\n${fault.issue}`, fault]));
  return [...seen.values()].slice(0, MAX_FAULTS);
}

function isPath(text: string): boolean {
  try {
    compilePath(text);
    return true;
  } catch {
    return false;
  }
}
