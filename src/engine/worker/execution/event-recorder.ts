import { EventBuffer, type BufferedEvents } from './event-buffer.ts';
import { EventEncoder } from '../../journal/event-encoder.ts';
import type { ExecutionState } from '../../state/execution-state.ts';
import type { JournalEvent } from '../../journal/journal.ts';
import { MemoryUsage } from './memory-usage.ts';
import type { WorkerContext } from '../worker-context.ts';

type Execution = {
  readonly id: string;
  readonly ownerId: string;
  readonly workflowId: string;
  readonly state: ExecutionState;
};

/** Applies the events of one execution as they are created, and collects them for the next checkpoint. */
export class EventRecorder {
  readonly memory: MemoryUsage;
  /** The last reading of the clock: reading it takes longer than most steps. */
  lastNow = 0;
  private readonly execution: Execution;
  private readonly context: Pick<WorkerContext<never>, 'clock' | 'events' | 'memory' | 'report'>;
  private readonly buffer: EventBuffer;
  private encoder = new EventEncoder();

  constructor(
    execution: Execution,
    context: Pick<WorkerContext<never>, 'clock' | 'events' | 'memory' | 'report'>,
  ) {
    this.execution = execution;
    this.context = context;
    this.memory = new MemoryUsage(execution.state, context.memory);
    this.buffer = new EventBuffer(context.events, execution);
  }

  now(): number {
    return (this.lastNow = this.context.clock.now());
  }

  /** The number of events that are not in a checkpoint yet. */
  get count(): number {
    return this.encoder.count;
  }

  get bytes(): number {
    return this.encoder.size;
  }

  record(event: JournalEvent): void {
    try {
      this.execution.state.keepInOrder(event);
      this.encode(event);
      this.apply(event);
    } catch (error) {
      this.endWithInternalError(error);
    }
  }

  /** Collects an event without applying it. */
  encode(event: JournalEvent): void {
    const sizeBefore = this.encoder.size;
    this.encoder.add(event);
    this.memory.addEvent(this.encoder.size - sizeBefore);
  }

  /** Drops the collected notifications: replayed events were published before. */
  dropNotifications(): void {
    this.buffer.take();
  }

  /** Moves what was collected to the checkpoint that is about to be written. */
  take(): { encoder: EventEncoder; notifications: BufferedEvents } {
    const { encoder } = this;
    this.encoder = new EventEncoder();
    return { encoder, notifications: this.buffer.take() };
  }

  /** `status` is what the checkpoint with these notifications stored. */
  publish(notifications: BufferedEvents, status: Parameters<EventBuffer['publish']>[1]): void {
    this.buffer.publish(notifications, status);
  }

  private apply(event: JournalEvent): void {
    const { state } = this.execution;
    state.observer.logged = this.buffer.log;
    state.apply(event);
    this.buffer.add(event, state.progress);
  }

  /** An unexpected error ends only the execution in which it occurred. */
  endWithInternalError(error: unknown): void {
    const { id, state } = this.execution;
    this.context.report(`unexpected error in execution ${id}`, error);
    if (state.settled !== null) return;
    const event: JournalEvent = { e: 'fault', at: this.now() };
    state.keepInOrder(event);
    this.encoder.add(event);
    this.apply(event);
  }
}
