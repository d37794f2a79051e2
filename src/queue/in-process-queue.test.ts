import { createInProcessQueues } from './in-process-queue.ts';
import { queueSuite } from './queue.suite.ts';

queueSuite('in this process', () => {
  const queues = createInProcessQueues(() => Date.now());
  return Promise.resolve({ join: () => queues.join(), close: () => Promise.resolve() });
});
