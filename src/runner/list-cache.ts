import { createHash } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';

/** Lists that are kept, their total length as JSON in characters, and the time for which each is used. */
const MAX_LISTS = 200;
const MAX_CHARS = 16 * 1024 * 1024;
const LIFETIME_MS = 5 * 60_000;

/** Lists that servers return, by owner, server and credentials. The least recently used are evicted first. */
export class ListCache<L extends { readonly listedAt: number }> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lists = new Map<string, { list: L; chars: number }>();
  /** Requests for lists, by key and time limit. */
  readonly #pending = new Map<string, Promise<L>>();
  #chars = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns a list from the cache, unless `refresh`, or requests it. `timeout` in ms. */
  async load(
    key: string,
    { refresh, timeout }: { refresh: boolean; timeout: number },
    request: () => Promise<L>,
  ): Promise<L> {
    const known = refresh ? null : this.#find(key);
    if (known !== null) return known;
    const flightKey = `${key} ${timeout}`;
    // The attempt that requests it may end before it has the list, so that the others request it
    // themselves.
    const earlier = this.#pending.get(flightKey);
    const joined = earlier === undefined ? null : await earlier.catch(() => null);
    if (joined !== null) return joined;
    const pending: Promise<L> = request()
      .then((list) => {
        this.#keep(key, list);
        return list;
      })
      .finally(() => {
        if (this.#pending.get(flightKey) === pending) this.#pending.delete(flightKey);
      });
    this.#pending.set(flightKey, pending);
    return pending;
  }

  #find(key: string): L | null {
    const found = this.#lists.get(key);
    if (found === undefined) return null;
    this.#lists.delete(key);
    const age = this.#clock.now() - found.list.listedAt;
    if (age < 0 || age >= LIFETIME_MS) {
      this.#chars -= found.chars;
      return null;
    }
    this.#lists.set(key, found);
    return found.list;
  }

  #keep(key: string, list: L): void {
    this.forget(key);
    const chars = JSON.stringify(list).length;
    this.#lists.set(key, { list, chars });
    this.#chars += chars;
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS && this.#chars <= MAX_CHARS) break;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    this.#chars -= this.#lists.get(key)?.chars ?? 0;
    this.#lists.delete(key);
  }
}

/** Hashed, so that the cache contains no credentials. */
export function createListKey(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
