/** Permanent entries of the table, which keep it at four times their number. */
const BALLAST = Array.from({ length: 512 }, () => Symbol('ballast'));

type Cell<V> = { value: V | undefined };

/**
 * A map for entries that are added and removed thousands of times per second, such as active executions.
 *
 * V8 replaces the table of a `Map` whenever it is full, counting entries and deleted ones, and whenever three
 * quarters of it are empty. A new table that replaces one in the old generation is allocated there too, and
 * the old one stays with its content until the next full collection. A map with few short-lived entries
 * therefore gets a new table every few dozen entries. Here the table contains cells, which a deleted entry
 * empties, and never becomes small: the table is replaced once per about 1,500 entries.
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

  /** Deletes the entry and returns its value. */
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

  /** In insertion order. */
  *keys(): Generator<K, void, undefined> {
    for (const key of this.#cells.keys()) if (typeof key !== 'symbol') yield key;
  }

  *values(): Generator<V, void, undefined> {
    for (const [key, { value }] of this.#cells) if (typeof key !== 'symbol') yield value as V;
  }
}
