export type DueTimer = { executionId: string; path: string; dueAt: number };

/** When waiting executions go on. */
export type ExecutionTimers = {
  /** Timers due at `now`, earliest first; but for those of executions under the live lease of another than `worker`, unless that is null. */
  dueTimers(now: number, limit: number, worker: string | null): Promise<DueTimer[]>;
  /** The due time of the earliest timer, or null. */
  nextTimer(): Promise<number | null>;
};
