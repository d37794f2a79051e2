import type { Json } from '../../../lib/json/json.ts';
import { countBytes } from '../../../lib/limits/value-limits.ts';
import type { MemoryBudget } from '../../../lib/limits/memory-budget.ts';
import type { ExecutionData } from '../../state/execution-data.ts';
import type { Frame, NodeRun } from '../../state/frame.ts';
import type { Outputs } from '../../journal/journal.ts';

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
  const measure = (value: Json | undefined): number => {
    if (value === undefined || value === null) return 0;
    if (typeof value === 'object') {
      if (seen.has(value)) return 0;
      seen.add(value);
    }
    return countBytes(value);
  };
  let bytes = measure(state.input);
  for (const outputs of Object.values(state.given)) bytes += measureAll(outputs, measure);
  const frames: Frame[] = [state.root];
  for (const frame of frames) {
    bytes += measure(frame.item);
    for (const end of frame.ends) bytes += measure(end.value);
    for (const run of frame.runs) {
      bytes += measureRun(run, measure);
      if (run.body !== null) frames.push(...run.body.frames.values());
    }
  }
  return bytes;
}

type Measure = (value: Json) => number;

function measureAll(outputs: Outputs, measure: Measure): number {
  return Object.values(outputs).reduce<number>((sum, value) => sum + measure(value), 0);
}

function measureRun(run: NodeRun, measure: Measure): number {
  let bytes = run.outputs === null ? 0 : measureAll(run.outputs, measure);
  for (const { value } of run.deliveries) bytes += measure(value);
  // With deliveries, the input is one of them or is built from them.
  if (run.deliveries.length === 0) bytes += measure(run.input);
  return bytes + (run.body?.control.countRetainedBytes(measure) ?? 0);
}
