/** Time, injected so that a whole service can run under a test's clock. All times are ms since the epoch. */
export type Clock = {
  now(): number;
  /** Calls `run` once after `ms` (at most 2^31-1); the returned function cancels. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` when the event loop has served what is pending. */
  soon(run: () => void): void;
};
