import type { LoginFailuresRow, RateWindowRow } from '../../../ports/store/accounts/rate-limits.ts';
import * as loginFailures from '../../queries/accounts/login-failures.ts';
import * as rateWindows from '../../queries/accounts/rate-windows.ts';
import { selectAll, type Transaction } from '../../statement.ts';

/** Maximum expired rows removed with each write: more than one write adds. */
const MAX_PRUNED_ROWS = 2_000;

export function* saveRateWindows(rows: readonly RateWindowRow[], now: number): Transaction<void> {
  yield [
    ...rows.map(({ userId, endsAt, used }) => ({ sql: rateWindows.put, params: [userId, endsAt, used] })),
    { sql: rateWindows.prune, params: [now, MAX_PRUNED_ROWS] },
  ];
}

export function* rateWindowsAfter(
  now: number,
  after: RateWindowRow | null,
  limit: number,
): Transaction<RateWindowRow[]> {
  const rows = yield* selectAll<{ user_id: string; ends_at: number; used: number }>(
    rateWindows.live,
    now,
    after?.endsAt ?? now,
    after?.userId ?? '',
    limit,
  );
  return rows.map((row) => ({ userId: row.user_id, endsAt: row.ends_at, used: row.used }));
}

export function* saveLoginFailures(rows: readonly LoginFailuresRow[], since: number): Transaction<void> {
  yield [
    ...rows.map(({ key, count, lastAt }) => ({ sql: loginFailures.put, params: [key, count, lastAt] })),
    { sql: loginFailures.prune, params: [since, MAX_PRUNED_ROWS] },
  ];
}

export function* recentLoginFailures(since: number, limit: number): Transaction<LoginFailuresRow[]> {
  const rows = yield* selectAll<{ email_hash: string; failures: number; last_at: number }>(
    loginFailures.recent,
    since,
    limit,
  );
  return rows.map((row) => ({ key: row.email_hash, count: row.failures, lastAt: row.last_at }));
}
