import { describe, expect, test } from 'vitest';
import { createEventQueue } from './event-queue.ts';

type Event = { id: string; n: number };

function opened(max = 3) {
  let left = 0;
  const queue = createEventQueue<Event>(
    max,
    () => new Error('too slow'),
    () => void left++,
  );
  return { queue, left: () => left };
}

async function all(queue: AsyncIterable<Event>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { id, n } of queue) seen.push(`${id}${n}`);
  return seen;
}

describe('a slow subscriber', () => {
  test('gets the latest event of each key, in the order of the first', async () => {
    const { queue } = opened();
    for (let n = 0; n < 10_000; n++) for (const id of ['a', 'b', 'c']) queue.put({ id, n }, id);
    queue.end();
    expect(await all(queue)).toEqual(['a9999', 'b9999', 'c9999']);
  });

  test('gets every event without a key, or the end', async () => {
    const { queue, left } = opened();
    for (let n = 0; n < 3; n++) queue.put({ id: 'x', n });
    expect(left()).toBe(0);
    queue.put({ id: 'x', n: 3 });
    expect(left()).toBe(1);
    queue.put({ id: 'x', n: 4 });
    await expect(all(queue)).rejects.toThrow('too slow');
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  test('gets the queued events before the end', async () => {
    const { queue } = opened();
    queue.put({ id: 'x', n: 1 });
    queue.end(new Error('over'));
    expect(await queue.next()).toEqual({ value: { id: 'x', n: 1 }, done: false });
    await expect(queue.next()).rejects.toThrow('over');
  });
});

describe('a subscriber that leaves', () => {
  test('is released immediately while it waits for the next event', async () => {
    const { queue, left } = opened();
    const next = queue.next();
    await queue.return();
    expect(left()).toBe(1);
    expect(await next).toEqual({ value: undefined, done: true });
    queue.put({ id: 'x', n: 1 });
    expect(await queue.next()).toEqual({ value: undefined, done: true });
    await queue.return();
    expect(left()).toBe(1);
  });

  test('releases a publisher that waits for the queue to empty', async () => {
    const { queue } = opened();
    await queue.waitUntilEmpty();
    queue.put({ id: 'x', n: 1 });
    const taken = queue.waitUntilEmpty();
    await queue.return();
    await taken;
  });
});
