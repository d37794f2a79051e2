/** A number of ended executions of one interval. */
export type StatisticsRow = {
  /** The start of the interval in which they were created. */
  start: number;
  status: 'completed' | 'failed' | 'stopped';
  /** The bucket of their duration (`lib/time/duration-buckets.ts`); null: it is not counted. */
  bucket: number | null;
  n: number;
};

/**
 * `from` (inclusive) and `to` (exclusive) are multiples of `interval`, ms: an hour or a day in UTC. Hours are
 * kept for `HOURS_KEPT_MS`; earlier ones are only known by day.
 */
export type StatisticsRange = { from: number; to: number; interval: number };

export type StatisticsStore = {
  /** In no order; null when the owner has no such workflow. */
  readWorkflow(ownerId: string, workflowId: string, range: StatisticsRange): Promise<StatisticsRow[] | null>;
  /** Of all executions of the owner, also of deleted workflows. */
  readOwner(ownerId: string, range: StatisticsRange): Promise<StatisticsRow[]>;
  /**
   * Joins the hours of days before `now` less `HOURS_KEPT_MS`, and deletes those of before `now` less
   * `retention`, at most `limit` hours. True: more are left.
   */
  compact(now: number, retention: number, limit: number): Promise<boolean>;
};

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** How long statistics are kept by hour. */
export const HOURS_KEPT_MS = 30 * DAY_MS;
