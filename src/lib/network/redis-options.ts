import { RedisTlsConnector } from './redis-tls-connector.ts';

/** ms between two tries to reach Redis again, growing up to the longest. */
const FIRST_RETRY = 50;
const LONGEST_RETRY = 1_000;

/**
 * How every connection to Redis behaves: it fails at once while there is no connection, and for good never; a peer that went
 * silent is noticed within `silence` ms.
 */
export function redisOptions(url: string, silence: number) {
  return {
    // Certificates are checked whatever the environment says.
    ...(new URL(url).protocol === 'rediss:'
      ? { tls: { rejectUnauthorized: true }, Connector: RedisTlsConnector }
      : {}),
    connectTimeout: 3_000,
    keepAlive: 5_000,
    socketTimeout: silence,
    enableOfflineQueue: false,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number): number => Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(times, 10)),
  };
}
