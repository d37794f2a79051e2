/** What one subscriber is still to be given. */
export type EventQueue<T> = AsyncGenerator<T, void, void> & {
  /**
   * Adds an event; one with the same `key` that still waits is replaced, so that the last of each is never lost. One more
   * than fits ends the queue with `overflow`.
   */
  put(event: T, key?: string): void;
  /** After what waits: the end, with an error or without. */
  end(error?: unknown): void;
  /** Resolves when nothing waits any more, or nobody takes it. */
  taken(): Promise<void>;
};

/**
 * Holds at most `max` events between whoever publishes and one who takes his time: publishing never waits and never piles up.
 * `leave` is called once, when nothing more is wanted.
 */
export function createEventQueue<T>(max: number, overflow: () => unknown, leave: () => void): EventQueue<T> {
  const events = new Map<string | number, T>();
  let count = 0;
  let isOver = false;
  let failure: { error: unknown } | null = null;
  let takers: {
    resolve: (result: IteratorResult<T, void>) => void;
    reject: (error: unknown) => void;
  }[] = [];
  let idle: (() => void)[] = [];

  function finish(): void {
    if (isOver) return;
    isOver = true;
    leave();
  }
  function letGo(): void {
    const waiting = idle;
    idle = [];
    for (const resolve of waiting) resolve();
  }
  function settle(): void {
    while (takers.length > 0) {
      const [next] = events;
      if (next === undefined && !isOver) return;
      const taker = takers.shift()!;
      if (next !== undefined) {
        events.delete(next[0]);
        taker.resolve({ value: next[1], done: false });
        if (events.size === 0) letGo();
      } else if (failure !== null) {
        taker.reject(failure.error);
        failure = null;
      } else taker.resolve({ value: undefined, done: true });
    }
  }
  function stop(): void {
    events.clear();
    failure = null;
    finish();
    settle();
    letGo();
  }

  const queue: EventQueue<T> = {
    put(event, key) {
      if (isOver) return;
      if (key === undefined || !events.has(key)) {
        if (events.size >= max) {
          events.clear();
          queue.end(overflow());
          return;
        }
      }
      events.set(key ?? count++, event);
      settle();
    },
    end(error) {
      if (isOver) return;
      if (error !== undefined) failure = { error };
      finish();
      settle();
      letGo();
    },
    taken: () =>
      events.size === 0 || isOver ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
    next: () =>
      new Promise((resolve, reject) => {
        takers.push({ resolve, reject });
        settle();
      }),
    async return() {
      stop();
      return { value: undefined, done: true };
    },
    async throw(error) {
      stop();
      throw error;
    },
    [Symbol.asyncIterator]: () => queue,
    async [Symbol.asyncDispose]() {
      stop();
    },
  };
  return queue;
}
