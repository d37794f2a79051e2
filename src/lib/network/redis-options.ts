import { RedisTlsConnector } from './redis-tls-connector.ts';

/** In ms: delay between two reconnects to Redis, growing up to the maximum. */
const MIN_RETRY_DELAY_MS = 50;
const MAX_RETRY_DELAY_MS = 1_000;

/**
 * Options of every Redis connection: commands fail immediately while it is disconnected, reconnects never
 * stop, and a peer without any reply is detected within `silence` ms.
 */
export function createRedisOptions(url: string, silence: number) {
  return {
    // Certificates are verified regardless of the environment.
    ...(new URL(url).protocol === 'rediss:'
      ? { tls: { rejectUnauthorized: true }, Connector: RedisTlsConnector }
      : {}),
    connectTimeout: 3_000,
    keepAlive: 5_000,
    socketTimeout: silence,
    enableOfflineQueue: false,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number): number =>
      Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** Math.min(times, 10)),
  };
}
