/** What a window holds after a request asked to be counted. */
export type RateCount = {
  /** False: the window is full, and the request is not in it. */
  readonly isCounted: boolean;
  readonly used: number;
  /** ms since the epoch. */
  readonly endsAt: number;
};

/**
 * Counts requests in fixed windows, each from its first request. Exact: of all that ask at once, `limit` are counted, and
 * each sees a number of its own. A counter in this process answers at once; one that processes share answers with a promise.
 */
export type RateCounter = {
  /** Counts one request of `userId`, unless its window already holds `limit`. */
  count(userId: string, limit: number): RateCount | Promise<RateCount>;
};
