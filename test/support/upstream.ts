import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: unknown };
export type Upstream = { url: string; received: ReceivedRequest[]; close(): Promise<void> };

/**
 * An HTTP service for tests of outgoing requests. It records requests, and `answer` defines its responses.
 */
export async function startUpstream(
  respond: (request: ReceivedRequest) => {
    status?: number;
    headers?: Record<string, string>;
    body?: unknown;
    /** A body that is not JSON. Default: `body`. */
    text?: string;
    /** ms. */
    after?: number;
    /** Waits for this before the response. */
    held?: Promise<void>;
  } = () => ({}),
): Promise<Upstream> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      let body: unknown = text;
      try {
        body = JSON.parse(text);
      } catch {
        // Text remains text.
      }
      const actual: ReceivedRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
      };
      received.push(actual);
      const { status = 200, headers = {}, body: content = {}, text: raw, after = 0, held } = respond(actual);
      const send = (): void => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(raw ?? JSON.stringify(content));
      };
      if (held === undefined) setTimeout(send, after);
      else void held.then(send);
    });
  });
  // A client that is slow under load could otherwise send a request on a connection that is being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
