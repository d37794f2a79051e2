import { computeBackoff } from '../backoff.ts';
import type { Credential, Credentials } from '../credentials.ts';
import { ConnectionError, UnauthorizedError, createError, type WeftError } from '../errors.ts';
import type { DecisionChange, ExecutionUpdate, Notification } from '../generated/types.ts';

/** The filter of a listener. */
export type EventFilter = { readonly workflow_id?: string; readonly execution_id?: string };

export type LiveListener = {
  /** Null: all executions of the caller. Updates of other executions may arrive as well. */
  readonly narrowing: EventFilter | null;
  update(update: ExecutionUpdate): void;
  notification?(notification: Notification): void;
  decision?(change: DecisionChange): void;
  /** Called on each connection: from now on no update is missed; earlier changes must be read. */
  ready(): void;
  lost(): void;
  /** Called when there will be no connection. The listener is already removed. */
  failed(error: WeftError): void;
};

export type WebSocketHub = { add(listener: LiveListener): () => void };

type Socket = {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: { data?: unknown; code?: number }) => void): void;
};
/** The platform's WebSocket or a compatible class, such as that of the package `ws`. */
export type WebSocketClass = new (address: string) => {
  send(text: string): void;
  close(code?: number, reason?: string): void;
};

/** Timeout in ms for connecting, authenticating and subscribing. */
const OPEN_TIMEOUT_MS = 15_000;
/** ms between pings, and the timeout of a pong. */
const HEARTBEAT_INTERVAL_MS = 20_000;
const PONG_TIMEOUT_MS = 10_000;
/** With more filters or changes than this, a connection receives all updates, and listeners filter them. */
const MAX_FILTERS = 50;
const MAX_CHANGES = 100;
/** ms between two batches of subscription messages: the service accepts 50 messages a second. */
const ROUND_MS = 100;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

/**
 * One WebSocket for all live updates of a client: opened for the first listener, closed after the last one,
 * reopened when it breaks off. `giveUpAfter`: ms without a connection after which the listeners fail.
 */
