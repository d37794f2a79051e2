import { createInProcessBuses } from './bus.ts';
import { createInProcessEvents } from './events.ts';
import { createInProcessTestWebhooks } from './test-webhooks.ts';
import { testEvents } from '../conformance/events.ts';

testEvents('in this process', () => {
  const faults: ((error: unknown) => void)[] = [];
  const failed = (error: unknown): void => faults[0]?.(error);
  const events = createInProcessEvents(failed);
  const buses = createInProcessBuses(failed);
  const addresses = createInProcessTestWebhooks(() => Date.now());
  return {
    join(onFault) {
      if (onFault !== undefined) faults.push(onFault);
      return Promise.resolve({ events, bus: buses.join(), addresses, leave() {} });
    },
    close() {},
  };
});
