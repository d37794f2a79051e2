import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeEntry } from '../../src/contract/definition.ts';
import { isSettled, type ExecutionStatus } from '../../src/contract/execution.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { limits } from '../../src/ports/limits.ts';
import { parseEvents, type JournalEvent } from '../../src/engine/journal/journal.ts';
import { EngineFixture, owner } from '../support/engine-fixture.ts';

let fixture: EngineFixture;
beforeEach(async () => (fixture = await new EngineFixture().open()));
afterEach(() => fixture.close());

const probe = (id: string, config: Record<string, Json> = {}): NodeEntry => ({ id, type: 'probe', config });
const map = (id: string, transform = '{{ input }}'): NodeEntry => ({
  id,
  type: 'data_transformer',
  config: { operations: [{ action: 'map', input: 'v', output: 'v', transform }] },
});
const network = { kind: 'failed', error: { type: 'network', message: 'no route' } } as const;

async function events(id: string): Promise<JournalEvent[]> {
  const rows = await fixture.store.executions.journal(owner, id, 0, 1_000);
  return rows.flatMap((row) => parseEvents(row.events));
}

describe('the two rules of the disk', () => {
  test('nodes without effects run ahead: a quick execution is one row of the journal', async () => {
    const wf = await fixture.save([map('a'), map('b'), map('c')], ['start > a', 'a > b', 'b > c']);
    const { id, watch } = await fixture.start(wf, { v: 'x' });
    expect(await watch.ended).toMatchObject({ status: 'completed' });
    expect(await fixture.store.executions.journal(owner, id, 0, 10)).toHaveLength(1);
  });

  test('before a node with effects starts, all it depends on and its own start are on disk', async () => {
    const wf = await fixture.save([map('a'), probe('p')], ['start > a', 'a > p']);
    let onDisk: JournalEvent[] = [];
    fixture.probes.set('p', async ({ ctx }) => {
      onDisk = await events(ctx.executionId);
      return { kind: 'done', outputs: { out: 1 } };
    });
    const { watch } = await fixture.start(wf, { v: 1 });
    await watch.ended;
    expect(onDisk.map((e) => ('p' in e ? `${e.e} ${e.p}` : e.e))).toEqual([
      'begin',
      'run',
      'end a',
      'start p',
    ]);
  });
});

describe('retries', () => {
  const policy = { retryPolicy: { maxAttempts: 3, initialDelay: '10s', backoffMultiplier: 2 } };

  test('a failed attempt waits in the store without memory, and is retried with the same key', async () => {
    const wf = await fixture.save([probe('p', policy)], ['start > p']);
    let tries = 0;
    fixture.probes.set('p', () => (++tries < 3 ? network : { kind: 'done', outputs: { out: 'well' } }));
    const { id, watch } = await fixture.start(wf);
    for (const [done, delay] of [
      [1, 10_000],
      [2, 20_000],
    ] as const) {
      await fixture.until('tried', () => fixture.calls.length === done);
      const tried = fixture.clock.now();
      await fixture.until(
        'parked',
        async () => (await fixture.status(id)) === 'waiting' && fixture.engine.health().active === 0,
      );
      const due = (await fixture.store.executions.nextTimer())!;
      expect(Math.abs(due - tried - delay)).toBeLessThan(100);
      fixture.clock.advance(delay - 500);
      await fixture.until('looked', () => fixture.clock.now() > tried + delay - 400);
      expect(fixture.calls).toHaveLength(done);
      fixture.clock.advance(500);
    }
    expect(await watch.ended).toMatchObject({ status: 'completed', output: 'well' });
    expect(fixture.calls.map((c) => c.ctx.attempt)).toEqual([1, 2, 3]);
    expect(new Set(fixture.calls.map((c) => c.ctx.idempotencyKey)).size).toBe(1);
    expect(await fixture.store.executions.nextTimer()).toBeNull();
  });

  test('when the tries are used up the failure goes its way', async () => {
    const wf = await fixture.save([probe('p', policy)], ['start > p']);
    fixture.probes.set('p', () => network);
    const { watch, id } = await fixture.start(wf);
    for (let i = 0; i < 2; i++) {
      await fixture.until(
        'waiting',
        async () =>
          (await fixture.store.executions.nextTimer()) !== null && (await fixture.status(id)) === 'waiting',
      );
      fixture.clock.advance(30_000);
      await fixture.until('tried', () => fixture.calls.length === i + 2);
    }
    expect(await watch.ended).toMatchObject({
      status: 'failed',
      error: { type: 'network', attempt: 3, node_id: 'p' },
    });
  });

  test('an error that the policy does not name is not retried', async () => {
    const wf = await fixture.save([probe('p', policy)], ['start > p']);
    fixture.probes.set('p', () => ({
      kind: 'failed',
      error: { type: 'client_error', message: 'no', status: 404 },
    }));
    const { watch } = await fixture.start(wf);
    expect(await watch.ended).toMatchObject({
      status: 'failed',
      error: { type: 'client_error', status: 404, attempt: 1 },
    });
  });
});

