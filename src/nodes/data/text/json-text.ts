import { appendKey } from '../../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { DataFault } from '../data-error.ts';

/** The deepest nesting of a value that is read from a text; what reads it downstream stays within the stack. */
export const MAX_DEPTH = 200;
/** Values that are looked at between two rests. */
const REST = 2048;

/**
 * Looks through a value that a text brought: depth, numbers beyond what can be kept, and the key `__proto__`, which is
 * taken away, since it would become a prototype wherever somebody copies the object by assignment.
 * @throws {DataFault}
 */
export function* checkedValue(root: Json): Generator<undefined, Json> {
  const work: Visit[] = [{ value: root, parent: null, key: '', depth: 0 }];
  let count = 0;
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (++count % REST === 0) yield;
    const { value, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new DataFault(
        'value',
        `has a number at ${placeOf(next) || 'its top'} beyond what can be kept (about 1.8e308)`,
      );
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH)
      throw new DataFault('value', `is nested deeper than ${MAX_DEPTH} levels`, 'limit');
    if (Array.isArray(value)) {
      for (const [i, inner] of value.entries()) push(work, inner, next, i);
    } else {
      if (Object.hasOwn(value, '__proto__')) delete value['__proto__'];
      for (const key of Object.keys(value)) push(work, (value as JsonObject)[key] as Json, next, key);
    }
  }
  return root;
}

/** The place is only put together when something is wrong there. */
type Visit = { value: Json; parent: Visit | null; key: string | number; depth: number };

function push(work: Visit[], value: Json, parent: Visit, key: string | number): void {
  // Nothing can be wrong with other scalars.
  if (typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object' || value === null)
    return;
  work.push({ value, parent, key, depth: parent.depth + 1 });
}

function placeOf(visit: Visit): string {
  const keys: (string | number)[] = [];
  for (let next: Visit | null = visit; next !== null && next.parent !== null; next = next.parent)
    keys.push(next.key);
  return keys.reduceRight((text: string, key) => appendKey(text, key), '');
}

/** What is wrong with a JSON text, as far as the engine says so, for people. */
export function jsonIssue(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const place = /\(line (\d+) column (\d+)\)/.exec(message);
  if (place !== null) return `is no JSON: wrong at line ${place[1]}, column ${place[2]}`;
  const token = /^Unexpected token ('.{1,2}'), /su.exec(message);
  if (token !== null) return `is no JSON: ${token[1]} stands where it may not`;
  return /end of JSON/i.test(message) ? 'is no JSON: it ends too early' : 'is no JSON';
}
