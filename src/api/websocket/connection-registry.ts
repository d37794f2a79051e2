import type { WebSocket } from 'ws';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';

/** ms between two looks at all sockets, and the looks after which one is pinged, and given up when nothing came from it. */
const LOOK = 5_000;
const LOOKS_TO_PING = 6;
const LOOKS_TO_DROP = 16;

type Life = { pinged: number; seen: number };

/** The sockets of all doors. */
export type ConnectionRegistry = {
  add(socket: WebSocket): void;
  /** Says 1001 to all; a client that does not answer is cut off after the time-out of the close. */
  closeAll(): void;
};

/**
 * Every socket is pinged every 30 s; one from which nothing came for 80 s is a half-open peer and goes. Counted in looks, not by
 * the clock on the wall: a clock that is set forward must not drop everybody.
 */
export function createConnectionRegistry(clock: Clock): ConnectionRegistry {
  const lives = new Map<WebSocket, Life>();
  let look = 0;
  let cancel: (() => void) | null = null;

  function arm(): void {
    cancel ??= clock.after(LOOK, lookAtAll);
  }
  function lookAtAll(): void {
    cancel = null;
    look++;
    for (const [socket, life] of lives) {
      if (look - life.seen >= LOOKS_TO_DROP) socket.terminate();
      else if (socket.bufferedAmount > limits.socketBuffer) socket.close(4429, 'too slow');
      else if (look - life.pinged >= LOOKS_TO_PING && socket.readyState === socket.OPEN) {
        life.pinged = look;
        socket.ping();
      }
    }
    if (lives.size > 0) arm();
  }

  return {
    add(socket) {
      const life = { pinged: look, seen: look };
      const isAlive = (): void => void (life.seen = look);
      lives.set(socket, life);
      socket.on('pong', isAlive).on('ping', isAlive).on('message', isAlive);
      socket.on('close', () => {
        lives.delete(socket);
        if (lives.size > 0) return;
        cancel?.();
        cancel = null;
      });
      arm();
    },
    closeAll() {
      for (const socket of lives.keys()) socket.close(1001, 'the service is stopping');
    },
  };
}
