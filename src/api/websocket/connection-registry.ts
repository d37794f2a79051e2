import type { WebSocket } from 'ws';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';

/**
 * Interval of the checks of all sockets, and the number of checks without a message after which a socket is
 * pinged or dropped.
 */
const CHECK_INTERVAL_MS = 5_000;
const CHECKS_BEFORE_PING = 6;
const CHECKS_BEFORE_DROP = 16;

type SocketActivity = { pinged: number; seen: number };

/** The open sockets of all WebSocket APIs. */
export type ConnectionRegistry = {
  add(socket: WebSocket): void;
  /** Closes all sockets with 1001. A client that does not reply is disconnected after the close time-out. */
  closeAll(): void;
};

/**
 * Pings every socket every 30 s, and drops a socket from which nothing has arrived for 80 s. Time is counted
 * in checks rather than by the wall clock, so that setting the clock forward does not drop all sockets.
 */
export function createConnectionRegistry(clock: Clock): ConnectionRegistry {
  const activities = new Map<WebSocket, SocketActivity>();
  let currentCheck = 0;
  let cancel: (() => void) | null = null;

  function scheduleCheck(): void {
    cancel ??= clock.after(CHECK_INTERVAL_MS, checkAll);
  }
  function checkAll(): void {
    cancel = null;
    currentCheck++;
    for (const [socket, activity] of activities) {
      if (currentCheck - activity.seen >= CHECKS_BEFORE_DROP) socket.terminate();
      else if (socket.bufferedAmount > limits.socketBufferBytes) socket.close(4429, 'too slow');
      else if (currentCheck - activity.pinged >= CHECKS_BEFORE_PING && socket.readyState === socket.OPEN) {
        activity.pinged = currentCheck;
        socket.ping();
      }
    }
    if (activities.size > 0) scheduleCheck();
  }

  return {
    add(socket) {
      const activity = { pinged: currentCheck, seen: currentCheck };
      const markSeen = (): void => void (activity.seen = currentCheck);
      activities.set(socket, activity);
      socket.on('pong', markSeen).on('ping', markSeen).on('message', markSeen);
      socket.on('close', () => {
        activities.delete(socket);
        if (activities.size > 0) return;
        cancel?.();
        cancel = null;
      });
      scheduleCheck();
    },
    closeAll() {
      for (const socket of activities.keys()) socket.close(1001, 'the service is stopping');
    },
  };
}