describe('time', () => {
  test('a delay parks the execution and wakes it when it is due, also in another process', async () => {
    const wf = await fixture.save(
      [{ id: 'd', type: 'delay', config: { duration: '5m' } }, map('a')],
      ['start > d', 'd > a'],
    );
    const { id } = await fixture.start(wf, { v: 'kept' });
    await fixture.until('parked', () => fixture.engine.health().active === 0);
    expect(await fixture.status(id)).toBe('waiting');
    await fixture.engine.drain(0);
    await fixture.openEngine();
    fixture.clock.advance(299_000);
    expect(await fixture.status(id)).toBe('waiting');
    fixture.clock.advance(2_000);
    await fixture.until('completed', async () => (await fixture.status(id)) === 'completed');
    expect((await fixture.view(id)).nodes.find((n) => n.nodeId === 'd')).toMatchObject({
      status: 'completed',
      attempt: 1,
      output: { v: 'kept' },
    });
  });

  test('a node that exceeds its timeout fails with type timeout, and its signal is aborted', async () => {
    const wf = await fixture.save([probe('p', { timeout: '2s' })], ['start > p']);
    let aborted = false;
    fixture.probes.set(
      'p',
      ({ ctx }) => new Promise(() => ctx.signal.addEventListener('abort', () => (aborted = true))),
    );
    const { watch } = await fixture.start(wf);
    await fixture.until('called', () => fixture.calls.length === 1);
    fixture.clock.advance(2_500);
    expect(await watch.ended).toMatchObject({ status: 'failed', error: { type: 'timeout', node_id: 'p' } });
    expect(aborted).toBe(true);
  });

  test('an execution that exceeds the timeout of its workflow fails, also while it waits', async () => {
    const wf = await fixture.save([{ id: 'd', type: 'delay', config: { duration: '1h' } }], ['start > d'], {
      timeout: '1m',
    });
    const { id } = await fixture.start(wf, {}, { settings: { timeout: '1m' } });
    await fixture.until('parked', () => fixture.engine.health().active === 0);
    fixture.clock.advance(61_000);
    await fixture.until('failed', async () => (await fixture.status(id)) === 'failed');
    expect((await fixture.store.executions.get(owner, id))!.error).toMatchObject({ type: 'timeout' });
    expect(await fixture.store.executions.nextTimer()).toBeNull();
  });
});

