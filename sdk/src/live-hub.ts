import { backoff } from './backoff.ts';
import type { Credential, Credentials } from './credentials.ts';
import { ConnectionError, UnauthorizedError, errorOf, type WeftError } from './errors.ts';
import type { ExecutionUpdate, Notification } from './generated/types.ts';

/** Which executions a listener wants to hear of. */
export type Narrowing = { readonly workflow_id?: string; readonly execution_id?: string };

export type LiveListener = {
  /** Null: all of one's own. Others' updates may come all the same. */
  readonly narrowing: Narrowing | null;
  update(update: ExecutionUpdate): void;
  notification(notification: Notification): void;
  /** From here on nothing is missed; what happened before has to be read. Again after each reconnection. */
  ready(): void;
  lost(): void;
  /** There will be no connection. The listener is out already. */
  failed(error: WeftError): void;
};

export type LiveHub = { add(listener: LiveListener): () => void };

type Socket = {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: { data?: unknown; code?: number }) => void): void;
};
/** The platform's WebSocket, or one that works like it: the class of the package `ws` does. */
export type WebSocketClass = new (address: string) => {
  send(text: string): void;
  close(code?: number, reason?: string): void;
};

/** ms for the whole of connecting, proving and subscribing. */
const OPEN_TIMEOUT = 15_000;
/** ms between pings, and for the pong. */
const BEAT = 20_000;
const PONG_TIMEOUT = 10_000;
/** With more narrowings than that, one connection takes everything and picks. */
const MAX_NARROWINGS = 50;
const FIRST_DELAY = 250;
const MAX_DELAY = 10_000;

/**
 * One WebSocket for all live updates of a client: opened for the first listener, closed after the last one, opened again when it
 * breaks off. `giveUpAfter`: ms without a connection until the listeners fail.
 */
export function createLiveHub(options: {
  readonly url: string;
  readonly WebSocket: WebSocketClass;
  readonly credentials: Pick<Credentials, 'current' | 'replaced'>;
  readonly giveUpAfter: number;
}): LiveHub {
  const listeners = new Set<LiveListener>();
  let connection: Connection | null = null;
  let reconnect: ReturnType<typeof setTimeout> | undefined;
  let lostSince: number | null = null;
  let tries = 0;

  function failAll(error: WeftError): void {
    const all = [...listeners];
    listeners.clear();
    for (const listener of all) listener.failed(error);
  }

  function connect(): void {
    reconnect = undefined;
    const mine = openConnection(options, listeners, {
      opened() {
        lostSince = null;
        tries = 0;
      },
      ended: (end) => {
        if (connection === mine) void ended(end);
      },
    });
    connection = mine;
  }

  async function ended({ wasOpen, used, refusal }: ConnectionEnd): Promise<void> {
    connection = null;
    if (listeners.size === 0) return;
    for (const listener of listeners) listener.lost();
    if (refusal !== null && !wasOpen) {
      // What proved nothing once may be renewed once; what was open and ended is tried again as it is.
      const isRenewed = used !== null && (await options.credentials.replaced(used).catch(() => false));
      if (!isRenewed) {
        failAll(refusal);
        return;
      }
    }
    lostSince ??= performance.now();
    if (performance.now() - lostSince > options.giveUpAfter) {
      lostSince = null;
      tries = 0;
      failAll(
        new ConnectionError({
          message: `${options.url} could not be reached for ${options.giveUpAfter} ms.`,
        }),
      );
      return;
    }
    if (listeners.size > 0) reconnect ??= setTimeout(connect, backoff(tries++, FIRST_DELAY, MAX_DELAY));
  }

  return {
    add(listener) {
      listeners.add(listener);
      if (connection !== null) connection.added(listener);
      else if (reconnect === undefined) connect();
      return () => {
        if (!listeners.delete(listener)) return;
        connection?.removed(listener);
        if (listeners.size > 0) return;
        clearTimeout(reconnect);
        reconnect = undefined;
        lostSince = null;
        tries = 0;
        connection?.close();
        connection = null;
      };
    },
  };
}

type ConnectionEnd = {
  readonly wasOpen: boolean;
  readonly used: Credential | null;
  /** Set when the service did not take the credential, or ended it. */
  readonly refusal: WeftError | null;
};
type Connection = {
  added(listener: LiveListener): void;
  removed(listener: LiveListener): void;
  close(): void;
};

