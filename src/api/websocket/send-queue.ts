import type { Frame } from './message-encoding.ts';

/**
 * What one socket is still to be sent, in the order in which it happened. While the socket keeps up, that is all of it. When it
 * does not, the latest update of an execution takes the place of the one that waited before it: so the last is never lost,
 * in-between ones may be, and the order of each execution stays.
 */
export type SendQueue = {
  /**
   * `executionId` is null for what is never merged; with `merge` the frame may replace the last one of the same execution.
   */
  put(executionId: string | null, frame: Frame, merge: boolean): void;
  /** The one that waits longest; null when none does. */
  take(): Frame | null;
  /** How many wait, and how many bytes these count for. */
  readonly size: number;
  readonly bytes: number;
  clear(): void;
};

type Entry = { readonly executionId: string | null; frame: Frame };

export function createSendQueue(): SendQueue {
  const entries = new Set<Entry>();
  const lastOf = new Map<string, Entry>();
  let bytes = 0;
  return {
    put(executionId, frame, merge) {
      const last = executionId === null ? undefined : lastOf.get(executionId);
      bytes += frame.weight;
      if (merge && last !== undefined) {
        bytes -= last.frame.weight;
        last.frame = frame;
      } else {
        const entry = { executionId, frame };
        entries.add(entry);
        if (executionId !== null) lastOf.set(executionId, entry);
      }
    },
    take() {
      for (const entry of entries) {
        const { executionId, frame } = entry;
        entries.delete(entry);
        if (executionId !== null && lastOf.get(executionId) === entry) lastOf.delete(executionId);
        bytes -= frame.weight;
        return frame;
      }
      return null;
    },
    get size() {
      return entries.size;
    },
    get bytes() {
      return bytes;
    },
    clear() {
      entries.clear();
      lastOf.clear();
      bytes = 0;
    },
  };
}