describe('a crash', () => {
  /** The process is gone without a word: its engine is left behind, its lease runs out, another one opens. */
  async function crash(): Promise<void> {
    fixture.clock.forget();
    fixture.clock.advance(limits.leaseMs + 1);
    await fixture.openEngine();
  }

  test('completed nodes never run again; nodes in flight run again with the same key', async () => {
    const wf = await fixture.save([probe('a'), probe('b'), probe('c')], ['start > a', 'a > b', 'b > c']);
    let hang = true;
    fixture.probes.set('b', () => (hang ? new Promise(() => {}) : { kind: 'done', outputs: { out: 'b' } }));
    const { id } = await fixture.start(wf, { v: 1 });
    await fixture.until('b called', () => fixture.calls.length === 2);
    hang = false;
    await crash();
    await fixture.until('completed', async () => (await fixture.status(id)) === 'completed');
    expect(fixture.calls.map((c) => `${c.ctx.nodeId}${c.ctx.attempt}`)).toEqual(['a1', 'b1', 'b2', 'c1']);
    expect(fixture.calls[1]!.ctx.idempotencyKey).toBe(fixture.calls[2]!.ctx.idempotencyKey);
    expect(fixture.calls[2]!.input).toEqual(fixture.calls[1]!.input);
  });

  test('an execution that cannot be loaded is tried again, and prevents no other', async () => {
    const wf = await fixture.save([probe('a'), probe('b')], ['start > a', 'a > b']);
    fixture.probes.set('a', ({ input }) => ({
      kind: 'done',
      outputs: { out: `${JSON.stringify(input)}${'x'.repeat(300_000)}` },
    }));
    fixture.probes.set('b', () => new Promise(() => {}));
    const [lost, kept] = [await fixture.start(wf, { v: 1 }), await fixture.start(wf, { v: 2 })];
    await fixture.until('both are at b', () => fixture.calls.length === 4);
    const missing = /"blob":"([^"]+)"/.exec(JSON.stringify(await events(lost.id)))![1]!;
    let isMissing = true;
    fixture.aroundFiles = (files) => ({
      ...files,
      get: (hash) => (isMissing && hash === missing ? Promise.resolve(null) : files.get(hash)),
    });
    fixture.probes.set('b', () => ({ kind: 'done', outputs: { out: 'again' } }));
    await crash();
    await fixture.until(
      'the other one completes',
      async () => (await fixture.status(kept.id)) === 'completed',
    );
    const { sweeps } = fixture.engine.health();
    const advance = async (ms: number): Promise<void> => {
      const end = fixture.clock.now() + ms;
      await fixture.until('time has passed', () => fixture.clock.now() >= end, limits.sweepMs / 5);
    };
    await advance(60_000);
    expect(fixture.engine.health().sweeps).toBeGreaterThan(sweeps + 30);
    // With growing pauses, so that the log is not flooded.
    expect(fixture.reports.length).toBeGreaterThan(3);
    expect(fixture.reports.length).toBeLessThan(15);
    expect(String(fixture.reports.at(-1))).toContain('is missing from the file store');
    fixture.reports.splice(0);
    isMissing = false;
    await advance(11_000);
    await fixture.until('it completes', async () => (await fixture.status(lost.id)) === 'completed');
    expect(fixture.reports).toEqual([]);
  });

  test('a node that was the only suspect in several crashes fails as interrupted', async () => {
    const wf = await fixture.save([probe('p')], ['start > p']);
    fixture.probes.set('p', () => new Promise(() => {}));
    const { id } = await fixture.start(wf);
    for (let i = 0; i <= limits.crashesAsOnlySuspect; i++) {
      if (i > 1) fixture.clock.advance(limits.steadyAfterMs);
      await fixture.until(`call ${i + 1}`, () => fixture.calls.length === i + 1);
      await crash();
    }
    await fixture.until('failed', async () => (await fixture.status(id)) === 'failed');
    expect((await fixture.store.executions.get(owner, id))!.error).toMatchObject({
      type: 'interrupted',
      node_id: 'p',
    });
    expect(fixture.calls).toHaveLength(1 + limits.crashesAsOnlySuspect);
  });

  test.each(['ends', 'is stopped'])(
    'time stamps stay in order when the clock is set back: it %s',
    async (how) => {
      const wf = await fixture.save([probe('p'), probe('q')], ['start > p', 'p > q']);
      let release = () => {};
      fixture.probes.set(
        'p',
        () => new Promise((r) => (release = () => r({ kind: 'done', outputs: { out: 1 } }))),
      );
      const { id } = await fixture.start(wf);
      await fixture.until('called', () => fixture.calls.length === 1);
      fixture.clock.advance(-45_000);
      if (how === 'ends') release();
      else await fixture.engine.stop(owner, id);
      await fixture.until('ended', async () => isSettled((await fixture.status(id))! as ExecutionStatus));
      const row = (await fixture.store.executions.get(owner, id))!;
      expect(row.startTime).toBeGreaterThanOrEqual(row.createdAt);
      expect(row.endTime).toBeGreaterThanOrEqual(row.startTime!);
      for (const node of (await fixture.view(id)).nodes)
        if (node.startTime !== null) expect(node.endTime).toBeGreaterThanOrEqual(node.startTime);
      if (how === 'is stopped') return;
      const times = (await events(id)).map(({ at }) => at);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    },
  );

  test('a node that survives its probation alone is not blamed for later crashes', async () => {
    const wf = await fixture.save([probe('p')], ['start > p']);
    fixture.probes.set('p', () => new Promise(() => {}));
    const { id } = await fixture.start(wf);
    const cleared = async () => (await events(id)).filter(({ e }) => e === 'clear').length;
    for (let i = 0; i <= 2 * limits.crashesAsOnlySuspect; i++) {
      await fixture.until(`call ${i + 1}`, () => fixture.calls.length === i + 1);
      await fixture.until('cleared', async () => (await cleared()) === i, 50);
      await crash();
    }
    await fixture.until('called again', () => fixture.calls.length === 2 * limits.crashesAsOnlySuspect + 2);
    expect(await fixture.status(id)).toBe('running');
  });

  test('crashes of several suspects at once are blamed on none of them', async () => {
    const wf = await fixture.save([probe('p')], ['start > p']);
    fixture.probes.set('p', () => new Promise(() => {}));
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push((await fixture.start(wf)).id);
    for (let i = 0; i < 12; i++) {
      await fixture.until('all claimed', () => fixture.engine.health().active === ids.length);
      await crash();
    }
    fixture.probes.set('p', () => ({ kind: 'done', outputs: { out: 1 } }));
    await crash();
    fixture.clock.advance(limits.steadyAfterMs);
    for (const id of ids)
      await fixture.until('completed', async () => {
        fixture.clock.advance(100);
        return (await fixture.status(id)) === 'completed';
      });
  });

  test('a worker that lost its lease writes nothing any more', async () => {
    const wf = await fixture.save([probe('p'), probe('q')], ['start > p', 'p > q']);
    let release = () => {};
    fixture.probes.set('p', ({ ctx }) =>
      ctx.attempt === 1
        ? new Promise((resolve) => (release = () => resolve({ kind: 'done', outputs: { out: 'late' } })))
        : { kind: 'done', outputs: { out: 'second' } },
    );
    const { id } = await fixture.start(wf);
    await fixture.until('called', () => fixture.calls.length === 1);
    await crash();
    await fixture.until('completed', async () => (await fixture.status(id)) === 'completed');
    release();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(fixture.calls.map((c) => c.ctx.nodeId)).toEqual(['p', 'p', 'q']);
    expect((await fixture.view(id)).nodes.find((n) => n.nodeId === 'q')!.input).toBe('second');
  });

  test('a drain puts down what runs without counting it as a crash', async () => {
    const wf = await fixture.save([probe('p')], ['start > p']);
    fixture.probes.set('p', ({ ctx }) =>
      ctx.attempt === 1 ? new Promise(() => {}) : { kind: 'done', outputs: { out: 1 } },
    );
    const { id } = await fixture.start(wf);
    await fixture.until('called', () => fixture.calls.length === 1);
    const drained = fixture.engine.drain(1_000);
    fixture.clock.advance(1_001);
    await drained;
    await fixture.openEngine();
    await fixture.until('completed', async () => (await fixture.status(id)) === 'completed');
    expect((await events(id)).map((e) => e.e)).toContain('release');
  });

  test('a queued execution that a drain finds on its way to the disk stays queued', async () => {
    const wf = await fixture.save([probe('p')], ['start > p']);
    fixture.probes.set('p', () => new Promise(() => {}));
    const settings = { max_concurrency: 1 };
    await fixture.start(wf, {}, { settings });
    const starting = fixture.start(wf, {}, { settings });
    await Promise.resolve();
    const drained = fixture.engine.drain(0);
    fixture.clock.advance(1);
    const { id } = await starting;
    await drained;
    expect(await fixture.store.executions.get(owner, id)).toMatchObject({
      status: 'queued',
      startTime: null,
    });
    await fixture.openEngine();
  });

  test('a drain waits for a large value on its way to the disk: the node that gave it does not run again', async () => {
    let isHeld = true;
    let holding = 0;
    fixture.aroundFiles = (files) => ({
      ...files,
      async put(bytes) {
        holding++;
        while (isHeld) await new Promise((resolve) => setTimeout(resolve, 2));
        return await files.put(bytes);
      },
    });
    await crash();
    const wf = await fixture.save([probe('p'), probe('q')], ['start > p', 'p > q']);
    const large = 'x'.repeat(limits.inlineValueBytes + 1);
    fixture.probes.set('p', () => ({ kind: 'done', outputs: { out: large } }));
    const { id } = await fixture.start(wf);
    await fixture.until('it is on its way', () => holding === 1);
    const drained = fixture.engine.drain(0);
    fixture.clock.advance(1);
    setTimeout(() => (isHeld = false), 50);
    await drained;
    await fixture.openEngine();
    await fixture.until('completed', async () => (await fixture.status(id)) === 'completed');
    expect(fixture.calls.map(({ ctx }) => ctx.nodeId)).toEqual(['p', 'q']);
    expect(fixture.calls[1]!.input).toBe(large);
  });
});

