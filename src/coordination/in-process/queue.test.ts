import { createInProcessQueues } from './queue.ts';
import { testQueue } from '../conformance/queue.ts';

testQueue('in this process', () => {
  const queues = createInProcessQueues(() => Date.now());
  return Promise.resolve({ join: () => queues.join(), close: () => Promise.resolve() });
});
