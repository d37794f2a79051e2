export type DueTimer = { executionId: string; path: string; dueAt: number };

/** When waiting executions resume. */
export type ExecutionTimers = {
  /**
   * Timers due at `now`, earliest first, except those of executions under the current lease of a worker other
   * than `worker` (null: no exception). `leasesAt`, by default `now`: the time with which leases are
   * compared.
   */
  dueTimers(now: number, limit: number, worker: string | null, leasesAt?: number): Promise<DueTimer[]>;
  /** The due time of the earliest timer, or null. */
  nextTimer(): Promise<number | null>;
  /**
   * The paths of the timers of an execution, sorted. A node run that waits has one; the execution's own
   * time-out has the path "".
   */
  timerPaths(ownerId: string, id: string): Promise<string[]>;
};
