import { expect, test } from 'vitest';
import { createSendScheduler } from './send-scheduler.ts';

test('tasks that keep the event loop busy longer than one run all run, in order', async () => {
  const scheduler = createSendScheduler();
  const order: number[] = [];
  const flush = (i: number) => (): void => {
    order.push(i);
    // Longer than a run, so that the scheduler pauses after each task.
    for (const until = performance.now() + 10; performance.now() < until;);
  };
  for (let i = 0; i < 5; i++) scheduler.noteFeed({ flush: flush(i) });
  await expect.poll(() => order).toEqual([0, 1, 2, 3, 4]);
  await expect.poll(() => scheduler.isBehind).toBe(false);
});
