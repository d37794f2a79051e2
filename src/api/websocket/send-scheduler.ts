/**
 * Duration of one run, and of the pause after it while the event loop is busy: sockets use at most half of
 * its time.
 */
const RUN_DURATION_MS = 4;
const PAUSE_DURATION_MS = 4;
/** Time within a run after which events are no longer distributed, so that the distributed ones are sent. */
const FEED_DURATION_MS = 2;
/** Delay of the event loop between two runs below which it counts as idle. */
const MAX_IDLE_DELAY_MS = 0.5;

/** A task that runs after publishing: each `flush` does a part of it and schedules the rest again. */
export type SendTask = { flush(): void };

/**
 * Runs the sending of events in turns after publishing, so that publishing only costs scheduling a task.
 * Feeds run before connections, so that connections have many events to send at once.
 */
export type SendScheduler = {
  noteFeed(feed: SendTask): void;
  noteConnection(connection: SendTask): void;
  /** Whether tasks remained after the last run. */
  readonly isBehind: boolean;
};

/**
 * It uses real time even where a service runs with a test clock, because it measures how busy the event loop
 * is.
 */
export function createSendScheduler(): SendScheduler {
  const feeds = new Set<SendTask>();
  const connections = new Set<SendTask>();
  let isDue = false;
  let isBehind = false;

  /** Flushes tasks until the deadline and returns the time at which it stopped. */
  function flushTasks(tasks: Set<SendTask>, until: number): number {
    let at = performance.now();
    for (const task of tasks) {
      if (at >= until) break;
      tasks.delete(task);
      task.flush();
      at = performance.now();
    }
    return at;
  }
  function run(): void {
    const began = performance.now();
    flushTasks(feeds, began + FEED_DURATION_MS);
    const ended = flushTasks(connections, began + RUN_DURATION_MS);
    isBehind = feeds.size + connections.size > 0;
    isDue = isBehind;
    if (!isDue) return;
    setImmediate(() => {
      if (performance.now() - ended < MAX_IDLE_DELAY_MS) run();
      else setTimeout(run, PAUSE_DURATION_MS).unref();
    });
  }
  function schedule(tasks: Set<SendTask>, task: SendTask): void {
    tasks.add(task);
    if (isDue) return;
    isDue = true;
    setImmediate(run);
  }

  return {
    noteFeed: (feed) => schedule(feeds, feed),
    noteConnection: (connection) => schedule(connections, connection),
    get isBehind() {
      return isBehind;
    },
  };
}
