import { Redis } from 'ioredis';
import { redisOptions } from '../../lib/network/redis-options.ts';

/** ms between two echoes, and without one after which the connections are made anew. */
const ECHO = 1_000;
const ECHO_LATE = 4_000;
/** ms that a command may take. */
const COMMAND = 2_000;
/** ms between two notes in the log that Redis cannot be reached. */
const TELL_AGAIN = 60_000;
/** Bytes that may wait for a slow Redis before what is published is dropped. */
const MOST_WAITING = 32 * 1024 * 1024;

export type RedisConnectionOptions = {
  url: string;
  /** What the keys and channels of this Weft begin with. */
  prefix: string;
  /** The name of this process; no other one has it. */
  self: string;
  now: () => number;
  after: (ms: number, run: () => void) => () => void;
  /** Redis was lost (`error`), or is back (null). */
  changed(error: Error | null): void;
};

/** The connections of one process for publishing, subscribing and counting. */
export type RedisConnection = {
  readonly self: string;
  readonly prefix: string;
  isUp(): boolean;
  /** Dropped while Redis is away. */
  publish(channel: string, text: string): void;
  /** From now on, and again after each loss; one receiver for each channel. Resolves when it is so, or when Redis is away. */
  subscribe(channel: string, receive: (text: string) => void): Promise<void>;
  unsubscribe(channel: string): void;
  /** Called each time that all channels are subscribed anew: what was published before may be lost. */
  onUp(run: () => void): void;
  /** Rejects when Redis is away or too slow. */
  command<T>(run: (redis: Redis) => Promise<T>): Promise<T>;
  /** Resolves when it is up or the time is over; says which. Rejects when Redis refuses this process, for it always will. */
  opened(ms: number): Promise<boolean>;
  close(): void;
};

export function createRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const { url, prefix, self, now, after } = options;
  const channels = new Map<string, (text: string) => void>();
  const risen: (() => void)[] = [];
  let isClosed = false;
  /** Why it is not up, as far as is known. */
  let lastError = new Error('Redis is not reached yet.');
  let refusal: Error | null = null;
  let isSubscribed = false;
  let toldAt = -Infinity;
  let wasUp = false;
  let echoedAt = 0;

  const out = new Redis(url, {
    ...redisOptions(url, COMMAND),
    commandTimeout: COMMAND,
    // Nobody knows whether what was under way was done: it fails, by its time-out, and is not said twice.
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
      // The connection went again, and comes again.
      lastError = error as Error;
      return;
    }
    look();
    for (const run of risen) run();
  }

  function isUp(): boolean {
    return !isClosed && isSubscribed && out.status === 'ready';
  }

  /** Tells of a change. */
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
    // A peer that is gone without a word, or a Redis that hangs.
    if (now() - echoedAt > ECHO_LATE) {
      lastError = new Error('Redis does not answer.');
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

/** As OpenSSL and Node name what is wrong with a certificate. */
function isCertificateError(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code);
}
