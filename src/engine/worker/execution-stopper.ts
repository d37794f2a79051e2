import { findWaitingParent } from '../../contract/execution.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Engine } from '../engine-api.ts';
import { encodeStopEvents } from '../journal/journal.ts';
import type { WorkerContext } from './worker-context.ts';

/** The most child executions that are stopped together with an execution. */
const MAX_STOPPED_CHILDREN = 10_000;
/** How often children are tried again after an error, and the pause that grows with each attempt. */
const MAX_STOP_ATTEMPTS = 10;
const STOP_RETRY_MS = 1_000;

type ExecutionStopperDeps = {
  readonly executions: Pick<ExecutionStore, 'stop' | 'get' | 'listChildren'>;
  readonly clock: Clock;
  readonly events: Events;
  readonly dispatcher: Dispatcher;
  readonly completions: WorkerContext<never>['completions'];
  /** Null: this process is alone on its store. */
  readonly bus: Bus | null;
  timerSet(dueAt: number): void;
  report(message: string, error: unknown): void;
};

/** Stops executions together with the child executions that they wait for. */
export class ExecutionStopper {
  private readonly deps: ExecutionStopperDeps;

  constructor(deps: ExecutionStopperDeps) {
    this.deps = deps;
  }

  async stop(ownerId: string, id: string): ReturnType<Engine['stop']> {
    const { executions, clock, events, dispatcher, completions, bus } = this.deps;
    const now = clock.now();
    const result = await executions.stop(ownerId, id, now, encodeStopEvents(now));
    if (result.kind !== 'stopped') return result;
    const { trigger, startTime, workflowId, progress } = result.row;
    if (findWaitingParent(trigger) !== null) this.deps.timerSet(0);
    void this.stopChildren(ownerId, id, null);
    if (startTime === null && dispatcher.queued > 0) dispatcher.queued--;
    dispatcher.live.get(id)?.abandon();
    bus?.publish('stopped', { executionId: id });
    completions.ended(id, { status: 'stopped', output: null, error: null });
    if (events.hasSubscriber(ownerId))
      events.publish({
        kind: 'execution_update',
        ownerId,
        executionId: id,
        workflowId,
        status: 'stopped',
        progress,
        currentNode: '',
        timestamp: now,
      });
    return result;
  }

  /**
   * Stops the children that an execution waits for: all, or those that the node runs at `paths` started.
   * Never rejects.
   */
  async stopChildren(
    ownerId: string,
    id: string,
    paths: ReadonlySet<string> | null,
    attempt = 1,
  ): Promise<void> {
    const { executions, clock } = this.deps;
    let hasFailed = false;
    const failed = (error: unknown): void => {
      hasFailed = true;
      this.deps.report(`failed to stop a child of the execution ${id}`, error);
    };
    const children = await executions
      .listChildren(ownerId, id, MAX_STOPPED_CHILDREN)
      .catch((error: unknown) => {
        failed(error);
        return [];
      });
    for (const child of children) await this.stopChild(ownerId, child, paths).catch(failed);
    if (hasFailed && attempt < MAX_STOP_ATTEMPTS)
      clock.after(STOP_RETRY_MS * attempt, () => void this.stopChildren(ownerId, id, paths, attempt + 1));
  }

  private async stopChild(ownerId: string, child: string, paths: ReadonlySet<string> | null): Promise<void> {
    const row = await this.deps.executions.get(ownerId, child);
    const parent = row === null ? null : findWaitingParent(row.trigger);
    if (parent !== null && (paths === null || paths.has(parent.path))) await this.stop(ownerId, child);
  }
}
