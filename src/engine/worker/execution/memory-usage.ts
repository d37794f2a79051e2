import type { Json } from '../../../lib/json/json.ts';
import { countBytes } from '../../../lib/limits/value-limits.ts';
import type { MemoryBudget } from '../../../lib/limits/memory-budget.ts';
import type { ExecutionData } from '../../state/execution-data.ts';
import type { Frame, NodeRun } from '../../state/frame.ts';

/**
 * Smaller events are not counted: their total is bounded by the size of a definition, and most executions
 * have no others.
 */
export const MIN_COUNTED_BYTES = 16 * 1024;

/**
 * The memory that the values of one execution take, in bytes as JSON, as part of the budget of its process.
 * Events only add to it, so it is an upper bound; it is measured again when it exceeds the limit.
 */
export class MemoryUsage {
  bytes = 0;
  private readonly state: ExecutionData;
  private readonly budget: Pick<MemoryBudget, 'add' | 'mostOfOne'>;

  constructor(state: ExecutionData, budget: Pick<MemoryBudget, 'add' | 'mostOfOne'>) {
    this.state = state;
    this.budget = budget;
  }

  get limit(): number {
    return this.budget.mostOfOne;
  }

  addEvent(bytes: number): void {
    if (bytes >= MIN_COUNTED_BYTES) this.set(this.bytes + bytes);
  }

  measure(): void {
    this.set(countRetainedBytes(this.state));
  }

  get isOverLimit(): boolean {
    if (this.bytes <= this.limit) return false;
    this.measure();
    return this.bytes > this.limit;
  }

  private set(bytes: number): void {
    this.budget.add(bytes - this.bytes);
    this.bytes = bytes;
  }
}

/**
 * Bytes, as JSON, of the values that an execution keeps in memory because one of its nodes may still read
 * them. A value that was delivered several times counts once; a part that occurs in several values counts in
 * each.
 */
export function countRetainedBytes(state: ExecutionData): number {
  const seen = new Set<object>();
  let bytes = 0;
  const count = (value: Json | undefined): void => {
    if (value === undefined || value === null) return;
    if (typeof value === 'object') {
      if (seen.has(value)) return;
      seen.add(value);
    }
    bytes += countBytes(value);
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
  // With deliveries, the input is one of them or is built from them.
  if (run.deliveries.length === 0) count(run.input);
  if (run.body === null) return;
  run.body.control.listRetainedValues().forEach(count);
  frames.push(...run.body.frames.values());
}
