/** The requests of a user in the window that ends at `endsAt`. */
export type RateWindowRow = { userId: string; endsAt: number; used: number };

/** Consecutive failed logins. `key` is a hash of the email. */
export type LoginFailuresRow = { key: string; count: number; lastAt: number };

/** Counters that survive a restart. Callers count in memory and write the counters periodically. */
export type ThrottlingStore = {
  /** Creates or replaces; deletes some of the windows that have ended at `now`. */
  saveRateWindows(rows: readonly RateWindowRow[], now: number): Promise<void>;
  /** Windows that end after `now`, ordered by end, starting after `after`. */
  rateWindows(now: number, after: RateWindowRow | null, limit: number): Promise<RateWindowRow[]>;
  /** Creates or replaces; deletes some of the rows that are older than `since`. */
  saveLoginFailures(rows: readonly LoginFailuresRow[], since: number): Promise<void>;
  /** Rows not older than `since`, newest first. */
  loginFailures(since: number, limit: number): Promise<LoginFailuresRow[]>;
};
