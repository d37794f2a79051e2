import { validationError } from '../../contract/errors.ts';
import type { ExecutionStatus } from '../../contract/execution.ts';
import type { ExecutionQuery } from '../../contract/requests/execution.ts';
import type { ExecutionFilter } from '../../ports/store/execution-reads.ts';

/** What the store is asked for. @throws {WeftError} VALIDATION_ERROR for a time that is none. */
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
  // Date.parse takes 31 November for 1 December.
  if (Number.isNaN(time) || !new Date(`${day}T00:00:00Z`).toISOString().startsWith(day))
    throw validationError([{ field, issue: 'takes a time in ISO 8601, such as 2026-01-31T12:00:00Z' }]);
  return time;
}
