import type { Follower, PendingFollower } from '../../ports/store/completion-triggers.ts';
import type { EventRoute, LiveTriggers } from '../../ports/store/active-triggers.ts';
import * as completionTriggers from '../queries/completion-triggers.ts';
import * as triggers from '../queries/triggers.ts';
import { toWebhook, type WebhookRecord } from '../rows.ts';
import { all, change, type Transaction, type Scalar } from '../statement.ts';

type FollowerRecord = {
  execution_id: string;
  workflow_id: string;
  node_id: string;
  kind: Follower['kind'];
  owner_id: string;
};

/** Written in the transaction that ends the execution. */
export function followerParams(executionId: string, ownerId: string, follower: Follower): Scalar[] {
  const { workflowId, nodeId, kind } = follower;
  return [executionId, workflowId, nodeId ?? '', kind, ownerId];
}

export function* pendingFollowers(
  after: PendingFollower | null,
  limit: number,
): Transaction<PendingFollower[]> {
  const from = after === null ? ['', '', ''] : toKey(after);
  return (yield* all<FollowerRecord>(completionTriggers.pending, ...from, limit)).map((r) => ({
    executionId: r.execution_id,
    workflowId: r.workflow_id,
    nodeId: r.node_id === '' ? null : r.node_id,
    kind: r.kind,
    ownerId: r.owner_id,
  }));
}

export function* followed(follower: PendingFollower): Transaction<void> {
  yield* change(completionTriggers.remove, ...toKey(follower));
}

function toKey({ executionId, workflowId, nodeId }: PendingFollower): string[] {
  return [executionId, workflowId, nodeId ?? ''];
}

type RouteRecord = {
  workflow_id: string;
  node_id: string;
  owner_id: string;
  kind: EventRoute['kind'];
  followed_status: EventRoute['on'];
  source: string | null;
  target: string;
};

export function* eventRoutes(): Transaction<EventRoute[]> {
  return (yield* all<RouteRecord>(triggers.events)).map(toRoute);
}

export function* listRoutes(workflowId: string): Transaction<Pick<LiveTriggers, 'webhooks' | 'events'>> {
  const webhooks = (yield* all<WebhookRecord>(triggers.listWebhooks, workflowId)).map(toWebhook);
  const events = (yield* all<RouteRecord>(triggers.listEvents, workflowId)).map(toRoute);
  return { webhooks, events };
}

function toRoute(r: RouteRecord): EventRoute {
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
