import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../../../ports/clock.ts';

/** Bytes passed to a socket before the writer waits. */
const HIGH_WATER_MARK_BYTES = 64 * 1024;
/**
 * Maximum bytes buffered for one socket over all operations, each of which has at most one response in
 * progress.
 */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
/** How long a client with buffered data may make no progress before it counts as too slow. */
const STALL_TIMEOUT_MS = 30_000;

/** Writes to a socket at the pace of its reader: `send` resolves when more may be sent. */
export type SocketWriter = { send(text: string): Promise<void>; close(): void };

export function createSocketWriter(
  socket: WebSocket,
  stream: Duplex,
  clock: Clock,
  tooSlow: () => void,
): SocketWriter {
  let waiting: (() => void)[] = [];
  let cancel = (): void => {};

  function resolveWaiting(): void {
    cancel();
    const list = waiting;
    waiting = [];
    for (const resolve of list) resolve();
  }
  stream.on('drain', resolveWaiting);

  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return Promise.resolve();
      socket.send(text);
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) tooSlow();
      if (socket.bufferedAmount < HIGH_WATER_MARK_BYTES) return Promise.resolve();
      if (waiting.length === 0) cancel = clock.after(STALL_TIMEOUT_MS, tooSlow);
      return new Promise((resolve) => waiting.push(resolve));
    },
    close() {
      stream.off('drain', resolveWaiting);
      resolveWaiting();
    },
  };
}
