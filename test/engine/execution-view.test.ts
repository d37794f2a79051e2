import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EngineFixture, owner } from '../support/engine-fixture.ts';

let fixture: EngineFixture;
beforeEach(async () => {
  fixture = await new EngineFixture().open();
});
afterEach(() => fixture.close());

test('the journal of an ended execution with thousands of node runs is read once', async () => {
  const set = (id: string, value: string) => ({ id, type: 'set', config: { fields: { v: value } } });
  const wf = await fixture.save(
    [
      {
        id: 'loop',
        type: 'for_each',
        config: { items: '{{ input.items }}', nodes: ['a', 'b'], concurrency: 10 },
      },
      set('a', '{{ item }}'),
      set('b', '{{ input.v }}'),
    ],
    ['start > loop'],
  );
  const { id, watch } = await fixture.start(wf, { items: Array.from({ length: 2_200 }, (_, i) => i) });
  await fixture.until('the end', async () => (await fixture.status(id)) === 'completed');
  await watch.ended;
  const row = (await fixture.store.executions.get(owner, id))!;
  const reads = vi.spyOn(fixture.store.executions, 'journal');
  const first = await fixture.engine.inspect(row);
  expect(first.nodes).toHaveLength(4_402);
  expect(reads).toHaveBeenCalled();
  reads.mockClear();
  expect(await fixture.engine.inspect(row)).toBe(first);
  expect(reads).not.toHaveBeenCalled();
});
