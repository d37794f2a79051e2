import type { ExecutionStatus, LogEntry } from '../contract/execution.ts';
import type { Events, ExecutionUpdate } from '../ports/events.ts';
import type { JournalEvent } from './journal.ts';
import type { StateObserver } from './execution-data.ts';

type Subject = { readonly id: string; readonly ownerId: string; readonly workflowId: string };
type News = { updates: ExecutionUpdate[]; entries: LogEntry[] };

const nothing: News = { updates: [], entries: [] };

/** What subscribers will be told of one execution, once it is on disk. While nobody listens it gathers nothing. */
export class EventBuffer {
  private readonly events: Events;
  private readonly subject: Subject;
  private news = nothing;

  constructor(events: Events, subject: Subject) {
    this.events = events;
    this.subject = subject;
  }

  /** Where log entries go; undefined while nobody listens. */
  get log(): StateObserver['logged'] {
    if (!this.events.wanted(this.subject.ownerId)) return undefined;
    return (timestamp, level, nodeId, message, data) =>
      void this.gathered().entries.push({ timestamp, level, nodeId, message, data });
  }

  happened(event: JournalEvent, progress: number): void {
    const { id, ownerId, workflowId } = this.subject;
    if (event.e === 'log' || !this.events.wanted(ownerId)) return;
    this.gathered().updates.push({
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

  /** What was gathered since the last call. */
  take(): News {
    const { news } = this;
    this.news = nothing;
    return news;
  }

  private gathered(): News {
    if (this.news === nothing) this.news = { updates: [], entries: [] };
    return this.news;
  }

  /** Tells what `take` gave; `status` is what its checkpoint stored. */
  publish({ updates, entries }: News, status: ExecutionStatus): void {
    const last = updates.at(-1);
    if (last !== undefined && status !== 'queued') last.status = status;
    for (const update of updates) this.events.publish(update);
    if (entries.length === 0) return;
    const { id, ownerId } = this.subject;
    this.events.publish({ kind: 'log', ownerId, executionId: id, entries });
  }
}
