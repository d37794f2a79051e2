import type { NodeRun } from '../../state/frame.ts';
import type { NodeAttempt } from './node-attempt.ts';

/** Shared and never mutated: most executions have no attempt that takes time. */
const NO_ATTEMPTS = new Map<NodeRun, NodeAttempt>();

/** The attempts of one execution that are running or deferred, at most one for each node run. */
export class RunningAttempts {
  private attempts = NO_ATTEMPTS;
  private deferred: Set<NodeAttempt> | null = null;

  get size(): number {
    return this.attempts.size;
  }

  has(run: NodeRun): boolean {
    return this.attempts.has(run);
  }

  /** Whether this attempt is still the one of its node run. */
  isCurrent(attempt: NodeAttempt): boolean {
    return this.attempts.get(attempt.run) === attempt;
  }

  /** Whether there are attempts, and all of them are deferred. */
  get areAllDeferred(): boolean {
    return this.attempts.size > 0 && this.attempts.size === this.deferred?.size;
  }

  /** Adds an attempt in place of the one that its node run had. */
  set(attempt: NodeAttempt): void {
    if (this.attempts === NO_ATTEMPTS) this.attempts = new Map();
    this.remove(attempt.run);
    this.attempts.set(attempt.run, attempt);
  }

  /** Marks an attempt that could not be served and will be repeated. */
  defer(attempt: NodeAttempt): void {
    (this.deferred ??= new Set()).add(attempt);
  }

  remove(run: NodeRun): NodeAttempt | undefined {
    const attempt = this.attempts.get(run);
    if (attempt === undefined) return undefined;
    this.attempts.delete(run);
    this.deferred?.delete(attempt);
    return attempt;
  }

  abortAll(): void {
    for (const attempt of this.attempts.values()) attempt.abort();
    this.attempts = NO_ATTEMPTS;
    this.deferred = null;
  }
}
