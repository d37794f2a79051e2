import { isForbiddenKey } from '../../lib/json/json-path.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { DataError } from '../data/data-error.ts';
import { createReader, describeType, formatLocation, type Items } from '../data/items.ts';
import { forEachPaced } from '../data/time-slice.ts';

/** Maximum number of columns found in items. */
const MAX_COLUMNS = 10_000;

/** Items as rows of a table. `names` is empty if the items are lists. */
export type Table = { readonly names: readonly string[]; readValues(item: Json): (Json | undefined)[] };

/**
 * Finds the columns of items: the given paths, or the fields of all objects in order of first occurrence.
 * @throws {DataError}
 */
export function* readTable(items: Items, columns: readonly string[] | null): Generator<undefined, Table> {
  const hasLists = Array.isArray(items.list[0]);
  yield* forEachPaced(items.list, (item, index) => {
    if (hasLists ? !Array.isArray(item) : !isObject(item))
      throw new DataError(
        formatLocation(items, index),
        `must be ${hasLists ? 'a list, like the first item' : 'an object'}, not ${describeType(item)}`,
      );
  });
  if (hasLists && columns !== null)
    throw new DataError('columns', 'must not be set when the items are lists');
  if (hasLists) return { names: [], readValues: (item) => item as Json[] };
  const keys = columns === null ? yield* collectKeys(items) : null;
  const paths = keys === null ? (columns ?? []) : keys.map((key) => `[${JSON.stringify(key)}]`);
  const readers = paths.map(createReader);
  return { names: keys ?? paths, readValues: (item) => readers.map((read) => read(item)) };
}

function* collectKeys(items: Items): Generator<undefined, string[]> {
  const keys = new Set<string>();
  yield* forEachPaced(items.list, (item) => {
    for (const key of Object.keys(item as object)) if (key !== '__proto__') keys.add(key);
    if (keys.size > MAX_COLUMNS)
      throw new DataError(
        '',
        `must have at most ${MAX_COLUMNS} different fields, or columns must be set`,
        'limit',
      );
  });
  return [...keys];
}

/** Completes column names: unnamed columns are numbered, repeated names get a number. @throws {DataError} */
export function completeNames(texts: readonly string[], field: string): string[] {
  /** The last number of each name. */
  const seen = new Map<string, number>();
  return texts.map((text, i) => {
    const name = text === '' ? `column_${i + 1}` : text;
    if (isForbiddenKey(name)) throw new DataError(field, `must not have a column named ${name}`);
    let unique = name;
    let number = seen.get(name) ?? 1;
    while (seen.has(unique)) unique = `${name}_${++number}`;
    seen.set(name, number);
    seen.set(unique, seen.get(unique) ?? 1);
    return unique;
  });
}
