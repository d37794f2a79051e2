import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeEntry } from '../../src/contract/definition.ts';
import { limits } from '../../src/ports/limits.ts';
import { EngineFixture, owner } from '../support/engine-fixture.ts';

const MIB = 1024 * 1024;

/** One execution may keep 1 MiB, all together 2 MiB. */
let fixture: EngineFixture;
beforeEach(async () => {
  fixture = new EngineFixture();
  fixture.memoryLimit = 2 * MIB;
  await fixture.open();
});
afterEach(() => fixture.close());

/** The worker is gone, and its lease is over. */
async function crash(): Promise<void> {
  fixture.clock.forget();
  fixture.clock.advance(limits.leaseMs + 1);
  await fixture.openEngine();
}

/** Returns a string of its own, a little larger than its input. */
const grow = (id: string): NodeEntry => ({
  id,
  type: 'data_transformer',
  config: { operations: [{ action: 'combine', inputs: ['v', 'v1'], output: 'v', separator: id }, more] },
});
const more = { action: 'map', input: 'v1', output: 'v1' };
const probe = (id: string): NodeEntry => ({ id, type: 'probe', config: {} });
const large = { v: 'x'.repeat(200_000), v1: 'y' };
const tooMuch = { type: 'limit', message: expect.stringContaining('larger than 1048576 bytes') as string };

describe('memory of one execution', () => {
  test('above the limit, the next node fails with the reason', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `n${i}`);
    const wf = await fixture.save(
      ids.map(grow),
      ids.map((id) => `start > ${id}`),
    );
    const { id, watch } = await fixture.start(wf, large);
    expect(await watch.ended).toMatchObject({ status: 'failed', error: tooMuch });
    const { nodes } = await fixture.view(id);
    expect(nodes.filter(({ status }) => status === 'completed').map((node) => node.nodeId)).toEqual([
      'start',
      'n0',
      'n1',
      'n2',
      'n3',
      'n4',
    ]);
    expect(nodes.find(({ nodeId }) => nodeId === 'n5')).toMatchObject({ status: 'failed', error: tooMuch });
  });

  test('a node may take that failure as any other', async () => {
    const ids = Array.from({ length: 5 }, (_, i) => `n${i}`);
    const edges = ids.flatMap((id) => [`start > ${id}`, `${id} > p`]);
    const wf = await fixture.save(
      [...ids.map(grow), probe('p'), probe('sorry')],
      [...edges, 'p error sorry'],
    );
    const { watch } = await fixture.start(wf, large);
    expect(await watch.ended).toMatchObject({ status: 'completed' });
    expect(fixture.calls.map(({ ctx, input }) => [ctx.nodeId, input])).toEqual([
      ['sorry', expect.objectContaining({ type: 'limit', node_id: 'p' })],
    ]);
  });

  test('values that no node can read any more do not count', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `n${i}`);
    const edges = ids.map((id, i) => (i === 0 ? `start > ${id}` : `n${i - 1} > ${id}`));
    const wf = await fixture.save(ids.map(grow), edges);
    const { id, watch } = await fixture.start(wf, large);
    expect(await watch.ended).toMatchObject({ status: 'completed' });

    // The whole view would exceed the limit: the requested values are returned, and the others are marked as
    // left out.
    const row = (await fixture.store.executions.get(owner, id))!;
    const view = await fixture.engine.inspect(row);
    expect([...view.leftOut]).toEqual(ids.slice(2));
    expect(view.nodes.find(({ path }) => path === 'n30')).toMatchObject({
      status: 'completed',
      output: null,
    });
    const other = await fixture.engine.inspect(row, new Set(['n30', 'n31']));
    const [one, next] = other.nodes.filter(({ path }) => path === 'n30' || path === 'n31');
    expect((one!.output as { v: string }).v.startsWith('xxx')).toBe(true);
    expect(next!.input).toEqual(one!.output);
    expect([...other.leftOut]).not.toContain('n30');
    expect(other.leftOut.size).toBeGreaterThan(30);
    await expect(fixture.engine.planRetry(row, 1, 'n39')).rejects.toThrow('exceed 1048576 bytes in total');
  });

  test('what a body keeps of the runs that ended counts, too', async () => {
    const loop: NodeEntry = {
      id: 'loop',
      type: 'for_each',
      config: { items: Array.from({ length: 20 }, (_, i) => i), nodes: ['p'] },
    };
    const wf = await fixture.save([loop, probe('p')], ['start > loop']);
    fixture.probes.set('p', ({ input }) => ({
      kind: 'done',
      outputs: { out: `${(input as { index: number }).index}`.padEnd(200_000, 'x') },
    }));
    const { watch } = await fixture.start(wf);
    expect(await watch.ended).toMatchObject({ status: 'failed', error: tooMuch });
    expect(fixture.calls).toHaveLength(6);
  });

  test('what a loop replaces from round to round counts once', async () => {
    const loop: NodeEntry = {
      id: 'loop',
      type: 'while',
      config: { condition: { field: 'n', operator: 'less_than', value: 20 }, nodes: ['p'] },
    };
    const wf = await fixture.save([loop, probe('p')], ['start > loop']);
    let n = 0;
    fixture.probes.set('p', () => ({
      kind: 'done',
      outputs: { out: { n: ++n, v: `${n}`.padEnd(200_000, 'x') } },
    }));
    const { watch } = await fixture.start(wf, { n: 0 });
    expect(await watch.ended).toMatchObject({ status: 'completed' });
    expect(fixture.calls).toHaveLength(20);
  });

  test('nodes in flight when the limit is exceeded fail when they return', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `n${i}`);
    const wf = await fixture.save(
      [...ids.map(probe), probe('all')],
      ids.flatMap((id) => [`start > ${id}`, `${id} > all`]),
    );
    const responses: (() => void)[] = [];
    for (const id of ids)
      fixture.probes.set(
        id,
        () =>
          new Promise((resolve) => {
            const v = id === 'n9' ? 'small' : id.padEnd(200_000, 'x');
            responses.push(() => resolve({ kind: 'done', outputs: { out: v } }));
          }),
      );
    const { id, watch } = await fixture.start(wf);
    await fixture.until('all called', () => responses.length === 10);
    for (const response of responses.reverse()) response();
    expect(await watch.ended).toMatchObject({ status: 'failed', error: tooMuch });
    const { nodes } = await fixture.view(id);
    const completed = nodes.filter(({ status }) => status === 'completed').map(({ nodeId }) => nodeId);
    expect(completed).toEqual(['start', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9']);
  });

  test('a retry keeps values that an ordinary view leaves out', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `n${i}`);
    const edges = ids.map((id, i) => (i === 0 ? `start > ${id}` : `n${i - 1} > ${id}`));
    const wf = await fixture.save(
      [...ids.map(grow), probe('p'), grow('late')],
      [...edges, 'start > p', 'p > late'],
    );
    fixture.probes.set('p', ({ input }) => ({ kind: 'done', outputs: { out: input } }));
    const { id, watch } = await fixture.start(wf, large);
    await watch.ended;
    const row = (await fixture.store.executions.get(owner, id))!;
    expect((await fixture.engine.inspect(row)).leftOut).toContain('late');
    const { given: kept } = await fixture.engine.planRetry(row, 1, 'n0');
    expect(Object.keys(kept)).toEqual(['start', 'p', 'late']);
    expect((kept['late']!['out'] as { v: string }).v).toHaveLength(large.v.length + 'late'.length + 1);
  });

  test('it counts what a worker before it left, too', async () => {
    const ids = Array.from({ length: 4 }, (_, i) => `n${i}`);
    const wf = await fixture.save(
      [probe('p'), ...ids.map(grow), ...ids.map((id) => grow(`${id}b`))],
      ['start > p', ...ids.flatMap((id) => [`start > ${id}`, `p > ${id}b`])],
    );
    let tries = 0;
    fixture.probes.set('p', ({ input }) =>
      ++tries === 1 ? new Promise(() => {}) : { kind: 'done', outputs: { out: input } },
    );
    const { id } = await fixture.start(wf, large);
    await fixture.until('called', () => tries === 1);
    await crash();
    await fixture.until('failed', async () => (await fixture.status(id)) === 'failed');
    expect((await fixture.store.executions.get(owner, id))!.error).toMatchObject(tooMuch);
  });
});

