import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
};
export type FailingServer = { url: string; seen: ReceivedRequest[]; close(): Promise<void> };

/** A real HTTP server that returns the valid or invalid responses a test defines. */
export async function startFailingServer(
  respond: (seen: ReceivedRequest, response: ServerResponse, nth: number) => void,
): Promise<FailingServer> {
  const seen: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one: ReceivedRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
      seen.push(one);
      respond(one, response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers });
  response.end(JSON.stringify(body));
}

export function createErrorBody(code: string, details: Record<string, unknown> = {}): { error: object } {
  return { error: { code, message: `It is ${code}.`, details } };
}
