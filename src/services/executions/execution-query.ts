import { createValidationError } from '../../contract/errors.ts';
import type { ExecutionStatus, TriggerType } from '../../contract/execution.ts';
import type { ExecutionQuery } from '../../contract/requests/execution.ts';
import { idPrefixes } from '../../ports/ids.ts';
import type { ExecutionFilter, ExecutionSearch } from '../../ports/store/execution-reads.ts';

/** Converts a query to a store filter. @throws {WeftError} VALIDATION_ERROR for an invalid time. */
export function createExecutionFilter(
  query: ExecutionQuery,
  workflowId: string | undefined,
): ExecutionFilter {
  const filter: ExecutionFilter = {};
  if (workflowId !== undefined) filter.workflowId = workflowId;
  if (query.status !== undefined) filter.status = query.status as ExecutionStatus;
  if (query.from !== undefined) filter.from = readTime('from', query.from);
  if (query.to !== undefined) filter.to = readTime('to', query.to);
  return filter;
}

/** Returns the search of a query; null without one. */
export function createExecutionSearch(query: ExecutionQuery): ExecutionSearch | null {
  const search: ExecutionSearch = {};
  const q = query.q?.trim().replaceAll(/\s+/g, ' ') ?? '';
  if (ID_PREFIX.test(q)) search.idPrefix = q.toLowerCase();
  else if (q !== '') search.words = q.split(' ');
  if (query.node_id !== undefined && query.node_id !== '') search.failedNode = query.node_id;
  if (query.trigger !== undefined) search.trigger = query.trigger as TriggerType;
  return Object.keys(search).length === 0 ? null : search;
}

const ID_PREFIX = new RegExp(`^${idPrefixes.execution}_[0-9a-z]*$`, 'i');

/** Reads ISO 8601. @throws {WeftError} VALIDATION_ERROR. */
export function readTime(field: string, text: string): number {
  const day = text.slice(0, 10);
  const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  // Date.parse reads 31 November as 1 December.
  if (Number.isNaN(time) || !new Date(`${day}T00:00:00Z`).toISOString().startsWith(day))
    throw createValidationError([
      { field, issue: 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z' },
    ]);
  return time;
}
