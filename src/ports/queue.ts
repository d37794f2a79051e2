/** Waiting ids, ids that a worker has taken, and how long (ms) the oldest has waited (null: none waits). */
export type QueueDepth = { waiting: number; taken: number; oldest: number | null };

/**
 * Wake-ups for workers: ids of executions that can be claimed. A wake-up may be lost, duplicated or late
 * without harm: the store is the source of truth, and a sweep finds executions whose wake-up was lost.
 */
export type Queue = {
  /**
   * Announces executions that can be claimed. Never throws and never blocks; undeliverable ids are dropped.
   */
  announce(ids: readonly string[]): void;
  /**
   * Passes each announced id to `take` of one worker, at most `atOnce` concurrently in this process. The id
   * belongs to the worker until the promise of `take` resolves. If the worker dies before, another worker
   * gets the id.
   */
  startWorker(take: (id: string) => Promise<void>, atOnce: number): void;
  /** Takes no more ids until `resume`. Ids that were taken already continue. */
  pause(): void;
  resume(): void;
  /** Whether announcements are currently delivered. */
  isUp(): boolean;
  /** Null when the depth cannot be read. */
  depth(): Promise<QueueDepth | null>;
  /** Takes no more ids, and returns the taken ones to the queue. */
  close(): Promise<void>;
};
