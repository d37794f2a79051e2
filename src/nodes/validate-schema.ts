import type { ErrorObject } from 'ajv';
import type { FieldError } from '../contract/errors.ts';
import { appendKey } from '../lib/json/json-path.ts';
import { isObject } from '../lib/json/json.ts';
import { pointerSteps } from './template-mode.ts';

/** What the formats of our own take, for people. */
export const formatTexts: Readonly<Record<string, string>> = {
  'weft-duration': 'takes a duration with a unit, such as 500ms, 5s, 2m, 1h or 1d, of at most 366 days',
  'weft-path': 'takes a path in what arrives, such as customer.name or items[0], without braces',
};

/** A schema error as a fault: the field as a dotted path into `data`, and what it takes. */
export function validateSchema(error: ErrorObject, data: unknown): FieldError {
  const field = fieldAt(error.instancePath, data);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { field: appendKey(field, String(params['missingProperty'])), issue: 'is required' };
    case 'additionalProperties':
      return { field: appendKey(field, String(params['additionalProperty'])), issue: unknownField(error) };
    case 'unevaluatedProperties':
      return { field: appendKey(field, String(params['unevaluatedProperty'])), issue: 'is not known here' };
    case 'propertyNames':
      return {
        field: appendKey(field, String(params['propertyName'])),
        issue: 'is not a name that fits here',
      };
    case 'dependentRequired':
      return {
        field: appendKey(field, String(params['missingProperty'])),
        issue: `is required beside ${String(params['property'])}`,
      };
    case 'discriminator':
      return { field: appendKey(field, String(params['tag'])), issue: wrongTag(error) };
    default:
      return { field, issue: issueOf(error, params) };
  }
}

function issueOf(error: ErrorObject, params: Record<string, unknown>): string {
  const limit = String(params['limit']);
  switch (error.keyword) {
    case 'type':
      return `takes ${article([params['type']].flat().map(String))}`;
    case 'enum':
      return `takes ${alternatives((params['allowedValues'] as unknown[]).map(print))}`;
    case 'const':
      return `takes ${print(params['allowedValue'])}`;
    case 'format':
      return formatTexts[String(params['format'])] ?? `is not in the format ${String(params['format'])}`;
    case 'pattern':
      return `does not match the pattern ${String(params['pattern'])}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `takes at least ${limit} characters`;
    case 'maxLength':
      return `takes at most ${limit} characters`;
    case 'minimum':
      return `takes at least ${limit}`;
    case 'maximum':
      return `takes at most ${limit}`;
    case 'exclusiveMinimum':
      return `takes more than ${limit}`;
    case 'exclusiveMaximum':
      return `takes less than ${limit}`;
    case 'multipleOf':
      return `takes a multiple of ${String(params['multipleOf'])}`;
    case 'minItems':
      return limit === '1' ? 'takes at least one element' : `takes at least ${limit} elements`;
    case 'maxItems':
      return `takes at most ${limit} elements`;
    case 'minProperties':
      return `takes at least ${limit} ${limit === '1' ? 'field' : 'fields'}`;
    case 'maxProperties':
      return `takes at most ${limit} fields`;
    case 'uniqueItems':
      return 'takes elements that differ from each other';
    case 'anyOf':
      return 'does not fit any of the forms that it may take';
    case 'oneOf':
      return 'does not fit exactly one of the forms that it may take';
    case 'not':
      return 'is what it must not be';
    case 'false schema':
      return 'is not allowed here';
    default:
      return error.message ?? 'is not valid';
  }
}

function unknownField(error: ErrorObject): string {
  const known = isObject(error.parentSchema?.['properties'])
    ? Object.keys(error.parentSchema['properties'])
    : [];
  return known.length === 0 ? 'is not known here' : `is not known here; known are ${known.join(', ')}`;
}

function wrongTag(error: ErrorObject): string {
  const tag = String((error.params as Record<string, unknown>)['tag']);
  const variants = (error.parentSchema?.['oneOf'] ?? []) as {
    properties?: Record<string, { const?: unknown }>;
  }[];
  return `takes ${alternatives(variants.map((variant) => String(variant.properties?.[tag]?.const)))}`;
}

function print(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? 'nothing');
}

function alternatives(texts: string[]): string {
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
export function fieldAt(pointerText: string, data: unknown): string {
  let field = '';
  let value = data;
  for (const step of pointerSteps(pointerText)) {
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
