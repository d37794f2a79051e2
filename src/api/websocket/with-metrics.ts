import type { Metrics, StreamingApi } from '../../ports/metrics.ts';
import type { SocketApis } from './socket-plugin.ts';

const metricNames: Readonly<Record<string, StreamingApi>> = {
  '/v1/ws': 'websocket',
  '/v1/graphql': 'graphql_ws',
};

/** Wraps WebSocket APIs to count their open sockets. */
export function withSocketMetrics(apis: SocketApis, metrics: Pick<Metrics, 'connectionOpened'>): SocketApis {
  return Object.fromEntries(
    Object.entries(apis).map(([path, api]) => [
      path,
      {
        ...api,
        accept(socket, peer) {
          socket.once('close', metrics.connectionOpened(metricNames[path] ?? 'other'));
          api.accept(socket, peer);
        },
      },
    ]),
  );
}
