/**
 * Entries that stand in the table for good: as many as keep it at four times its size.
 */
const BALLAST = Array.from({ length: 512 }, () => Symbol('ballast'));

type Cell<V> = { value: V | undefined };

/**
 * A map whose entries come and go many thousand times a second, such as what is at work now.
 *
 * V8 replaces the table of a `Map` whenever it is full, of entries and of the places of those that went, and whenever three quarters
 * of it are empty; a table that follows one in the old generation is made there, too, and is kept by it until the next full
 * collection, with whatever was in it. A map of few entries that come and go therefore gets a new table every few dozen of them. So
 * a table holds cells here, which an entry that goes empties; and it is never small: one in some 1,500 entries is the last in its
 * table.
 */
export class ChurnMap<K, V> {
  readonly #cells = new Map<K | symbol, Cell<V>>();

  constructor() {
    for (const key of BALLAST) this.#cells.set(key, { value: undefined });
  }

  get size(): number {
    return this.#cells.size - BALLAST.length;
  }

  has(key: K): boolean {
    return this.#cells.has(key);
  }

  get(key: K): V | undefined {
    return this.#cells.get(key)?.value;
  }

  set(key: K, value: V): this {
    this.#cells.set(key, { value });
    return this;
  }

  delete(key: K): void {
    this.take(key);
  }

  /** Deletes the entry, and gives what it was. */
  take(key: K): V | undefined {
    const cell = this.#cells.get(key);
    if (cell === undefined) return undefined;
    const { value } = cell;
    cell.value = undefined;
    this.#cells.delete(key);
    return value;
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** In the order in which they were put in. */
  *keys(): Generator<K, void, undefined> {
    for (const key of this.#cells.keys()) if (typeof key !== 'symbol') yield key;
  }

  *values(): Generator<V, void, undefined> {
    for (const [key, { value }] of this.#cells) if (typeof key !== 'symbol') yield value as V;
  }
}
