import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { idPrefixes } from '../ports/ids.ts';
import type { Queue } from '../ports/queue.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';

/** What an engine has that shares its store with engines in other processes. */
export type Cluster = {
  /** The id of this process: `wrk_…` works, anything else only starts executions. */
  readonly process: string;
  readonly queue: Queue;
  readonly bus: Bus;
  /** This process leads from now on, or no longer does: what is done once for all processes is the leader's. */
  led(leads: boolean): void;
};

export function isWorker(id: string): boolean {
  return id.startsWith(`${idPrefixes.worker}_`);
}

/**
 * Who among the processes does what is done once for all: the oldest worker whose lease is not over. For a moment there may be
 * two, or none: whatever is done once is also guarded in the store, and only comes later when nobody does it.
 */
export class LeaderElection {
  leads = false;
  /** Others on this store, as it was last seen. */
  others = 0;
  private readonly store: Pick<ExecutionStore, 'processes'>;
  private readonly clock: Pick<Clock, 'now'>;
  private readonly cluster: Cluster;

  constructor(store: Pick<ExecutionStore, 'processes'>, clock: Pick<Clock, 'now'>, cluster: Cluster) {
    this.store = store;
    this.clock = clock;
    this.cluster = cluster;
  }

  async look(): Promise<void> {
    const all = await this.store.processes(this.clock.now());
    this.others = all.filter(({ id }) => id !== this.cluster.process).length;
    this.set(all.find(({ id }) => isWorker(id))?.id === this.cluster.process);
  }

  /** This process goes. */
  resign(): void {
    this.set(false);
  }

  private set(leads: boolean): void {
    if (leads === this.leads) return;
    this.leads = leads;
    this.cluster.led(leads);
  }
}
