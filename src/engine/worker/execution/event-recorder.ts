import { estimateTokens, type ThreadTurn } from '../../../contract/ai/threads.ts';
import type { NewThreadTurn } from '../../../ports/store/ai/threads.ts';
import type { NodeRun } from '../../state/frame.ts';
import { EventBuffer, type BufferedEvents } from './event-buffer.ts';
import { EventEncoder } from '../../journal/event-encoder.ts';
import type { ExecutionState } from '../../state/execution-state.ts';
import { readUsageEntry, type JournalEvent } from '../../journal/journal.ts';
import { DAY_MS } from '../../../ports/store/statistics.ts';
import type { UsageRecord } from '../../../ports/store/ai/model-usage.ts';
import { MemoryUsage } from './memory-usage.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Shared and never changed: most executions have no turn. */
const NO_TURNS: NewThreadTurn[] = [];
const NO_USAGE: UsageRecord[] = [];

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
  /** Turns that node runs add to threads: written together with the events that end them. */
  private turns: NewThreadTurn[] = NO_TURNS;
  /** Calls of models in the collected events. */
  private usage: UsageRecord[] = NO_USAGE;

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
      if ('u' in event && event.u !== undefined) {
        const day = event.at - (event.at % DAY_MS);
        this.usage = this.usage.concat(event.u.map((entry) => ({ ...readUsageEntry(entry), day })));
      }
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

  /** Called while the event that ends the node run is recorded. */
  addTurn(run: NodeRun, { thread, messages, retention }: ThreadTurn): void {
    const text = JSON.stringify(messages);
    const bytes = Buffer.byteLength(text);
    const { workflowId, state } = this.execution;
    const at = Math.max(state.at, this.lastNow);
    if (this.turns.length === 0) this.turns = [];
    this.turns.push({
      thread,
      workflowId,
      path: run.path,
      messages: text,
      messageCount: messages.length,
      tokens: estimateTokens(bytes),
      at,
      expiresAt: retention === null ? null : at + retention,
    });
  }

  /** Drops what replayed events caused again: they were published, and their turns stored, before. */
  dropReplayed(): void {
    this.buffer.take();
    this.turns = NO_TURNS;
  }

  /** Moves what was collected to the checkpoint that is about to be written. */
  take(): {
    encoder: EventEncoder;
    notifications: BufferedEvents;
    turns: readonly NewThreadTurn[];
    usage: readonly UsageRecord[];
  } {
    const { encoder, turns, usage } = this;
    this.encoder = new EventEncoder();
    this.turns = NO_TURNS;
    this.usage = NO_USAGE;
    return { encoder, notifications: this.buffer.take(), turns, usage };
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
