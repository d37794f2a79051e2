import type { WeftEvent } from '../../ports/events.ts';
import { presentExecutionUpdate, presentNotification } from '../serializers/event.ts';

/**
 * An event as it is sent: one object for all the sockets that get it, made into bytes once, and only when one is sent it. The
 * bytes are those of a whole WebSocket frame, head included, so that many of them go to a socket in one piece: with a frame of
 * the library's making for each socket and event, a thousand sockets take several times as long.
 */
export class Frame {
  readonly event: Exclude<WeftEvent, { kind: 'log' }>;
  private made: Buffer | null = null;

  constructor(event: Exclude<WeftEvent, { kind: 'log' }>) {
    this.event = event;
  }

  get bytes(): Buffer {
    if (this.made === null) {
      const { event } = this;
      const data =
        event.kind === 'execution_update' ? presentExecutionUpdate(event) : presentNotification(event);
      this.made = frameOfText(JSON.stringify({ type: event.kind, data }));
    }
    return this.made;
  }

  /** Bytes that it counts for while it waits: those of the text, or a good guess that needs none. */
  get weight(): number {
    const { event } = this;
    return event.kind === 'execution_update' ? 300 + event.currentNode.length : this.bytes.length;
  }
}

/** First byte: the only frame of a message (FIN), of text. A server masks nothing. */
const TEXT = 0x81;
/** Up to here the second byte is the length; these two say that it stands in the next 2 or 8 bytes. */
const LONGEST_SHORT = 125;
const LENGTH_IN_2 = 126;
const LENGTH_IN_8 = 127;

/** RFC 6455, 5.2. */
function frameOfText(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length <= LONGEST_SHORT ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = TEXT;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = LENGTH_IN_2;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_IN_8;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}
