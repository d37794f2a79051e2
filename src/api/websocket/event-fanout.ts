import type { Principal } from '../../contract/principal.ts';
import type { WeftEvent } from '../../ports/events.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionEvents } from '../../services/executions/execution-events.service.ts';
import type { SendScheduler } from './send-scheduler.ts';
import { Frame } from './message-encoding.ts';
import { createSendQueue } from './send-queue.ts';

/** Events that wait to be handed out, from which on updates are merged; and while the door is behind. */
export const MERGE_FROM = 64;
export const MERGE_FROM_BEHIND = 8;

/** Who is handed the events of one owner. It must not block. */
export type Reader = { offer(frame: Frame): void };

/** The events of owners, each made once for all of an owner's readers. */
export type EventFanout = {
  /** @throws {WeftError} FORBIDDEN. */
  join(principal: Principal, reader: Reader): () => void;
};

/**
 * What is published costs one entry, however many read: the flusher hands it out later. When that falls behind, updates are
 * merged here already, once and not for each reader.
 */
export function createEventFanout(events: ExecutionEvents, flusher: SendScheduler): EventFanout {
  const feeds = new Map<string, Feed>();
  return {
    join(principal, reader) {
      events.permit(principal);
      const { userId } = principal;
      let feed = feeds.get(userId);
      if (feed === undefined) {
        const made = new Feed(flusher);
        made.leave = events.subscribe(principal, (event) => made.happened(event));
        feed = made;
        feeds.set(userId, feed);
      }
      const { readers, leave } = feed;
      // An entry of its own, so that one may join anew before it leaves.
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
  readonly readers = new Set<{ readonly reader: Reader }>();
  leave = (): void => {};
  private readonly flusher: SendScheduler;
  private readonly waiting = createSendQueue();

  constructor(flusher: SendScheduler) {
    this.flusher = flusher;
  }

  happened(event: WeftEvent): void {
    if (event.kind === 'log') return;
    const { waiting, flusher } = this;
    const most = flusher.isBehind ? MERGE_FROM_BEHIND : MERGE_FROM;
    const executionId = event.kind === 'execution_update' ? event.executionId : null;
    waiting.put(executionId, new Frame(event), waiting.size >= most);
    // Full: what comes has to be handed out by whoever publishes, and a little more, so that it becomes less again.
    if (waiting.bytes > limits.socketBuffer) for (let i = 0; i < 2; i++) this.handOutOne();
    flusher.noteFeed(this);
  }

  flush(): void {
    if (this.handOutOne() && this.waiting.size > 0) this.flusher.noteFeed(this);
  }

  private handOutOne(): boolean {
    const frame = this.waiting.take();
    if (frame === null) return false;
    for (const { reader } of this.readers) reader.offer(frame);
    return true;
  }
}
