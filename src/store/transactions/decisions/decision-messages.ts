import type { DecisionStatus } from '../../../contract/decisions/decisions.ts';
import type {
  DecisionMessage,
  DecisionMessageEnd,
  DueDecisionMessage,
} from '../../../ports/store/decisions.ts';
import * as queries from '../../queries/decisions/decision-messages.ts';
import { selectAll, change, selectFirst, lock, type Transaction } from '../../statement.ts';

/** Further messages of one decision are not recorded. */
const MAX_MESSAGES = 20;

export function* addDecisionMessage(
  { decisionId, channel, ts }: DecisionMessage,
  at: number | null,
): Transaction<void> {
  // With the end of the decision, so that the message is either open or due.
  yield* lock(`decision ${decisionId}`);
  const decision = yield* selectFirst<{ status: DecisionStatus }>(queries.status, decisionId);
  if (decision === null || (at === null && decision.status !== 'open')) return;
  if ((yield* countDecisionMessages(decisionId)) >= MAX_MESSAGES) return;
  yield* change(queries.add, decisionId, channel, ts, decision.status === 'open' ? null : at);
}

export function* countDecisionMessages(decisionId: string): Transaction<number> {
  return (yield* selectFirst<{ n: number }>(queries.count, decisionId))?.n ?? 0;
}

type MessageRecord = { decision: string; channel: string; ts: string; failures: number; due_at: number };

export function* dueDecisionMessages(now: number, limit: number): Transaction<DueDecisionMessage[]> {
  return (yield* selectAll<MessageRecord>(queries.due, now, limit)).map((row) => ({
    decisionId: row.decision,
    channel: row.channel,
    ts: row.ts,
    failures: row.failures,
    dueAt: row.due_at,
  }));
}

export function* nextDecisionMessage(): Transaction<number | null> {
  return (yield* selectFirst<{ due_at: number | null }>(queries.next))?.due_at ?? null;
}

export function* claimDecisionMessage(
  { decisionId, channel, ts, dueAt }: DueDecisionMessage,
  until: number,
): Transaction<boolean> {
  return (yield* change(queries.claim, until, decisionId, channel, ts, dueAt)) > 0;
}

export function* endDecisionMessage(
  { decisionId, channel, ts }: DecisionMessage,
  until: number,
  end: DecisionMessageEnd,
): Transaction<void> {
  if (end.kind === 'retry')
    yield* change(queries.retry, end.failures, end.next, decisionId, channel, ts, until);
  else yield* change(queries.remove, decisionId, channel, ts, until);
}
