import { Connection, type ConnectionDeps } from './connection.ts';
import { createEventFanout } from './event-fanout.ts';
import { createSendScheduler } from './send-scheduler.ts';
import type { SocketApi } from './socket-plugin.ts';

/** `/v1/ws`: execution updates and notifications for authenticated clients. */
export function websocketPlugin(deps: Omit<ConnectionDeps, 'fanout' | 'scheduler'>): SocketApi {
  const scheduler = createSendScheduler();
  const shared = { ...deps, scheduler, fanout: createEventFanout(deps.events, scheduler) };
  return {
    protocols: [],
    accept: (socket, peer) => void new Connection(socket, peer, shared),
  };
}
