import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { ActiveTriggers } from '../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../ports/store/workflows.ts';

/** Calls to unknown endpoints cause at most one read of all routes in this time. */
const MIN_REFRESH_INTERVAL_MS = 1_000;

type Live = Pick<ActiveTriggers, 'webhooks' | 'completionTriggers'>;

export type TriggerSync = {
  /** Publishes that a workflow was changed in this process. */
  publish(workflowId: string): void;
  /** Reads all routes again, at most once a second; returns whether it did. Rejects when the store does. */
  refresh(): Promise<boolean>;
};

/** Keeps the active triggers of this process in sync with changes by other processes. */
export function createTriggerSync(deps: {
  workflows: Pick<WorkflowStore, 'listWebhooksAndCompletionTriggers'>;
  bus: Bus;
  clock: Pick<Clock, 'now'>;
  /** The active triggers of a workflow changed. */
  change(workflowId: string, live: Live): void;
  /** Reads all active triggers again. */
  readAll(): Promise<void>;
  report(message: string, error: unknown): void;
}): TriggerSync {
  const { workflows, bus, clock } = deps;
  const reading = new Map<string, Promise<void>>();
  let readAt = -Infinity;
  let underWay: Promise<void> | null = null;

  const failed = (error: unknown): void => deps.report('failed to read active triggers', error);

  /** Reads of one workflow run one after the other, so that an older result never overwrites a newer one. */
  function read(workflowId: string): void {
    const before = reading.get(workflowId) ?? Promise.resolve();
    const next = before
      .then(async () =>
        deps.change(workflowId, await workflows.listWebhooksAndCompletionTriggers(workflowId)),
      )
      .catch(failed)
      .then(() => {
        if (reading.get(workflowId) === next) reading.delete(workflowId);
      });
    reading.set(workflowId, next);
  }

  function readAll(): Promise<void> {
    readAt = clock.now();
    return (underWay ??= deps.readAll().finally(() => (underWay = null)));
  }

  bus.subscribe('workflow', ({ workflowId }) => read(workflowId));
  bus.onReconnect(() => void readAll().catch(failed));

  return {
    publish: (workflowId) => bus.publish('workflow', { workflowId }),
    async refresh() {
      if (clock.now() - readAt < MIN_REFRESH_INTERVAL_MS && underWay === null) {
        // Reads for changes that were just announced may still be in progress.
        const open = [...reading.values()];
        await Promise.all(open);
        return open.length > 0;
      }
      await readAll();
      return true;
    },
  };
}
