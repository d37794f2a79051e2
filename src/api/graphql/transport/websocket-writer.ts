import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../../../ports/clock.ts';

/** Bytes that a socket is handed before who writes has to wait. */
const HIGH = 64 * 1024;
/** Bytes that may wait for one socket, whatever operations they come of: each has at most one answer under way. */
const MOST = 32 * 1024 * 1024;
/** ms without any progress after which a client that has something to take counts as too slow. */
const STALL = 30_000;

/** Writes to one socket at the pace of its reader: `send` resolves when more may be sent. */
export type SocketWriter = { send(text: string): Promise<void>; close(): void };

export function createSocketWriter(
  socket: WebSocket,
  stream: Duplex,
  clock: Clock,
  tooSlow: () => void,
): SocketWriter {
  let waiting: (() => void)[] = [];
  let cancel = (): void => {};

  function letGo(): void {
    cancel();
    const list = waiting;
    waiting = [];
    for (const resolve of list) resolve();
  }
  stream.on('drain', letGo);

  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return Promise.resolve();
      socket.send(text);
      if (socket.bufferedAmount > MOST) tooSlow();
      if (socket.bufferedAmount < HIGH) return Promise.resolve();
      if (waiting.length === 0) cancel = clock.after(STALL, tooSlow);
      return new Promise((resolve) => waiting.push(resolve));
    },
    close() {
      stream.off('drain', letGo);
      letGo();
    },
  };
}
