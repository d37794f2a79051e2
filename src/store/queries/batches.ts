import * as executions from './executions.ts';
import * as triggers from './triggers.ts';
import * as workflows from './workflows.ts';

/* One statement for many resources of one owner; `list` is `?, ?, …` for their ids. */

/** Params: owner, ids. */
export function listWorkflows(list: string): string {
  return `${workflows.select} WHERE w.owner_id = ? AND w.removed = 0 AND w.id IN (${list})`;
}

/** Params: for each a workflow and a version, then the owner. */
export function listVersions(count: number): string {
  const pairs = Array.from({ length: count }, () => '(v.workflow_id = ? AND v.version = ?)').join(' OR ');
  return `SELECT v.workflow_id, v.version, v.name, v.definition, v.created_at, v.author_type, v.author_name FROM workflow_versions v
  JOIN workflows w ON w.id = v.workflow_id WHERE (${pairs}) AND w.owner_id = ? AND w.removed = 0`;
}

/** Includes polling triggers. Params: owner, workflow ids, and both again. */
export function listSchedules(list: string): string {
  const condition = `WHERE s.owner_id = ? AND s.workflow_id IN (${list})`;
  return `${triggers.selectSchedules} ${condition} UNION ALL ${triggers.selectPolls} ${condition}`;
}

/** The newest executions of each of many workflows. Params: a workflow each, the owner, the limit. */
export function listNewest(count: number): string {
  const one = `SELECT * FROM (${executions.newestOfWorkflow}) AS one`;
  return Array.from({ length: count }, () => one).join(' UNION ALL ');
}

/** The newest execution of each of many workflows. Params: owner, workflow ids. */
export function listLast(list: string): string {
  return `SELECT (SELECT e.id FROM executions e WHERE e.workflow_id = w.id ORDER BY e.created_at DESC, e.number DESC LIMIT 1) AS id
  FROM workflows w WHERE w.owner_id = ? AND w.removed = 0 AND w.id IN (${list})`;
}

/** Params: execution ids. */
export function listStatuses(list: string): string {
  return `SELECT e.id, e.workflow_id, e.status, e.start_time FROM executions e WHERE e.id IN (${list})`;
}

/** Unordered. Params: the execution ids, the owner, the limit. */
export function listRetries(list: string): string {
  // Never by the owner's index.
  return `SELECT e.number, e.id, e.retry_of, e.status, e.start_time FROM executions e
  WHERE e.retry_of IN (${list}) AND e.retry_of IS NOT NULL AND e.owner_id || '' = ? LIMIT ?`;
}

/** Params: owner, execution ids. */
export function listExecutions(list: string): string {
  return `SELECT ${executions.columns} FROM executions e WHERE e.owner_id || '' = ? AND e.id IN (${list})`;
}

/** Journals that were written in one checkpoint. Params: owner, execution ids. */
export function listOnlyEvents(list: string): string {
  return `SELECT e.id, 0 AS seq, e.events FROM executions e WHERE e.owner_id = ? AND e.id IN (${list}) AND e.events IS NOT NULL`;
}

/**
 * The first rows of many journals, unordered. Params: owner, execution ids, the exclusive upper bound of the
 * number.
 */
export function listJournals(list: string): string {
  return `SELECT e.id, j.seq, j.events FROM executions e JOIN journal j ON j.execution = e.number
  WHERE e.owner_id = ? AND e.id IN (${list}) AND e.events IS NULL AND j.seq < ?`;
}
