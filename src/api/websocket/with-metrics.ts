import type { Metrics, OpenDoor } from '../../ports/metrics.ts';
import type { SocketDoors } from './socket-plugin.ts';

const names: Readonly<Record<string, OpenDoor>> = { '/v1/ws': 'websocket', '/v1/graphql': 'graphql_ws' };

/** The same doors, whose open sockets are counted. */
export function meteredDoors(doors: SocketDoors, metrics: Pick<Metrics, 'connectionOpened'>): SocketDoors {
  return Object.fromEntries(
    Object.entries(doors).map(([path, door]) => [
      path,
      {
        ...door,
        accept(socket, peer) {
          socket.once('close', metrics.connectionOpened(names[path] ?? 'other'));
          door.accept(socket, peer);
        },
      },
    ]),
  );
}
