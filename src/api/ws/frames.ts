import type { WeftEvent } from '../../ports/events.ts';
import { presentExecutionUpdate, presentNotification } from '../present/event.ts';

/** An event as it is sent: one object for all the sockets that get it, made into text once, and only when one is sent it. */
export class Frame {
  private readonly event: Exclude<WeftEvent, { kind: 'log' }>;
  private made: Buffer | null = null;

  constructor(event: Exclude<WeftEvent, { kind: 'log' }>) {
    this.event = event;
  }

  get bytes(): Buffer {
    if (this.made === null) {
      const { event } = this;
      const data =
        event.kind === 'execution_update' ? presentExecutionUpdate(event) : presentNotification(event);
      this.made = Buffer.from(JSON.stringify({ type: event.kind, data }));
    }
    return this.made;
  }

  /** Bytes that it counts for while it waits: those of the text, or a good guess that needs none. */
  get weight(): number {
    const { event } = this;
    return event.kind === 'execution_update' ? 300 + event.currentNode.length : this.bytes.length;
  }
}

/** The frame of an event. Events are handed to all of their receivers in one go, so the last one is all that is remembered. */
export function createFrames(): (event: Exclude<WeftEvent, { kind: 'log' }>) => Frame {
  let last: { event: WeftEvent; frame: Frame } | null = null;
  return (event) => {
    if (last?.event !== event) last = { event, frame: new Frame(event) };
    return last.frame;
  };
}
