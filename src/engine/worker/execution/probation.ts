import type { Clock } from '../../../ports/clock.ts';
import type { NodeRun } from '../../state/frame.ts';

/** How a suspect of a crash runs. `isAlone`: no other suspect runs in this process at the same time. */
export type ProbationTerms = { isAlone: boolean; durationMs: number };

/**
 * The probation of one execution after a crash: it passes when its suspects finish their attempts or survive
 * its duration.
 */
export class Probation {
  private readonly suspects: readonly NodeRun[];
  private cancelTimer = (): void => {};
  private isCleared = false;

  constructor(suspects: readonly NodeRun[]) {
    this.suspects = suspects;
  }

  /** `onSurvived` is called after the whole duration, unless the probation ends before. */
  start(clock: Pick<Clock, 'after'>, durationMs: number, onSurvived: () => void): void {
    this.cancelTimer = clock.after(durationMs, onSurvived);
  }

  get isPassed(): boolean {
    return this.isCleared || this.suspects.every((run) => run.suspicion === null || !run.frame.alive);
  }

  /** It survived the whole duration. */
  clear(): void {
    this.isCleared = true;
  }

  end(): void {
    this.cancelTimer();
  }
}
