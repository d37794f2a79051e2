import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { isObject } from '../../lib/json/json.ts';
import type { UiHints } from '../ui-hints.ts';

/**
 * A field of an operation's data. `text`: a string; `id`: a string or whole number; `count`: a whole number
 * from 1 to `max`; `texts`: a list of strings; `list`: a list of any values; `object`: any object.
 */
export type DataField = {
  kind: 'text' | 'id' | 'count' | 'texts' | 'list' | 'object';
  description: string;
  required?: true;
  /** Maximum count, string length or list length. */
  max?: number;
  /** The label in forms. */
  title?: string;
  /** How forms show the field. */
  ui?: UiHints;
};

/** Which other fields the data may have: any, printable values (or lists of them), or none. */
export type OtherFields = 'any' | 'scalars' | 'none';

export type DataShape = { fields: Readonly<Record<string, DataField>>; others: OtherFields };

/**
 * Validates an operation's data. `isOpen`: the value contains a placeholder and is validated later. `at` is
 * '' or the field with the data.
 */
export function validateData(
  data: Json | undefined,
  shape: DataShape,
  at: string,
  isOpen: (value: unknown) => boolean,
): FieldError[] {
  if (isOpen(data)) return [];
  if (!isObject(data)) return [{ field: at, issue: 'must be an object' }];
  const errors: FieldError[] = [];
  const add = (name: string, issue: string): void =>
    void errors.push({ field: at === '' ? name : appendKey(at, name), issue });
  for (const [name, field] of Object.entries(shape.fields)) {
    const value = data[name];
    if (value === undefined || value === null) {
      if (field.required === true) add(name, `is required: ${lowerFirst(field.description)}`);
    } else if (!isOpen(value)) {
      const issue = findIssue(value, field, isOpen);
      if (issue !== null) add(name, issue);
    }
  }
  for (const [name, value] of Object.entries(data)) {
    if (Object.hasOwn(shape.fields, name) || shape.others === 'any' || isOpen(value)) continue;
    if (shape.others === 'none') add(name, 'is not a known field');
    else if (!isPrintable(value)) add(name, 'must be a string, a number, a boolean or a list of these');
  }
  return errors;
}

/** The data without the fields that the operation itself uses. */
export function pickOtherFields(data: JsonObject, shape: DataShape): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !Object.hasOwn(shape.fields, name)));
}

/** Prints a value for a path, query or text. */
export function printValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function findIssue(value: Json, field: DataField, isOpen: (value: unknown) => boolean): string | null {
  const { kind, max = Number.MAX_SAFE_INTEGER } = field;
  switch (kind) {
    case 'text':
      if (typeof value !== 'string' || value === '') return 'must be a non-empty string';
      return value.length > max ? `must have at most ${max} characters` : null;
    case 'id':
      return findIdIssue(value);
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
        ? null
        : `must be a whole number from 1 to ${max}`;
    case 'texts':
      return Array.isArray(value) &&
        value.every((one) => (typeof one === 'string' && one !== '') || isOpen(one))
        ? null
        : 'must be a list of strings';
    case 'list':
      return Array.isArray(value) && value.length <= max ? null : `must be a list of at most ${max} entries`;
    default:
      return isObject(value) ? null : 'must be an object';
  }
}

/** An id becomes a path segment; "." and ".." would change the path. */
function findIdIssue(value: Json): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return null;
  if (typeof value !== 'string' || value === '') return 'must be a string or a whole number';
  if (value === '.' || value === '..') return 'must not be . or ..';
  return value.length > 1_000 || !value.isWellFormed() ? 'must be a string of at most 1000 characters' : null;
}

function isPrintable(value: Json): boolean {
  const isScalar = (one: Json): boolean => one === null || typeof one !== 'object';
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;
}