describe('stop', () => {
  test('after a stop nothing starts, what runs is aborted, and late results change nothing', async () => {
    const wf = await fixture.save([probe('p'), probe('q')], ['start > p', 'p > q']);
    let aborted = false;
    let release = () => {};
    fixture.probes.set('p', ({ ctx }) => {
      ctx.signal.addEventListener('abort', () => (aborted = true));
      return new Promise((resolve) => (release = () => resolve({ kind: 'done', outputs: { out: 1 } })));
    });
    const { id, watch } = await fixture.start(wf);
    await fixture.until('called', () => fixture.calls.length === 1);
    expect(await fixture.engine.stop(owner, id)).toMatchObject({
      kind: 'stopped',
      row: { status: 'stopped' },
    });
    expect(await watch.ended).toMatchObject({ status: 'stopped' });
    release();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(aborted).toBe(true);
    expect(fixture.calls).toHaveLength(1);
    expect(await fixture.engine.stop(owner, id)).toEqual({ kind: 'settled', status: 'stopped' });
    expect(await fixture.engine.stop('usr_other', id)).toEqual({ kind: 'missing' });
    expect((await fixture.view(id)).nodes.map((n) => `${n.nodeId} ${n.status}`)).toEqual([
      'start completed',
      'p stopped',
      'q skipped',
    ]);
  });

  test('a waiting execution stops, and its timer goes', async () => {
    const wf = await fixture.save([{ id: 'd', type: 'delay', config: { duration: '5m' } }], ['start > d']);
    const { id } = await fixture.start(wf);
    await fixture.until('parked', () => fixture.engine.health().active === 0);
    await fixture.engine.stop(owner, id);
    expect(await fixture.store.executions.nextTimer()).toBeNull();
  });
});

