import { Type } from 'typebox';
import { appendKey, readPath, walk, type JsonPath } from '../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { pathOf } from '../path-cache.ts';
import { DataFault } from './data-error.ts';

const LIST =
  'The list to work on: a path in what arrived, such as orders, or a template that gives a list. Without it, what arrived is the list.';
const SUBJECT =
  'A list of objects to work on: a path in what arrived, or a template that gives a list. Without it, what arrived is the list, or the one object.';

/** The field `items` of a node that works on a list. */
export function itemsField(description = LIST) {
  return Type.Optional(
    Type.Unsafe<string | Json[]>({ type: ['string', 'array'], format: 'weft-path', description }),
  );
}

/** As `itemsField`, for a node that takes one object as well. */
export function subjectField() {
  return itemsField(SUBJECT);
}

/** A list, and what it is called in errors. */
export type Items = { readonly list: readonly Json[]; readonly at: string };

/** The list that a node works on; `field` is what names it. @throws {DataFault} when there is none. */
export function itemsOf(items: string | readonly Json[] | undefined, input: Json, field = 'items'): Items {
  if (Array.isArray(items)) return { list: items as Json[], at: field };
  if (typeof items === 'string') {
    const reading = readPath(pathOf(items), input);
    if (!reading.found) throw new DataFault(field, `nothing arrived at ${items}`);
    if (!Array.isArray(reading.value))
      throw new DataFault(field, `takes a list, and at ${items} is ${kindOf(reading.value)}`);
    return { list: reading.value, at: items };
  }
  if (Array.isArray(input)) return { list: input, at: 'items' };
  throw new DataFault('items', `takes a list, and ${kindOf(input)} arrived${hint(input)}`);
}

/** Objects to work on; `single` when one object arrived, and one is to leave. */
export type Subjects = Items & { readonly single: boolean };

/** @throws {DataFault} */
export function subjectsOf(items: string | readonly Json[] | undefined, input: Json): Subjects {
  if (items === undefined && isObject(input)) return { list: [input], at: '', single: true };
  if (items === undefined && !Array.isArray(input))
    throw new DataFault('', `is ${kindOf(input)}; an object or a list of objects is taken here`);
  return { ...itemsOf(items, input), single: false };
}

/** What leaves: the one object, or the list. */
export function given({ single }: Subjects, results: Json[]): Json {
  return single ? (results[0] ?? null) : results;
}

/** The name of an element, or of what is at a path in it: `items[3].price`. */
export function placeOf({ at, single }: Items & { single?: boolean }, index: number, path = ''): string {
  const element = single === true ? at : appendKey(at, index);
  if (path === '') return element;
  return element === '' || path.startsWith('[') ? `${element}${path}` : `${element}.${path}`;
}

/** @throws {DataFault} when the element is no object. */
export function objectAt(subjects: Subjects, index: number): JsonObject {
  const value = subjects.list[index] ?? null;
  if (isObject(value)) return value;
  throw new DataFault(placeOf(subjects, index), `takes an object, and is ${kindOf(value)}`);
}

/** Reads what is at a path of an element, or the element itself without a path; undefined when nothing is there. */
export function readerOf(path: string | undefined): (element: Json) => Json | undefined {
  if (path === undefined) return (element) => element;
  const { steps } = pathOf(path);
  return (element) => walk(steps, element);
}

export function pathsOf(texts: readonly string[]): JsonPath[] {
  return texts.map(pathOf);
}

/** What a value is, for people. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'a text', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'an object'
  );
}

/** The lists that an object holds, when somebody forgot to say which. */
function hint(input: Json): string {
  if (!isObject(input)) return '';
  const lists = Object.keys(input).filter((key) => Array.isArray(input[key]));
  return lists.length === 0
    ? ''
    : `; say which list is meant, such as "items": ${JSON.stringify(appendKey('', lists[0]!))}`;
}
