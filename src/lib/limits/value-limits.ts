/** The size of a value as JSON without escapes, and its nesting of lists and objects. */
type Measure = { bytes: number; depth: number };

/** In bytes: lists and objects of at least this size have their measure cached. */
const MIN_CACHED_BYTES = 4096;

/**
 * Values of executions are immutable and often nested in each other: the input of a node contains outputs of
 * others. The cache avoids walking a large value twice, and walking a part a million times that occurs a
 * million times.
 */
const known = new WeakMap<object, Measure>();

const NOT_FINITE = 'contains a number outside the supported range (about 1.8e308)';

class LimitExceededError extends Error {}

/**
 * Why a JSON value exceeds the limits (`is larger than … bytes`, `is nested deeper than … levels`, or a
 * number that JSON cannot represent and that would be null after a crash), or null. The size is an estimate
 * slightly below the length of its JSON. Stops as soon as a limit is exceeded.
 */
export function checkValueLimits(value: unknown, maxBytes: number, maxDepth: number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : NOT_FINITE;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' && value.length > maxBytes ? larger(maxBytes) : null;
  try {
    new ValueWalker(maxBytes, maxDepth).measureDepth(value, 1);
    return null;
  } catch (error) {
    if (error instanceof LimitExceededError) return error.message;
    throw error;
  }
}

/** Estimates the size of a value as JSON, in bytes, slightly below the true one. */
export function countBytes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length + 2 : 1;
  const walk = new ValueWalker(Infinity, Infinity);
  walk.measureDepth(value, 1);
  return walk.spent;
}

/** Recursive: never deeper than the limit. */
class ValueWalker {
  #spent = 0;
  readonly #maxBytes: number;
  readonly #maxDepth: number;

  constructor(maxBytes: number, maxDepth: number) {
    this.#maxBytes = maxBytes;
    this.#maxDepth = maxDepth;
  }

  get spent(): number {
    return this.#spent;
  }

  /** The nesting of a list or an object at this level, starting at 1. */
  measureDepth(value: object, level: number): number {
    const before = known.get(value);
    if (before !== undefined) {
      if (level + before.depth - 1 > this.#maxDepth) throw new LimitExceededError(deeper(this.#maxDepth));
      this.#spend(before.bytes);
      return before.depth;
    }
    if (level > this.#maxDepth) throw new LimitExceededError(deeper(this.#maxDepth));
    const start = this.#spent;
    let below = 0;
    if (Array.isArray(value)) {
      this.#spend(1 + Math.max(1, value.length));
      for (const item of value as unknown[]) {
        const depth = this.#measurePart(item, level);
        if (depth > below) below = depth;
      }
    } else {
      this.#spend(2);
      for (const key of Object.keys(value)) {
        this.#spend(key.length + 3);
        const depth = this.#measurePart((value as Record<string, unknown>)[key], level);
        if (depth > below) below = depth;
      }
    }
    const bytes = this.#spent - start;
    if (bytes >= MIN_CACHED_BYTES) known.set(value, { bytes, depth: below + 1 });
    return below + 1;
  }

  #measurePart(value: unknown, level: number): number {
    if (typeof value === 'object' && value !== null) return this.measureDepth(value, level + 1);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new LimitExceededError(NOT_FINITE);
    this.#spend(typeof value === 'string' ? value.length + 2 : 1);
    return 0;
  }

  #spend(bytes: number): void {
    this.#spent += bytes;
    if (this.#spent > this.#maxBytes) throw new LimitExceededError(larger(this.#maxBytes));
  }
}

function larger(maxBytes: number): string {
  return `is larger than ${maxBytes} bytes`;
}

function deeper(maxDepth: number): string {
  return `is nested deeper than ${maxDepth} levels`;
}
