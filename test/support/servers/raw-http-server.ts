import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A server on 127.0.0.1 that responds with arbitrary bytes, and detects the end of a connection. */
export type RawServer = {
  port: number;
  url: string;
  /** Heads of the requests, as received. */
  readonly heads: string[];
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
};

/** `answer` is called once for each request's head. `rest` contains the bytes after the head. */
export async function startRawServer(
  respond: (socket: Socket, head: string, rest: Buffer) => void,
): Promise<RawServer> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = received.toString('latin1', 0, end);
      const rest = received.subarray(end + 4);
      received = Buffer.alloc(0);
      heads.push(head);
      // `answer` reads the body if there is one. Without a body, the next request may arrive on the same
      // connection.
      if (/^(?:content-length: [1-9]|transfer-encoding:)/im.test(head)) socket.off('data', onData).pause();
      respond(socket, head, rest);
    };
    socket.on('data', onData);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    heads,
    sockets,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
