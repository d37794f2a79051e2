import { createInProcessBuses } from './bus.ts';
import { createInProcessEvents } from './events.ts';
import { createInProcessTestAddresses } from './test-webhooks.ts';
import { eventsSuite } from '../conformance/events.ts';

eventsSuite('in this process', () => {
  const faults: ((error: unknown) => void)[] = [];
  const failed = (error: unknown): void => faults[0]?.(error);
  const events = createInProcessEvents(failed);
  const buses = createInProcessBuses(failed);
  const addresses = createInProcessTestAddresses(() => Date.now());
  return {
    join(onFault) {
      if (onFault !== undefined) faults.push(onFault);
      return Promise.resolve({ events, bus: buses.join(), addresses, leave() {} });
    },
    close() {},
  };
});
