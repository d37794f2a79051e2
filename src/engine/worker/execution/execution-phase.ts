import type { Checkpoint } from '../../../ports/store/checkpoint.ts';

/** When the nodes of a new execution start: after queueing, after the first checkpoint, or immediately. */
export type StartTime = 'queued' | 'afterCheckpoint' | 'now';

/**
 * The phases of a RunningExecution. The status that checkpoints store follows from them.
 *
 * - `created`: nothing was recorded here yet.
 * - `queued`: new; it leaves memory once its first checkpoint is on disk.
 * - `suspended`: replayed; the quarantine has not admitted it yet.
 * - `running`: no ready node is left to start. Attempts may be running and timers pending.
 * - `advancing`: ready nodes are being started.
 * - `yielding`: ready nodes are left; they start in the next turn of the event loop.
 * - `throttled`: ready nodes are left; they start once the checkpoint in flight is on disk.
 * - `ending`: `done` is recorded; the last checkpoint is not on disk yet.
 * - `releasing`: `release` is recorded; the last checkpoint is not on disk yet.
 * - `evicted`: it has left memory; nothing that happens later has an effect.
 */
export type Phase =
  | 'created'
  | 'queued'
  | 'suspended'
  | 'running'
  | 'advancing'
  | 'yielding'
  | 'throttled'
  | 'ending'
  | 'releasing'
  | 'evicted';

export const PHASE_TRANSITIONS: Readonly<Record<Phase, readonly Phase[]>> = {
  created: ['queued', 'suspended', 'running', 'evicted'],
  queued: ['evicted'],
  suspended: ['running', 'evicted'],
  running: ['advancing', 'throttled', 'ending', 'releasing', 'evicted'],
  advancing: ['running', 'yielding', 'throttled'],
  yielding: ['running', 'releasing', 'evicted'],
  throttled: ['running', 'releasing', 'evicted'],
  ending: ['evicted'],
  releasing: ['evicted'],
  evicted: [],
};

export class ExecutionPhase {
  private phase: Phase = 'created';
  private readonly reportIllegal: (error: Error) => void;

  constructor(reportIllegal: (error: Error) => void) {
    this.reportIllegal = reportIllegal;
  }

  get current(): Phase {
    return this.phase;
  }

  is(phase: Phase): boolean {
    return this.phase === phase;
  }

  /** Whether events may be recorded: the execution is neither waiting to run nor leaving memory. */
  get isActive(): boolean {
    switch (this.phase) {
      case 'running':
      case 'advancing':
      case 'yielding':
      case 'throttled':
        return true;
      default:
        return false;
    }
  }

  /**
   * The status that a checkpoint in this phase stores. `settled` is the end, if there is one; `hasWork`: an
   * attempt is running or will start without a timer or an event.
   */
  checkpointStatus(
    settled: { readonly status: Checkpoint['status'] } | null,
    hasWork: boolean,
  ): Checkpoint['status'] {
    switch (this.phase) {
      case 'queued':
        return 'queued';
      case 'ending':
        return settled!.status;
      case 'running':
        return hasWork ? 'running' : 'waiting';
      default:
        // Also while releasing: the next worker must find it.
        return 'running';
    }
  }

  /** An illegal transition is a bug. It is reported and refused, so that it affects only this execution. */
  moveTo(next: Phase): boolean {
    if (!PHASE_TRANSITIONS[this.phase].includes(next)) {
      this.reportIllegal(new Error(`An execution cannot move from ${this.phase} to ${next}.`));
      return false;
    }
    this.phase = next;
    return true;
  }
}
