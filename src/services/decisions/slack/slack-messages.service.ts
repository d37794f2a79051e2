import type { NodeErrorType } from '../../../contract/execution.ts';
import { createResultMessage } from '../../../nodes/flow/approval/slack/slack-message.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Notifier } from '../../../ports/notifier.ts';
import type {
  DecisionMessageEnd,
  DecisionMessageStore,
  DueDecisionMessage,
} from '../../../ports/store/decisions.ts';
import type { DecisionRow, DecisionStore } from '../../../ports/store/decisions.ts';
import { createDueWork } from '../../due-work.ts';
import type { SlackAccounts } from './slack-account.ts';
import { toSlackResult } from './slack-result.ts';

/** Maximum sleep, ms: a decision that another process closed is found within this time. */
const MAX_SLEEP_MS = 5_000;
const CALL_TIMEOUT_MS = 30_000;
/** Longer than a call, so that no other process repeats it meanwhile, ms. */
const CLAIM_DURATION_MS = 45_000;
const MAX_CONCURRENCY = 4;
/**
 * Calls after which an update is given up, and the delay after the first failure in ms. It doubles with each
 * further one, up to the maximum: four hours in all.
 */
const MAX_TRIES = 15;
const BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 1_800_000;
/** The longest `Retry-After` that is followed. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Failures that end without a change of the workflow. */
const TEMPORARY: ReadonlySet<NodeErrorType> = new Set(['timeout', 'network', 'rate_limited', 'server_error']);

/**
 * Shows the end of decisions in their messages in Slack. A message is due in the transaction that closes its
 * decision, so a crash repeats at most an update with the same content, which changes nothing.
 */
export function createSlackMessages(deps: {
  messages: Pick<DecisionMessageStore, 'due' | 'next' | 'claim' | 'end'>;
  decisions: Pick<DecisionStore, 'find'>;
  accounts: SlackAccounts;
  notify: Notifier['notify'];
  clock: Clock;
  report(message: string, error: unknown): void;
}) {
  const { messages, clock } = deps;

  async function serve(message: DueDecisionMessage, until: number, signal: AbortSignal): Promise<void> {
    await messages.end(message, until, await update(message, signal));
  }

  async function update(message: DueDecisionMessage, signal: AbortSignal): Promise<DecisionMessageEnd> {
    const { channel, ts, failures } = message;
    const decision = await deps.decisions.find(message.decisionId);
    if (decision === null) return { kind: 'done' };
    const account = await deps.accounts.find(decision);
    if (account === null) return giveUp(decision, 'the workflow was deleted');
    const content = createResultMessage(toSlackResult(decision));
    const data = { channel, ts, ...content };
    const limits = { timeout: CALL_TIMEOUT_MS, signal };
    const outcome = await deps.accounts.call(decision.ownerId, account, 'update_message', data, limits);
    if (outcome.kind === 'done') return { kind: 'done' };
    // The next process repeats it at once.
    if (signal.aborted) return { kind: 'retry', failures, next: 0 };
    const delay = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** failures);
    if (outcome.kind !== 'failed') return { kind: 'retry', failures, next: clock.now() + delay };
    const { type, message: issue, retryAfter = 0 } = outcome.error;
    if (!TEMPORARY.has(type) || failures + 1 >= MAX_TRIES) return giveUp(decision, issue);
    const wait = Math.max(delay, Math.min(retryAfter, MAX_RETRY_AFTER_MS));
    return { kind: 'retry', failures: failures + 1, next: clock.now() + wait };
  }

  function giveUp({ id, ownerId, executionId, title }: DecisionRow, issue: string): DecisionMessageEnd {
    deps.notify({
      ownerId,
      level: 'warning',
      message: `The message in Slack about "${title}" could not be updated: ${issue}`,
      data: { decision_id: id, execution_id: executionId },
    });
    return { kind: 'done' };
  }

  return createDueWork({
    due: (now, limit) => messages.due(now, limit),
    next: () => messages.next(),
    async claim(message, now) {
      const until = now + CLAIM_DURATION_MS;
      return (await messages.claim(message, until)) ? until : null;
    },
    serve,
    maxConcurrency: MAX_CONCURRENCY,
    maxSleep: MAX_SLEEP_MS,
    retryDelay: MAX_SLEEP_MS,
    messages: {
      read: 'messages about decisions could not be read',
      serve: 'a message about a decision could not be updated',
    },
    clock,
    report: (text, error) => deps.report(text, error),
  });
}
