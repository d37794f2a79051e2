import {
  appendKey,
  isForbiddenKey,
  PathError,
  walk,
  writePath,
  type JsonPath,
} from '../../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { compileRegex, RegexError } from '../../../lib/text/regex.ts';
import { compileCachedPath } from '../../path-cache.ts';
import { DataError } from '../data-error.ts';
import { editParent, withoutPath } from './field-edit.ts';

type NewName = (name: string) => string;

/** Fields to rename within their object, and fields to move to another one. */
export type RenamePlan = {
  /**
   * Renames by object, deepest first, so that the paths of the remaining ones stay valid. `parent` null is
   * the whole object.
   */
  readonly renames: readonly { readonly parent: JsonPath | null; readonly to: NewName }[];
  readonly moves: readonly { readonly from: JsonPath; readonly to: JsonPath }[];
};

/** Creates a plan from a map of old paths to new paths. */
export function planRenames(fields: Readonly<Record<string, string>>): RenamePlan {
  const names = new Map<string, Map<string, string>>();
  const moves: { from: JsonPath; to: JsonPath }[] = [];
  for (const [old, next] of Object.entries(fields)) {
    const [from, to] = [compileCachedPath(old), compileCachedPath(next)];
    const location = readParent(from);
    if (readParent(to) !== location) moves.push({ from, to });
    else names.set(location, (names.get(location) ?? new Map()).set(lastKey(from), lastKey(to)));
  }
  const renames = [...names].map(([location, map]) => ({
    parent: location === '' ? null : compileCachedPath(location),
    to: (name: string) => map.get(name) ?? name,
  }));
  renames.sort((a, b) => (b.parent?.steps.length ?? 0) - (a.parent?.steps.length ?? 0));
  return { renames, moves };
}

function readParent({ steps }: JsonPath): string {
  return steps.slice(0, -1).reduce((text, { key }) => appendKey(text, key), '');
}

function lastKey({ steps }: JsonPath): string {
  return steps.at(-1)?.key ?? '';
}

/** Copies the object with the new names. @throws {DataError} with the path within the object. */
export function renameFields(object: JsonObject, { renames, moves }: RenamePlan): JsonObject {
  let result = { ...object };
  const moved = moves.map(({ from }) => walk(from.steps, object));
  for (const { from } of moves)
    runAtPath(from.text, () => {
      result = withoutPath(from, result);
    });
  for (const { parent, to } of renames) {
    if (parent === null) result = renameObject(result, to, '');
    else
      runAtPath(parent.text, () =>
        editParent(parent, result, (holder, key) => {
          const inner = holder[key] as Json;
          if (isObject(inner)) holder[key] = renameObject(inner, to, parent.text);
        }),
      );
  }
  for (const [i, { to }] of moves.entries()) {
    const value = moved[i];
    if (value === undefined) continue;
    if (walk(to.steps, result) !== undefined) throw new DataError(to.text, 'already exists');
    runAtPath(to.text, () => writePath(to, result, value));
  }
  return result;
}

function runAtPath(path: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    if (error instanceof PathError) throw new DataError(path, error.message);
    throw error;
  }
}

/** Size of the name cache: objects of a list share the same names. */
const MAX_NAMES = 10_000;

/** Renames by pattern. @throws {RegexError} if the pattern is invalid. */
export function createPatternRenamer(match: string, replacement: string): NewName {
  const regex = compileRegex(match);
  const known = new Map<string, string>();
  return (name) => {
    let next = known.get(name);
    if (next === undefined) {
      next = replaceName(regex.replace.bind(regex), name, replacement);
      if (known.size >= MAX_NAMES) known.clear();
      known.set(name, next);
    }
    return next;
  };
}

function replaceName(
  replace: (text: string, by: string) => string,
  name: string,
  replacement: string,
): string {
  try {
    return replace(name, replacement);
  } catch (error) {
    if (error instanceof RegexError) throw new DataError('', error.message);
    throw error;
  }
}

/**
 * Copies the object with new names for all its fields, and with `deep` for nested objects too. Iterative, so
 * depth uses no stack. @throws {DataError}
 */
export function renameKeys(object: JsonObject, to: NewName, isDeep: boolean): JsonObject {
  const root = renameObject(object, to, '');
  if (!isDeep) return root;
  const work: { copy: JsonObject | Json[]; at: string }[] = [{ copy: root, at: '' }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const holder = next.copy as JsonObject;
    for (const key of Object.keys(holder)) {
      const inner = holder[key] as Json;
      if (typeof inner !== 'object' || inner === null) continue;
      const at = appendKey(next.at, Array.isArray(next.copy) ? Number(key) : key);
      const copy = Array.isArray(inner) ? inner.slice() : renameObject(inner, to, at);
      holder[key] = copy;
      work.push({ copy, at });
    }
  }
  return root;
}

/** Copies one object with new names, in the same order. */
function renameObject(object: JsonObject, to: NewName, at: string): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    // Assigning __proto__ would set a prototype, so the key is dropped.
    if (key === '__proto__') continue;
    const name = to(key);
    if (name !== key && (name === '' || isForbiddenKey(name)))
      throw new DataError(appendKey(at, key), `must not be renamed to ${JSON.stringify(name)}`);
    if (Object.hasOwn(result, name)) throw new DataError(appendKey(at, name), 'already exists');
    result[name] = object[key] as Json;
  }
  return result;
}