function openConnection(
  options: { url: string; WebSocket: WebSocketClass; credentials: Pick<Credentials, 'current'> },
  listeners: ReadonlySet<LiveListener>,
  report: { opened(): void; ended(end: ConnectionEnd): void },
): Connection {
  let socket: Socket | null = null;
  let used: Credential | null = null;
  let isOpen = false;
  let isOver = false;
  let refusal: WeftError | null = null;
  /** What the service was asked to narrow to; null: it sends everything, and stays so until the connection ends. */
  let narrowed: Map<string, number> | null = null;
  /** For each ping that is out: what to do at its pong. Pongs come in the order of the pings. */
  const pings: (() => void)[] = [];
  let timer = setTimeout(end, OPEN_TIMEOUT);

  function end(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    socket?.close();
    report.ended({ wasOpen: isOpen, used, refusal });
  }

  function send(message: object): void {
    socket?.send(JSON.stringify(message));
  }

  /** The pong says that everything sent before it has been heeded. */
  function ping(then: () => void): void {
    pings.push(then);
    send({ type: 'ping' });
  }

  function beat(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      ping(beat);
      clearTimeout(timer);
      timer = setTimeout(end, PONG_TIMEOUT);
    }, BEAT);
  }

  function narrowTo(narrowing: Narrowing): void {
    const key = JSON.stringify(narrowing);
    const count = narrowed?.get(key) ?? 0;
    narrowed?.set(key, count + 1);
    if (count === 0) send({ type: 'subscribe', data: narrowing });
  }

  function widen(): void {
    for (const key of narrowed?.keys() ?? []) send({ type: 'unsubscribe', data: JSON.parse(key) });
    narrowed = null;
  }

  function announce(some: readonly LiveListener[]): void {
    ping(() => {
      for (const listener of some) if (listeners.has(listener)) listener.ready();
    });
  }

  function proved(): void {
    isOpen = true;
    const all = [...listeners];
    const wanted = all.map((listener) => listener.narrowing);
    if (wanted.every((one) => one !== null) && wanted.length <= MAX_NARROWINGS) {
      narrowed = new Map();
      for (const narrowing of wanted) narrowTo(narrowing);
    }
    report.opened();
    announce(all);
    beat();
  }

  function receive(text: unknown): void {
    let message: { type?: unknown; data?: unknown };
    try {
      message = JSON.parse(String(text)) as typeof message;
    } catch {
      end();
      return;
    }
    const { type, data } = message;
    if (type === 'auth_success') proved();
    else if (type === 'pong') pings.shift()?.();
    else if (type === 'execution_update') {
      for (const listener of listeners) listener.update(data as ExecutionUpdate);
    } else if (type === 'notification') {
      for (const listener of listeners) listener.notification(data as Notification);
    } else if (type === 'error') refused(data as { code?: string; message?: string; details?: object });
  }

  function refused({ code = 'UNAUTHORIZED', message = 'The service refused.', details = {} }): void {
    if (code === 'UNAUTHORIZED' || code === 'FORBIDDEN')
      refusal = errorOf(code, { message, details: { ...details } });
    // A narrowing that is not taken: everything comes instead, and the listeners pick.
    else widen();
  }

  async function open(): Promise<void> {
    const credential = await options.credentials.current();
    if (isOver) return;
    used = credential;
    if (credential === null) {
      refusal = new UnauthorizedError('UNAUTHORIZED', { message: 'Live updates need a credential.' });
      end();
      return;
    }
    const token = credential.kind === 'key' ? credential.key : credential.token;
    const opened = new options.WebSocket(options.url) as unknown as Socket;
    socket = opened;
    opened.addEventListener('open', () => send({ type: 'auth', token }));
    opened.addEventListener('message', (event) => {
      if (!isOver) receive(event.data);
    });
    opened.addEventListener('error', end);
    opened.addEventListener('close', (event) => {
      if (event.code === 4401) {
        refusal ??= new UnauthorizedError('UNAUTHORIZED', { message: 'The credential has ended.' });
      }
      end();
    });
  }
  open().catch(end);

  return {
    added(listener) {
      if (!isOpen) return;
      if (narrowed !== null) {
        if (listener.narrowing === null || narrowed.size >= MAX_NARROWINGS) widen();
        else narrowTo(listener.narrowing);
      }
      announce([listener]);
    },
    removed({ narrowing }) {
      if (!isOpen || narrowed === null || narrowing === null) return;
      const key = JSON.stringify(narrowing);
      const left = (narrowed.get(key) ?? 0) - 1;
      if (left > 0) {
        narrowed.set(key, left);
        return;
      }
      narrowed.delete(key);
      // The last one is not taken back: the service would send everything. Its connection ends with its listener.
      if (narrowed.size > 0) send({ type: 'unsubscribe', data: narrowing });
    },
    close() {
      isOver = true;
      clearTimeout(timer);
      socket?.close(1000);
    },
  };
}
