import type { Principal } from '../../contract/principal.ts';
import type { WeftEvent } from '../../ports/events.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionEvents } from '../../services/executions/execution-events.service.ts';
import type { SendScheduler } from './send-scheduler.ts';
import { Frame } from './message-encoding.ts';
import { createSendQueue } from './send-queue.ts';

/** Number of queued events from which updates are merged: normally, and while the scheduler is behind. */
export const MERGE_FROM = 64;
export const MERGE_FROM_BEHIND = 8;

/** Receives the events of one owner. `offer` must not block. */
export type EventSubscriber = { offer(frame: Frame): void };

/** Distributes events to subscribers. Each event is encoded once for all subscribers of its owner. */
export type EventFanout = {
  /** @throws {WeftError} FORBIDDEN. */
  join(principal: Principal, reader: EventSubscriber): () => void;
};

/**
 * Publishing costs one queue entry, however many subscribers there are; the scheduler distributes events
 * later. While the scheduler is behind, updates are merged here once instead of for each subscriber.
 */
export function createEventFanout(events: ExecutionEvents, scheduler: SendScheduler): EventFanout {
  const feeds = new Map<string, Feed>();
  return {
    join(principal, reader) {
      events.permit(principal);
      const { userId } = principal;
      let feed = feeds.get(userId);
      if (feed === undefined) {
        const newFeed = new Feed(scheduler);
        newFeed.leave = events.subscribe(principal, (event) => newFeed.enqueue(event));
        feed = newFeed;
        feeds.set(userId, feed);
      }
      const { readers, leave } = feed;
      // A separate entry for each join, so that a subscriber can join again before it leaves.
      const entry = { reader };
      readers.add(entry);
      return () => {
        if (!readers.delete(entry) || readers.size > 0) return;
        feeds.delete(userId);
        leave();
      };
    },
  };
}

class Feed {
  readonly readers = new Set<{ readonly reader: EventSubscriber }>();
  leave = (): void => {};
  private readonly scheduler: SendScheduler;
  private readonly queue = createSendQueue();

  constructor(scheduler: SendScheduler) {
    this.scheduler = scheduler;
  }

  enqueue(event: WeftEvent): void {
    if (event.kind === 'log') return;
    const { queue, scheduler } = this;
    const mergeThreshold = scheduler.isBehind ? MERGE_FROM_BEHIND : MERGE_FROM;
    const executionId = event.kind === 'execution_update' ? event.executionId : null;
    queue.put(executionId, new Frame(event), queue.size >= mergeThreshold);
    // The queue is full: the publisher distributes two events for each new one, so that the queue shrinks.
    if (queue.bytes > limits.socketBufferBytes) for (let i = 0; i < 2; i++) this.distributeOne();
    scheduler.noteFeed(this);
  }

  flush(): void {
    if (this.distributeOne() && this.queue.size > 0) this.scheduler.noteFeed(this);
  }

  private distributeOne(): boolean {
    const frame = this.queue.take();
    if (frame === null) return false;
    for (const { reader } of this.readers) reader.offer(frame);
    return true;
  }
}
