import { createInProcessBuses } from './bus.ts';
import { createInProcessEvents } from './events.ts';
import { createInProcessTestWebhooks } from './test-webhooks.ts';
import { testEvents } from '../conformance/events.ts';

testEvents('in this process', () => {
  const errors: ((error: unknown) => void)[] = [];
  const failed = (error: unknown): void => errors[0]?.(error);
  const events = createInProcessEvents(failed);
  const buses = createInProcessBuses(failed);
  const addresses = createInProcessTestWebhooks(() => Date.now());
  return {
    join(onError) {
      if (onError !== undefined) errors.push(onError);
      return Promise.resolve({ events, bus: buses.join(), addresses, leave() {} });
    },
    close() {},
  };
});
