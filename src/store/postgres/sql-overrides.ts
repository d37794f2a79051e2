import * as blobs from '../queries/blobs.ts';
import * as counters from '../queries/counters.ts';
import * as decisions from '../queries/decisions/decisions.ts';
import * as dedupe from '../queries/dedupe.ts';
import * as executions from '../queries/executions.ts';
import * as statistics from '../queries/execution-statistics.ts';
import * as files from '../queries/files.ts';
import * as completionTriggers from '../queries/completion-triggers.ts';
import * as journal from '../queries/journal.ts';
import * as polls from '../queries/polling.ts';
import * as signals from '../queries/signals.ts';
import * as timers from '../queries/timers.ts';
import * as triggers from '../queries/triggers.ts';
import * as usage from '../queries/ai/model-usage.ts';
import * as vectors from '../queries/ai/vectors.ts';
import * as workflows from '../queries/workflows.ts';
import { createBatchSql, insertColumns, listNames, shard, type BatchSql } from './batch-sql.ts';

/*
 * Statements that differ in PostgreSQL: those that lock the rows that a transaction decides about, those on
 * strings of any length (an index entry holds at most 2,700 bytes, so these are found by their MD5), the
 * counters and statistics (one row per writing connection, so that none is contended), and those of batches.
 * All others are shared.
 */

const byId = (sql: string): string => sql.replace('e.owner_id = ?', `e.owner_id || '' = ?`);

export const sqlOverrides: ReadonlyMap<string, string> = new Map([
  [executions.head, `${executions.head} FOR NO KEY UPDATE`],
  [signals.target, `${signals.target} FOR NO KEY UPDATE`],
  // The process that has locked the row has the execution, or is about to end it. The status is hidden from
  // the planner, here and below: it would use an index of unfinished executions, which a backlog makes longer
  // than its statistics show.
  [
    executions.claim,
    `UPDATE executions SET worker = $1, fence = fence + 1 WHERE number = (SELECT e.number FROM executions e
      WHERE e.id = $2 AND e.owner_id <> '' AND e.status || '' NOT IN ('completed', 'failed', 'stopped')
        AND (e.worker IS NULL OR e.worker = $3 OR e.worker NOT IN (SELECT w.id FROM workers w WHERE w.lease_until > $4))
      FOR UPDATE SKIP LOCKED) RETURNING ${executions.claimed}`,
  ],
  // Prevents the owner's index: the planner rates both alike on a small table, and the cached plan would
  // stay.
  [executions.get, byId(executions.get)],
  [executions.onlyEvents, byId(executions.onlyEvents)],
  [journal.read, byId(journal.read)],
  [executions.expired, `${executions.expired} FOR UPDATE SKIP LOCKED`],
  [executions.ofRemovedWorkflow, `${executions.ofRemovedWorkflow} FOR UPDATE SKIP LOCKED`],
  [
    counters.add,
    `INSERT INTO counters (subject, status, shard, n) VALUES ($1, $2, ${shard}, $3)
      ON CONFLICT (subject, status, shard) DO UPDATE SET n = counters.n + excluded.n`,
  ],
  [
    statistics.add,
    `INSERT INTO execution_statistics (start, subject, status, bucket, n, shard) VALUES ($1, $2, $3, $4, $5, ${shard})
      ON CONFLICT (start, subject, status, bucket, shard) DO UPDATE SET n = execution_statistics.n + excluded.n`,
  ],
  [
    usage.add,
    `INSERT INTO model_usage (${usage.columns}, shard) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ${shard})
      ON CONFLICT (day, workflow_id, model, shard) DO UPDATE SET ${usage.sums}`,
  ],
  [vectors.isSearchable, `SELECT 1 AS n FROM pg_extension WHERE extname = 'vector'`],
  [counters.of, 'SELECT status, sum(n) AS n FROM counters WHERE subject = $1 GROUP BY status'],
  [
    dedupe.find,
    `SELECT owner_id, scope, key, execution_id, fingerprint FROM dedupe
      WHERE owner_id = $1 AND scope = $2 AND md5(key) = md5($3) AND key = $3 AND expires_at > $4`,
  ],
  [
    dedupe.removeByExecution,
    `DELETE FROM dedupe WHERE owner_id = $1 AND scope = $2 AND md5(key) = md5($3) AND key = $3 AND execution_id = $4`,
  ],
  [
    // By the physical row: with the key's index by MD5, each would be searched among all of its owner and
    // scope.
    dedupe.prune,
    `DELETE FROM dedupe WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM dedupe d WHERE d.expires_at <= $1 ORDER BY d.expires_at LIMIT $2))`,
  ],
  [
    timers.set,
    `INSERT INTO timers (execution, path, due_at) VALUES ((SELECT number FROM executions WHERE id = $1), $2, $3)
      ON CONFLICT (execution, md5(path)) DO UPDATE SET due_at = excluded.due_at`,
  ],
  [
    timers.wake,
    `INSERT INTO timers (execution, path, due_at) SELECT number, $1, $2 FROM executions WHERE id = $3
      AND status NOT IN ('completed', 'failed', 'stopped') FOR NO KEY UPDATE
      ON CONFLICT (execution, md5(path)) DO UPDATE SET due_at = excluded.due_at`,
  ],
  [
    signals.put,
    `INSERT INTO signals (path, value, created_at, execution) VALUES ($1, $2, $3, $4)
      ON CONFLICT (execution, md5(path)) DO NOTHING`,
  ],
  [
    signals.read,
    `SELECT s.value FROM signals s
      WHERE s.execution = (SELECT e.number FROM executions e WHERE e.id = $1 AND e.owner_id || '' = $2)
        AND md5(s.path) = md5($3) AND s.path = $3`,
  ],
  [decisions.findByPath, decisions.findByPath.replace('d.path = ?', 'md5(d.path) = md5(?)')],
  [decisions.abandoned, decisions.abandoned.replace('t.path = d.path', 'md5(t.path) = md5(d.path)')],
  [
    triggers.webhookTaken,
    `SELECT 1 AS found FROM webhooks WHERE method = $1 AND md5(shape) = md5($2) AND shape = $2 AND workflow_id <> $3`,
  ],
]);

