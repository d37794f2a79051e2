import type { Frame } from './message-encoding.ts';

/**
 * The frames that are queued for one socket, in order. When the socket is slow, the latest update of an
 * execution replaces the queued one: the last update is never lost, intermediate updates may be, and the
 * order within an execution is kept.
 */
export type SendQueue = {
  /**
   * With `merge`, the frame may replace the last one of the same execution. `executionId` is null for frames
   * that are never merged.
   */
  put(executionId: string | null, frame: Frame, merge: boolean): void;
  /** Removes the oldest frame; null when the queue is empty. */
  take(): Frame | null;
  /** The number of queued frames and their total weight in bytes. */
  readonly size: number;
  readonly bytes: number;
  clear(): void;
};

type Entry = { readonly executionId: string | null; frame: Frame };

export function createSendQueue(): SendQueue {
  const entries = new Set<Entry>();
  const lastByExecution = new Map<string, Entry>();
  let bytes = 0;
  return {
    put(executionId, frame, merge) {
      const last = executionId === null ? undefined : lastByExecution.get(executionId);
      bytes += frame.weight;
      if (merge && last !== undefined) {
        bytes -= last.frame.weight;
        last.frame = frame;
      } else {
        const entry = { executionId, frame };
        entries.add(entry);
        if (executionId !== null) lastByExecution.set(executionId, entry);
      }
    },
    take() {
      for (const entry of entries) {
        const { executionId, frame } = entry;
        entries.delete(entry);
        if (executionId !== null && lastByExecution.get(executionId) === entry)
          lastByExecution.delete(executionId);
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
      lastByExecution.clear();
      bytes = 0;
    },
  };
}
