import { ConnectionLost, classifyError, toPublicError } from './failure.ts';

/** Maximum number of conflicts between transactions. */
const MAX_CONFLICTS = 8;
const MIN_PAUSE_MS = 20;
/** The maximum pause (ms), and so the maximum delay after a database is available again. */
const MAX_PAUSE_MS = 500;

export type Retries = {
  /**
   * Retries while the connection is lost or other transactions conflict, with growing pauses, for at most
   * `within` ms. Rejects with an error for the caller. `run` must have no effect when it throws.
   */
  keepTrying<T>(within: number, run: () => Promise<T>): Promise<T>;
  /** No more retries from now on. */
  stop(): void;
};

export function createRetries(): Retries {
  let stopped = false;
  return {
    keepTrying: async (within, run) => {
      const until = performance.now() + within;
      let pause = MIN_PAUSE_MS;
      for (let conflicts = 0; ;) {
        try {
          return await run();
        } catch (error) {
          const kind = classifyError(error);
          const mayTry = kind === 'lost' || (kind === 'again' && ++conflicts < MAX_CONFLICTS);
          if (!mayTry || stopped || performance.now() + pause > until) throw toPublicError(error);
          await sleep(pause * (0.5 + Math.random()));
          pause = Math.min(MAX_PAUSE_MS, pause * 2);
        }
      }
    },
    stop: () => {
      stopped = true;
    },
  };
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Retries until the outcome is known, however long that takes. Rejects only when `isClosed`. */
export async function retryUntilKnown<T>(isClosed: () => boolean, ask: () => Promise<T>): Promise<T> {
  for (let pause = MIN_PAUSE_MS; ;) {
    try {
      return await ask();
    } catch (error) {
      const kind = classifyError(error);
      if (isClosed() || (kind !== 'lost' && kind !== 'again'))
        throw isClosed() ? new ConnectionLost('The store was closed.') : toPublicError(error);
      await sleep(pause * (0.5 + Math.random()));
      pause = Math.min(MAX_PAUSE_MS, pause * 2);
    }
  }
}
