import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { createInProcessBuses } from '../../coordination/in-process/bus.ts';
import { createInProcessEvents } from '../../coordination/in-process/events.ts';
import { createInProcessTestWebhooks } from '../../coordination/in-process/test-webhooks.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { Coordination } from './coordination-types.ts';

export async function openCoordination(options: {
  config: Pick<Config, 'redisUrl'>;
  store: Pick<Store, 'maintenance'>;
  process: string;
  clock: Clock;
  report(message: string, error: unknown): void;
  note(message: string): void;
}): Promise<Coordination> {
  const { config, store, clock } = options;
  if (config.redisUrl !== null) {
    const identity = await store.maintenance.identity(randomBytes(9).toString('base64url'));
    // Loaded on demand: most services need neither it nor its libraries.
    const { openRedisCoordination } = await import('./redis-coordination.ts');
    return openRedisCoordination({ ...options, url: config.redisUrl, identity });
  }
  const failed = (error: unknown): void => options.report('subscriber threw', error);
  return {
    queue: null,
    bus: createInProcessBuses(failed).join(),
    events: createInProcessEvents(failed),
    addresses: createInProcessTestWebhooks(() => clock.now()),
    counter: (_name, _windowMs, fallback) => fallback,
    isUp: () => true,
    close: () => Promise.resolve(),
  };
}
