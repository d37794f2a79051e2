import type { Json } from '../../lib/json/json.ts';
import { DataFault } from './data-error.ts';

/** Characters of JSON that a node may make. As much as any node may give. */
export const MAX_MADE = 64 * 1024 * 1024;

/**
 * Bounds what a node makes by repeating data, since a small list of large things, or a large thing in each element of
 * a list, multiplies. Sizes are estimates of the JSON, a little below the true ones.
 */
export class Weight {
  #left = MAX_MADE;
  /** Of values that come again. */
  readonly #known = new WeakMap<object, number>();

  /** @throws {DataFault} `limit` */
  add(value: Json): void {
    if (typeof value !== 'object' || value === null) {
      this.spend(sizeOf(value));
      return;
    }
    let size = this.#known.get(value);
    if (size === undefined) {
      size = this.#measure(value);
      this.#known.set(value, size);
    }
    this.spend(size);
  }

  #measure(value: Json): number {
    let size = 0;
    const work: Json[] = [value];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      size += sizeOf(next);
      if (size > this.#left) break;
      if (typeof next !== 'object' || next === null) continue;
      for (const inner of Array.isArray(next) ? next : Object.values(next)) work.push(inner);
    }
    return size;
  }

  /** As `add`, when the size (characters) is known. @throws {DataFault} `limit` */
  spend(size: number): void {
    this.#left -= size;
    if (this.#left < 0) throw new DataFault('', `would grow beyond ${MAX_MADE} characters of JSON`, 'limit');
  }
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 5;
  if (Array.isArray(value)) return 2;
  let size = 2;
  for (const key of Object.keys(value)) size += key.length + 3;
  return size;
}
