import type { ErrorObject } from 'ajv/dist/2020.js';
import type { FieldError } from './errors.ts';
import { appendKey } from '../lib/json/json-path.ts';

const MAX_NAMES = 30;

/**
 * Converts Ajv's errors to field errors: in their order, one per field and issue, with one error for a union.
 */
export function toFieldErrors(errors: readonly ErrorObject[], input: unknown, root: string): FieldError[] {
  const seen = new Set<string>();
  const fieldErrors: FieldError[] = [];
  for (const error of withoutBranches(errors)) {
    const problem = { field: readField(error, input, root), issue: describeIssue(error) };
    const key = `${problem.field}\n${problem.issue}`;
    if (seen.has(key)) continue;
    seen.add(key);
    fieldErrors.push(problem);
  }
  return fieldErrors;
}

/**
 * A failed union reports the errors of all its branches. When exactly one branch matches in kind (the others
 * fail in type or constant at the value itself), the errors of that branch are reported; otherwise the error
 * of the union.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let rest = [...errors];
  for (const union of errors) {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') continue;
    const prefix = `${union.schemaPath}/`;
    const branches = new Map<string, ErrorObject[]>();
    for (const error of rest) {
      if (!error.schemaPath.startsWith(prefix) || !error.instancePath.startsWith(union.instancePath))
        continue;
      const branch = error.schemaPath.slice(prefix.length).split('/', 1)[0] ?? '';
      branches.set(branch, [...(branches.get(branch) ?? []), error]);
    }
    const fitting = [...branches.values()].filter(
      (list) => !list.some((e) => e.instancePath === union.instancePath && isKind(e.keyword)),
    );
    const kept = fitting.length === 1 ? (fitting[0] ?? []) : [];
    const dropped = new Set([...branches.values()].flat().filter((error) => !kept.includes(error)));
    if (kept.length > 0) dropped.add(union);
    rest = rest.filter((error) => !dropped.has(error));
  }
  return rest;
}

function isKind(keyword: string): boolean {
  return keyword === 'type' || keyword === 'const' || keyword === 'enum';
}

function readField(error: ErrorObject, input: unknown, root: string): string {
  let field = root;
  let at: unknown = input;
  for (const raw of error.instancePath.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    field = appendKey(field, Array.isArray(at) ? Number(key) : key);
    at = (at as Record<string, unknown> | null | undefined)?.[key];
  }
  const params = error.params as Record<string, unknown>;
  const below = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof below === 'string' ? appendKey(field, below) : field;
}

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** The issue, as the end of a sentence that begins with the field. A schema can set it with `x-issue`. */
function describeIssue(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const limit = String(params['limit']);
  const schema = (error.parentSchema ?? {}) as Record<string, unknown>;
  if (error.keyword !== 'type' && typeof schema['x-issue'] === 'string') {
    if (['pattern', 'format', 'anyOf', 'minLength', 'maxLength'].includes(error.keyword))
      return schema['x-issue'];
  }
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `is not a known field; known are ${listed(Object.keys((schema['properties'] as object | undefined) ?? {}))}`;
    case 'type':
      return `must be ${kinds(params['type'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be one of ${listed((params['allowedValues'] as unknown[]).map(plain))}`;
    case 'anyOf':
    case 'oneOf':
      return `must be ${describeBranches(schema[error.keyword] as unknown[])}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} entries`;
    case 'maxItems':
      return `must have at most ${limit} entries`;
    case 'minProperties':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} fields`;
    case 'maxProperties':
      return `must have at most ${limit} fields`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'format':
      return `must be ${formats[String(params['format'])] ?? `a valid ${String(params['format'])}`}`;
    case 'pattern':
      return `must match ${String(params['pattern'])}`;
    default:
      return error.message ?? 'is not valid';
  }
}

const formats: Record<string, string> = {
  'date-time': 'a date and time in ISO 8601, such as 2030-01-31T12:00:00Z',
  email: 'an email address',
  uri: 'an absolute URL',
};

function kinds(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((one) => typeNames[String(one)] ?? String(one));
  return names.join(' or ');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Describes the branches of a union: constants as "one of", the others by type. */
function describeBranches(branches: readonly unknown[]): string {
  const constants: string[] = [];
  const others: string[] = [];
  for (const branch of branches as Record<string, unknown>[]) {
    if ('const' in branch) constants.push(plain(branch['const']));
    else if (Array.isArray(branch['enum'])) constants.push(...branch['enum'].map(plain));
    else if (branch['type'] !== undefined) others.push(kinds(branch['type']));
  }
  const parts = [...new Set(others)];
  if (constants.length > 0) parts.unshift(`one of ${listed(constants)}`);
  return parts.length === 0 ? 'of one of the documented forms' : parts.join(' or ');
}
