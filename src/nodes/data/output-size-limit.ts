import type { Json } from '../../lib/json/json.ts';
import { DataError } from './data-error.ts';

/** Maximum size of a node's output in characters of JSON. The engine applies the same limit to all nodes. */
export const MAX_OUTPUT_LENGTH = 64 * 1024 * 1024;

/**
 * Limits the size of output that repeats data, such as a large field copied to each element of a list. Sizes
 * are estimates of the JSON, slightly below the actual ones.
 */
export class OutputSizeLimit {
  #left = MAX_OUTPUT_LENGTH;
  /** What to do about it, for the error. */
  readonly #advice: string;
  /** Estimated sizes of repeated values. */
  readonly #known = new WeakMap<object, number>();

  constructor(advice = '') {
    this.#advice = advice === '' ? '' : `; ${advice}`;
  }

  /** @throws {DataError} `limit` */
  add(value: Json): void {
    if (typeof value !== 'object' || value === null) {
      this.spend(estimateSize(value));
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
      size += estimateSize(next);
      if (size > this.#left) break;
      if (typeof next !== 'object' || next === null) continue;
      for (const inner of Array.isArray(next) ? next : Object.values(next)) work.push(inner);
    }
    return size;
  }

  /** Like `add`, for a known size in characters. @throws {DataError} `limit` */
  spend(size: number): void {
    this.#left -= size;
    if (this.#left < 0)
      throw new DataError(
        '',
        `must not produce more than ${MAX_OUTPUT_LENGTH} characters of JSON${this.#advice}`,
        'limit',
      );
  }
}

function estimateSize(value: Json): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 5;
  if (Array.isArray(value)) return 2;
  let size = 2;
  for (const key of Object.keys(value)) size += key.length + 3;
  return size;
}
