import { appendKey } from '../../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { DataError } from '../data-error.ts';

/** Maximum depth of a parsed value, so that downstream recursion stays within the stack. */
export const MAX_DEPTH = 200;
/** Values checked between two checks of the time slice. */
const CHECK_STRIDE = 2048;

/**
 * Checks a parsed value: depth and numbers that overflow. Removes the key `__proto__`, which would become a
 * prototype if a consumer copied the object by assignment.
 * @throws {DataError}
 */
export function* checkValue(root: Json): Generator<undefined, Json> {
  const work: Visit[] = [{ value: root, parent: null, key: '', depth: 0 }];
  let count = 0;
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (++count % CHECK_STRIDE === 0) yield;
    const { value, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new DataError(
        'value',
        `must not have a number beyond about 1.8e308 (at ${formatLocation(next) || 'the top level'})`,
      );
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH)
      throw new DataError('value', `must be nested at most ${MAX_DEPTH} levels deep`, 'limit');
    if (Array.isArray(value)) {
      for (const [i, inner] of value.entries()) push(work, inner, next, i);
    } else {
      if (Object.hasOwn(value, '__proto__')) delete value['__proto__'];
      for (const key of Object.keys(value)) push(work, (value as JsonObject)[key] as Json, next, key);
    }
  }
  return root;
}

/** A linked path, joined to a string only for an error. */
type Visit = { value: Json; parent: Visit | null; key: string | number; depth: number };

function push(work: Visit[], value: Json, parent: Visit, key: string | number): void {
  // Other scalars are always valid.
  if (typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object' || value === null)
    return;
  work.push({ value, parent, key, depth: parent.depth + 1 });
}

function formatLocation(visit: Visit): string {
  const keys: (string | number)[] = [];
  for (let next: Visit | null = visit; next !== null && next.parent !== null; next = next.parent)
    keys.push(next.key);
  return keys.reduceRight((text: string, key) => appendKey(text, key), '');
}

/** Describes a JSON syntax error, with its position if the engine reports one. */
export function describeJsonError(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const location = /\(line (\d+) column (\d+)\)/.exec(message);
  if (location !== null) return `must be valid JSON: error at line ${location[1]}, column ${location[2]}`;
  const token = /^Unexpected token ('.{1,2}'), /su.exec(message);
  if (token !== null) return `must be valid JSON: unexpected ${token[1]}`;
  return /end of JSON/i.test(message)
    ? 'must be valid JSON: unexpected end of the text'
    : 'must be valid JSON';
}
