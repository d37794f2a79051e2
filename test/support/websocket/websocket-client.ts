import { WebSocket, type ClientOptions } from 'ws';

export type Message = { type: string; data?: Record<string, unknown> };

/** A client of `/v1/ws` that records its messages. */
export type SocketClient = {
  readonly socket: WebSocket;
  readonly messages: Message[];
  /** Strings and Buffers are sent unchanged, everything else as JSON. */
  send(message: unknown): void;
  /** The next matching message that was not returned before. Rejects after 30 s. */
  next(fits?: string | ((message: Message) => boolean)): Promise<Message>;
  /** Sends `auth` and returns the response. */
  auth(token: string): Promise<Message>;
  /** The code and reason of the close. Rejects after `ms`, 30 s by default. */
  closed(ms?: number): Promise<{ code: number; reason: string }>;
  end(): void;
};

/** ms. A message that is immediate on a quiet machine may take seconds on a busy one. */
const TIMEOUT_MS = 30_000;

const open = new Set<WebSocket>();

/** Closes clients that tests left open. */
export function endSocketClients(): void {
  for (const socket of open) socket.terminate();
  open.clear();
}

/** `url` is the URL of the API, ending with /v1. Rejects when the upgrade fails. */
export async function connectSocket(url: string, options: ClientOptions = {}): Promise<SocketClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, options);
  open.add(socket);
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let given = 0;
  let end: { code: number; reason: string } | null = null;
  const notify = (): void => {
    for (const look of waiting) look();
  };
  socket.on('message', (data) => {
    messages.push(JSON.parse((data as Buffer).toString()) as Message);
    notify();
  });
  socket.on('close', (code, reason) => {
    open.delete(socket);
    end = { code, reason: reason.toString() };
    notify();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});

  /** Calls `look` now and after each message, until it returns a value. */
  function wait<T>(what: string, ms: number, look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(attempt);
      };
      const fail = (): void => {
        done();
        reject(
          new Error(`${what}: not within ${ms} ms, but ${JSON.stringify({ messages, end }).slice(-2000)}`),
        );
      };
      const timer = setTimeout(fail, ms);
      const attempt = (): void => {
        const found = look();
        if (found === undefined) return;
        done();
        resolve(found);
      };
      waiting.add(attempt);
      attempt();
    });
  }

  const client: SocketClient = {
    socket,
    messages,
    send(message) {
      socket.send(
        typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
      );
    },
    next(fits = () => true) {
      const isIt = typeof fits === 'string' ? (message: Message) => message.type === fits : fits;
      // Each message is checked once, because there may be 100,000.
      let at = given;
      return wait(`a message ${String(fits)}`, TIMEOUT_MS, () => {
        at = Math.max(at, given);
        while (at < messages.length && !isIt(messages[at]!)) at++;
        if (at === messages.length) return undefined;
        given = at + 1;
        return messages[at];
      });
    },
    async auth(token) {
      client.send({ type: 'auth', token });
      return client.next();
    },
    closed: (ms = TIMEOUT_MS) => wait('the close', ms, () => end ?? undefined),
    end: () => socket.terminate(),
  };
  return client;
}