describe('what all executions keep in memory', () => {
  /** Waits in memory with what arrived, until it is let go. */
  function hold(): () => void {
    const waiting: (() => void)[] = [];
    fixture.probes.set('p', () => new Promise((r) => waiting.push(() => r({ kind: 'done', outputs: {} }))));
    return () => waiting.splice(0).forEach((release) => release());
  }

  test('new ones queue on disk while there is too much, and all come to their end', async () => {
    const release = hold();
    const wf = await fixture.save([probe('p')], ['start > p']);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push((await fixture.start(wf, large)).id);
    const statuses = await Promise.all(ids.map((id) => fixture.status(id)));
    expect(statuses.filter((status) => status === 'queued')).toHaveLength(9);
    await fixture.until('all completed', async () => {
      release();
      return (await Promise.all(ids.map((id) => fixture.status(id)))).every((s) => s === 'completed');
    });
    expect(fixture.calls).toHaveLength(20);
  });

  test('executions that a worker left are loaded only while there is memory', async () => {
    hold();
    const wf = await fixture.save([probe('p')], ['start > p']);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push((await fixture.start(wf, large)).id);
    await fixture.until('eleven called', () => fixture.calls.length === 11);
    const release = hold();
    const before = fixture.calls.length;
    await crash();
    await fixture.until('some called', () => fixture.calls.length >= before + 11);
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(fixture.calls.length).toBe(before + 11);
    await fixture.until('all completed', async () => {
      release();
      return (await Promise.all(ids.map((id) => fixture.status(id)))).every((s) => s === 'completed');
    });
  });
});
