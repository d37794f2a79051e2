import type { WeftEvent } from '../../ports/events.ts';
import { presentEvent } from '../serializers/event.ts';

/**
 * An event for all sockets that receive it, encoded once and only when it is first sent. The bytes are a
 * whole WebSocket frame with its header, so that several frames can be written at once. Encoding by the
 * library for each socket and event takes several times as long with a thousand sockets.
 */
export class Frame {
  readonly event: Exclude<WeftEvent, { kind: 'log' }>;
  private encoded: Buffer | null = null;

  constructor(event: Exclude<WeftEvent, { kind: 'log' }>) {
    this.event = event;
  }

  get bytes(): Buffer {
    if (this.encoded === null) {
      const { event } = this;
      const data = presentEvent(event);
      this.encoded = encodeTextFrame(JSON.stringify({ type: event.kind, data }));
    }
    return this.encoded;
  }

  /**
   * The bytes that the event counts for while it is queued: the length of the text, or an estimate without
   * encoding it.
   */
  get weight(): number {
    const { event } = this;
    return event.kind === 'execution_update' ? 300 + event.currentNode.length : this.bytes.length;
  }
}

/** First byte of an unfragmented text frame (FIN). Servers do not mask frames. */
const TEXT_FRAME = 0x81;
/** Lengths up to this are in the second byte; the next two values announce a length of 2 or 8 bytes. */
const MAX_SHORT_LENGTH = 125;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/** Encodes a text frame as in RFC 6455, section 5.2. */
function encodeTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length <= MAX_SHORT_LENGTH ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = TEXT_FRAME;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = LENGTH_IN_2_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_IN_8_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}
