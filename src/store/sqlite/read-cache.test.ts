import { expect, test } from 'vitest';
import { creation, workflow } from '../conformance/samples.ts';
import { ReadCache } from './read-cache.ts';
import { createTempStore } from '../../../test/support/temporary-store.ts';

test('a repeated read is served from the cache until the next write', async () => {
  const under = await createTempStore();
  const { executions, workflows } = under.store;
  const list = () => workflows.list('usr_a', {}, 0, 10);
  try {
    await workflows.save(workflow('wf_a'));
    const first = await list();
    const second = await list();
    expect(second).toEqual(first);
    expect(second).not.toBe(first);
    expect(await list()).toBe(second);
    expect(() => {
      second.rows[0]!.name = 'for everyone';
    }).toThrow(TypeError);

    // By this thread, by the other thread, and by both in turn: each write is visible immediately.
    for (let i = 0; i < 50; i++) {
      const batch =
        i % 2 === 0
          ? [creation(`ex_${i}`)]
          : [creation(`ex_${i}`), creation(`ex_${i}b`), creation(`ex_${i}c`)];
      const before = (await list()).rows[0]!.executionCount;
      await list();
      await executions.commit(batch);
      expect((await list()).rows[0]!.executionCount).toBe(before + batch.length);
    }
  } finally {
    await under.close();
  }
});

test('caches no large results, not more than its limit, and only repeated reads', () => {
  const memory = new ReadCache();
  let asked = 0;
  const ask = (name: string, size: number) =>
    memory.get('listWorkflows', [name], () => {
      asked++;
      return { text: 'x'.repeat(size) };
    });
  const asks = (name: string, size: number) => {
    const before = asked;
    for (let i = 0; i < 10; i++) ask(name, size);
    return asked - before;
  };
  memory.enter(1);
  expect(asks('small', 100)).toBe(2);
  expect(asks('large', 100_000)).toBe(10);
  const kept = Array.from({ length: 200 }, (_, i) => asks(`${i}`, 60_000)).filter(
    (times) => times === 2,
  ).length;
  expect(kept).toBe(69);
  memory.enter(2);
  expect(asks('small', 100)).toBe(2);
});
