/** The queued events of one subscriber. */
export type EventQueue<T> = AsyncGenerator<T, void, void> & {
  /**
   * Adds an event. A queued event with the same `key` is replaced, so that the latest is never lost. When the
   * queue is full, it ends with `overflow`.
   */
  put(event: T, key?: string): void;
  /** Ends the queue after the queued events, optionally with an error. */
  end(error?: unknown): void;
  /** Resolves when the queue is empty, or its consumer has stopped. */
  waitUntilEmpty(): Promise<void>;
};

/**
 * Queues at most `max` events, so that publishing never waits for a slow consumer. `leave` is called once,
 * when the consumer stops.
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
  function resolveTaken(): void {
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
        if (events.size === 0) resolveTaken();
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
    resolveTaken();
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
      resolveTaken();
    },
    waitUntilEmpty: () =>
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
