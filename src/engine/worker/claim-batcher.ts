import type { Clock } from '../../ports/clock.ts';
import type { Claim, ExecutionClaims } from '../../ports/store/claims.ts';
import type { Lease } from './lease.ts';

/** Claims in one transaction. */
const MAX_BATCH_SIZE = 100;

type Request = {
  readonly id: string;
  readonly isExclusive: boolean;
  readonly resolve: (claim: Claim | null) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Claims executions of a shared store in batches: one transaction costs about as much for many as for one.
 */
export class ClaimBatcher {
  private readonly store: Pick<ExecutionClaims, 'claimMany' | 'unclaimed'>;
  private readonly clock: Clock;
  private readonly worker: string;
  private readonly lease: Pick<Lease, 'takeoverTime'>;
  private requests: Request[] = [];
  private isRunning = false;

  constructor(
    store: Pick<ExecutionClaims, 'claimMany' | 'unclaimed'>,
    clock: Clock,
    worker: string,
    lease: Pick<Lease, 'takeoverTime'>,
  ) {
    this.store = store;
    this.clock = clock;
    this.worker = worker;
    this.lease = lease;
  }

  /** `isExclusive`: the queue assigns the execution to no other process at the same time. */
  claim(id: string, isExclusive: boolean): Promise<Claim | null> {
    return new Promise((resolve, reject) => {
      this.requests.push({ id, isExclusive, resolve, reject });
      if (!this.isRunning) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.requests.length > 0) {
      await new Promise<void>((resolve) => this.clock.soon(resolve));
      const batch = this.requests.splice(0, MAX_BATCH_SIZE);
      try {
        const claims = await this.claimBatch(batch);
        for (const { id, resolve } of batch) resolve(claims.get(id) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isRunning = false;
  }

  /**
   * Exclusive executions start without a claim where possible. Most of them end with their first checkpoint,
   * which then also takes them.
   */
  private async claimBatch(batch: readonly Request[]): Promise<Map<string, Claim | null>> {
    const { store, clock, worker, lease } = this;
    const claims = new Map<string, Claim | null>();
    const exclusiveIds = batch.filter(({ isExclusive }) => isExclusive).map(({ id }) => id);
    const unclaimed = await store.unclaimed(exclusiveIds, clock.now());
    unclaimed.forEach((found, i) => {
      if (found !== null) claims.set(exclusiveIds[i]!, { kind: 'claimed', ...found });
    });
    const ids = batch.map(({ id }) => id).filter((id) => !claims.has(id));
    if (ids.length === 0) return claims;
    const claimed = await store.claimMany(ids, worker, clock.now(), lease.takeoverTime);
    ids.forEach((id, i) => claims.set(id, claimed[i] ?? null));
    return claims;
  }
}
