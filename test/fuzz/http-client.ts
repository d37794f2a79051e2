import { Agent, request } from 'node:http';

export type FuzzRequest = {
  readonly method: string;
  /** Sent unchanged: nothing is resolved or encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array | null;
};
export type FuzzResponse = { status: number; headers: Record<string, string>; text: string };

/** ms after which an incomplete response counts as missing. */
const TIMEOUT_MS = 20_000;
/** ms after which a stream of events is closed. */
const STREAM_TIME_MS = 100;

/** One client with its keep-alive connections. */
export function createHttpClient(port: number, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** The last request on a connection, which may affect the next one. */
  const last = new WeakMap<object, string>();
  return {
    send: ({ method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> =>
      new Promise((resolve, reject) => {
        const call = request(
          { agent, host: '127.0.0.1', port, method, path, headers, timeout: TIMEOUT_MS },
          (response) => {
            const received: FuzzResponse = { status: response.statusCode ?? 0, headers: {}, text: '' };
            for (const [name, value] of Object.entries(response.headers))
              received.headers[name] = String(value);
            const chunks: Buffer[] = [];
            const done = (): void => resolve({ ...received, text: Buffer.concat(chunks).toString('utf8') });
            if (received.headers['content-type']?.startsWith('text/event-stream') === true)
              setTimeout(() => response.destroy(), STREAM_TIME_MS);
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('close', done);
            response.on('error', done);
          },
        );
        const line = `${method} ${path.slice(0, 300)} ${JSON.stringify({ ...headers, authorization: '' })} ${body?.length ?? 'no'} bytes`;
        let before = '';
        call.on('socket', (socket) => {
          before = last.get(socket) ?? 'nothing';
          last.set(socket, line);
        });
        call.on('timeout', () =>
          call.destroy(new Error(`not answered in time; before it on its connection: ${before}`)),
        );
        call.on('error', reject);
        call.end(body ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}
