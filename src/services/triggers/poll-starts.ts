import { isTemporary, WeftError } from '../../contract/errors.ts';
import type { NodeFailure } from '../../contract/node-type.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { ClaimedPoll } from '../../ports/store/polling.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { isPackWebhook } from './pack-poll.ts';
import type { PolledItem } from './poll-items.ts';

const MAX_CONCURRENCY = 20;

/** The claim on this poll was lost: another process holds it, or the workflow changed. The poll must stop. */
export class ClaimLost extends Error {}
/** There is no capacity for more executions. */
export class CapacityError extends Error {}
export class PollFailure extends Error {
  readonly failure: Pick<NodeFailure, 'retryAfter'>;
  constructor(message: string, failure: Pick<NodeFailure, 'retryAfter'> = {}) {
    super(message);
    this.failure = failure;
  }
}

type Deps = { workflows: Pick<WorkflowStore, 'get'>; engine: Pick<Engine, 'start'>; clock: Clock };
type Settings = NonNullable<Awaited<ReturnType<WorkflowStore['get']>>>['settings'];

/** Returns false if capacity did not suffice for all items. */
export async function startAll(
  deps: Deps,
  row: ScheduleRow,
  poll: ClaimedPoll,
  items: readonly PolledItem[],
  signal: AbortSignal,
): Promise<boolean> {
  if (items.length === 0) return true;
  const workflow = await deps.workflows.get(row.ownerId, row.workflowId);
  if (workflow === null) throw new ClaimLost();
  for (let at = 0; at < items.length; at += MAX_CONCURRENCY) {
    if (signal.aborted) throw new ClaimLost();
    const started = await Promise.allSettled(
      items.slice(at, at + MAX_CONCURRENCY).map((item) => start(deps, row, poll, workflow.settings, item)),
    );
    // The next poll finds the items that were not started. A lost claim takes precedence over a lack of
    // capacity.
    const refusals = started.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    const [first] = refusals.toSorted(
      (a, b) => Number(a instanceof CapacityError) - Number(b instanceof CapacityError),
    );
    if (first instanceof CapacityError) return false;
    if (first !== undefined) throw first;
  }
  return true;
}

async function start(
  deps: Deps,
  row: ScheduleRow,
  { fence, number }: ClaimedPoll,
  settings: Settings,
  { item, key, digest, files, receivedAt }: PolledItem,
): Promise<void> {
  const { ownerId, workflowId, nodeId } = row;
  const polledAt = new Date(deps.clock.now()).toISOString();
  try {
    const started = await deps.engine.start({
      ownerId,
      workflowId,
      workflowVersion: row.version,
      settings,
      trigger: isPackWebhook(row)
        ? { type: 'webhook', node_id: nodeId }
        : { type: isMailbox(row) ? 'email' : 'polling', node_id: nodeId, polled_at: polledAt },
      entry: nodeId,
      input: isMailbox(row)
        ? { ...(item as JsonObject), polled_at: polledAt }
        : receivedAt === undefined
          ? { item, key, polled_at: polledAt }
          : { item, key, received_at: new Date(receivedAt).toISOString() },
      dedupe: null,
      tick: null,
      ...(files === undefined ? {} : { files }),
      polled: { workflowId, nodeId, fence, key: digest, number: number + 1 },
      parentId: null,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
    });
    if (started.kind !== 'accepted') throw new ClaimLost();
    started.watch.cancel();
  } catch (error) {
    if (error instanceof WeftError && isTemporary(error.code)) throw new CapacityError();
    throw error;
  }
}

export function isMailbox({ spec }: ScheduleRow): boolean {
  return isObject(spec) && spec['triggerType'] === 'email';
}
