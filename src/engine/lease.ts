import type { Clock } from '../ports/clock.ts';
import { limits } from '../ports/limits.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';

/** This process's lease on what it has in hand. Renewed too late, others may have taken all of it. */
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

  /** `lose` is called when it was over: before it is renewed. Says whether it was. */
  async renew(lose: () => void): Promise<boolean> {
    const isLost = this.clock.now() >= this.until;
    if (isLost) {
      this.lost++;
      lose();
    }
    const until = this.clock.now() + limits.lease;
    await this.store.heartbeat(this.worker, until);
    this.until = until;
    return isLost;
  }
}
