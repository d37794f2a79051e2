import { compilePath, PathError, walk, type JsonPath, type Step } from '../../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import type { FieldError } from '../../../contract/errors.ts';

/**
 * Changes the object at the end of a path. `edit` receives a copy to change, and is not called if the object
 * does not exist. `target` is modified; nested objects are copied because other values may share them.
 * @throws {PathError} if the path passes through a list.
 */
export function editParent(
  path: JsonPath,
  target: JsonObject,
  edit: (parent: JsonObject, key: string) => void,
): void {
  const last = path.steps.length - 1;
  if (walk(path.steps, target) === undefined) return;
  let parent = target;
  for (const [position, { key }] of path.steps.entries()) {
    if (position === last) return edit(parent, key);
    const inner = parent[key] as Json;
    if (!isObject(inner)) throw listPathError(path);
    const copy = { ...inner };
    parent[key] = copy;
    parent = copy;
  }
}

/**
 * Returns the object without a field. `target` may be modified; nested objects are copied. Creating a new
 * object is faster than deleting a property, both now and when it is read.
 * @throws {PathError} if the path passes through a list.
 */
export function withoutPath(path: JsonPath, target: JsonObject): JsonObject {
  if (walk(path.steps, target) === undefined) return target;
  const { key } = path.steps.at(-1) as Step;
  if (path.steps.length === 1) return withoutKeys(target, new Set([key]));
  editParent({ text: path.text, steps: path.steps.slice(0, -1) }, target, (holder, name) => {
    const inner = holder[name] as Json;
    if (!isObject(inner)) throw listPathError(path);
    holder[name] = withoutKeys(inner, new Set([key]));
  });
  return target;
}

/** Copies the object without these keys. */
export function withoutKeys(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const result: JsonObject = {};
  // Assigning __proto__ would set a prototype, so the key is dropped.
  for (const key of Object.keys(object))
    if (!keys.has(key) && key !== '__proto__') result[key] = object[key] as Json;
  return result;
}

function listPathError(path: JsonPath): PathError {
  return new PathError(`${path.text} passes through a list; set items to work on its elements`);
}

/** Validates that a path names a field, not a position in a list. Returns null if it does. */
export function validateFieldPath(field: string, text: string): FieldError | null {
  try {
    const indexed = compilePath(text).steps.some((step) => step.isIndex);
    return indexed ? { field, issue: 'must be field names, not positions in a list' } : null;
  } catch (error) {
    if (error instanceof PathError) return { field, issue: error.message };
    throw error;
  }
}
