import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { idPrefixes } from '../../ports/ids.ts';
import type { Queue } from '../../ports/queue.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';

/** Dependencies of an engine that shares its store with other processes. */
export type Cluster = {
  /** The id of this process: `wrk_…` runs executions, any other only starts them. */
  readonly process: string;
  readonly queue: Queue;
  readonly bus: Bus;
  /**
   * Called when this process becomes the leader or stops being it. The leader does the work that must be done
   * only once.
   */
  onLeadershipChange(isLeader: boolean): void;
};

export function isWorker(id: string): boolean {
  return id.startsWith(`${idPrefixes.worker}_`);
}

/**
 * Elects the leader: the oldest worker with a current lease. For a short time there may be two leaders or
 * none, so the store also guards all work that must be done only once.
 */
export class LeaderElection {
  isLeader = false;
  /** Other processes on this store, at the last election. */
  others = 0;
  private readonly store: Pick<ExecutionStore, 'processes'>;
  private readonly clock: Pick<Clock, 'now'>;
  private readonly cluster: Cluster;

  constructor(store: Pick<ExecutionStore, 'processes'>, clock: Pick<Clock, 'now'>, cluster: Cluster) {
    this.store = store;
    this.clock = clock;
    this.cluster = cluster;
  }

  async elect(): Promise<void> {
    const all = await this.store.processes(this.clock.now());
    this.others = all.filter(({ id }) => id !== this.cluster.process).length;
    this.set(all.find(({ id }) => isWorker(id))?.id === this.cluster.process);
  }

  /** This process is stopping. */
  resign(): void {
    this.set(false);
  }

  private set(isLeader: boolean): void {
    if (isLeader === this.isLeader) return;
    this.isLeader = isLeader;
    this.cluster.onLeadershipChange(isLeader);
  }
}
