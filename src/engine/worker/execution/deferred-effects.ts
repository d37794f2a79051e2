import type { NodeRun } from '../../state/frame.ts';
import type { NodeAttempt } from './node-attempt.ts';

/** Effects of the events of one checkpoint. */
export type CheckpointEffects = {
  /** Attempts of nodes with external effects, to be started. */
  readonly attempts: readonly NodeAttempt[];
  /** Node runs that wait for an event: one that arrived before the wait was on disk must be looked up. */
  readonly eventChecks: readonly NodeRun[];
  /** Paths of stopped node runs that may have started child executions. */
  readonly orphanedPaths: readonly string[];
};

const NONE: never[] = [];

/** Collects the effects that must not happen before the events that cause them are on disk. */
export class DeferredEffects {
  private attempts: NodeAttempt[] = NONE;
  private eventChecks: NodeRun[] = NONE;
  private orphanedPaths: string[] = NONE;
  /** The paths of all checkpoints. */
  allOrphanedPaths: readonly string[] = NONE;
  /** Attempts of the checkpoint in flight. */
  private attemptsInFlight = 0;

  get hasAttempts(): boolean {
    return this.attempts.length + this.attemptsInFlight > 0;
  }

  /** Whether an attempt or a lookup follows: the execution is not only waiting. */
  get hasWork(): boolean {
    return this.hasAttempts || this.eventChecks.length > 0;
  }

  startAttempt(attempt: NodeAttempt): void {
    if (this.attempts.length === 0) this.attempts = [attempt];
    else this.attempts.push(attempt);
  }

  checkForEvent(run: NodeRun): void {
    if (this.eventChecks.length === 0) this.eventChecks = [run];
    else this.eventChecks.push(run);
  }

  stopChildren(path: string): void {
    if (this.orphanedPaths.length === 0) this.orphanedPaths = [path];
    else this.orphanedPaths.push(path);
  }

  dropAttempts(): void {
    this.attempts = NONE;
  }

  /** Moves what was collected to the checkpoint that is about to be written. */
  take(): CheckpointEffects {
    const { attempts, eventChecks, orphanedPaths } = this;
    this.attempts = NONE;
    this.eventChecks = NONE;
    this.orphanedPaths = NONE;
    if (orphanedPaths.length > 0) this.allOrphanedPaths = [...this.allOrphanedPaths, ...orphanedPaths];
    this.attemptsInFlight += attempts.length;
    return { attempts, eventChecks, orphanedPaths };
  }

  /** The checkpoint with these effects is on disk. */
  committed({ attempts }: CheckpointEffects): void {
    this.attemptsInFlight -= attempts.length;
  }
}
