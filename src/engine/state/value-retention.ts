import { countBytes } from '../../lib/limits/value-limits.ts';
import type { Frame, NodeRun } from './frame.ts';

/** Smaller values are always kept: a node run itself takes as much memory. */
const MIN_COUNTED_BYTES = 256;

/** Node runs of bodies by number: `from` inclusive, `to` exclusive. */
export type RunRange = { readonly from: number; readonly to: number };

/**
 * Decides what a replay keeps for a view: the node runs outside of bodies and those of a range, with their
 * values within a budget, or only with the values of some.
 */
export class ValueRetention {
  /** Paths of the node runs whose values were dropped. */
  readonly leftOut = new Set<string>();
  private readonly wanted: ReadonlySet<string> | null;
  private readonly range: RunRange | null;
  private remainingBytes: number;
  /** The counted bytes of the kept values, as JSON. */
  retainedBytes = 0;

  /** `budgetBytes` counts values as JSON. `wanted`: paths; null: all. `range`: null: all. */
  constructor(budgetBytes: number, wanted: ReadonlySet<string> | null, range: RunRange | null = null) {
    this.remainingBytes = budgetBytes;
    this.wanted = wanted;
    this.range = range;
  }

  /** Whether the view shows node runs of this frame. */
  shows({ parent, number, runs }: Frame): boolean {
    const { range } = this;
    return parent === null || range === null || (number < range.to && number + runs.length > range.from);
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
