import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { LiveTriggers } from '../ports/store/live-triggers.ts';
import type { WorkflowStore } from '../ports/store/workflows.ts';

/** ms between two reads of all routes that calls for an unknown endpoint cause; and that a route may be unknown without Redis. */
const REFRESH = 1_000;

type Live = Pick<LiveTriggers, 'webhooks' | 'events'>;

export type TriggerSync = {
  /** A workflow was changed here: others are told. */
  told(workflowId: string): void;
  /** Reads all anew, at most once a second; says whether it did. Rejects when the store does. */
  refresh(): Promise<boolean>;
};

/** Keeps what this process knows of live workflows as other processes leave it. */
export function createTriggerSync(deps: {
  workflows: Pick<WorkflowStore, 'routesOf'>;
  bus: Bus;
  clock: Pick<Clock, 'now'>;
  /** What is live of a workflow is this now. */
  change(workflowId: string, live: Live): void;
  /** Reads everything anew. */
  readAll(): Promise<void>;
  report(message: string, error: unknown): void;
}): TriggerSync {
  const { workflows, bus, clock } = deps;
  const reading = new Map<string, Promise<void>>();
  let readAt = -Infinity;
  let underWay: Promise<void> | null = null;

  const failed = (error: unknown): void => deps.report('what is live could not be read', error);

  /** One read of a workflow after the other: none may put back what a later one has brought. */
  function read(workflowId: string): void {
    const before = reading.get(workflowId) ?? Promise.resolve();
    const next = before
      .then(async () => deps.change(workflowId, await workflows.routesOf(workflowId)))
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

  bus.hear('workflow', ({ workflowId }) => read(workflowId));
  bus.onGap(() => void readAll().catch(failed));

  return {
    told: (workflowId) => bus.tell('workflow', { workflowId }),
    async refresh() {
      if (clock.now() - readAt < REFRESH && underWay === null) {
        // What a message has just told of may be on its way.
        const open = [...reading.values()];
        await Promise.all(open);
        return open.length > 0;
      }
      await readAll();
      return true;
    },
  };
}
