import type { ErrorObject } from 'ajv';
import type { FieldError } from '../contract/errors.ts';
import { appendKey } from '../lib/json/json-path.ts';
import { isObject } from '../lib/json/json.ts';
import { parsePointer } from './template-mode.ts';

/** Messages for our own formats. */
export const formatTexts: Readonly<Record<string, string>> = {
  'weft-duration': 'must be a duration with a unit, such as 500ms, 5s, 2m, 1h or 1d, of at most 366 days',
  'weft-path': 'must be a path in the input, such as customer.name or items[0], without braces',
};

/** Converts a schema error to a field error with a dotted path into `data`. */
export function validateSchema(error: ErrorObject, data: unknown): FieldError {
  const field = findFieldAt(error.instancePath, data);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { field: appendKey(field, String(params['missingProperty'])), issue: 'is required' };
    case 'additionalProperties':
      return {
        field: appendKey(field, String(params['additionalProperty'])),
        issue: describeUnknownField(error),
      };
    case 'unevaluatedProperties':
      return {
        field: appendKey(field, String(params['unevaluatedProperty'])),
        issue: 'is not a known field',
      };
    case 'propertyNames':
      return {
        field: appendKey(field, String(params['propertyName'])),
        issue: 'must be a valid name for this object',
      };
    case 'dependentRequired':
      return {
        field: appendKey(field, String(params['missingProperty'])),
        issue: `is required with ${String(params['property'])}`,
      };
    case 'discriminator':
      return { field: appendKey(field, String(params['tag'])), issue: describeWrongTag(error) };
    default:
      return { field, issue: describeIssue(error, params) };
  }
}

function describeIssue(error: ErrorObject, params: Record<string, unknown>): string {
  const limit = String(params['limit']);
  switch (error.keyword) {
    case 'type':
      return `must be ${article([params['type']].flat().map(String))}`;
    case 'enum':
      return `must be ${alternatives((params['allowedValues'] as unknown[]).map(print))}`;
    case 'const':
      return `must be ${print(params['allowedValue'])}`;
    case 'format':
      return formatTexts[String(params['format'])] ?? `must be in the format ${String(params['format'])}`;
    case 'pattern':
      return `must match the pattern ${String(params['pattern'])}`;
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
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'minItems':
      return limit === '1' ? 'must have at least one entry' : `must have at least ${limit} entries`;
    case 'maxItems':
      return `must have at most ${limit} entries`;
    case 'minProperties':
      return `must have at least ${limit} ${limit === '1' ? 'field' : 'fields'}`;
    case 'maxProperties':
      return `must have at most ${limit} fields`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    case 'anyOf':
      return 'must match one of the allowed schemas';
    case 'oneOf':
      return 'must match exactly one of the allowed schemas';
    case 'not':
      return 'must not match the excluded schema';
    case 'false schema':
      return 'is not allowed here';
    default:
      return error.message ?? 'is not valid';
  }
}

function describeUnknownField(error: ErrorObject): string {
  const known = isObject(error.parentSchema?.['properties'])
    ? Object.keys(error.parentSchema['properties'])
    : [];
  return known.length === 0 ? 'is not a known field' : `is not a known field; known are ${known.join(', ')}`;
}

function describeWrongTag(error: ErrorObject): string {
  const tag = String((error.params as Record<string, unknown>)['tag']);
  const variants = (error.parentSchema?.['oneOf'] ?? []) as {
    properties?: Record<string, { const?: unknown }>;
  }[];
  return `must be ${alternatives(variants.map((variant) => String(variant.properties?.[tag]?.const)))}`;
}

function print(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? 'nothing');
}

/** More alternatives than this are not listed. */
const MAX_ALTERNATIVES = 50;

function alternatives(all: string[]): string {
  const texts = all.length <= MAX_ALTERNATIVES ? all : [...all.slice(0, MAX_ALTERNATIVES), '…'];
  return texts.length === 1 ? texts.join('') : `one of ${texts.join(', ')}`;
}

const articles: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
  null: 'null',
};

function article(types: string[]): string {
  return types.map((type) => articles[type] ?? `a ${type}`).join(' or ');
}

/** `operations[0].transform` for `/operations/0/transform`: a step is an index where the data has a list. */
export function findFieldAt(pointerText: string, data: unknown): string {
  let field = '';
  let value = data;
  for (const step of parsePointer(pointerText)) {
    if (Array.isArray(value)) {
      field = appendKey(field, Number(step));
      value = value[Number(step)];
    } else {
      field = appendKey(field, step);
      value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    }
  }
  return field;
}
