import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';

/**
 * This process's lease on the executions that it runs. Once it is over, other processes may have taken all of
 * them. It ends by the clock, because a renewal may hang for longer than the lease lasts.
 */
export class Lease {
  private readonly store: Pick<ExecutionStore, 'heartbeat'>;
  private readonly clock: Clock;
  private readonly worker: string;
  private readonly onLost: () => void;
  private until = Infinity;
  private isOver = false;
  private cancelEnd = (): void => {};
  /** Number of leases that ended before they were renewed. */
  lost = 0;

  constructor(
    store: Pick<ExecutionStore, 'heartbeat'>,
    clock: Clock,
    worker: string,
    /** Called each time a lease ends before it is renewed. */
    onLost: () => void,
  ) {
    this.store = store;
    this.clock = clock;
    this.worker = worker;
    this.onLost = onLost;
  }

  /** Resolves with whether the lease was over before the renewal. */
  async renew(): Promise<boolean> {
    if (this.clock.now() >= this.until) this.end();
    const until = this.clock.now() + limits.lease;
    await this.store.heartbeat(this.worker, until);
    const wasOver = this.isOver;
    this.isOver = false;
    this.until = until;
    this.cancelEnd();
    this.cancelEnd = this.clock.after(Math.max(0, until - this.clock.now()), () => this.end());
    return wasOver;
  }

  close(): void {
    this.cancelEnd();
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.lost++;
    this.onLost();
  }
}
