import { bytesOf } from '../lib/value-bounds.ts';
import type { NodeRun } from './frame.ts';

/** Values of fewer bytes take no room of a fold: a node run takes as much by itself. */
const SMALL = 256;

/** Which values a fold keeps for showing them: all while there is room, or those of some node runs, as far as there is room. */
export class ValueRetention {
  /** Paths of the node runs whose values went. */
  readonly leftOut = new Set<string>();
  private readonly wanted: ReadonlySet<string> | null;
  private room: number;

  /** `room` in bytes as JSON. `wanted`: paths; null: of all. */
  constructor(room: number, wanted: ReadonlySet<string> | null) {
    this.room = room;
    this.wanted = wanted;
  }

  /** Whether the values of a settled run stay. */
  takes(run: NodeRun): boolean {
    // Whoever passes on what arrived holds it once.
    const isPassedOn = Object.values(run.outputs ?? {}).includes(run.input);
    const bytes = bytesOf(run.outputs) + (isPassedOn ? 0 : bytesOf(run.input));
    const isSmall = bytes < SMALL;
    if ((isSmall || this.wanted === null || this.wanted.has(run.path)) && bytes <= this.room) {
      if (!isSmall) this.room -= bytes;
      return true;
    }
    this.leftOut.add(run.path);
    return false;
  }
}
