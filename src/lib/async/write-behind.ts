export type WriteBehindOptions = {
  /** ms from the first change to the write. */
  readonly delay: number;
  /** Calls `run` once after `ms`; the returned function cancels. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Writes what these keys stand for now. */
  readonly write: (keys: readonly string[]) => Promise<void>;
  /** A write failed; the keys are written with the next one. */
  readonly failed: (error: unknown) => void;
};

export type WriteBehind = {
  /** The value of this key has changed. */
  mark(key: string): void;
  /** Writes what is marked; what is marked later goes nowhere. Never rejects. */
  close(): Promise<void>;
};

/** Keys of one write. */
const BATCH = 1_000;

/**
 * Writes what changes often and may be lost for a moment: many changes of a key within `delay` are one write. Nothing is
 * written, and no timer runs, while nothing changes. It holds each marked key once, so it is as bounded as the keys are.
 */
export function createWriteBehind(options: WriteBehindOptions): WriteBehind {
  let marked = new Set<string>();
  let cancel: (() => void) | null = null;
  let writing: Promise<void> | null = null;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    const keys = [...marked];
    marked = new Set();
    for (let i = 0; i < keys.length; i += BATCH) {
      try {
        await options.write(keys.slice(i, i + BATCH));
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
