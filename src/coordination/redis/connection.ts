import { Redis } from 'ioredis';
import { redisOptions } from '../../lib/network/redis-options.ts';

/**
 * Interval between two echoes, and the time (ms) without an echo after which the connections are replaced.
 */
const ECHO = 1_000;
const ECHO_LATE = 4_000;
/** Timeout of a command. */
const COMMAND = 2_000;
/** Minimum time between two log messages about an unreachable Redis. */
const TELL_AGAIN = 60_000;
/** Bytes that may be buffered for a slow Redis before published messages are dropped. */
const MOST_WAITING = 32 * 1024 * 1024;

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
  const risen: (() => void)[] = [];
  let isClosed = false;
  /** Why it is not up, if known. */
  let lastError = new Error('Redis is not connected yet.');
  let refusal: Error | null = null;
  let isSubscribed = false;
  let toldAt = -Infinity;
  let wasUp = false;
  let echoedAt = 0;

  const out = new Redis(url, {
    ...redisOptions(url, COMMAND),
    commandTimeout: COMMAND,
    // It is unknown whether a command in flight was executed: it fails by its timeout and is not resent.
    autoResendUnfulfilledCommands: false,
    connectionName: `${prefix}:out`,
  });
  const into = new Redis(url, {
    ...redisOptions(url, COMMAND),
    autoResubscribe: false,
    connectionName: `${prefix}:into`,
  });
  for (const one of [out, into]) {
    one.on('error', (error: Error) => {
      if (/WRONGPASS|NOAUTH|NOPERM|invalid (username|password)|invalid password/i.test(error.message))
        refusal = error;
      if (isCertificateError(error))
        refusal = new Error(`The certificate of Redis cannot be trusted: ${error.message}`, { cause: error });
      lastError = error;
    });
    one.on('close', () => {
      if (one === into) isSubscribed = false;
      look();
    });
  }
  out.on('ready', () => {
    if (isUp()) look();
  });
  into.on('ready', () => void subscribeAll());
  into.on('message', (channel: string, text: string) => {
    channels.get(channel)?.(text);
  });

  const echo = `${prefix}:echo:${self}`;
  channels.set(echo, () => (echoedAt = now()));

  async function subscribeAll(): Promise<void> {
    try {
      await into.subscribe(...channels.keys());
      isSubscribed = true;
      echoedAt = now();
      refusal = null;
      lastError = new Error('The connection was closed.');
    } catch (error) {
      // The connection was lost again and will be re-established.
      lastError = error as Error;
      return;
    }
    look();
    for (const run of risen) run();
  }

  function isUp(): boolean {
    return !isClosed && isSubscribed && out.status === 'ready';
  }

  /** Reports a change of availability. */
  function look(): void {
    if (isClosed) return;
    if (isUp()) {
      if (!wasUp) options.changed(null);
      wasUp = true;
      toldAt = -Infinity;
    } else if (now() - toldAt >= TELL_AGAIN) {
      wasUp = false;
      toldAt = now();
      options.changed(lastError);
    }
  }

  let cancelEcho = after(ECHO, beat);
  function beat(): void {
    cancelEcho = after(ECHO, beat);
    look();
    if (!isUp()) return;
    // The peer is gone without closing the connection, or Redis hangs.
    if (now() - echoedAt > ECHO_LATE) {
      lastError = new Error('Redis does not respond.');
      isSubscribed = false;
      into.disconnect(true);
      out.disconnect(true);
      look();
    } else publish(echo, '');
  }

  function publish(channel: string, text: string): void {
    const { stream } = out as { stream: { writableLength?: number } | null };
    if (!isUp() || (stream?.writableLength ?? 0) > MOST_WAITING) return;
    out.publish(channel, text).catch((error: Error) => (lastError = error));
  }

  return {
    self,
    prefix,
    isUp,
    publish,
    async subscribe(channel, receive) {
      channels.set(channel, receive);
      if (into.status !== 'ready') return;
      await into.subscribe(channel).catch((error: Error) => (lastError = error));
    },
    unsubscribe(channel) {
      channels.delete(channel);
      if (into.status === 'ready') into.unsubscribe(channel).catch((error: Error) => (lastError = error));
    },
    onUp: (run) => void risen.push(run),
    async command(run) {
      if (!isUp()) throw lastError;
      return run(out);
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
      out.disconnect();
      into.disconnect();
    },
  };
}

/** Certificate errors, as named by OpenSSL and Node. */
function isCertificateError(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code);
}
