import { PathError, walk, type JsonPath } from '../../lib/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Fault } from '../../contract/errors.ts';
import { compilePath } from '../../lib/json-path.ts';

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
    if (!isObject(inner))
      throw new PathError(`${path.text} goes into a list; for its elements, name the list in items`);
    const copy = { ...inner };
    parent[key] = copy;
    parent = copy;
  }
}

/** Takes a field away. @throws {PathError} */
export function removePath(path: JsonPath, target: JsonObject): void {
  editParent(path, target, (parent, key) => void delete parent[key]);
}

/** The fault of a path that must name a field, not a position in a list; null when there is none. */
export function fieldPathFault(field: string, text: string): Fault | null {
  try {
    const indexed = compilePath(text).steps.some((step) => step.isIndex);
    return indexed ? { field, issue: 'takes names of fields, not positions in a list' } : null;
  } catch (error) {
    if (error instanceof PathError) return { field, issue: error.message };
    throw error;
  }
}
