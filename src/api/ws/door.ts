import { Connection, type ConnectionDeps } from './connection.ts';
import { createFlusher } from './flusher.ts';
import { createFrames } from './frames.ts';
import type { SocketDoor } from './socket-door.ts';

/** `/v1/ws`: execution updates and notifications, for whoever says who he is. */
export function socketDoor(deps: Omit<ConnectionDeps, 'frameOf' | 'flusher'>): SocketDoor {
  const shared = { ...deps, frameOf: createFrames(), flusher: createFlusher(deps.clock) };
  return {
    protocols: [],
    accept: (socket, peer) => void new Connection(socket, peer, shared),
  };
}
