import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogEntry } from '../../src/contract/execution.ts';
import type { ExecutionRow } from '../../src/ports/store/execution-row.ts';
import type { ExecutionLog } from '../../src/engine/engine-api.ts';
import { EngineFixture, owner } from '../support/engine-fixture.ts';

let fixture: EngineFixture;
beforeEach(async () => {
  fixture = await new EngineFixture().open();
});
afterEach(() => fixture.close());

const readRow = async (id: string): Promise<ExecutionRow> => (await fixture.store.executions.get(owner, id))!;

async function rest(source: ExecutionLog): Promise<{ entries: LogEntry[]; pieces: number }> {
  const entries: LogEntry[] = [];
  for (let pieces = 1; ; pieces++) {
    const piece = await source.next();
    entries.push(...piece.entries);
    if (piece.isWhole) return { entries, pieces };
  }
}

test('the log equals the log of the whole view, in pages; later pages read only new rows', async () => {
  const set = (id: string, value: string) => ({ id, type: 'set', config: { fields: { v: value } } });
  const wf = await fixture.save(
    [
      {
        id: 'loop',
        type: 'for_each',
        config: { items: '{{ input.items }}', nodes: ['a', 'b'], concurrency: 7, onError: 'continue' },
      },
      set('a', '{{ 10 / input.item }}'),
      set('b', '{{ input.v }}'),
      {
        id: 'both',
        type: 'parallel',
        config: {
          branches: [
            { name: 'x', nodes: ['c'] },
            { name: 'y', nodes: ['d'] },
          ],
        },
      },
      set('c', 'c'),
      { id: 'd', type: 'probe', config: { retryPolicy: { maxAttempts: 3, initialDelay: '1s' } } },
      { id: 'wait', type: 'delay', config: { duration: '1h' } },
      set('last', 'last'),
    ],
    ['start > loop', 'loop > both', 'both > wait', 'wait > last'],
  );
  let tries = 0;
  fixture.probes.set('d', ({ ctx }) => {
    ctx.log('info', 'a word from the node');
    return ++tries < 3
      ? { kind: 'failed', error: { type: 'network', message: 'not yet' } }
      : { kind: 'done', outputs: { out: 'd' } };
  });
  const items = Array.from({ length: 1_500 }, (_, i) => i % 50);
  const { id } = await fixture.start(wf, { items });
  await fixture.until('it waits', async () => {
    fixture.clock.advance(500);
    return tries === 3 && (await fixture.status(id)) === 'waiting' && fixture.engine.health().active === 0;
  });

  const source = await fixture.engine.log(await readRow(id));
  const before = await rest(source);
  expect(before.entries).toEqual((await fixture.view(id)).logs);
  expect(before.entries.length).toBeGreaterThan(5_000);
  expect(before.pieces).toBeGreaterThan(1);
  expect((await source.next()).entries).toEqual([]);

  const asked: number[] = [];
  const read = fixture.store.executions.journal.bind(fixture.store.executions);
  fixture.store.executions.journal = (ownerId, execution, from, limit) => {
    asked.push(from);
    return read(ownerId, execution, from, limit);
  };
  fixture.clock.advance(3_600_000);
  await fixture.until('its end', async () => (await fixture.status(id)) === 'completed');
  asked.length = 0;
  const after = await rest(source);
  expect(asked.every((from) => from > 0)).toBe(true);
  expect([...before.entries, ...after.entries]).toEqual((await fixture.view(id)).logs);
  expect(after.entries.at(-1)?.message).toBe('Execution completed');
});
