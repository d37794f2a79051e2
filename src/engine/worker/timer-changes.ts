import type { Checkpoint } from '../../ports/store/checkpoint.ts';

type Changes = Pick<Checkpoint, 'setTimers' | 'clearTimers'>;

const NONE: never[] = [];

/** The timers of one execution: which paths have a row, and what the next checkpoint changes. */
export class TimerChanges {
  /** Null for most executions, which never have a timer. */
  private paths: Set<string> | null = null;
  private toSet: Changes['setTimers'] = [];
  private toClear: string[] = [];

  /** Whether no timer is set. */
  get isEmpty(): boolean {
    return this.paths === null || this.paths.size === 0;
  }

  get unchanged(): boolean {
    return this.toSet.length === 0 && this.toClear.length === 0;
  }

  /** Records that this path has a row already. */
  known(path: string): void {
    (this.paths ??= new Set()).add(path);
  }

  set(path: string, dueAt: number): void {
    this.known(path);
    this.toSet.push({ path, dueAt });
  }

  /** `isStray`: also clears a row that this execution has no record of. */
  drop(path: string, isStray = false): void {
    if (this.paths?.delete(path) !== true && !isStray) return;
    this.toSet = this.toSet.filter((timer) => timer.path !== path);
    this.toClear.push(path);
  }

  dropAll(): void {
    for (const path of this.paths ?? []) this.toClear.push(path);
  }

  /**
   * Returns the changes since the last call. The returned lists are not modified later, since they may wait
   * for the disk.
   */
  take(): Changes {
    const { toSet, toClear } = this;
    if (toSet.length > 0) this.toSet = [];
    if (toClear.length > 0) this.toClear = [];
    return {
      setTimers: toSet.length > 0 ? toSet : NONE,
      clearTimers: toClear.length > 0 ? toClear : NONE,
    };
  }
}
