import { Connection, type ConnectionDeps } from './connection.ts';
import { createEventFanout } from './event-fanout.ts';
import { createSendScheduler } from './send-scheduler.ts';
import type { SocketApi } from './socket-plugin.ts';

/** `/v1/ws`: execution updates and notifications, for whoever says who he is. */
export function websocketPlugin(deps: Omit<ConnectionDeps, 'feeds' | 'flusher'>): SocketApi {
  const flusher = createSendScheduler(deps.clock);
  const shared = { ...deps, flusher, feeds: createEventFanout(deps.events, flusher) };
  return {
    protocols: [],
    accept: (socket, peer) => void new Connection(socket, peer, shared),
  };
}
