import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

type Direction = 'toServer' | 'toClient';

/** A TCP proxy before a server, which can do to connections what networks do. */
export type TcpProxy = {
  readonly port: number;
  /** `url` by way of this proxy. */
  through(url: string): string;
  /** Nothing passes until `heal`; it is delivered then. */
  stall(): void;
  /**
   * Until `heal`, bytes in these directions are lost. A connection that lost some stays open and passes
   * nothing more in that direction, as when one side has forgotten it.
   */
  drop(...directions: Direction[]): void;
  /** Connections are cut, and refused until `heal`. */
  cut(): void;
  heal(): void;
  /** Cuts all connections; new ones go to this port. */
  retarget(port: number): void;
  /** Bytes that were held up or lost so far. */
  readonly affectedBytes: number;
  /** Connections taken so far. */
  readonly taken: number;
  close(): Promise<void>;
};

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let target = targetPort;
  let mode: 'pass' | 'stall' | 'cut' = 'pass';
  let dropped = new Set<Direction>();
  let affectedBytes = 0;
  let taken = 0;
  let waiting: (() => void)[] = [];
  const clients = new Set<Socket>();

  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    taken++;
    clients.add(client);
    const upstream = connect(target, '127.0.0.1');
    /** Directions in which this connection has lost bytes. */
    const broken = new Set<Direction>();
    const pass = (from: Socket, to: Socket, direction: Direction): void => {
      from.on('data', (chunk: Buffer) => {
        if (dropped.has(direction) || broken.has(direction)) {
          broken.add(direction);
          affectedBytes += chunk.length;
        } else if (mode === 'stall') {
          affectedBytes += chunk.length;
          waiting.push(() => void to.write(chunk));
        } else to.write(chunk);
      });
    };
    // The other side learns of an end only while bytes pass.
    const end = (direction: Direction, socket: Socket): void => {
      if (dropped.has(direction) || broken.has(direction)) return;
      if (mode === 'stall') waiting.push(() => void socket.destroy());
      else socket.destroy();
    };
    pass(client, upstream, 'toServer');
    pass(upstream, client, 'toClient');
    client.on('error', () => {});
    upstream.on('error', () => {});
    client.on('close', () => {
      clients.delete(client);
      end('toServer', upstream);
    });
    upstream.on('close', () => end('toClient', client));
    client.on('abandon', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cutAll = (): void => {
    for (const client of clients) {
      client.emit('abandon');
      client.destroy();
    }
  };
  return {
    port,
    through: (text) => {
      const url = new URL(text);
      url.port = String(port);
      return url.href;
    },
    stall: () => {
      mode = 'stall';
    },
    drop: (...directions) => {
      dropped = new Set(directions);
    },
    cut: () => {
      mode = 'cut';
      cutAll();
    },
    heal: () => {
      mode = 'pass';
      dropped = new Set();
      const delivered = waiting;
      waiting = [];
      for (const deliver of delivered) deliver();
    },
    retarget: (to) => {
      target = to;
      cutAll();
    },
    get affectedBytes() {
      return affectedBytes;
    },
    get taken() {
      return taken;
    },
    close: async () => {
      mode = 'cut';
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
