/** Every full hour from `?` up to, but without, `?`. Naming the hours makes each a search of the key. */
const hours = `WITH RECURSIVE hours(start) AS (SELECT CAST(? AS BIGINT) UNION ALL
  SELECT h.start + 3600000 FROM hours h WHERE h.start + 3600000 < CAST(? AS BIGINT))`;

export const add = `INSERT INTO execution_statistics (start, subject, status, bucket, n) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (start, subject, status, bucket) DO UPDATE SET n = execution_statistics.n + excluded.n`;

/** Params: from, to, length of an interval, subject. `from` is before `to`. */
export const sums = `${hours}
  SELECT s.start - s.start % CAST(? AS BIGINT) AS start, s.status, s.bucket, sum(s.n) AS n
  FROM hours CROSS JOIN execution_statistics s WHERE s.start = hours.start AND s.subject = ?
  GROUP BY 1, 2, 3`;

/** The first hour with statistics after `?` and before `?`. */
export const nextHour = `SELECT min(start) AS start FROM execution_statistics WHERE start > ? AND start < ?`;
export const newestHour = `SELECT max(start) AS start FROM execution_statistics`;
export const removeHour = `DELETE FROM execution_statistics WHERE start = ? RETURNING subject, status, bucket, n`;
/** Params: from, to, subject. */
export const removeBySubject = `DELETE FROM execution_statistics WHERE start IN (${hours}
  SELECT start FROM hours) AND subject = ?`;
