import { createHash } from 'node:crypto';
import { WeftError } from '../../contract/errors.ts';
import { onAbort } from '../../lib/async/abort.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { PackChoicesView } from './pack-views.ts';

const LIFETIME_MS = 60_000;

type Running = {
  readonly ownerId: string;
  readonly done: Promise<PackChoicesView>;
  readonly ending: AbortController;
  waiting: number;
};

/**
 * Loads of choices by key: one at a time per key, shared by all who ask for it, cancelled when none of them
 * waits any more, and cached for a minute. The lists that were used least recently are removed first. Errors
 * are not cached.
 */
export class ChoiceLoads {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #running = new Map<string, Running>();
  readonly #lists = new Map<string, { view: PackChoicesView; chars: number }>();
  #chars = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * Returns a cached list, unless `refresh`, or what `load` returns. @throws {WeftError} RATE_LIMITED when
   * the owner has too many loads; the error of `load`.
   */
  async get(
    { ownerId, key, refresh }: { ownerId: string; key: string; refresh: boolean },
    signal: AbortSignal | null,
    load: (signal: AbortSignal) => Promise<PackChoicesView>,
  ): Promise<PackChoicesView> {
    const known = refresh ? null : this.#find(key);
    if (known !== null) return known;
    const running = this.#running.get(key) ?? this.#start(ownerId, key, load);
    running.waiting++;
    const release = onAbort(signal ?? new AbortController().signal, () => {
      running.waiting--;
      if (running.waiting > 0) return;
      // Later requests must not join a load that is cancelled.
      if (this.#running.get(key) === running) this.#running.delete(key);
      running.ending.abort();
    });
    try {
      return await running.done;
    } finally {
      release();
    }
  }

  #start(ownerId: string, key: string, load: (signal: AbortSignal) => Promise<PackChoicesView>): Running {
    const count = [...this.#running.values()].filter((one) => one.ownerId === ownerId).length;
    if (count >= limits.packChoiceLoads)
      throw new WeftError(
        'RATE_LIMITED',
        `At most ${limits.packChoiceLoads} lists of choices are loaded at the same time. Try again later.`,
        { reason: 'capacity' },
      );
    const ending = new AbortController();
    const done = load(ending.signal).then((view) => {
      this.#keep(key, view);
      return view;
    });
    const running: Running = { ownerId, done, ending, waiting: 0 };
    this.#running.set(key, running);
    const end = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    done.then(end, end);
    return running;
  }

  #find(key: string): PackChoicesView | null {
    const found = this.#lists.get(key);
    if (found === undefined) return null;
    const age = this.#clock.now() - found.view.loadedAt;
    if (age < 0 || age >= LIFETIME_MS) {
      this.#forget(key);
      return null;
    }
    this.#lists.delete(key);
    this.#lists.set(key, found);
    return found.view;
  }

  #keep(key: string, view: PackChoicesView): void {
    this.#forget(key);
    const chars = JSON.stringify(view).length;
    this.#lists.set(key, { view, chars });
    this.#chars += chars;
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= limits.packChoiceLists && this.#chars <= limits.packChoiceChars) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#chars -= this.#lists.get(key)?.chars ?? 0;
    this.#lists.delete(key);
  }
}

/** Hashed, so that the cache contains no credentials. */
export function createChoicesKey(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