describe('bounds', () => {
  test('executions over max_concurrency queue on disk and run in turn', async () => {
    const settings = { max_concurrency: 2 };
    const wf = await fixture.save([probe('p')], ['start > p'], settings);
    const open: (() => void)[] = [];
    fixture.probes.set(
      'p',
      () => new Promise((resolve) => open.push(() => resolve({ kind: 'done', outputs: { out: 1 } }))),
    );
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await fixture.start(wf, {}, { settings })).id);
    await fixture.until('two are running', () => open.length === 2);
    const statuses = await Promise.all(ids.map((id) => fixture.status(id)));
    expect(statuses.filter((s) => s === 'queued')).toHaveLength(4);
    expect(statuses.filter((s) => s === 'running')).toHaveLength(2);
    for (let i = 0; i < 6; i++) {
      await fixture.until('one is running', () => open.length > 0);
      expect(fixture.engine.health().active).toBeLessThanOrEqual(2);
      open.shift()!();
    }
    await fixture.until('all completed', async () =>
      (await Promise.all(ids.map((id) => fixture.status(id)))).every((s) => s === 'completed'),
    );
  });

  test('a chain of 1,000 nodes is quick, and does not hold the event loop', async () => {
    const n = 1_000;
    const nodes = Array.from({ length: n }, (_, i) => map(`n${i}`, '{{ value }}'));
    const wf = await fixture.save(
      nodes,
      nodes.map((node, i) => `${i === 0 ? 'start' : nodes[i - 1]!.id} > ${node.id}`),
    );
    const { watch } = await fixture.start(wf, { v: 'through' });
    expect(await watch.ended).toMatchObject({ status: 'completed', output: { v: 'through' } });
  });

  test('a large value goes beside the database and comes back whole', async () => {
    const large = 'x'.repeat(limits.inlineValueBytes + 10);
    const wf = await fixture.save([probe('p'), probe('q')], ['start > p', 'p > q']);
    fixture.probes.set('p', () => ({ kind: 'done', outputs: { out: { large } } }));
    const { id, watch } = await fixture.start(wf, { large });
    await watch.ended;
    const rows = await fixture.store.executions.journal(owner, id, 0, 10);
    expect(Math.max(...rows.map((r) => r.events.length))).toBeLessThan(10_000);
    const view = await fixture.view(id);
    expect(view.input).toEqual({ large });
    expect(view.nodes.find((n) => n.nodeId === 'q')!.input).toEqual({ large });
  });
});

