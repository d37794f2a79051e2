import type { ExecutionStatus } from '../../contract/execution.ts';
import type { Deletion } from '../../ports/store/workflows.ts';
import * as apiKeys from '../queries/accounts/api-keys.ts';
import * as blobs from '../queries/blobs.ts';
import * as connections from '../queries/connections.ts';
import * as counters from '../queries/counters.ts';
import * as decisions from '../queries/decisions/decisions.ts';
import * as decisionMessages from '../queries/decisions/decision-messages.ts';
import * as dedupe from '../queries/dedupe.ts';
import * as executions from '../queries/executions.ts';
import * as files from '../queries/files.ts';
import * as journal from '../queries/journal.ts';
import * as oauthClients from '../queries/accounts/oauth-clients.ts';
import * as oauthRecords from '../queries/accounts/oauth-records.ts';
import * as pinnedOutputs from '../queries/pinned-outputs.ts';
import * as polls from '../queries/polling.ts';
import * as rateWindows from '../queries/accounts/rate-windows.ts';
import * as secrets from '../queries/accounts/secrets.ts';
import * as sessions from '../queries/accounts/sessions.ts';
import * as customNodes from '../queries/custom-nodes.ts';
import * as signals from '../queries/signals.ts';
import * as templates from '../queries/templates.ts';
import * as threads from '../queries/ai/threads.ts';
import * as vectors from '../queries/ai/vectors.ts';
import * as timers from '../queries/timers.ts';
import * as triggers from '../queries/triggers.ts';
import * as users from '../queries/accounts/users.ts';
import * as workers from '../queries/workers.ts';
import * as usage from '../queries/ai/model-usage.ts';
import * as workflows from '../queries/workflows.ts';
import { selectAll, change, selectFirst, lock, type Transaction, type Statement } from '../statement.ts';
import { endPackTriggers } from './polling/pack-triggers.ts';
import { CounterDeltas, ofOwner, ofWorkflow } from './execution-counters.ts';
import { removeStatistics } from './execution-statistics.ts';
import { forgetPolled } from './polling/polls.ts';
import { removeThreadsOf } from './ai/threads.ts';
import { deletionLock, userLock, workflowLock } from './locks.ts';

/*
 * Deletion is bounded: one transaction deletes a limited number of executions and journal rows, so that
 * checkpoints never wait long for it. The rest is hidden from users; the next piece (or, after a crash,
 * `prune`) continues.
 */
const PIECE_EXECUTIONS = 100;
const PIECE_JOURNAL_ROWS = 2_000;
const PIECE_THREADS = 20;
const DAY_MS = 86_400_000;
/** The maximum retention of an execution. */
const MAX_RETENTION_MS = 366 * DAY_MS;

type DeletableExecution = {
  number: number;
  id: string;
  owner_id: string;
  workflow_id: string;
  status: ExecutionStatus;
  next_seq: number;
  dedupe_scope: string | null;
  dedupe_key: string | null;
};

/**
 * Deletes executions with all dependent rows. Returns the number of deleted executions, and the contents that
 * they referred to.
 */
