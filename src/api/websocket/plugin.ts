import { Connection, type ConnectionDeps } from './connection.ts';
import { createFeeds } from './event-fanout.ts';
import { createFlusher } from './send-scheduler.ts';
import type { SocketDoor } from './socket-plugin.ts';

/** `/v1/ws`: execution updates and notifications, for whoever says who he is. */
export function socketDoor(deps: Omit<ConnectionDeps, 'feeds' | 'flusher'>): SocketDoor {
  const flusher = createFlusher(deps.clock);
  const shared = { ...deps, flusher, feeds: createFeeds(deps.events, flusher) };
  return {
    protocols: [],
    accept: (socket, peer) => void new Connection(socket, peer, shared),
  };
}
