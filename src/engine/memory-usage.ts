import type { Json } from '../lib/json.ts';
import { bytesOf } from '../lib/value-bounds.ts';
import type { Frame, NodeRun } from './frame.ts';
import type { ExecutionState } from './execution-state.ts';

/** Events of fewer bytes are not counted: as many as a definition can keep are little, and most executions have no others. */
export const COUNTED_FROM = 16 * 1024;

/**
 * Bytes, as JSON, of the values that an execution keeps in memory because something of it may still ask for them. What was
 * delivered to many counts once; a part that stands in several values counts in each.
 */
export function retainedBytes(state: ExecutionState): number {
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
  if (run.body === null) return;
  run.body.control.held().forEach(count);
  frames.push(...run.body.frames.values());
}