export const batches: ReadonlyMap<string, BatchSql> = new Map([
  [
    executions.insert,
    createBatchSql(
      insertColumns,
      `INSERT INTO executions (${listNames(insertColumns)}) SELECT v.* FROM rows`,
    ),
  ],
  [
    executions.advance,
    createBatchSql(
      'status:t error:t progress:f current_node:t start_time:n end_time:n expires_at:n worker:t next_seq:n fence:n id:t stored:n',
      `UPDATE executions AS e SET status = v.status, error = v.error, progress = v.progress, current_node = v.current_node,
        start_time = v.start_time, end_time = v.end_time, expires_at = v.expires_at, worker = v.worker, next_seq = v.next_seq,
        fence = v.fence FROM rows WHERE e.id = v.id AND e.fence = v.stored`,
    ),
  ],
  [
    executions.head,
    // In a fixed order, so that two transactions never deadlock.
    createBatchSql(
      'id:t',
      `SELECT e.id, e.owner_id, e.workflow_id, e.created_at, e.status, e.fence, e.next_seq, e.retention FROM executions e
        WHERE e.id = ANY($1::text[]) AND e.owner_id <> '' ORDER BY e.id FOR NO KEY UPDATE`,
    ),
  ],
  [
    executions.claim,
    createBatchSql(
      'worker:t id:t own:t now:n',
      `WITH free AS (SELECT e.number FROM executions e WHERE e.id = ANY($2::text[]) AND e.owner_id <> ''
          AND e.status || '' NOT IN ('completed', 'failed', 'stopped') AND (e.worker IS NULL OR e.worker = ($3::text[])[1]
            OR e.worker NOT IN (SELECT w.id FROM workers w WHERE w.lease_until > ($4::bigint[])[1]))
          ORDER BY e.id FOR UPDATE SKIP LOCKED)
        UPDATE executions AS e SET worker = ($1::text[])[1], fence = e.fence + 1 FROM free WHERE e.number = free.number
        RETURNING ${executions.claimed.replaceAll(/(\w+)/g, 'e.$1')}`,
    ),
  ],
  [
    executions.unclaimed,
    createBatchSql(
      'bytes:n now:n id:t',
      executions.unclaimed
        .replace('<= ?', '<= ($1::bigint[])[1]')
        .replace('<= ?', '<= ($2::bigint[])[1]')
        .replace('e.id = ?', 'e.id = ANY($3::text[])')
        .replace('e.status = ', `e.status || '' = `),
    ),
  ],
  [
    workflows.settings,
    createBatchSql(
      'execution:t',
      `SELECT w.id, w.settings FROM workflows w
        WHERE w.id = ANY (ARRAY(SELECT DISTINCT e.workflow_id FROM executions e WHERE e.id = ANY($1::text[])))`,
    ),
  ],
  [
    timers.listDue,
    createBatchSql(
      'execution:t now:n',
      // Starts at the executions, regardless of the statistics about timers.
      `SELECT e.id, t.path FROM executions e CROSS JOIN LATERAL (SELECT t.path FROM timers t
          WHERE t.execution = e.number AND t.due_at + 0 <= ($2::bigint[])[1] OFFSET 0) AS t
        WHERE e.id = ANY($1::text[]) ORDER BY t.path`,
    ),
  ],
  [
    journal.short,
    createBatchSql(
      'execution:t rows:n bytes:n',
      `SELECT e.id, j.seq, j.events FROM executions e CROSS JOIN LATERAL (SELECT j.seq, j.events FROM journal j
          WHERE j.execution = e.number AND octet_length(j.events) <= ($3::bigint[])[1] OFFSET 0) AS j
        WHERE e.id = ANY($1::text[]) AND e.next_seq <= ($2::bigint[])[1] ORDER BY j.seq`,
    ),
  ],
  [
    workflows.alive,
    createBatchSql(
      'id:t owner_id:t',
      `SELECT w.id, w.owner_id FROM rows JOIN workflows w ON w.id = v.id AND w.owner_id = v.owner_id AND w.removed = 0`,
    ),
  ],
  [
    dedupe.find,
    createBatchSql(
      'owner_id:t scope:t key:t at:n',
      `SELECT d.owner_id, d.scope, d.key, d.execution_id, d.fingerprint FROM rows JOIN dedupe d ON d.owner_id = v.owner_id
        AND d.scope = v.scope AND md5(d.key) = md5(v.key) AND d.key = v.key AND d.expires_at > v.at`,
    ),
  ],
  [
    dedupe.put,
    createBatchSql(
      'owner_id:t scope:t key:t fingerprint:t execution_id:t expires_at:n',
      `INSERT INTO dedupe (owner_id, scope, key, fingerprint, execution_id, expires_at) SELECT v.* FROM rows
        ON CONFLICT (owner_id, scope, md5(key)) DO UPDATE SET fingerprint = excluded.fingerprint,
          execution_id = excluded.execution_id, expires_at = excluded.expires_at`,
    ),
  ],
  [
    triggers.dueAt,
    createBatchSql(
      'workflow_id:t node_id:t',
      `SELECT s.workflow_id, s.node_id, s.next_run_at FROM rows
        JOIN schedules s ON s.workflow_id = v.workflow_id AND s.node_id = v.node_id`,
    ),
  ],
  [
    triggers.move,
    createBatchSql(
      'next_run_at:n last_error:t workflow_id:t node_id:t due:n',
      `UPDATE schedules AS s SET next_run_at = v.next_run_at, last_error = v.last_error FROM rows
        WHERE s.workflow_id = v.workflow_id AND s.node_id = v.node_id AND s.next_run_at = v.due`,
    ),
  ],
  [
    polls.fence,
    createBatchSql(
      'workflow_id:t node_id:t',
      `SELECT p.workflow_id, p.node_id, p.fence FROM rows JOIN polls p ON p.workflow_id = v.workflow_id AND p.node_id = v.node_id
        ORDER BY p.workflow_id, p.node_id FOR NO KEY UPDATE OF p`,
    ),
  ],
  [
    polls.seen,
    createBatchSql(
      'workflow_id:t node_id:t item_key:t',
      `SELECT i.workflow_id, i.node_id, i.item_key, i.seen FROM rows JOIN polled_items i
        ON i.workflow_id = v.workflow_id AND i.node_id = v.node_id AND i.item_key = v.item_key`,
    ),
  ],
  [
    polls.see,
    createBatchSql(
      'workflow_id:t node_id:t item_key:t seen:n',
      `INSERT INTO polled_items (workflow_id, node_id, item_key, seen) SELECT v.* FROM rows
        ON CONFLICT (workflow_id, node_id, item_key) DO UPDATE SET seen = excluded.seen`,
    ),
  ],
  [
    journal.append,
    createBatchSql(
      'id:t seq:n events:t',
      `INSERT INTO journal (execution, seq, events) SELECT e.number, v.seq, v.events FROM rows JOIN executions e ON e.id = v.id`,
    ),
  ],
  [
    timers.set,
    createBatchSql(
      'id:t path:t due_at:n',
      `INSERT INTO timers (execution, path, due_at) SELECT e.number, v.path, v.due_at FROM rows
        JOIN executions e ON e.id = v.id ON CONFLICT (execution, md5(path)) DO UPDATE SET due_at = excluded.due_at`,
    ),
  ],
  [
    timers.wake,
    // The batch that wakes them has locked their rows.
    createBatchSql(
      'path:t due_at:n id:t',
      `INSERT INTO timers (execution, path, due_at) SELECT e.number, v.path, v.due_at FROM rows
        JOIN executions e ON e.id = v.id AND e.status NOT IN ('completed', 'failed', 'stopped')
        ON CONFLICT (execution, md5(path)) DO UPDATE SET due_at = excluded.due_at`,
    ),
  ],
  [
    timers.clear,
    createBatchSql(
      'id:t path:t',
      `DELETE FROM timers t USING rows, executions e
        WHERE e.id = v.id AND t.execution = e.number AND md5(t.path) = md5(v.path) AND t.path = v.path`,
    ),
  ],
  [
    timers.clearAll,
    createBatchSql(
      'id:t',
      `DELETE FROM timers t USING rows, executions e WHERE e.id = v.id AND t.execution = e.number`,
    ),
  ],
  [
    blobs.add,
    createBatchSql(
      'id:t hash:t',
      `INSERT INTO blobs (execution, hash) SELECT e.number, v.hash FROM rows JOIN executions e ON e.id = v.id
        ON CONFLICT (execution, hash) DO NOTHING`,
    ),
  ],
  [
    files.insert,
    createBatchSql(
      'id:t owner_id:t execution_id:t hash:t name:t content_type:t size:n created_at:n',
      `INSERT INTO files (id, owner_id, execution_id, hash, name, content_type, size, created_at) SELECT v.* FROM rows`,
    ),
  ],
  [
    completionTriggers.insert,
    createBatchSql(
      'execution_id:t workflow_id:t node_id:t kind:t owner_id:t',
      `INSERT INTO followers (execution_id, workflow_id, node_id, kind, owner_id) SELECT v.* FROM rows`,
    ),
  ],
  [
    statistics.add,
    createBatchSql(
      'start:n subject:t status:t bucket:n n:n',
      `INSERT INTO execution_statistics (start, subject, status, bucket, n, shard) SELECT v.*, ${shard} FROM rows
        ON CONFLICT (start, subject, status, bucket, shard) DO UPDATE SET n = execution_statistics.n + excluded.n`,
    ),
  ],
  [
    usage.add,
    createBatchSql(
      `day:n workflow_id:t owner_id:t model:t calls:n unpriced:n input_tokens:n cached_input_tokens:n output_tokens:n reasoning_tokens:n cost:n`,
      `INSERT INTO model_usage (${usage.columns}, shard) SELECT v.*, ${shard} FROM rows
        ON CONFLICT (day, workflow_id, model, shard) DO UPDATE SET ${usage.sums}`,
    ),
  ],
  [
    counters.add,
    createBatchSql(
      'subject:t status:t n:n',
      `INSERT INTO counters (subject, status, n, shard) SELECT v.*, ${shard} FROM rows
        ON CONFLICT (subject, status, shard) DO UPDATE SET n = counters.n + excluded.n`,
    ),
  ],
]);
