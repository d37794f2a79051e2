/** The state of a window after a request. */
export type RateCount = {
  /** False: the window is full, and the request was not counted. */
  readonly isCounted: boolean;
  readonly used: number;
  /** ms since the epoch. */
  readonly endsAt: number;
};

/**
 * Counts requests in fixed windows; a window starts with its first request. Exact: of concurrent requests,
 * `limit` are counted, each with its own number. An in-process counter returns the result; a shared one
 * returns a promise.
 */
export type RateCounter = {
  /** Counts one request of a user, workflow or address, unless its window has reached `limit`. */
  count(subject: string, limit: number): RateCount | Promise<RateCount>;
};
