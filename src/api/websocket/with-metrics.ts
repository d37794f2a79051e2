import type { Metrics, StreamingApi } from '../../ports/metrics.ts';
import type { SocketApis } from './socket-plugin.ts';

const names: Readonly<Record<string, StreamingApi>> = { '/v1/ws': 'websocket', '/v1/graphql': 'graphql_ws' };

/** The same doors, whose open sockets are counted. */
export function withSocketMetrics(doors: SocketApis, metrics: Pick<Metrics, 'connectionOpened'>): SocketApis {
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