function* removeExecutions(
  rows: readonly DeletableExecution[],
): Transaction<{ executions: number; hashes: string[] }> {
  const deltas = new CounterDeltas();
  const hashes = new Set<string>();
  let budget = PIECE_JOURNAL_ROWS;
  let count = 0;
  for (const row of rows) {
    if (budget <= 0) break;
    const wasVisible = row.owner_id !== '';
    const writes: Statement[] = [];
    if (wasVisible) {
      count++;
      deltas.move(row.owner_id, row.workflow_id, row.status, null);
      if (row.dedupe_scope !== null && row.dedupe_key !== null) {
        writes.push({
          sql: dedupe.removeByExecution,
          params: [row.owner_id, row.dedupe_scope, row.dedupe_key, row.id],
        });
      }
      writes.push({ sql: timers.removeByExecution, params: [row.number] });
      writes.push({ sql: signals.removeByExecution, params: [row.number] });
      writes.push({ sql: decisionMessages.removeByExecution, params: [row.number] });
      writes.push({ sql: journal.removeSnapshotByExecution, params: [row.number] });
      writes.push({ sql: decisions.removeAssigneesByExecution, params: [row.number] });
      writes.push({ sql: decisions.removeByExecution, params: [row.number] });
    }
    const keep = Math.max(0, row.next_seq - budget);
    budget -= row.next_seq - keep + 1;
    writes.push({ sql: journal.removeFrom, params: [row.number, keep] });
    if (keep > 0) {
      if (wasVisible) writes.push({ sql: executions.markForRemoval, params: [row.number] });
      writes.push({ sql: executions.truncateJournal, params: [keep, row.number] });
      yield writes;
      continue;
    }
    writes.push(
      { sql: blobs.removeByExecution, params: [row.number] },
      { sql: files.removeByExecution, params: [row.id] },
      { sql: executions.remove, params: [row.number] },
    );
    for (const result of yield writes) for (const { hash } of result.rows) hashes.add(String(hash));
  }
  yield deltas.statements();
  return { executions: count, hashes: [...hashes] };
}

/** Runs one piece of `prune`; `hasMore`: another piece may find rows. */
export function* prunePiece(
  now: number,
  limit: number,
): Transaction<{ executions: number; hashes: string[]; hasMore: boolean }> {
  const wanted = Math.min(limit, PIECE_EXECUTIONS);
  yield* lock(deletionLock);
  const due = yield* selectAll<DeletableExecution>(executions.expired, now, wanted);
  const removed = yield* removeExecutions(due);
  const [keys, ended, tests] = yield [
    { sql: dedupe.prune, params: [now, PIECE_EXECUTIONS] },
    { sql: sessions.prune, params: [now - DAY_MS, PIECE_EXECUTIONS] },
    { sql: workflows.pruneTests, params: [now - DAY_MS, PIECE_EXECUTIONS] },
    { sql: workers.prune, params: [now - DAY_MS] },
    { sql: secrets.pruneFormer, params: [now - MAX_RETENTION_MS] },
  ];
  const isFull = [due.length, keys?.changes ?? 0, ended?.changes ?? 0, tests?.changes ?? 0].some(
    (n) => n >= Math.min(wanted, PIECE_EXECUTIONS),
  );
  return { ...removed, hasMore: isFull || removed.executions < due.length };
}

/** File rows whose execution was never committed, a day after they were saved. */
export function* findOrphans(now: number): Transaction<{ id: string; hash: string }[]> {
  return yield* selectAll<{ id: string; hash: string }>(files.orphans, now - DAY_MS, PIECE_EXECUTIONS);
}

export function* removeFiles(ids: readonly string[]): Transaction<void> {
  yield ids.map((id) => ({ sql: files.remove, params: [id] }));
}

function createTriggerRemovals(workflowId: string): Statement[] {
  return [
    { sql: triggers.removeWebhooks, params: [workflowId] },
    { sql: triggers.removeSegments, params: [workflowId] },
    { sql: triggers.removeSchedules, params: [workflowId] },
    { sql: triggers.removeQueuedTicks, params: [workflowId] },
    { sql: triggers.removeCompletionTriggers, params: [workflowId] },
    ...endPackTriggers(workflowId),
    { sql: polls.removeByWorkflow, params: [workflowId] },
  ];
}

/** Runs the first piece of `remove`; it deletes small workflows completely. */
export function* removeWorkflow(ownerId: string, id: string): Transaction<{ found: boolean; more: boolean }> {
  yield* lock(workflowLock(id));
  if ((yield* selectFirst(workflows.selectState, id, ownerId)) === null) return { found: false, more: false };
  yield [...createTriggerRemovals(id), { sql: workflows.markForRemoval, params: [id, ownerId] }];
  return { found: true, more: yield* removePiece(id) };
}

