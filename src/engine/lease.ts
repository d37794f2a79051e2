import type { Clock } from '../ports/clock.ts';
import { limits } from '../ports/limits.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';

/** This process's lease on its executions. If it is renewed too late, other workers may have taken them over. */
export class Lease {
  private readonly store: Pick<ExecutionStore, 'heartbeat'>;
  private readonly clock: Clock;
  private readonly worker: string;
  private until = Infinity;
  /** How often it was renewed too late. */
  lost = 0;

  constructor(store: Pick<ExecutionStore, 'heartbeat'>, clock: Clock, worker: string) {
    this.store = store;
    this.clock = clock;
    this.worker = worker;
  }

  /** `onLost` is called before the renewal of a lease that had expired. Returns whether it had. */
  async renew(onLost: () => void): Promise<boolean> {
    const isLost = this.clock.now() >= this.until;
    if (isLost) {
      this.lost++;
      onLost();
    }
    const until = this.clock.now() + limits.lease;
    await this.store.heartbeat(this.worker, until);
    this.until = until;
    return isLost;
  }
}
