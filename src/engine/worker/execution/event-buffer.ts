import type { ExecutionStatus, LogEntry } from '../../../contract/execution.ts';
import type { Events, ExecutionUpdate } from '../../../ports/events.ts';
import type { StateObserver } from '../../state/execution-data.ts';
import type { JournalEvent } from '../../journal/journal.ts';

type Subject = { readonly id: string; readonly ownerId: string; readonly workflowId: string };
export type BufferedEvents = { updates: ExecutionUpdate[]; entries: LogEntry[] };

/** Shared and never mutated. */
const NOTHING: BufferedEvents = { updates: [], entries: [] };

/** Collects the events of one execution until they are on disk. Without subscribers it collects nothing. */
export class EventBuffer {
  private readonly events: Events;
  private readonly subject: Subject;
  private buffered = NOTHING;
  private lastPublished: ExecutionUpdate | null = null;

  constructor(events: Events, subject: Subject) {
    this.events = events;
    this.subject = subject;
  }

  /** Receives log entries; undefined without subscribers. */
  get log(): StateObserver['logged'] {
    if (!this.events.hasSubscriber(this.subject.ownerId)) return undefined;
    return (timestamp, level, nodeId, message, data) =>
      void this.writable().entries.push({ timestamp, level, nodeId, message, data });
  }

  add(event: JournalEvent, progress: number): void {
    const { id, ownerId, workflowId } = this.subject;
    if (event.e === 'log' || !this.events.hasSubscriber(ownerId)) return;
    this.writable().updates.push({
      kind: 'execution_update',
      ownerId,
      executionId: id,
      workflowId,
      status: event.e === 'done' ? event.status : 'running',
      progress,
      currentNode: 'p' in event ? event.p.split('[', 1)[0]! : '',
      timestamp: event.at,
    });
  }

  /** Returns what was collected since the last call. */
  take(): BufferedEvents {
    const { buffered } = this;
    this.buffered = NOTHING;
    return buffered;
  }

  private writable(): BufferedEvents {
    if (this.buffered === NOTHING) this.buffered = { updates: [], entries: [] };
    return this.buffered;
  }

  /** Publishes what `take` returned; `status` is what its checkpoint stored. */
  publish({ updates, entries }: BufferedEvents, status: ExecutionStatus): void {
    const last = updates.at(-1);
    if (last !== undefined && status !== 'queued') last.status = status;
    for (const update of updates) this.events.publish(update);
    if (last !== undefined) this.lastPublished = last;
    // A checkpoint without an event stores that the execution only waits.
    else if (this.lastPublished !== null && status === 'waiting' && this.lastPublished.status !== status) {
      this.lastPublished = { ...this.lastPublished, status };
      this.events.publish(this.lastPublished);
    }
    if (entries.length === 0) return;
    const { id, ownerId } = this.subject;
    this.events.publish({ kind: 'log', ownerId, executionId: id, entries });
  }
}