/** Runs the first piece of `markDeleted`; it deletes few executions completely. */
export function* markWorkflowDeleted(
  ownerId: string,
  id: string,
  { deletedAt, deletedBy, purgeAt }: Deletion,
): Transaction<{ found: boolean; more: boolean }> {
  yield* lock(workflowLock(id));
  const marked = yield* change(workflows.markDeleted, deletedAt, deletedBy, purgeAt, id, ownerId);
  if (marked === 0) return { found: false, more: false };
  yield createTriggerRemovals(id);
  return { found: true, more: yield* removePiece(id) };
}

/** Marks deleted workflows whose time is over for complete deletion. True when more may be due. */
export function* purgeWorkflows(now: number): Transaction<boolean> {
  yield* lock(deletionLock);
  return (yield* change(workflows.purge, now, PIECE_EXECUTIONS)) >= PIECE_EXECUTIONS;
}

/** Continues the deletion of a hidden workflow or of its executions. True when more is left. */
export function* removePiece(workflowId: string): Transaction<boolean> {
  yield* lock(deletionLock);
  const state = (yield* selectFirst<{ removed: number }>(workflows.state, workflowId))?.removed;
  const { completely, executions: onlyExecutions } = workflows.deletionStates;
  if (state !== completely && state !== onlyExecutions) return false;
  const rows = yield* selectAll<DeletableExecution>(
    executions.ofRemovedWorkflow,
    workflowId,
    PIECE_EXECUTIONS,
  );
  yield* removeExecutions(rows);
  if ((yield* selectFirst(executions.findAny, workflowId)) !== null) return true;
  if (yield* forgetPolled(workflowId)) return true;
  if ((yield* removeThreadsOf(workflowId, PIECE_THREADS)) >= PIECE_THREADS) return true;
  yield* removeStatistics(ofWorkflow(workflowId));
  yield [
    { sql: counters.removeBySubject, params: [ofWorkflow(workflowId)] },
    ...(state === onlyExecutions
      ? [{ sql: workflows.markRestorable, params: [workflowId] }]
      : [
          { sql: workflows.removeVersions, params: [workflowId] },
          { sql: workflows.removeTags, params: [workflowId] },
          { sql: pinnedOutputs.removeByWorkflow, params: [workflowId] },
          { sql: workflows.remove, params: [workflowId] },
        ]),
  ];
  return false;
}

export function* hiddenWorkflows(): Transaction<string[]> {
  return (yield* selectAll<{ id: string }>(workflows.hidden, PIECE_EXECUTIONS, PIECE_EXECUTIONS)).map(
    (row) => row.id,
  );
}

/** Deletes the user with sessions, keys and secrets; workflows are hidden and deleted in pieces. */
export function* removeUser(id: string): Transaction<boolean> {
  yield* lock(userLock(id));
  const wasThere = (yield* change(users.remove, id)) > 0;
  yield [
    { sql: sessions.removeByUser, params: [id] },
    { sql: apiKeys.removeByOwner, params: [id] },
    { sql: secrets.removeByOwner, params: [id] },
    { sql: secrets.removeFormerByOwner, params: [id] },
    { sql: connections.removeByOwner, params: [id] },
    { sql: connections.removeTokensByOwner, params: [id] },
    { sql: connections.removeAuthorizationsByOwner, params: [id] },
    { sql: rateWindows.removeByUser, params: [id] },
    { sql: templates.removeByOwner, params: [id] },
    { sql: threads.expireByOwner, params: [id] },
    { sql: vectors.hideOfOwner, params: [id] },
    { sql: customNodes.removeByOwner, params: [id] },
    { sql: customNodes.forgetBuried, params: [id] },
    { sql: oauthRecords.removeOfAccount, params: [id] },
    { sql: oauthRecords.removeByClientOwner, params: [id] },
    { sql: oauthClients.removeByOwner, params: [id] },
  ];
  yield* removeStatistics(ofOwner(id));
  yield [{ sql: usage.removeOfOwner, params: [id] }];
  for (const workflow of yield* selectAll<{ id: string }>(workflows.listIds, id, id))
    yield [
      ...createTriggerRemovals(workflow.id),
      { sql: workflows.markForRemoval, params: [workflow.id, id] },
    ];
  return wasThere;
}
