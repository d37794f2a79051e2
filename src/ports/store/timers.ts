export type DueTimer = { executionId: string; path: string; dueAt: number };

/** When waiting executions resume. */
export type ExecutionTimers = {
  /**
   * Timers due at `now`, earliest first, except those of executions under the current lease of a worker other
   * than `worker` (null: no exception).
   */
  dueTimers(now: number, limit: number, worker: string | null): Promise<DueTimer[]>;
  /** The due time of the earliest timer, or null. */
  nextTimer(): Promise<number | null>;
};
