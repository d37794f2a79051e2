import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import { STORE_POLL_INTERVAL_MS, type CompletionNotifier } from './completion-notifier.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Cluster, LeaderElection } from './leader-election.ts';
import type { Lease } from './lease.ts';
import type { TimerLoop } from './timer-loop.ts';

type MaintenanceDeps = {
  readonly executions: Pick<ExecutionStore, 'statusCounts'>;
  readonly clock: Clock;
  readonly cluster: Cluster | null;
  readonly election: LeaderElection | null;
  readonly lease: Lease;
  readonly dispatcher: Dispatcher;
  readonly notifier: CompletionNotifier;
  readonly timers: TimerLoop;
  /** The number of executions that this process takes from the queue concurrently. */
  readonly concurrency: number;
  /** Whether this process runs executions or only starts them. */
  readonly isWorker: boolean;
  isDraining(): boolean;
  report(message: string, error: unknown): void;
};

/**
 * The periodic work of an engine: renews the lease, elects the leader, sweeps the store and reads lost
 * completions.
 */
export class Maintenance {
  private readonly deps: MaintenanceDeps;
  private cancels: (() => void)[] = [];

  constructor(deps: MaintenanceDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    const { executions, cluster, dispatcher, timers } = this.deps;
    await this.heartbeat();
    dispatcher.quarantine.open();
    dispatcher.queued = (await executions.statusCounts()).queued;
    this.repeat(limits.heartbeatMs, () => this.heartbeat());
    if (cluster !== null) return this.startInCluster(cluster);
    this.repeat(limits.sweepMs, () => {
      dispatcher.retryUnloaded();
      // It can wait for memory, and the next round must not wait for it.
      void dispatcher.sweep();
      return Promise.resolve();
    });
    timers.start();
    void dispatcher.sweep();
  }

  stop(): void {
    for (const cancel of this.cancels.splice(0)) cancel();
  }

  private async heartbeat(): Promise<void> {
    const { cluster, dispatcher, lease, isWorker } = this.deps;
    if (!(await lease.renew())) return;
    dispatcher.onLeaseRenewed();
    if (isWorker && !this.deps.isDraining()) cluster?.queue.resume();
  }

  private async startInCluster(cluster: Cluster): Promise<void> {
    const { bus, queue } = cluster;
    const { dispatcher, notifier, timers, concurrency, isWorker } = this.deps;
    notifier.subscribe(cluster);
    this.repeat(limits.sweepMs, () => this.round());
    this.repeat(STORE_POLL_INTERVAL_MS, () => notifier.readLost(bus.isUp()));
    if (!isWorker) return this.round();
    bus.subscribe('stopped', ({ executionId }) => dispatcher.live.get(executionId)?.abandon());
    bus.subscribe('timer', ({ dueAt }) => timers.scheduleAt(dueAt));
    bus.subscribe('workflow_full', ({ workflowId, isFull }) =>
      dispatcher.concurrencyLimits.setFull(workflowId, isFull),
    );
    bus.subscribe('left', () => void this.round().catch((error: unknown) => this.failed(error)));
    timers.start();
    await this.round();
    queue.startWorker((id) => dispatcher.runFromQueue(id), concurrency);
  }

  /** One round in a cluster: the election, the queue length, and executions that no process runs. */
  private async round(): Promise<void> {
    const { executions, cluster, election, dispatcher, isWorker } = this.deps;
    await election?.elect();
    dispatcher.queued = (await executions.statusCounts()).queued;
    if (!isWorker || this.deps.isDraining()) return;
    dispatcher.retryUnloaded();
    // The leader announces for all processes. When the queue is down, each process takes executions itself.
    if (election?.isLeader === true || cluster?.queue.isUp() !== true) void dispatcher.sweep();
  }

  private repeat(intervalMs: number, run: () => Promise<void>): void {
    let cancel = () => {};
    let isStopped = false;
    const schedule = () => {
      cancel = this.deps.clock.after(intervalMs, () => {
        run()
          .catch((error: unknown) => this.failed(error))
          .finally(() => {
            if (!isStopped) schedule();
          });
      });
    };
    schedule();
    this.cancels.push(() => {
      isStopped = true;
      cancel();
    });
  }

  private failed(error: unknown): void {
    this.deps.report('periodic work failed', error);
  }
}
