import { isSettled } from '../../contract/execution.ts';
import type { Checkpoint, CheckpointResult, NewExecution } from '../../ports/store/checkpoint.ts';
import { everyone, ofOwner, ofWorkflow } from '../procedures/counts.ts';
import { begin, insert, WRITTEN } from '../procedures/commit.ts';
import { workflowLock } from '../procedures/locks.ts';
import * as timers from '../queries/timers.ts';
import { lastStep, type Procedure, type Scalar, type Statement } from '../statement.ts';
import { batch, insertColumns, namesOf, shard, type BatchSpelling } from './batch-spelling.ts';

/*
 * Most checkpoints are plain: an execution begins, goes on or ends, and nothing else of the store has a part in it. A batch of
 * such goes to the database in one flight, where the procedure that knows all kinds asks first and writes then. The guards are
 * the same, and stand in the statements: where one of them does not hold, the statement fails, nothing of the batch is written,
 * and that procedure takes over.
 */

/** What PostgreSQL says when a guard does not hold: it has divided by zero. */
export const GUARD = '22012';

const guard = (from: string): string =>
  `SELECT 1 / (SELECT (count(*) = cardinality($1::text[]))::int FROM ${from}) AS n`;

/** The counters of what `moved` holds: rows of an owner, a workflow, a status and a number. */
const counted = (moved: string): string => `INSERT INTO counters (subject, status, n, shard)
    SELECT s.subject, m.status, sum(m.n), ${shard} FROM (${moved}) AS m CROSS JOIN LATERAL
      (VALUES ('${everyone}'), ('${ofOwner('')}' || m.owner_id), ('${ofWorkflow('')}' || m.workflow_id)) AS s (subject)
    GROUP BY s.subject, m.status HAVING sum(m.n) <> 0 ORDER BY s.subject, m.status
    ON CONFLICT (subject, status, shard) DO UPDATE SET n = counters.n + excluded.n`;

const BEGIN = 'plain beginnings';
const ADVANCE = 'plain advances';

export const plainBatches: readonly (readonly [string, BatchSpelling])[] = [
  [
    BEGIN,
    batch(
      `${insertColumns} begun:t`,
      `WITH v AS (SELECT * FROM rows),
        new AS (INSERT INTO executions (${namesOf(insertColumns)}) SELECT ${namesOf(insertColumns, 'v.')} FROM v
          JOIN workflows w ON w.id = v.workflow_id AND w.owner_id = v.owner_id AND w.removed = 0
          RETURNING number, id, owner_id, workflow_id, status),
        written AS (INSERT INTO journal (execution, seq, events)
          SELECT n.number, 0, v.begun FROM new n JOIN v ON v.id = n.id WHERE v.begun IS NOT NULL),
        counted AS (${counted('SELECT n.owner_id, n.workflow_id, n.status, 1 AS n FROM new n')})
        ${guard('new')}`,
    ),
  ],
  [
    ADVANCE,
    batch(
      `id:t stored:n fence:n seq:n status:t error:t progress:f current_node:t start_time:n end_time:n worker:t settled_at:n events:t`,
      // In one order everywhere, so that two transactions never wait for each other.
      `WITH old AS MATERIALIZED (SELECT e.number, e.owner_id, e.workflow_id, e.status AS was, v.* FROM rows
          JOIN executions e ON e.id = v.id WHERE e.owner_id <> '' AND e.fence = v.stored AND e.next_seq = v.seq
            AND e.status || '' NOT IN ('completed', 'failed', 'stopped') ORDER BY e.id FOR NO KEY UPDATE OF e),
        done AS (UPDATE executions AS e SET status = o.status, error = o.error, progress = o.progress,
          current_node = o.current_node, start_time = o.start_time, end_time = o.end_time, worker = o.worker,
          expires_at = o.settled_at + e.retention, next_seq = o.seq + 1, fence = o.fence
          FROM old o WHERE e.number = o.number),
        written AS (INSERT INTO journal (execution, seq, events) SELECT o.number, o.seq, o.events FROM old o),
        counted AS (${counted(`SELECT o.owner_id, o.workflow_id, d.status, d.n FROM old o
          CROSS JOIN LATERAL (VALUES (o.was, -1), (o.status, 1)) AS d (status, n) WHERE o.was <> o.status`)})
        ${guard('old')}`,
    ),
  ],
];

/** Null: not all of these are plain. */
export function plainCommit(
  checkpoints: readonly Checkpoint[],
): (() => Procedure<CheckpointResult[]>) | null {
  const ids = new Set<string>();
  for (const checkpoint of checkpoints) {
    if (!isPlain(checkpoint) || ids.has(checkpoint.executionId)) return null;
    ids.add(checkpoint.executionId);
  }
  return () => write(checkpoints);
}

function isPlain({ create, status, endTime, ...rest }: Checkpoint): boolean {
  if (rest.wake !== undefined || rest.follow !== undefined || rest.blobs.length > 0) return false;
  const isEnd = isSettled(status);
  if (isEnd ? endTime === null : rest.setTimers.length + rest.clearTimers.length > 0) return false;
  if (create === null) return status !== 'queued';
  return create.dedupe === null && create.tick === null && !create.polled && !create.files;
}

function* write(checkpoints: readonly Checkpoint[]): Procedure<CheckpointResult[]> {
  const locks = new Set<string>();
  const begun: Scalar[][] = [];
  const advanced: Scalar[][] = [];
  for (const checkpoint of checkpoints) {
    if (checkpoint.create === null) advanced.push(advance(checkpoint));
    else {
      locks.add(workflowLock(checkpoint.create.workflowId));
      begun.push(beginning(checkpoint, checkpoint.create));
    }
  }
  const statements: Statement[] = [];
  if (begun.length > 0) {
    statements.push({ lock: 'shared', names: [...locks] });
    statements.push({ sql: BEGIN, each: begun });
  }
  if (advanced.length > 0) statements.push({ sql: ADVANCE, each: advanced });
  // A statement of its own: it sees what was set while the other one waited for the rows.
  const ended = checkpoints.filter(({ create, status }) => create === null && isSettled(status));
  if (ended.length > 0)
    statements.push({ sql: timers.clearAll, each: ended.map(({ executionId }) => [executionId]) });
  yield lastStep(statements);
  return checkpoints.map(() => WRITTEN);
}

function beginning(checkpoint: Checkpoint, create: NewExecution): Scalar[] {
  const { status, events } = checkpoint;
  const only = isSettled(status) ? events : null;
  const live = { ...begin(create), status, nextSeq: 1, last: checkpoint, only };
  return [...insert(live, create), only === null ? events : null];
}

function advance({ executionId, fence, takes, seq, status, endTime, events, ...rest }: Checkpoint): Scalar[] {
  return [
    executionId,
    takes === true ? fence - 1 : fence,
    fence,
    seq,
    status,
    rest.error === null ? null : JSON.stringify(rest.error),
    rest.progress,
    rest.currentNode,
    rest.startTime,
    endTime,
    status === 'running' ? rest.worker : null,
    isSettled(status) ? endTime : null,
    events,
  ];
}