export function createWebSocketHub(options: {
  readonly url: string;
  readonly WebSocket: WebSocketClass;
  readonly credentials: Pick<Credentials, 'current' | 'replaced'>;
  readonly giveUpAfter: number;
}): WebSocketHub {
  const listeners = new Set<LiveListener>();
  let connection: SocketConnection | null = null;
  let reconnect: ReturnType<typeof setTimeout> | undefined;
  let lostSince: number | null = null;
  let tries = 0;
  /** Set while a closed connection is being handled: a listener that joins meanwhile shares the outcome. */
  let isSettling = false;

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
    if (refusal !== null && (!wasOpen || refusal.code === 'FORBIDDEN')) {
      // A rejected credential is renewed once; a connection that was open is retried without a renewal.
      isSettling = true;
      const isRenewed =
        refusal.code !== 'FORBIDDEN' &&
        used !== null &&
        (await options.credentials.replaced(used).catch(() => false));
      isSettling = false;
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
    if (listeners.size > 0)
      reconnect ??= setTimeout(connect, computeBackoff(tries++, FIRST_DELAY_MS, MAX_DELAY_MS));
  }

  return {
    add(listener) {
      listeners.add(listener);
      if (connection !== null) connection.added(listener);
      else if (reconnect === undefined && !isSettling) connect();
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
  /** Set when the service rejected the credential or ended the session. */
  readonly refusal: WeftError | null;
};
type SocketConnection = {
  added(listener: LiveListener): void;
  removed(listener: LiveListener): void;
  close(): void;
};

function openConnection(
  options: { url: string; WebSocket: WebSocketClass; credentials: Pick<Credentials, 'current'> },
  listeners: ReadonlySet<LiveListener>,
  report: { opened(): void; ended(end: ConnectionEnd): void },
): SocketConnection {
  let socket: Socket | null = null;
  let used: Credential | null = null;
  let isOpen = false;
  let isOver = false;
  let refusal: WeftError | null = null;
  /** The filters with their number of listeners; null: no filter until the connection ends. */
  let narrowed: Map<string, number> | null = null;
  /** The callback for the pong of each pending ping. Pongs arrive in the order of the pings. */
  const pings: (() => void)[] = [];
  let timer = setTimeout(end, OPEN_TIMEOUT_MS);
  const arrivals: LiveListener[] = [];
  /** The listeners whose filters are in `narrowed`. */
  const counted = new Set<LiveListener>();
  let changes = 0;
  let lastRound = 0;
  let round: ReturnType<typeof setTimeout> | undefined;

  function end(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(round);
    socket?.close();
    report.ended({ wasOpen: isOpen, used, refusal });
  }

  function send(message: object): void {
    socket?.send(JSON.stringify(message));
  }

  /** The pong confirms that the service has processed everything sent before it. */
  function ping(then: () => void): void {
    pings.push(then);
    send({ type: 'ping' });
  }

  function scheduleHeartbeat(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      ping(scheduleHeartbeat);
      clearTimeout(timer);
      timer = setTimeout(end, PONG_TIMEOUT_MS);
    }, HEARTBEAT_INTERVAL_MS);
  }

  function narrowTo(narrowing: EventFilter): void {
    const key = JSON.stringify(narrowing);
    const count = narrowed?.get(key) ?? 0;
    narrowed?.set(key, count + 1);
    if (count > 0) return;
    changes++;
    send({ type: 'subscribe', data: narrowing });
  }

  /** The last filter is never removed, since the service would then send everything. */
  function dropUnwanted(held: Map<string, number>): void {
    for (const [key, count] of held) {
      if (count > 0 || held.size === 1) continue;
      held.delete(key);
      changes++;
      send({ type: 'unsubscribe', data: JSON.parse(key) });
    }
  }

  function removeFilters(): void {
    for (const key of narrowed?.keys() ?? []) send({ type: 'unsubscribe', data: JSON.parse(key) });
    narrowed = null;
  }

  /** Sends the filters of new listeners, and notifies the listeners when the service has processed them. */
  function welcome(): void {
    round = undefined;
    lastRound = performance.now();
    const some = arrivals.splice(0).filter((listener) => listeners.has(listener));
    if (some.length === 0) return;
    const wanted = some.map((listener) => listener.narrowing).filter((one) => one !== null);
    if (narrowed !== null) {
      const isMuch = narrowed.size + wanted.length > MAX_FILTERS || changes + wanted.length > MAX_CHANGES;
      if (wanted.length < some.length || isMuch) removeFilters();
      else {
        for (const narrowing of wanted) narrowTo(narrowing);
        for (const listener of some) counted.add(listener);
        dropUnwanted(narrowed);
      }
    }
    ping(() => {
      for (const listener of some) if (listeners.has(listener)) listener.ready();
    });
  }

  function handleAuthenticated(): void {
    isOpen = true;
    narrowed = new Map();
    arrivals.push(...listeners);
    report.opened();
    welcome();
    scheduleHeartbeat();
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
    if (type === 'auth_success') handleAuthenticated();
    else if (type === 'pong') pings.shift()?.();
    else if (type === 'execution_update') {
      for (const listener of listeners) listener.update(data as ExecutionUpdate);
    } else if (type === 'notification') {
      for (const listener of listeners) listener.notification?.(data as Notification);
    } else if (type === 'decision') {
      for (const listener of listeners) listener.decision?.(data as DecisionChange);
    } else if (type === 'error') refused(data as { code?: string; message?: string; details?: object });
  }

  function refused({ code = 'UNAUTHORIZED', message = 'The service refused.', details = {} }): void {
    if (code === 'UNAUTHORIZED' || code === 'FORBIDDEN') {
      refusal = createError(code, { message, details: { ...details } });
      // Authenticated, but not permitted to receive updates.
      if (code === 'FORBIDDEN') end();
    } else if (code !== 'RATE_LIMITED' && code !== 'INTERNAL_ERROR') {
      // A rejected filter: the service sends everything, and the listeners filter.
      removeFilters();
    }
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
    const auth = authMessage(credential);
    const opened = new options.WebSocket(options.url) as unknown as Socket;
    socket = opened;
    opened.addEventListener('open', () => send(auth));
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
      arrivals.push(listener);
      round ??= setTimeout(welcome, Math.max(0, lastRound + ROUND_MS - performance.now()));
    },
    removed(listener) {
      const { narrowing } = listener;
      // The listener may have joined and left within one batch, or the filters may have been dropped for all.
      if (!counted.delete(listener) || narrowed === null || narrowing === null) return;
      const key = JSON.stringify(narrowing);
      narrowed.set(key, (narrowed.get(key) ?? 1) - 1);
      dropUnwanted(narrowed);
    },
    close() {
      isOver = true;
      clearTimeout(timer);
      clearTimeout(round);
      socket?.close(1000);
    },
  };
}

/** Without a token the service uses the cookie of the connection. */
function authMessage(credential: Credential): object {
  switch (credential.kind) {
    case 'key':
      return { type: 'auth', token: credential.key };
    case 'token':
      return { type: 'auth', token: credential.token };
    case 'cookie':
      return { type: 'auth' };
  }
}
