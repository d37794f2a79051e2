/** The requests of a user in the window that ends at `endsAt`. */
export type RateWindowRow = { userId: string; endsAt: number; used: number };

/** Failed logins in a row by what was tried: `key` stands for an email without showing it. */
export type LoginFailuresRow = { key: string; count: number; lastAt: number };

/** Counts that shall survive a restart. Whoever counts keeps them in memory and writes them now and then. */
export type ThrottlingStore = {
  /** Creates or replaces; forgets some of what has ended at `now`. */
  saveRateWindows(rows: readonly RateWindowRow[], now: number): Promise<void>;
  /** Windows that end after `now`, the first to end first, behind `after`. */
  rateWindows(now: number, after: RateWindowRow | null, limit: number): Promise<RateWindowRow[]>;
  /** Creates or replaces; forgets some of what is older than `since`. */
  saveLoginFailures(rows: readonly LoginFailuresRow[], since: number): Promise<void>;
  /** Not older than `since`, the newest first. */
  loginFailures(since: number, limit: number): Promise<LoginFailuresRow[]>;
};
