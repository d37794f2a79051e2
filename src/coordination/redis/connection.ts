import { Redis } from 'ioredis';
import { createRedisOptions } from '../../lib/network/redis-options.ts';

/**
 * Interval between two echoes, and the time (ms) without an echo after which the connections are replaced.
 */
const ECHO_INTERVAL_MS = 1_000;
const ECHO_TIMEOUT_MS = 4_000;
/** Timeout of a command. */
const COMMAND_TIMEOUT_MS = 2_000;
/** Minimum time between two log messages about an unreachable Redis. */
const REPORT_INTERVAL_MS = 60_000;
/** Bytes that may be buffered for a slow Redis before published messages are dropped. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;

export type RedisConnectionOptions = {
  url: string;
  /** Prefix of the keys and channels of this service. */
  prefix: string;
  /** The unique name of this process. */
  self: string;
  now: () => number;
  after: (ms: number, run: () => void) => () => void;
  /** Redis was lost (`error`), or is available again (null). */
  changed(error: Error | null): void;
};

/** The connections of one process, for publishing, subscribing and counting. */
export type RedisConnection = {
  readonly self: string;
  readonly prefix: string;
  isUp(): boolean;
  /** Dropped while Redis is unavailable. */
  publish(channel: string, text: string): void;
  /**
   * Subscribes, and subscribes again after each connection loss; one receiver per channel. Resolves when the
   * subscription is active or Redis is unavailable.
   */
  subscribe(channel: string, receive: (text: string) => void): Promise<void>;
  unsubscribe(channel: string): void;
  /** Calls `run` each time all channels are subscribed anew: earlier messages may have been lost. */
  onUp(run: () => void): void;
  /** Rejects when Redis is unavailable or too slow. */
  command<T>(run: (redis: Redis) => Promise<T>): Promise<T>;
  /**
   * Resolves with whether Redis is up, after at most `ms`. Rejects when Redis permanently refuses this
   * process.
   */
  opened(ms: number): Promise<boolean>;
  close(): void;
};

export function createRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const { url, prefix, self, now, after } = options;
  const channels = new Map<string, (text: string) => void>();
  const upListeners: (() => void)[] = [];
  let isClosed = false;
  /** Why it is not up, if known. */
  let lastError = new Error('Redis is not connected yet.');
  let refusal: Error | null = null;
  let isSubscribed = false;
  let reportedAt = -Infinity;
  let wasUp = false;
  let echoedAt = 0;

  const publisher = new Redis(url, {
    ...createRedisOptions(url, COMMAND_TIMEOUT_MS),
    commandTimeout: COMMAND_TIMEOUT_MS,
    // It is unknown whether a command in flight was executed: it fails by its timeout and is not resent.
    autoResendUnfulfilledCommands: false,
    connectionName: `${prefix}:out`,
  });
  const subscriber = new Redis(url, {
    ...createRedisOptions(url, COMMAND_TIMEOUT_MS),
    autoResubscribe: false,
    connectionName: `${prefix}:into`,
  });
  for (const one of [publisher, subscriber]) {
    one.on('error', (error: Error) => {
      if (/WRONGPASS|NOAUTH|NOPERM|invalid (username|password)|invalid password/i.test(error.message))
        refusal = error;
      if (isCertificateError(error))
        refusal = new Error(`The certificate of Redis cannot be trusted: ${error.message}`, { cause: error });
      lastError = error;
    });
    one.on('close', () => {
      if (one === subscriber) isSubscribed = false;
      reportChange();
    });
  }
  publisher.on('ready', () => {
    if (isUp()) reportChange();
  });
  subscriber.on('ready', () => void subscribeAll());
  subscriber.on('message', (channel: string, text: string) => {
    channels.get(channel)?.(text);
  });

  const echo = `${prefix}:echo:${self}`;
  channels.set(echo, () => (echoedAt = now()));

  async function subscribeAll(): Promise<void> {
    try {
      await subscriber.subscribe(...channels.keys());
      isSubscribed = true;
      echoedAt = now();
      refusal = null;
      lastError = new Error('The connection was closed.');
    } catch (error) {
      // The connection was lost again and will be re-established.
      lastError = error as Error;
      return;
    }
    reportChange();
    for (const run of upListeners) run();
  }

  function isUp(): boolean {
    return !isClosed && isSubscribed && publisher.status === 'ready';
  }

  /** Reports a change of availability. */
  function reportChange(): void {
    if (isClosed) return;
    if (isUp()) {
      if (!wasUp) options.changed(null);
      wasUp = true;
      reportedAt = -Infinity;
    } else if (now() - reportedAt >= REPORT_INTERVAL_MS) {
      wasUp = false;
      reportedAt = now();
      options.changed(lastError);
    }
  }

  let cancelEcho = after(ECHO_INTERVAL_MS, sendEcho);
  function sendEcho(): void {
    cancelEcho = after(ECHO_INTERVAL_MS, sendEcho);
    reportChange();
    if (!isUp()) return;
    // The peer is gone without closing the connection, or Redis hangs.
    if (now() - echoedAt > ECHO_TIMEOUT_MS) {
      lastError = new Error('Redis does not respond.');
      isSubscribed = false;
      subscriber.disconnect(true);
      publisher.disconnect(true);
      reportChange();
    } else publish(echo, '');
  }

  function publish(channel: string, text: string): void {
    const { stream } = publisher as { stream: { writableLength?: number } | null };
    if (!isUp() || (stream?.writableLength ?? 0) > MAX_BUFFERED_BYTES) return;
    publisher.publish(channel, text).catch((error: Error) => (lastError = error));
  }

  return {
    self,
    prefix,
    isUp,
    publish,
    async subscribe(channel, receive) {
      channels.set(channel, receive);
      if (subscriber.status !== 'ready') return;
      await subscriber.subscribe(channel).catch((error: Error) => (lastError = error));
    },
    unsubscribe(channel) {
      channels.delete(channel);
      if (subscriber.status === 'ready')
        subscriber.unsubscribe(channel).catch((error: Error) => (lastError = error));
    },
    onUp: (run) => void upListeners.push(run),
    async command(run) {
      if (!isUp()) throw lastError;
      return run(publisher);
    },
    async opened(ms) {
      const end = now() + ms;
      while (!isUp() && now() < end && !isClosed) {
        if (refusal !== null) throw refusal;
        await new Promise<void>((resolve) => after(20, resolve));
      }
      if (refusal !== null) throw refusal;
      return isUp();
    },
    close() {
      isClosed = true;
      cancelEcho();
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}

/** Certificate errors, as named by OpenSSL and Node. */
function isCertificateError(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code);
}
