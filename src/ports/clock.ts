/** Time, injected so that a whole service can run with a test clock. All times are ms since the epoch. */
export type Clock = {
  now(): number;
  /**
   * Calls `run` once after `ms` (at most 2^31-1). The returned function cancels. Does not keep the process
   * alive.
   */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` after the event loop has processed pending work. */
  soon(run: () => void): void;
};
