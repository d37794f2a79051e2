import type { Json } from '../lib/json.ts';
import { bytesOf } from '../lib/value-bounds.ts';
import { limits } from '../ports/limits.ts';
import type { Frame, NodeRun } from './frame.ts';
import type { ExecutionState } from './state.ts';

/** Events of fewer bytes are not counted: as many as a definition can keep are little, and most executions have no others. */
export const COUNTED_FROM = 16 * 1024;

/** Values of fewer bytes take no room of a fold: a node run takes as much by itself. */
const SMALL = 256;

/** What the values of all executions that live in this process take, and how much they may, in bytes as JSON. */
export class HeldValues {
  bytes = 0;
  /** Of one execution, and of all. As objects, values take several times what they take as JSON: hence the shares. */
  readonly mostOfOne: number;
  readonly most: number;

  /** `memory`: bytes that the heap of this process may grow to. */
  constructor(memory: number) {
    this.mostOfOne = Math.min(limits.executionValues, Math.floor(memory / 8));
    this.most = Math.min(limits.liveValues, Math.floor(memory / 4));
  }

  get isFull(): boolean {
    return this.bytes >= this.most;
  }
}

/**
 * Bytes, as JSON, of the values that an execution keeps in memory because something of it may still ask for them. What was
 * delivered to many counts once; a part that stands in several values counts in each.
 */
export function heldBytes(state: ExecutionState): number {
  const seen = new Set<object>();
  let bytes = 0;
  const count = (value: Json | undefined): void => {
    if (value === undefined || value === null) return;
    if (typeof value === 'object') {
      if (seen.has(value)) return;
      seen.add(value);
    }
    bytes += bytesOf(value);
  };
  count(state.input);
  for (const outputs of Object.values(state.given)) Object.values(outputs).forEach(count);
  const frames: Frame[] = [state.root];
  for (const frame of frames) {
    count(frame.item);
    for (const end of frame.ends) count(end.value);
    for (const run of frame.runs) countRun(run, count, frames);
  }
  return bytes;
}

function countRun(run: NodeRun, count: (value: Json) => void, frames: Frame[]): void {
  if (run.outputs !== null) Object.values(run.outputs).forEach(count);
  for (const { value } of run.deliveries) count(value);
  // What arrived from one node is what that delivered; from several it is made of these.
  if (run.deliveries.length === 0) count(run.input);
  if (run.body !== null) frames.push(...run.body.frames.values());
}

/** Which values a fold keeps for showing them: all while there is room, or those of some node runs, as far as there is room. */
export class KeptValues {
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
