/**
 * Gathers what is asked for in one go, so that a field of a hundred items costs one call. A thing that was asked for once is
 * not asked for again: a loader belongs to one operation.
 */
export type DataLoader<K, V> = (key: K) => Promise<V>;

type Waiting<K, V> = { key: K; resolve: (value: V) => void; reject: (error: unknown) => void };

/** `load` gives the values in the order of the keys; `soon` runs something when all that is going on now has come to rest. */
export function createDataLoader<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  idOf: (key: K) => string,
  soon: (run: () => void) => void,
): DataLoader<K, V> {
  const known = new Map<string, Promise<V>>();
  let waiting: Waiting<K, V>[] = [];

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
    const id = idOf(key);
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
