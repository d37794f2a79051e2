import type { Clock } from '../../../ports/clock.ts';

const DELAY_MS = 1_000;

/**
 * Returns a function that calls `write` a second later, once for all calls until then. Log entries of a long
 * attempt are written in this way; otherwise they would wait for its end.
 */
export function createDelayedWrite(clock: Pick<Clock, 'after'>, write: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    clock.after(DELAY_MS, () => {
      isScheduled = false;
      write();
    });
  };
}
