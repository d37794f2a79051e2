import { bucketStarts } from '../../lib/time/duration-buckets.ts';

/*
 * Ended executions by hour of creation: their number by owner or workflow (`subject`), end status and bucket
 * of their duration (-1: not counted among the durations). A row at the start of a day may stand for the
 * whole day. The hour comes first in the key, so that the rows that are written are neighbours.
 *
 * The existing executions are counted here.
 */
const bucket = `CASE ${bucketStarts
  .slice(1)
  .map((start, i) => `WHEN e.end_time - e.start_time < ${start} THEN ${i}`)
  .join(' ')} ELSE ${bucketStarts.length - 1} END`;

const count = (subject: string): string => `
INSERT INTO execution_statistics (start, subject, status, bucket, n)
SELECT e.created_at - e.created_at % 3600000, ${subject}, e.status,
  CASE WHEN e.status = 'stopped' OR e.start_time IS NULL OR e.end_time IS NULL THEN -1 ELSE ${bucket} END, count(*)
FROM executions e WHERE e.status IN ('completed', 'failed', 'stopped') AND e.owner_id <> '' GROUP BY 1, 2, 3, 4;`;

export const sql = `
CREATE TABLE execution_statistics (
  start INTEGER NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (start, subject, status, bucket)
);
${count("'owner:' || e.owner_id")}
${count("'workflow:' || e.workflow_id")}
`;
