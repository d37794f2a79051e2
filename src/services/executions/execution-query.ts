import { validationError } from '../../contract/errors.ts';
import type { ExecutionStatus } from '../../contract/execution.ts';
import type { ExecutionQuery } from '../../contract/requests/execution.ts';
import type { ExecutionFilter } from '../../ports/store/execution-reads.ts';

/** Converts a query to a store filter. @throws {WeftError} VALIDATION_ERROR for an invalid time. */
export function executionFilter(query: ExecutionQuery, workflowId: string | undefined): ExecutionFilter {
  const filter: ExecutionFilter = {};
  if (workflowId !== undefined) filter.workflowId = workflowId;
  if (query.status !== undefined) filter.status = query.status as ExecutionStatus;
  if (query.from !== undefined) filter.from = readTime('from', query.from);
  if (query.to !== undefined) filter.to = readTime('to', query.to);
  return filter;
}

function readTime(field: string, text: string): number {
  const day = text.slice(0, 10);
  const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  // Date.parse reads 31 November as 1 December.
  if (Number.isNaN(time) || !new Date(`${day}T00:00:00Z`).toISOString().startsWith(day))
    throw validationError([{ field, issue: 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z' }]);
  return time;
}
