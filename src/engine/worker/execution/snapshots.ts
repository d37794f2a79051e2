import type { StateSnapshot } from '../../../ports/store/checkpoint.ts';
import { limits } from '../../../ports/limits.ts';
import { encodeSnapshot } from '../../journal/snapshot-codec.ts';
import type { ExecutionState, SavedExecution } from '../../state/execution-state.ts';
import { SNAPSHOT_VERSION } from '../../state/saved-state.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { DeferredEffects } from './deferred-effects.ts';

/** Events and bytes of the journal. */
export type JournalSize = { readonly count: number; readonly size: number };

type Effects = Pick<DeferredEffects, 'allOrphanedPaths' | 'stopChildren'>;
type Context = Pick<WorkerContext<never>, 'snapshotEvents' | 'report'>;

/** The most stopped node runs that a snapshot lists. Executions with more are always replayed in full. */
const MAX_ORPHANED_PATHS = 1_000;

/** How many times longer than that part of the journal a snapshot may be when the execution leaves memory. */
const MAX_RATIO_WHEN_WAITING = 16;

/**
 * Decides when a checkpoint contains a snapshot of the state: when replaying the journal since the last one
 * would take considerable time. A snapshot is never larger than the part of the journal that it saves
 * replaying, so that all snapshots of an execution together are at most as long as its journal. It may be
 * larger when the execution waits, because it is loaded again after each wait.
 */
export class Snapshots {
  private readonly state: ExecutionState;
  private readonly effects: Effects;
  private readonly context: Context;
  /** Since the last snapshot. */
  private count = 0;
  private size = 0;
  /** The length of the last snapshot that was tried. */
  private minSize = 0;
  private isImpossible = false;

  constructor(state: ExecutionState, effects: Effects, context: Context) {
    this.state = state;
    this.effects = effects;
    this.context = context;
  }

  /** Replaces the replay of the events before the snapshot. @throws {Error} when it does not fit. */
  restore({ state, orphanedPaths }: SavedExecution): void {
    this.state.restore(state);
    for (const path of orphanedPaths) this.effects.stopChildren(path);
  }

  /** These events are in the journal, or will be with the next checkpoint. */
  add({ count, size }: JournalSize): void {
    this.count += count;
    this.size += size;
  }

  /** The snapshot for the next checkpoint; null: none is due. `isWaiting`: the execution leaves memory. */
  take(isWaiting: boolean): Promise<StateSnapshot | null> | null {
    const maxSize = this.size * (isWaiting ? MAX_RATIO_WHEN_WAITING : 1);
    if (this.count < this.context.snapshotEvents || maxSize < this.minSize || this.isImpossible) return null;
    const orphanedPaths = this.effects.allOrphanedPaths;
    if (this.state.settled !== null || orphanedPaths.length > MAX_ORPHANED_PATHS) return null;
    try {
      const saved: SavedExecution = { state: this.state.save(), orphanedPaths };
      return encodeSnapshot(saved).then(
        (data) => this.accept(data, maxSize),
        (error: unknown) => this.failed(error),
      );
    } catch (error) {
      return Promise.resolve(this.failed(error));
    }
  }

  private accept(data: string, maxSize: number): StateSnapshot | null {
    this.minSize = data.length;
    if (data.length > maxSize || data.length > limits.snapshotBytes) return null;
    this.count = 0;
    this.size = 0;
    return { version: SNAPSHOT_VERSION, data };
  }

  /** The execution continues without a snapshot: its journal is complete. */
  private failed(error: unknown): null {
    this.isImpossible = true;
    this.context.report(`no snapshot of execution ${this.state.identity.id}`, error);
    return null;
  }
}
