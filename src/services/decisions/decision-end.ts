import { createConflictError, type WeftError } from '../../contract/errors.ts';
import { formatIsoTimeOrNull } from '../../lib/time/iso-time.ts';
import type { DecisionRow } from '../../ports/store/decisions.ts';

/** Whether people can still respond. The node run that ends the decision may be late. */
export function isOpen({ status, deadlineAt }: DecisionRow, now: number): boolean {
  return status === 'open' && (deadlineAt === null || now < deadlineAt);
}

/** The error of a response to a decision that is closed. It names who decided and when. */
export function createClosedError(decision: DecisionRow): WeftError {
  const { status, choice, closedAt } = decision;
  const by = findLastResponse(decision)?.email ?? null;
  const when = formatIsoTimeOrNull(closedAt);
  const details = { status, choice, decided_by: by, decided_at: when };
  if (status === 'decided')
    return createConflictError(`This was decided by ${by} at ${when}: ${choice}.`, details);
  if (status === 'expired') return createConflictError(`The deadline passed at ${when}.`, details);
  return createConflictError('The execution no longer waits for this decision.', details);
}

/** The response that made the decision. */
export function findLastResponse(decision: DecisionRow): DecisionRow['assignees'][number] | null {
  return decision.assignees.reduce<DecisionRow['assignees'][number] | null>(
    (last, person) =>
      person.respondedAt !== null && person.respondedAt >= (last?.respondedAt ?? 0) ? person : last,
    null,
  );
}
