import { httpFailure } from './http-failure.ts';

/** Lets so many at a time reach one place; the others wait in the order in which they came. */
export class ConnectionLimit {
  readonly #size: number;
  readonly #places = new Map<string, { taken: number; waiting: Set<() => void> }>();

  constructor(size: number) {
    this.#size = size;
  }

  /** How many of a place are taken. */
  taken(place: string): number {
    return this.#places.get(place)?.taken ?? 0;
  }

  /** Resolves with what gives the slot back. Rejects when `signal` aborts first. */
  acquire(place: string, signal: AbortSignal): Promise<() => void> {
    const entry = this.#places.get(place) ?? { taken: 0, waiting: new Set() };
    this.#places.set(place, entry);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        entry.waiting.delete(take);
        reject(httpFailure('timeout', 'No connection became free in time'));
      };
      const take = (): void => {
        signal.removeEventListener('abort', onAbort);
        entry.waiting.delete(take);
        entry.taken++;
        resolve(() => {
          entry.taken--;
          const [next] = entry.waiting;
          if (next !== undefined) next();
          else if (entry.taken === 0) this.#places.delete(place);
        });
      };
      if (signal.aborted) return onAbort();
      if (entry.taken < this.#size) return take();
      entry.waiting.add(take);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
