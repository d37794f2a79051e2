import { createRedisBus } from '../../coordination/redis/bus.ts';
import { createRedisEvents } from '../../coordination/redis/events.ts';
import { createRedisSubscriptions } from '../../coordination/redis/subscriptions.ts';
import { createRedisConnection } from '../../coordination/redis/connection.ts';
import { createRedisRateCounter } from '../../coordination/redis/rate-counter.ts';
import { createRedisTestWebhooks } from '../../coordination/redis/test-webhooks.ts';
import { createInProcessEvents } from '../../coordination/in-process/events.ts';
import type { Clock } from '../../ports/clock.ts';
import { createBullmqQueue } from '../../coordination/redis/bullmq-queue.ts';
import type { Coordination } from './coordination-types.ts';

/** How long the start waits for Redis. It then continues without it; Redis may become available later. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects the processes on one store by Redis. Throws an error for the terminal when Redis refuses this
 * process.
 */
export async function openRedisCoordination(options: {
  url: string;
  /** The id of the store. */
  identity: string;
  process: string;
  clock: Clock;
  report(message: string, error: unknown): void;
  note(message: string): void;
}): Promise<Coordination> {
  const { url, clock } = options;
  const report = (message: string, error: unknown): void => options.report(message, error);
  const now = (): number => clock.now();
  const after = (ms: number, run: () => void): (() => void) => clock.after(ms, run);
  const failed = (error: unknown): void => report('subscriber threw', error);
  const prefix = `weft:${options.identity}`;
  const link = createRedisConnection({
    url,
    prefix,
    self: options.process,
    now,
    after,
    changed(error) {
      if (error === null) options.note('Redis is connected');
      else report('Redis is unavailable: queued executions are found in the store, which is slower', error);
    },
  });
  const interest = createRedisSubscriptions(link, { now, after });
  const queue = createBullmqQueue({ url, prefix, now, after, report });
  const close = async (): Promise<void> => {
    await queue.close();
    interest.close();
    link.close();
  };
  try {
    await link.opened(CONNECT_TIMEOUT_MS);
  } catch (error) {
    await close();
    throw new Error(`Redis at ${formatAddress(url)} refuses this process: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    queue,
    bus: createRedisBus(link, failed),
    events: createRedisEvents(link, createInProcessEvents(failed), interest, failed),
    addresses: createRedisTestWebhooks(link, now),
    counter: (name, windowMs, fallback) => createRedisRateCounter(link, { name, windowMs, now, fallback }),
    isUp: () => link.isUp() && queue.isUp(),
    close,
  };
}

/** Host and port, without the password. */
function formatAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? '6379' : port}`;
}
