import { countBytes } from '../../lib/limits/value-limits.ts';
import type { NodeRun } from './frame.ts';

/** Smaller values are always kept: a node run itself takes as much memory. */
const MIN_COUNTED_BYTES = 256;

/**
 * Decides which values a replay keeps for a view, within a budget: all values, or only those of some node
 * runs.
 */
export class ValueRetention {
  /** Paths of the node runs whose values were dropped. */
  readonly leftOut = new Set<string>();
  private readonly wanted: ReadonlySet<string> | null;
  private remainingBytes: number;
  /** The counted bytes of the kept values, as JSON. */
  retainedBytes = 0;

  /** `budgetBytes` counts values as JSON. `wanted`: paths; null: all. */
  constructor(budgetBytes: number, wanted: ReadonlySet<string> | null) {
    this.remainingBytes = budgetBytes;
    this.wanted = wanted;
  }

  /** Whether the values of a settled run are kept. */
  retains(run: NodeRun): boolean {
    // An output that is the input itself is held once.
    const isPassedOn = Object.values(run.outputs ?? {}).includes(run.input);
    const bytes = countBytes(run.outputs) + (isPassedOn ? 0 : countBytes(run.input));
    const isSmall = bytes < MIN_COUNTED_BYTES;
    if ((isSmall || this.wanted === null || this.wanted.has(run.path)) && bytes <= this.remainingBytes) {
      if (!isSmall) {
        this.remainingBytes -= bytes;
        this.retainedBytes += bytes;
      }
      return true;
    }
    this.leftOut.add(run.path);
    return false;
  }
}
