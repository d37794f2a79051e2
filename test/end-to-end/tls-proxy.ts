import { request as ask } from 'node:http';
import { createServer, request as askSafely } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { testCertificate, testKey } from '../support/servers/tls-certificates.ts';

export type ProxiedResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

/** A reverse proxy that terminates TLS and forwards the client's address and protocol. */
export async function openTlsProxy() {
  let target = 0;
  const requests: string[] = [];
  const message = (headers: NodeJS.Dict<string | string[]>, from: string | undefined) => ({
    ...headers,
    'x-forwarded-for': from ?? '',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': headers['host'] ?? '',
  });
  const server = createServer({ key: testKey, cert: testCertificate }, (incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const forwarded = ask(
      {
        host: '127.0.0.1',
        port: target,
        method: incoming.method,
        path: incoming.url,
        headers: message(incoming.headers, incoming.socket.remoteAddress),
      },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.writeHead(502).end());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.on('upgrade', (incoming, socket, head) => {
    const behind = connect(target, '127.0.0.1', () => {
      const headers = Object.entries(message(incoming.headers, incoming.socket.remoteAddress));
      behind.write(
        [
          `GET ${incoming.url} HTTP/1.1`,
          ...headers.map(([name, value]) => `${name}: ${String(value)}`),
          '',
          '',
        ].join('\r\n'),
      );
      behind.write(head);
      behind.pipe(socket);
      socket.pipe(behind);
    });
    const end = (): void => {
      behind.destroy();
      socket.destroy();
    };
    behind.on('error', end).on('close', end);
    socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://127.0.0.1:${port}`,
    /** Number of API requests. */
    count: () => requests.filter((line) => line.includes(' /v1/')).length,
    aim(at: number) {
      target = at;
    },
    send(
      method: string,
      path: string,
      options: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
    ): Promise<ProxiedResponse> {
      return new Promise((resolve, reject) => {
        const sent = askSafely(
          { host: '127.0.0.1', port, method, path, headers: options.headers, rejectUnauthorized: false },
          (response) => {
            const parts: Buffer[] = [];
            response.on('data', (part: Buffer) => parts.push(part));
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                body: Buffer.concat(parts),
              }),
            );
          },
        );
        sent.on('error', reject);
        sent.end(options.body);
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
