/**
 * A map whose entries come and go many thousand times a second, such as what is at work now.
 *
 * V8 links each table that a `Map` has outgrown to the next one. Once a table is in the old generation, all that follow are kept
 * alive by it, with whatever was in them, until the next full collection: every value then outlives its time and is copied twice.
 * Here a table holds cells, and an entry that goes empties its cell.
 */
export class TransientMap<K, V> {
  readonly #cells = new Map<K, { value: V | undefined }>();

  get size(): number {
    return this.#cells.size;
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

  delete(key: K): boolean {
    const cell = this.#cells.get(key);
    if (cell === undefined) return false;
    cell.value = undefined;
    return this.#cells.delete(key);
  }

  clear(): void {
    for (const cell of this.#cells.values()) cell.value = undefined;
    this.#cells.clear();
  }

  keys(): MapIterator<K> {
    return this.#cells.keys();
  }

  *values(): Generator<V, void, undefined> {
    for (const cell of this.#cells.values()) yield cell.value as V;
  }
}
