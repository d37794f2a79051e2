import type { Attempt } from '../../src/ports/runner.ts';
import type { Call } from './check-history.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimulatedWorker } from './worker.ts';

type SimulationContext = {
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  /** Executions whose stop was acknowledged. */
  readonly stopped: ReadonlySet<string>;
  readonly isOneWorker: boolean;
  /** Reports a violation. */
  wrong(text: string): void;
};

/** The service that nodes call. It records each call, and checks that the journal allows it. */
export class SimulatedUpstream {
  readonly calls: Call[] = [];
  private readonly callsByKey = new Map<string, number>();
  private readonly context: SimulationContext;

  constructor(context: SimulationContext) {
    this.context = context;
  }

  countCalls(key: string): number {
    return this.callsByKey.get(key) ?? 0;
  }

  receive(attempt: Attempt, worker: SimulatedWorker): void {
    const { executionId: id, path, attempt: n, idempotencyKey: key } = attempt;
    const { scheduler, store, isOneWorker } = this.context;
    scheduler.trace(`${worker.name} calls ${id} ${path} ${n}`);
    const stored = store.executions.get(id);
    const events = stored?.events ?? [];
    if (!events.some((event) => event.e === 'start' && event.p === path && event.n === n))
      this.context.wrong(`${id} ${path} was called before its start was on disk`);
    if (isOneWorker && events.some((event) => event.e === 'end' && event.p === path))
      this.context.wrong(`${id} ${path} was called after its end was on disk`);
    if (isOneWorker && this.context.stopped.has(id))
      this.context.wrong(`${id} ${path} was called after the stop was acknowledged`);
    if (this.calls.some((call) => call.execution === id && call.path === path && call.attempt === n))
      this.context.wrong(`${id} ${path} attempt ${n} was called twice`);
    const other = this.calls.find(
      (call) => (call.key === key) !== (call.execution === id && call.path === path),
    );
    if (other !== undefined)
      this.context.wrong(`the key of ${id} ${path} is not its own: ${other.execution} ${other.path}`);
    this.calls.push({ key, execution: id, path, attempt: n, step: scheduler.step });
    this.callsByKey.set(key, (this.callsByKey.get(key) ?? 0) + 1);
  }
}
