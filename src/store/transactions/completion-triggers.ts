import type { CompletionStart, PendingCompletionStart } from '../../ports/store/completion-triggers.ts';
import type { CompletionTrigger, ActiveTriggers } from '../../ports/store/active-triggers.ts';
import * as completionTriggers from '../queries/completion-triggers.ts';
import * as triggers from '../queries/triggers.ts';
import { toWebhook, type WebhookRecord } from '../rows.ts';
import { selectAll, change, type Transaction, type Scalar } from '../statement.ts';

type PendingStartRecord = {
  execution_id: string;
  workflow_id: string;
  node_id: string;
  kind: CompletionStart['kind'];
  owner_id: string;
};

/** Written in the transaction that ends the execution. */
export function completionStartParams(
  executionId: string,
  ownerId: string,
  start: CompletionStart,
): Scalar[] {
  const { workflowId, nodeId, kind } = start;
  return [executionId, workflowId, nodeId ?? '', kind, ownerId];
}

export function* listPendingStarts(
  after: PendingCompletionStart | null,
  limit: number,
): Transaction<PendingCompletionStart[]> {
  const from = after === null ? ['', '', ''] : toKey(after);
  return (yield* selectAll<PendingStartRecord>(completionTriggers.pending, ...from, limit)).map((r) => ({
    executionId: r.execution_id,
    workflowId: r.workflow_id,
    nodeId: r.node_id === '' ? null : r.node_id,
    kind: r.kind,
    ownerId: r.owner_id,
  }));
}

export function* removePendingStart(start: PendingCompletionStart): Transaction<void> {
  yield* change(completionTriggers.remove, ...toKey(start));
}

function toKey({ executionId, workflowId, nodeId }: PendingCompletionStart): string[] {
  return [executionId, workflowId, nodeId ?? ''];
}

type CompletionTriggerRecord = {
  workflow_id: string;
  node_id: string;
  owner_id: string;
  kind: CompletionTrigger['kind'];
  followed_status: CompletionTrigger['on'];
  source: string | null;
  target: string;
};

export function* listCompletionTriggers(): Transaction<CompletionTrigger[]> {
  return (yield* selectAll<CompletionTriggerRecord>(triggers.completionTriggers)).map(toCompletionTrigger);
}

export function* listWebhooksAndCompletionTriggers(
  workflowId: string,
): Transaction<Pick<ActiveTriggers, 'webhooks' | 'completionTriggers'>> {
  const webhooks = (yield* selectAll<WebhookRecord>(triggers.listWebhooks, workflowId)).map(toWebhook);
  const completionTriggers = (yield* selectAll<CompletionTriggerRecord>(
    triggers.listCompletionTriggersOf,
    workflowId,
  )).map(toCompletionTrigger);
  return { webhooks, completionTriggers };
}

function toCompletionTrigger(r: CompletionTriggerRecord): CompletionTrigger {
  return {
    workflowId: r.workflow_id,
    nodeId: r.node_id === '' ? null : r.node_id,
    ownerId: r.owner_id,
    kind: r.kind,
    on: r.followed_status,
    source: r.source,
    target: r.target,
  };
}
