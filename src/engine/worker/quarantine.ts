import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { ProbationTerms } from './execution/probation.ts';
import type { Suspicion } from '../state/suspicion.ts';

type HeldExecution = {
  id: string;
  suspicion: Pick<Suspicion, 'crashes' | 'loneCrashes'>;
  admit: (probation: ProbationTerms) => void;
};

/**
 * Holds executions that were running when a process crashed, and admits them in small groups, eventually one
 * at a time, until each has passed its probation. A crash is attributed only to the execution that causes it;
 * others are not delayed.
 */
export class Quarantine {
  private readonly clock: Pick<Clock, 'after' | 'soon'>;
  private readonly held = new Map<string, HeldExecution>();
  /** Running suspects, with the limit on suspects that may run at the same time as each. */
  private readonly onProbation = new Map<string, number>();
  private isSteady = false;
  private isScheduled = false;
  private cancelTimer: () => void = () => {};

  constructor(clock: Pick<Clock, 'after' | 'soon'>) {
    this.clock = clock;
  }

  /** The process has started. */
  open(): void {
    this.cancelTimer = this.clock.after(limits.steadyAfterMs, () => {
      this.isSteady = true;
      this.schedule();
    });
  }

  close(): void {
    this.cancelTimer();
    this.held.clear();
  }

  /** Calls `admit` once the execution may run, unless it leaves first. */
  enter(id: string, suspicion: HeldExecution['suspicion'], admit: HeldExecution['admit']): void {
    this.held.set(id, { id, suspicion, admit });
    this.schedule();
  }

  /** The execution passed its probation, or left this process. */
  leave(id: string): void {
    if (this.held.delete(id) || this.onProbation.delete(id)) this.schedule();
  }

  /**
   * Admits in a later turn of the event loop, so that suspects that arrive together are considered together.
   */
  private schedule(): void {
    if (this.isScheduled || this.held.size === 0) return;
    this.isScheduled = true;
    this.clock.soon(() => {
      this.isScheduled = false;
      this.admitNext();
    });
  }

  private admitNext(): void {
    for (const next of [...this.held.values()].sort(compareBySuspicion)) {
      const { crashes, loneCrashes } = next.suspicion;
      // Until the process has run for a while without this execution, a crash may have another cause.
      if (loneCrashes > 0 && !this.isSteady) return;
      const isOnly = this.held.size === 1 && this.onProbation.size === 0;
      const groupSize = isOnly || loneCrashes > 0 ? 1 : computeGroupSize(crashes);
      if (this.onProbation.size >= Math.min(groupSize, ...this.onProbation.values())) return;
      this.held.delete(next.id);
      this.onProbation.set(next.id, groupSize);
      next.admit({ isAlone: groupSize === 1, durationMs: computeProbationMs(crashes) });
    }
  }
}

function compareBySuspicion({ suspicion: a }: HeldExecution, { suspicion: b }: HeldExecution): number {
  return a.loneCrashes - b.loneCrashes || a.crashes - b.crashes;
}

/**
 * How many suspects run at once: fewer with each crash, so that few crashes isolate the one that causes them.
 */
function computeGroupSize(crashes: number): number {
  return crashes === 1 ? limits.concurrentSuspects : crashes === 2 ? limits.concurrentSuspects / 8 : 1;
}

/**
 * ms. Longer after each crash, so that an execution that crashes the process late is still alone when it
 * does.
 */
function computeProbationMs(crashes: number): number {
  return Math.min(limits.maxProbationMs, limits.probationMs * 2 ** Math.max(0, crashes - 3));
}
