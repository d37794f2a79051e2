import type { Frame } from './frames.ts';

/**
 * What one socket is still to be sent. Of each execution it is the latest update alone, which takes the place of one that
 * waited: so the last is never lost, in-between ones may be, and the order of each execution stays.
 */
export type Outbox = {
  /** `executionId` is null for what is not merged. False: more than `maxBytes` wait now. */
  put(executionId: string | null, frame: Frame): boolean;
  /** The one that waits longest; null when none does. */
  take(): Frame | null;
  readonly isEmpty: boolean;
  clear(): void;
};

export function createOutbox(maxBytes: number): Outbox {
  const frames = new Map<string | number, Frame>();
  let bytes = 0;
  let count = 0;
  return {
    put(executionId, frame) {
      const key = executionId ?? count++;
      bytes += frame.weight - (frames.get(key)?.weight ?? 0);
      frames.set(key, frame);
      return bytes <= maxBytes;
    },
    take() {
      for (const [key, frame] of frames) {
        frames.delete(key);
        bytes -= frame.weight;
        return frame;
      }
      return null;
    },
    get isEmpty() {
      return frames.size === 0;
    },
    clear() {
      frames.clear();
      bytes = 0;
    },
  };
}
