import type { Checkpoint } from '../ports/store/checkpoint.ts';

type Changes = Pick<Checkpoint, 'setTimers' | 'clearTimers'>;

const none: never[] = [];

/** The timers of one execution: which paths have a row, and what the next checkpoint changes. */
export class TimerChanges {
  /** Most executions never have one. */
  private paths: Set<string> | null = null;
  private toSet: Changes['setTimers'] = [];
  private toClear: string[] = [];

  /** Whether anything is due at some time. */
  get none(): boolean {
    return this.paths === null || this.paths.size === 0;
  }

  get unchanged(): boolean {
    return this.toSet.length === 0 && this.toClear.length === 0;
  }

  /** There is a row for this path already. */
  known(path: string): void {
    (this.paths ??= new Set()).add(path);
  }

  set(path: string, dueAt: number): void {
    this.known(path);
    this.toSet.push({ path, dueAt });
  }

  /** `stray`: a row that this execution knows nothing of goes too. */
  drop(path: string, stray = false): void {
    if (this.paths?.delete(path) !== true && !stray) return;
    this.toSet = this.toSet.filter((timer) => timer.path !== path);
    this.toClear.push(path);
  }

  dropAll(): void {
    for (const path of this.paths ?? []) this.toClear.push(path);
  }

  /** The changes since the last call. What was taken is never added to: it may wait for the disk for long. */
  take(): Changes {
    const { toSet, toClear } = this;
    if (toSet.length > 0) this.toSet = [];
    if (toClear.length > 0) this.toClear = [];
    return {
      setTimers: toSet.length > 0 ? toSet : none,
      clearTimers: toClear.length > 0 ? toClear : none,
    };
  }
}
