import { Type } from 'typebox';
import { appendKey, readPath, walk, type JsonPath } from '../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { compileCachedPath } from '../path-cache.ts';
import { DataError } from './data-error.ts';

const LIST_DESCRIPTION =
  'The list to work on: a path in the input such as orders, or a template that returns a list. Default: the input.';
const SUBJECT_DESCRIPTION =
  'The list of objects to work on: a path in the input, or a template that returns a list. Default: the input, which may also be a single object.';

/** The field `items` of nodes that work on a list. */
export function itemsField(description = LIST_DESCRIPTION) {
  return Type.Optional(
    Type.Unsafe<string | Json[]>({ type: ['string', 'array'], format: 'weft-path', description }),
  );
}

/** Like `itemsField`, for nodes that also accept a single object. */
export function subjectField() {
  return itemsField(SUBJECT_DESCRIPTION);
}

/** A list and its path in error messages. */
export type Items = { readonly list: readonly Json[]; readonly at: string };

/** Reads the input list; `field`: its configuration field. @throws {DataError} if the value is not a list. */
export function readItems(items: string | readonly Json[] | undefined, input: Json, field = 'items'): Items {
  if (Array.isArray(items)) return { list: items as Json[], at: field };
  if (typeof items === 'string') {
    const reading = readPath(compileCachedPath(items), input);
    if (!reading.isFound) throw new DataError(field, `the input has no value at ${items}`);
    if (!Array.isArray(reading.value))
      throw new DataError(field, `must be a list, not ${describeType(reading.value)} (at ${items})`);
    return { list: reading.value, at: items };
  }
  if (Array.isArray(input)) return { list: input, at: 'items' };
  throw new DataError('items', `must be a list; the input is ${describeType(input)}${suggestLists(input)}`);
}

/** Objects to work on. `isSingle`: the input is one object, so the output is one too. */
export type Subjects = Items & { readonly isSingle: boolean };

/** @throws {DataError} */
export function readSubjects(items: string | readonly Json[] | undefined, input: Json): Subjects {
  if (items === undefined && isObject(input)) return { list: [input], at: '', isSingle: true };
  if (items === undefined && !Array.isArray(input))
    throw new DataError('', `must be an object or a list of objects, not ${describeType(input)}`);
  return { ...readItems(items, input), isSingle: false };
}

/** Returns the single object, or the list. */
export function toOutput({ isSingle }: Subjects, results: Json[]): Json {
  return isSingle ? (results[0] ?? null) : results;
}

/** The path of an element, or of a value in it, such as `items[3].price`. */
export function formatLocation(
  { at, isSingle = false }: Items & { isSingle?: boolean },
  index: number,
  path = '',
): string {
  const element = isSingle ? at : appendKey(at, index);
  if (path === '') return element;
  return element === '' || path.startsWith('[') ? `${element}${path}` : `${element}.${path}`;
}

/** @throws {DataError} if the element is not an object. */
export function readObject(subjects: Subjects, index: number): JsonObject {
  const value = subjects.list[index] ?? null;
  if (isObject(value)) return value;
  throw new DataError(formatLocation(subjects, index), `must be an object, not ${describeType(value)}`);
}

/**
 * Creates a function that reads a path of an element, or returns the element if there is no path. Missing
 * values are undefined.
 */
export function createReader(path: string | undefined): (element: Json) => Json | undefined {
  if (path === undefined) return (element) => element;
  const { steps } = compileCachedPath(path);
  return (element) => walk(steps, element);
}

export function compilePaths(texts: readonly string[]): JsonPath[] {
  return texts.map(compileCachedPath);
}

/** Describes the type of a value in messages. */
export function describeType(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'a string', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'an object'
  );
}

/** Lists the lists in an object, in case `items` was not set. */
function suggestLists(input: Json): string {
  if (!isObject(input)) return '';
  const lists = Object.keys(input).filter((key) => Array.isArray(input[key]));
  return lists.length === 0
    ? ''
    : `; set items to a list in it, such as "items": ${JSON.stringify(appendKey('', lists[0]!))}`;
}
