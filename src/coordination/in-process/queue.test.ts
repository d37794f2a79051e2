import { createInProcessQueues } from './queue.ts';
import { queueSuite } from '../conformance/queue.ts';

queueSuite('in this process', () => {
  const queues = createInProcessQueues(() => Date.now());
  return Promise.resolve({ join: () => queues.join(), close: () => Promise.resolve() });
});
