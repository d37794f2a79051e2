export type WriteBehindOptions = {
  /** In ms: time from the first change to the write. */
  readonly delay: number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Writes the current values of these keys. */
  readonly write: (keys: readonly string[]) => Promise<void>;
  /** Called when a write failed; the next write includes its keys. */
  readonly failed: (error: unknown) => void;
};

export type WriteBehind = {
  /** Marks the value of this key as changed. */
  mark(key: string): void;
  /** Writes all marked keys; later marks are ignored. Never rejects. */
  close(): Promise<void>;
};

/** Maximum keys per write. */
const MAX_BATCH_SIZE = 1_000;

/**
 * Writes values that change often and whose last changes may be lost: all changes of a key within `delay`
 * become one write. Without changes, nothing is written and no timer runs. Each marked key is stored once, so
 * memory is bounded by the number of keys.
 */
export function createWriteBehind(options: WriteBehindOptions): WriteBehind {
  let marked = new Set<string>();
  let cancel: (() => void) | null = null;
  let writing: Promise<void> | null = null;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    const keys = [...marked];
    marked = new Set();
    for (let i = 0; i < keys.length; i += MAX_BATCH_SIZE) {
      try {
        await options.write(keys.slice(i, i + MAX_BATCH_SIZE));
      } catch (error) {
        for (const key of keys.slice(i)) marked.add(key);
        options.failed(error);
        return;
      }
    }
  }

  function arm(): void {
    if (isClosed || cancel !== null || writing !== null) return;
    cancel = options.after(options.delay, () => {
      cancel = null;
      writing = writeAll().finally(() => {
        writing = null;
        if (marked.size > 0) arm();
      });
    });
  }

  return {
    mark(key) {
      if (isClosed) return;
      marked.add(key);
      if (cancel === null) arm();
    },
    async close() {
      isClosed = true;
      cancel?.();
      await writing;
      if (marked.size > 0) await writeAll();
    },
  };
}
