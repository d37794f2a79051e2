import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';

/**
 * A longer pause between two renewals, in ms, counts as an outage of the store. It is shorter than the time
 * in which a worker that cannot renew its lease loses it.
 */
const MAX_RENEWAL_PAUSE_MS = limits.leaseMs / 2;

/**
 * This process's lease on the executions that it runs. Once it is over, other processes may have taken all of
 * them. It ends by the clock, because a renewal may hang for longer than the lease lasts.
 */
export class Lease {
  readonly worker: string;
  private readonly store: Pick<ExecutionStore, 'heartbeat'>;
  private readonly clock: Clock;
  private readonly onLost: () => void;
  private until = Infinity;
  /** The last renewal; null before the first one. */
  private renewedAt: number | null = null;
  /** The last outage of the store: the last renewal before it, and when other workers' grace time ends. */
  private outage = { renewedBefore: 0, graceEnd: 0 };
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
    const until = this.clock.now() + limits.leaseMs;
    await this.store.heartbeat(this.worker, until);
    const wasOver = this.isOver;
    this.isOver = false;
    this.noteRenewal(this.clock.now());
    this.until = until;
    this.cancelEnd();
    this.cancelEnd = this.clock.after(Math.max(0, until - this.clock.now()), () => this.end());
    return wasOver;
  }

  /**
   * Leases of other workers that ended before this time count as expired. After an outage of the store, all
   * leases look expired. So for the duration of one lease this is the last renewal before the outage, which
   * gives the other workers time to renew.
   */
  get takeoverTime(): number {
    const now = this.clock.now();
    if (now < this.outage.graceEnd) return this.outage.renewedBefore;
    const isUnreachable = this.renewedAt !== null && now - this.renewedAt > MAX_RENEWAL_PAUSE_MS;
    return isUnreachable ? this.renewedAt! : now;
  }

  private noteRenewal(now: number): void {
    if (this.renewedAt !== null && now - this.renewedAt > MAX_RENEWAL_PAUSE_MS)
      this.outage = { renewedBefore: this.takeoverTime, graceEnd: now + limits.leaseMs };
    this.renewedAt = now;
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
