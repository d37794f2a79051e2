import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The message of a server after a commit, and the message of a client that requests it. */
const COMMITTED = Buffer.from('C\0\0\0\u000bCOMMIT\0', 'latin1');
const COMMIT = Buffer.from('Q\0\0\0\u000bCOMMIT\0', 'latin1');

/** A proxy to a server that can cut connections at critical moments. */
export type Proxy = {
  /** The address of the same database through this proxy. */
  readonly url: string;
  /** The next `times` COMMITs reach the server, but the connection ends before their responses return. */
  cutResponses(times: number): void;
  /** The next `times` COMMITs do not reach the server. */
  cutCommits(times: number): void;
  /** Ends all connections, and accepts no new ones until `heal`. */
  cutOff(): void;
  heal(): void;
  /** Number of connections that were cut. */
  readonly cuts: number;
  close(): Promise<void>;
};

export async function startProxy(database: string): Promise<Proxy> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  let responses = 0;
  let commits = 0;
  let cuts = 0;
  let isOff = false;

  const server = createServer((client) => {
    if (isOff) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
    };
    sockets.add(client);
    for (const socket of [client, upstream]) {
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (chunk: Buffer) => {
      const at = commits > 0 ? chunk.indexOf(COMMIT) : -1;
      if (at < 0) return void upstream.write(chunk);
      commits--;
      cuts++;
      upstream.write(chunk.subarray(0, at), end);
    });
    upstream.on('data', (chunk: Buffer) => {
      const at = responses > 0 ? chunk.indexOf(COMMITTED) : -1;
      if (at < 0) return void client.write(chunk);
      responses--;
      cuts++;
      end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  const cutOff = (): void => {
    isOff = true;
    for (const socket of sockets) {
      cuts++;
      socket.destroy();
    }
  };
  return {
    url: url.href,
    cutResponses: (times) => {
      responses = times;
    },
    cutCommits: (times) => {
      commits = times;
    },
    cutOff,
    heal: () => {
      isOff = false;
    },
    get cuts() {
      return cuts;
    },
    close: async () => {
      cutOff();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
