import type { FieldError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { isObject } from '../../lib/json/json.ts';

/**
 * A field of an operation's data. `text`: a text; `id`: a text or a whole number; `count`: a whole number from 1 to `max`;
 * `texts`: a list of texts; `list`: a list of anything; `object`: an object of anything.
 */
export type DataField = {
  kind: 'text' | 'id' | 'count' | 'texts' | 'list' | 'object';
  description: string;
  required?: true;
  /** The greatest count, the longest text, the longest list. */
  max?: number;
};

/** What other names may stand in the data: anything, what can be printed (or a list of it), or nothing. */
export type OtherFields = 'any' | 'scalars' | 'none';

export type DataShape = { fields: Readonly<Record<string, DataField>>; others: OtherFields };

/** The faults of an operation's data. `isOpen`: a placeholder decides it later; `at` is '' or the field that holds it. */
export function dataFaults(
  data: Json | undefined,
  shape: DataShape,
  at: string,
  isOpen: (value: unknown) => boolean,
): FieldError[] {
  if (isOpen(data)) return [];
  if (!isObject(data)) return [{ field: at, issue: 'takes an object' }];
  const faults: FieldError[] = [];
  const add = (name: string, issue: string): void =>
    void faults.push({ field: at === '' ? name : appendKey(at, name), issue });
  for (const [name, field] of Object.entries(shape.fields)) {
    const value = data[name];
    if (value === undefined || value === null) {
      if (field.required === true) add(name, `is required: ${lowerFirst(field.description)}`);
    } else if (!isOpen(value)) {
      const issue = issueOf(value, field, isOpen);
      if (issue !== null) add(name, issue);
    }
  }
  for (const [name, value] of Object.entries(data)) {
    if (Object.hasOwn(shape.fields, name) || shape.others === 'any' || isOpen(value)) continue;
    if (shape.others === 'none') add(name, 'is not known here');
    else if (!isPrintable(value)) add(name, 'takes a text, a number, a boolean or a list of these');
  }
  return faults;
}

/** The data without the fields that the operation uses itself. */
export function otherFields(data: JsonObject, shape: DataShape): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !Object.hasOwn(shape.fields, name)));
}

/** A value as it stands in a path, a query or a text. */
export function printed(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function issueOf(value: Json, field: DataField, isOpen: (value: unknown) => boolean): string | null {
  const { kind, max = Number.MAX_SAFE_INTEGER } = field;
  switch (kind) {
    case 'text':
      if (typeof value !== 'string' || value === '') return 'takes a text';
      return value.length > max ? `takes a text of at most ${max} characters` : null;
    case 'id':
      return idIssue(value);
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
        ? null
        : `takes a whole number from 1 to ${max}`;
    case 'texts':
      return Array.isArray(value) &&
        value.every((one) => (typeof one === 'string' && one !== '') || isOpen(one))
        ? null
        : 'takes a list of texts';
    case 'list':
      return Array.isArray(value) && value.length <= max ? null : `takes a list of at most ${max}`;
    default:
      return isObject(value) ? null : 'takes an object';
  }
}

/** It becomes a part of a path: a dot or two would make another path of it. */
function idIssue(value: Json): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return null;
  if (typeof value !== 'string' || value === '') return 'takes a text or a whole number';
  if (value === '.' || value === '..') return 'cannot be . or ..';
  return value.length > 1_000 || !value.isWellFormed() ? 'takes a text of at most 1000 characters' : null;
}

function isPrintable(value: Json): boolean {
  const isScalar = (one: Json): boolean => one === null || typeof one !== 'object';
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;
}
