/**
 * Batches loads, so that a field of a hundred items needs one call. Values are cached; a loader belongs to
 * one operation.
 */
export type DataLoader<K, V> = (key: K) => Promise<V>;

type PendingLoad<K, V> = { key: K; resolve: (value: V) => void; reject: (error: unknown) => void };

/** `load` returns the values in the order of the keys; `soon` runs a function after the current resolvers. */
export function createDataLoader<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  getId: (key: K) => string,
  soon: (run: () => void) => void,
): DataLoader<K, V> {
  const known = new Map<string, Promise<V>>();
  let waiting: PendingLoad<K, V>[] = [];

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const values = await load(batch.map((each) => each.key));
      batch.forEach((each, i) => each.resolve(values[i] as V));
    } catch (error) {
      for (const each of batch) each.reject(error);
    }
  }

  return (key) => {
    const id = getId(key);
    let value = known.get(id);
    if (value === undefined) {
      value = new Promise<V>((resolve, reject) => {
        if (waiting.push({ key, resolve, reject }) === 1) soon(() => void flush());
      });
      known.set(id, value);
    }
    return value;
  };
}
