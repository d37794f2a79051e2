import { afterEach, expect, test } from 'vitest';
import type { NodeEntry } from '../../src/contract/definition.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { EngineFixture } from '../support/engine-fixture.ts';

/* Timers of executions that cannot be loaded, or not now, delay no other timer. */

const MIB = 1024 * 1024;
const network = { kind: 'failed', error: { type: 'network', message: 'no route' } } as const;
const large = { v: 'x'.repeat(200_000) };

let fixture: EngineFixture;
afterEach(() => fixture.close());

const retrying = (id: string, initialDelay: string): NodeEntry => {
  const config: Record<string, Json> = { retryPolicy: { maxAttempts: 2, initialDelay } };
  return { id, type: 'probe', config };
};

async function pass(ms: number): Promise<void> {
  const end = fixture.clock.now() + ms;
  await fixture.until('time has passed', () => fixture.clock.now() >= end, 100);
}

/** Lets the first attempt of a node fail. */
function failFirst(nodeId: string): void {
  let attempts = 0;
  fixture.probes.set(nodeId, () =>
    ++attempts === 1 ? network : { kind: 'done', outputs: { out: attempts } },
  );
}

const areWaiting = async (ids: readonly string[]): Promise<boolean> =>
  (await Promise.all(ids.map((id) => fixture.status(id)))).every((status) => status === 'waiting');

test('while a large execution waits for memory, other timers are fired, and time limits free the memory', async () => {
  fixture = new EngineFixture();
  fixture.memoryLimit = 2 * MIB;
  await fixture.open();
  const loading = await fixture.save([retrying('large', '10s')], ['start > large']);
  const other = await fixture.save([retrying('small', '15s')], ['start > small']);
  const holding = await fixture.save([{ id: 'hold', type: 'probe', config: {} }], ['start > hold'], {
    timeout: '20s',
  });
  failFirst('large');
  failFirst('small');
  fixture.probes.set('hold', () => new Promise(() => {}));
  const first = await fixture.start(loading, large);
  const small = await fixture.start(other);
  await fixture.until('both wait', () => areWaiting([first.id, small.id]));
  const held: string[] = [];
  for (let i = 0; i < 11; i++)
    held.push((await fixture.start(holding, large, { settings: { timeout: '20s' } })).id);
  await pass(60_000);
  expect(await fixture.status(small.id)).toBe('completed');
  const ends = await Promise.all(held.map((id) => fixture.status(id)));
  expect(new Set(ends)).toEqual(new Set(['failed']));
  await fixture.until('it is loaded', async () => (await fixture.status(first.id)) === 'completed', 100);
  expect(fixture.reports).toEqual([]);
});

test('executions that cannot be loaded delay no timer, and are not tried without a pause', async () => {
  fixture = new EngineFixture();
  let isBroken = false;
  fixture.aroundFiles = (files) => ({
    ...files,
    get: (hash) => (isBroken ? Promise.reject(new Error('EIO')) : files.get(hash)),
  });
  await fixture.open();
  const broken = await fixture.save([retrying('large', '10s')], ['start > large']);
  const other = await fixture.save([retrying('small', '15s')], ['start > small']);
  fixture.probes.set('large', () => network);
  failFirst('small');
  const ids: string[] = [];
  // More than one query reads.
  for (let i = 0; i < 250; i++)
    ids.push((await fixture.start(broken, { v: `${'x'.repeat(300_000)}${i}` })).id);
  const small = await fixture.start(other);
  await fixture.until('all wait', () => areWaiting([...ids, small.id]), 0);
  isBroken = true;
  await pass(60_000);
  expect(await fixture.status(small.id)).toBe('completed');
  const perExecution = fixture.reports.length / ids.length;
  expect(perExecution).toBeGreaterThan(1);
  expect(perExecution).toBeLessThan(15);
  expect(new Set(fixture.reports.map(String))).toEqual(new Set(['Error: EIO']));
});