describe('parallel', () => {
  const fan = (waitForAll: boolean): NodeEntry => ({
    id: 'par',
    type: 'parallel',
    config: {
      branches: [
        { name: 'a', nodes: ['x', 'y'] },
        { name: 'b', nodes: ['z'] },
      ],
      waitForAll,
    },
  });

  test('all branches run at once, each in its order; the result is by branch', async () => {
    const wf = await fixture.save(
      [fan(true), probe('x'), probe('y'), probe('z'), map('after')],
      ['start > par', 'par > after'],
    );
    const { id, watch } = await fixture.start(wf, { v: 1 });
    expect(await watch.ended).toMatchObject({ status: 'completed' });
    const view = await fixture.view(id);
    expect(view.nodes.find((n) => n.nodeId === 'par')).toMatchObject({
      status: 'completed',
      output: { a: { seen: { seen: { v: 1 } } }, b: { seen: { v: 1 } } },
    });
    expect(view.nodes.map((n) => n.path).sort()).toEqual([
      'after',
      'par',
      'par[a]/x',
      'par[a]/y',
      'par[b]/z',
      'start',
    ]);
  });

  test('the first branch wins and the others are stopped', async () => {
    const wf = await fixture.save([fan(false), probe('x'), probe('y'), probe('z')], ['start > par']);
    let aborted = false;
    fixture.probes.set(
      'x',
      ({ ctx }) => new Promise(() => ctx.signal.addEventListener('abort', () => (aborted = true))),
    );
    const { id, watch } = await fixture.start(wf, { v: 1 });
    expect(await watch.ended).toMatchObject({ status: 'completed', output: { b: { seen: { v: 1 } } } });
    expect(aborted).toBe(true);
    expect((await fixture.view(id)).nodes.find((n) => n.path === 'par[a]/x')!.status).toBe('stopped');
  });

  test('a time-out stops the body, also when the error port is connected', async () => {
    const { config } = fan(true);
    const limited = { ...fan(true), config: { ...config, timeout: '2s' } };
    const wf = await fixture.save(
      [limited, probe('x'), probe('y'), probe('z'), probe('after')],
      ['start > par', 'par error after'],
    );
    let aborted = false;
    const hang = (): Promise<never> => new Promise(() => {});
    fixture.probes.set('y', ({ ctx }) => {
      ctx.signal.addEventListener('abort', () => (aborted = true));
      return hang();
    });
    fixture.probes.set('after', hang);
    const { id } = await fixture.start(wf, { v: 1 });
    await fixture.until('y called', () => fixture.calls.some((c) => c.ctx.nodeId === 'y'));
    fixture.clock.advance(2_500);
    await fixture.until('the error port', () => fixture.calls.some((c) => c.ctx.nodeId === 'after'));
    expect(aborted).toBe(true);
    const { nodes } = await fixture.view(id);
    expect(nodes.find((n) => n.nodeId === 'par')).toMatchObject({ status: 'failed' });
    expect(nodes.find((n) => n.nodeId === 'y')).toMatchObject({ status: 'stopped' });
  });

  test('a crash in the middle of a body resumes there', async () => {
    const wf = await fixture.save([fan(true), probe('x'), probe('y'), probe('z')], ['start > par']);
    let hang = true;
    fixture.probes.set('y', () => (hang ? new Promise(() => {}) : { kind: 'done', outputs: { out: 'y' } }));
    const { id } = await fixture.start(wf, { v: 1 });
    await fixture.until('y called', () => fixture.calls.some((c) => c.ctx.nodeId === 'y'));
    hang = false;
    fixture.clock.forget();
    fixture.clock.advance(limits.leaseMs + 1);
    await fixture.openEngine();
    await fixture.until('completed', async () => (await fixture.status(id)) === 'completed');
    expect(fixture.calls.map((c) => c.ctx.nodeId).sort()).toEqual(['x', 'y', 'y', 'z']);
  });
});

