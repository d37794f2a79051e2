import type { Clock } from '../../ports/clock.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { DueTimer } from '../../ports/store/timers.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Cluster, LeaderElection } from './leader-election.ts';
import type { Lease } from './lease.ts';
import { TimerLoop } from './timer-loop.ts';

/** A timer that is this late is fired by any process that finds it, not only by the leader. */
const TAKEOVER_DELAY_MS = 5_000;

type TimerRouterDeps = {
  readonly executions: Pick<ExecutionStore, 'dueTimers' | 'nextTimer'>;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly cluster: Cluster | null;
  readonly election: LeaderElection | null;
  readonly dispatcher: Dispatcher;
  report(message: string, error: unknown): void;
};

/** Routes due timers to their executions, in memory or not, and new timers to the process that fires them. */
export class TimerRouter {
  readonly loop: TimerLoop;
  private readonly deps: TimerRouterDeps;
  /** The earliest new timer that is not published to other processes yet. */
  private unpublished = Infinity;

  constructor(deps: TimerRouterDeps) {
    this.deps = deps;
    this.loop = new TimerLoop(
      deps.executions,
      deps.clock,
      deps.cluster === null ? null : deps.lease,
      (timer) => this.fire(timer),
      (error) => deps.report('failed to read timers', error),
    );
  }

  /** A timer row was written. */
  timerSet(dueAt: number): void {
    this.loop.scheduleAt(dueAt);
    const { cluster, clock, election } = this.deps;
    if (cluster === null || election?.isLeader === true) return;
    const isScheduled = this.unpublished !== Infinity;
    this.unpublished = Math.min(this.unpublished, dueAt);
    if (isScheduled) return;
    clock.soon(() => {
      cluster.bus.publish('timer', { dueAt: this.unpublished });
      this.unpublished = Infinity;
    });
  }

  /** Never waits: loading an execution can wait for memory, and other timers must not wait for it. */
  private fire({ executionId: id, path, dueAt }: DueTimer): void {
    const { cluster, clock, election, dispatcher } = this.deps;
    const execution = dispatcher.live.get(id);
    if (execution !== undefined) return execution.fire(path);
    if (cluster === null) return void dispatcher.tryClaim(id, path);
    if (election?.isLeader !== true && clock.now() - dueAt < TAKEOVER_DELAY_MS) return;
    // The process that takes the execution finds its due timers.
    if (cluster.queue.isUp()) cluster.queue.announce([id]);
    else void dispatcher.tryClaim(id, path);
  }
}
