/** Streams of one origin that stay open at once. The egress client has 128 connections per origin. */
const MAX_STREAMS_PER_ORIGIN = 32;

/**
 * Limits the streams on which servers send messages that belong to no request, such as log messages. Each
 * keeps a connection during a call. A call beyond the limit goes without.
 */
export class ListeningLimit {
  readonly #counts = new Map<string, number>();

  /** Returns a function that releases the reservation; null when the limit is reached. */
  acquire(origin: string): (() => void) | null {
    const count = this.#counts.get(origin) ?? 0;
    if (count >= MAX_STREAMS_PER_ORIGIN) return null;
    this.#counts.set(origin, count + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#counts.get(origin) ?? 1) - 1;
      if (left === 0) this.#counts.delete(origin);
      else this.#counts.set(origin, left);
    };
  }
}
