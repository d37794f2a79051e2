import { httpFailure } from './http-failure.ts';

/** Limits the number of concurrent connections per destination. Others wait in FIFO order. */
export class ConnectionLimit {
  readonly #size: number;
  readonly #places = new Map<string, { taken: number; waiting: Set<() => void> }>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Number of occupied slots of a destination. */
  countOccupied(reservation: string): number {
    return this.#places.get(reservation)?.taken ?? 0;
  }

  /** Resolves with a function that releases the slot. Rejects if `signal` aborts first. */
  acquire(reservation: string, signal: AbortSignal): Promise<() => void> {
    const entry = this.#places.get(reservation) ?? { taken: 0, waiting: new Set() };
    this.#places.set(reservation, entry);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        entry.waiting.delete(take);
        reject(httpFailure('timeout', 'No connection became available in time'));
      };
      const take = (): void => {
        signal.removeEventListener('abort', onAbort);
        entry.waiting.delete(take);
        entry.taken++;
        resolve(() => {
          entry.taken--;
          const [next] = entry.waiting;
          if (next !== undefined) next();
          else if (entry.taken === 0) this.#places.delete(reservation);
        });
      };
      if (signal.aborted) return onAbort();
      if (entry.taken < this.#size) return take();
      entry.waiting.add(take);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
