import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Queue } from '../../ports/queue.ts';

/** `join` creates another client of the same queue. */
export type QueueUnderTest = { join(): Queue; close(): Promise<void> };

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Tests that every queue must pass. */
export function testQueue(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`queue ${name}`, () => {
    let tested: QueueUnderTest;
    let members: Queue[] = [];
    async function join(): Promise<Queue> {
      const queue = tested.join();
      members.push(queue);
      await until('the queue is up', () => queue.isUp());
      return queue;
    }
    beforeEach(async () => {
      tested = await open();
    });
    afterEach(async () => {
      await Promise.all(members.map((queue) => queue.close()));
      members = [];
      await tested.close();
    });
    const ids = (n: number, from = 0) => Array.from({ length: n }, (_, i) => `ex_${from + i}`);

    test('an announced id is taken once, by any worker', async () => {
      const [api, one, two] = [await join(), await join(), await join()];
      const taken: string[] = [];
      const by = [0, 0];
      for (const [i, queue] of [one, two].entries())
        queue.startWorker(async (id) => {
          by[i] = by[i]! + 1;
          taken.push(id);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }, 10);
      for (let i = 0; i < 10; i++) api.announce(ids(30, i * 30));
      await until('all are taken', () => taken.length >= 300);
      expect(taken.toSorted()).toEqual(ids(300).toSorted());
      expect(Math.min(...by)).toBeGreaterThan(0);
    });

    test('ids announced before a worker exists wait; duplicates count once', async () => {
      const api = await join();
      api.announce(['ex_1', 'ex_2']);
      api.announce(['ex_1']);
      await until('both wait', async () => (await api.depth())?.waiting === 2);
      api.announce(['ex_2']);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const depth = await api.depth();
      expect(depth).toMatchObject({ waiting: 2, taken: 0 });
      expect(depth!.oldest).toBeGreaterThanOrEqual(0);
      const taken: string[] = [];
      (await join()).startWorker((id) => {
        taken.push(id);
        return Promise.resolve();
      }, 1);
      await until('both are taken', () => taken.length === 2);
      expect(taken).toEqual(['ex_1', 'ex_2']);
      await until('nothing is left', async () => (await api.depth())?.taken === 0);
      expect(await api.depth()).toEqual({ waiting: 0, taken: 0, oldest: null });
    });

    test('an id can be announced again after it is done', async () => {
      const queue = await join();
      let taken = 0;
      queue.startWorker(() => Promise.resolve(void taken++), 5);
      for (let i = 1; i <= 3; i++) {
        queue.announce(['ex_1']);
        await until('it is taken', () => taken === i);
        await until('it is done', async () => (await queue.depth())?.taken === 0);
      }
    });

    test('a worker takes at most its limit, and failed ids are done', async () => {
      const queue = await join();
      let inHand = 0;
      let most = 0;
      let done = 0;
      queue.startWorker(async () => {
        most = Math.max(most, ++inHand);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inHand--;
        if (++done % 2 === 0) throw new Error('expected test error');
      }, 4);
      queue.announce(ids(40));
      await until('all are done', () => done === 40);
      expect(most).toBeLessThanOrEqual(4);
      expect(most).toBeGreaterThan(1);
      await until('none is left', async () => (await queue.depth())?.taken === 0);
    });

    test('a resting worker takes no more ids, and others do', async () => {
      const [api, one, two] = [await join(), await join(), await join()];
      const by: [string[], string[]] = [[], []];
      one.startWorker((id) => Promise.resolve(void by[0].push(id)), 5);
      api.announce(['ex_1']);
      await until('it is taken', () => by[0].length === 1);
      one.pause();
      // An id that was requested before the rest may still arrive once.
      api.announce(['ex_2']);
      two.startWorker((id) => Promise.resolve(void by[1].push(id)), 5);
      await until('it is taken', () => by[0].length + by[1].length === 2);
      const before = by[0].length;
      api.announce(ids(20, 10));
      await until('all are taken', () => by[0].length + by[1].length === 22);
      expect(by[0].length - before).toBeLessThanOrEqual(2);
      two.pause();
      one.resume();
      const then = by[0].length;
      api.announce(ids(20, 100));
      await until('all are taken', () => by[0].length + by[1].length === 42);
      expect(by[0].length - then).toBeGreaterThanOrEqual(18);
    });
  });
}
