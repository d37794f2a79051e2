const CONCURRENCY = 4;

/** Runs `work` for each item, a few at a time and in order. Starts no item after `signal` is aborted. */
export async function forEachLimited<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const run = async (): Promise<void> => {
    for (const item of queue) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, run));
}