describe('a retry of an execution', () => {
  test('keeps what completed and runs the rest again', async () => {
    const wf = await fixture.save([probe('a'), probe('b'), probe('c')], ['start > a', 'a > b', 'b > c']);
    fixture.probes.set('b', () => network);
    const first = await fixture.start(wf, { v: 1 });
    await first.watch.ended;
    const row = (await fixture.store.executions.get(owner, first.id))!;
    const { given } = await fixture.engine.planRetry(row, 1, 'b');
    expect(Object.keys(given).sort()).toEqual(['a', 'start']);
    fixture.probes.delete('b');
    const second = await fixture.start(
      wf,
      { v: 1 },
      { given, retryOf: first.id, trigger: { type: 'retry' } },
    );
    expect(await second.watch.ended).toMatchObject({ status: 'completed' });
    expect(fixture.calls.map((c) => c.ctx.nodeId)).toEqual(['a', 'b', 'b', 'c']);
    expect(fixture.calls[1]!.ctx.idempotencyKey).not.toBe(fixture.calls[2]!.ctx.idempotencyKey);
  });

  test('runs a node whose id is the name of a property of every object', async () => {
    const wf = await fixture.save([probe('constructor')], ['start > constructor']);
    const given = { start: { out: { v: 1 } } };
    const { watch } = await fixture.start(wf, {}, { given, trigger: { type: 'retry' } });
    expect(await watch.ended).toMatchObject({ status: 'completed' });
    expect(fixture.calls.map((c) => c.ctx.nodeId)).toEqual(['constructor']);
  });

  test('a doubled key creates nothing and names the first', async () => {
    const wf = await fixture.save([map('a')], ['start > a']);
    const dedupe = { scope: 's', key: 'k', fingerprint: 'f', expiresAt: fixture.clock.now() + 1_000 };
    const first = await fixture.start(wf, {}, { dedupe });
    expect(await fixture.engine.start(fixture.request(wf, {}, { dedupe }))).toEqual({
      kind: 'duplicate',
      executionId: first.id,
      fingerprint: 'f',
    });
  });
});

test('the engine reported no unexpected errors', () => expect(fixture.reports).toEqual([]));
