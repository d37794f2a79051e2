import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../../src/ports/clock.ts';

/** Real time, for tests of the runner with real sockets. */
export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon: (run) => {
    setImmediate(run);
  },
};

export type ReceivedRequest = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
};

/** A server on 127.0.0.1 that counts its connections and records its requests. */
export type TestServer = {
  port: number;
  url: string;
  connections(): number;
  readonly received: ReceivedRequest[];
  close(): Promise<void>;
};

export async function serve(
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  host = '127.0.0.1',
): Promise<TestServer> {
  const received: ReceivedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    buffer(request).then(
      (bytes) => {
        const body = bytes.toString('latin1');
        received.push({
          method: request.method ?? '',
          url: request.url ?? '',
          headers: request.headers,
          body,
        });
        respond(request, response, body);
      },
      () => response.destroy(),
    );
  };
  const server: Server = createServer(listener);
  // A client that is slow under load could otherwise send a request on a connection that is being closed.
  server.keepAliveTimeout = 0;
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    connections: () => connections,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
