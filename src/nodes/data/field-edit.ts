import { compilePath, PathError, walk, type JsonPath, type Step } from '../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { FieldError } from '../../contract/errors.ts';

/**
 * Changes the object in which a path ends: `edit` gets a copy of it to change, or is not called when nothing is there.
 * `target` is changed; the objects in between are copied, since they may be another's data.
 * @throws {PathError} when the path goes into a list.
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
    if (!isObject(inner)) throw intoList(path);
    const copy = { ...inner };
    parent[key] = copy;
    parent = copy;
  }
}

/**
 * The object without a field; `target` may be changed on the way, and what is in between is copied. A new object for what is left is
 * quicker to make and to use than one from which something was deleted.
 * @throws {PathError} when the path goes into a list.
 */
export function withoutPath(path: JsonPath, target: JsonObject): JsonObject {
  if (walk(path.steps, target) === undefined) return target;
  const { key } = path.steps.at(-1) as Step;
  if (path.steps.length === 1) return withoutKeys(target, new Set([key]));
  editParent({ text: path.text, steps: path.steps.slice(0, -1) }, target, (holder, name) => {
    const inner = holder[name] as Json;
    if (!isObject(inner)) throw intoList(path);
    holder[name] = withoutKeys(inner, new Set([key]));
  });
  return target;
}

/** A copy without these fields. */
export function withoutKeys(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const result: JsonObject = {};
  // Nothing ever reads __proto__, and writing it would make a prototype.
  for (const key of Object.keys(object))
    if (!keys.has(key) && key !== '__proto__') result[key] = object[key] as Json;
  return result;
}

function intoList(path: JsonPath): PathError {
  return new PathError(`${path.text} goes into a list; for its elements, name the list in items`);
}

/** The fault of a path that must name a field, not a position in a list; null when there is none. */
export function fieldPathFault(field: string, text: string): FieldError | null {
  try {
    const indexed = compilePath(text).steps.some((step) => step.isIndex);
    return indexed ? { field, issue: 'takes names of fields, not positions in a list' } : null;
  } catch (error) {
    if (error instanceof PathError) return { field, issue: error.message };
    throw error;
  }
}
