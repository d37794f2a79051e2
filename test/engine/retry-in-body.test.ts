import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeEntry } from '../../src/contract/definition.ts';
import type { RetryPlan, StartRequest } from '../../src/engine/engine-api.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { limits } from '../../src/ports/limits.ts';
import { EngineFixture, owner, type Call } from '../support/engine-fixture.ts';

let fixture: EngineFixture;
beforeEach(async () => (fixture = await new EngineFixture().open()));
afterEach(() => fixture.close());

const probe = (id: string): NodeEntry => ({ id, type: 'probe', config: {} });
const loop = (id: string, nodes: string[], config: Record<string, Json> = {}): NodeEntry => ({
  id,
  type: 'for_each',
  config: { items: [0, 1, 2, 3, 4], nodes, ...config },
});
const no = { kind: 'failed', error: { type: 'client_error', message: 'no' } } as const;
const done = (out: Json) => ({ kind: 'done', outputs: { out } }) as const;
/** The item of a call of the first node of a body. */
const itemOf = ({ input }: Call): number => (input as { index: number }).index;
const callsSince = (from: number): string[] =>
  fixture.calls.slice(from).map((call) => `${call.ctx.nodeId} ${JSON.stringify(call.input)}`);

async function run(
  workflow: string,
  input: Json = {},
): Promise<{ id: string; output: Json; status: string }> {
  const { id, watch } = await fixture.start(workflow, input);
  const { status, output } = await watch.ended;
  return { id, status, output };
}

async function plan(id: string, from: string): Promise<RetryPlan> {
  return fixture.engine.planRetry((await fixture.store.executions.get(owner, id))!, 1, from);
}

async function retry(workflow: string, id: string, from: string, more: Partial<StartRequest> = {}) {
  const { given, failures, loaded } = await plan(id, from);
  return fixture.start(
    workflow,
    {},
    { given, failures, loaded, retryOf: id, trigger: { type: 'retry' }, ...more },
  );
}

describe('a retry of a loop over items', () => {
  test('keeps the items that completed, before and after the one that failed', async () => {
    const wf = await fixture.save(
      [loop('loop', ['a', 'b'], { concurrency: 3 }), probe('a'), probe('b')],
      ['start > loop'],
    );
    let isBroken = true;
    const release: (() => void)[] = [];
    fixture.probes.set('a', (call) => done(itemOf(call) * 10));
    fixture.probes.set('b', async ({ input }) => {
      if (input !== 10 || !isBroken) return done(input);
      await new Promise<void>((resolve) => release.push(resolve));
      return no;
    });
    const first = fixture.start(wf);
    await fixture.until('others completed', () => fixture.calls.length === 10);
    release[0]!();
    const { id, watch } = await first;
    expect(await watch.ended).toMatchObject({ status: 'failed' });
    isBroken = false;
    const before = fixture.calls.length;
    const again = await retry(wf, id, 'failed');
    expect(await again.watch.ended).toMatchObject({
      status: 'completed',
      output: { results: [0, 10, 20, 30, 40] },
    });
    expect(callsSince(before)).toEqual(['b 10']);
    const view = await fixture.view(again.id);
    expect(view.logs.filter(({ message }) => message === 'Output given, not run')).toHaveLength(9);
    expect(view.nodes.find(({ path }) => path === 'loop[3]/b')).toMatchObject({
      status: 'completed',
      startTime: null,
      output: 30,
    });
  });

  test.each([
    ['loop[2]/b', ['b 20', 'last {"results":[0,10,20,30,40]}']],
    ['loop[2]', ['a {"item":2,"index":2}', 'b 20', 'last {"results":[0,10,20,30,40]}']],
    ['loop[4]/a', ['a {"item":4,"index":4}', 'b 40', 'last {"results":[0,10,20,30,40]}']],
  ])('runs %s and what depends on it', async (from, calls) => {
    const wf = await fixture.save(
      [loop('loop', ['a', 'b']), probe('a'), probe('b'), probe('last')],
      ['start > loop', 'loop > last'],
    );
    fixture.probes.set('a', (call) => done(itemOf(call) * 10));
    fixture.probes.set('b', ({ input }) => done(input));
    const { id, output } = await run(wf);
    const before = fixture.calls.length;
    const again = await retry(wf, id, from);
    expect(await again.watch.ended).toMatchObject({ status: 'completed', output });
    expect(callsSince(before)).toEqual(calls);
  });

  test('gives an edited input to one node run only', async () => {
    const wf = await fixture.save([loop('loop', ['a']), probe('a')], ['start > loop']);
    fixture.probes.set('a', ({ input }) => done(input));
    const { id } = await run(wf);
    const again = await retry(wf, id, 'loop[1]/a', { inputOf: { nodeId: 'loop[1]/a', input: 'edited' } });
    expect(await again.watch.ended).toMatchObject({
      output: {
        results: [
          { item: 0, index: 0 },
          'edited',
          { item: 2, index: 2 },
          expect.anything(),
          expect.anything(),
        ],
      },
    });
  });

  test('survives a crash: the items kept, and those that completed since, are not repeated', async () => {
    const wf = await fixture.save([loop('loop', ['a']), probe('a')], ['start > loop']);
    fixture.probes.set('a', (call) => (itemOf(call) === 2 ? no : done(itemOf(call))));
    const { id } = await run(wf);
    let hang = true;
    fixture.probes.set('a', (call) =>
      hang && itemOf(call) === 3 ? new Promise(() => {}) : done(itemOf(call)),
    );
    const before = fixture.calls.length;
    const again = await retry(wf, id, 'failed');
    await fixture.until('the fourth was called', () => fixture.calls.length === before + 2);
    hang = false;
    fixture.clock.forget();
    fixture.clock.advance(limits.leaseMs + 1);
    await fixture.openEngine();
    await fixture.until('completed', async () => (await fixture.status(again.id)) === 'completed');
    expect(fixture.calls.slice(before).map(itemOf)).toEqual([2, 3, 3, 4]);
  });
});

describe('a retry of other bodies', () => {
  test('of while: keeps the iterations before, and none after', async () => {
    const rounds: NodeEntry = {
      id: 'rounds',
      type: 'while',
      config: { condition: { field: 'n', operator: 'less_than', value: 5 }, nodes: ['a', 'b'] },
    };
    const wf = await fixture.save([rounds, probe('a'), probe('b')], ['start > rounds']);
    fixture.probes.set('a', ({ input }) => done(input));
    fixture.probes.set('b', ({ input }) => done({ n: (input as { n: number }).n + 1 }));
    const { id, output } = await run(wf, { n: 0 });
    const before = fixture.calls.length;
    const again = await retry(wf, id, 'rounds[3]/b');
    // The input of the execution is part of the request.
    expect(await again.watch.ended).toMatchObject({ status: 'completed', output });
    expect(callsSince(before)).toEqual(['b {"n":3}', 'a {"n":4}', 'b {"n":4}']);
  });

  test('of while: after a failure at its limit, the last iteration runs again', async () => {
    const rounds: NodeEntry = {
      id: 'rounds',
      type: 'while',
      config: { condition: { field: 'n', operator: 'exists' }, nodes: ['a'], maxIterations: 3 },
    };
    const wf = await fixture.save([rounds, probe('a')], ['start > rounds']);
    fixture.probes.set('a', ({ input }) => done(input));
    const { id, status } = await run(wf, { n: 0 });
    expect(status).toBe('failed');
    expect((await plan(id, 'failed')).again).toEqual(['rounds[2]']);
  });

  test('of parallel branches: keeps the other branches, unless the first one decides', async () => {
    for (const waitForAll of [true, false]) {
      const both: NodeEntry = {
        id: 'both',
        type: 'parallel',
        config: {
          branches: [
            { name: 'x[1]', nodes: ['x'] },
            { name: 'y/[', nodes: ['y'] },
          ],
          waitForAll,
        },
      };
      const wf = await fixture.save([both, probe('x'), probe('y')], ['start > both']);
      const { id } = await run(wf);
      expect(Object.keys((await plan(id, 'both[x[1]]/x')).given)).toEqual(
        waitForAll ? ['start', 'both[y/[]/y'] : ['start'],
      );
    }
  });

  test('in several levels: keeps everything outside of the path', async () => {
    const wf = await fixture.save(
      [
        loop('outer', ['before', 'inner', 'after'], { items: [0, 1] }),
        loop('inner', ['x', 'y'], { items: [0, 1, 2] }),
        ...['before', 'after', 'x', 'y'].map(probe),
      ],
      ['start > outer'],
    );
    fixture.probes.set('x', ({ input }) => done(input));
    const { id, output } = await run(wf);
    const before = fixture.calls.length;
    const again = await retry(wf, id, 'outer[1]/inner[1]/y');
    expect(await again.watch.ended).toMatchObject({ status: 'completed', output });
    expect(fixture.calls.slice(before).map(({ ctx }) => ctx.nodeId)).toEqual(['y', 'after']);
    const { given } = await plan(id, 'outer[1]/inner[1]/y');
    expect(Object.keys(given)).toEqual([
      'start',
      ...['before', 'inner', 'after'].map((node) => `outer[0]/${node}`),
      'outer[1]/before',
      'outer[1]/inner[0]/x',
      'outer[1]/inner[0]/y',
      'outer[1]/inner[1]/x',
      'outer[1]/inner[2]/x',
      'outer[1]/inner[2]/y',
    ]);
  });

  test('a node that stopped the execution stops it again', async () => {
    const stop: NodeEntry = { id: 'halt', type: 'stop', config: { outcome: 'failed', message: 'enough' } };
    const wf = await fixture.save([loop('loop', ['a', 'halt']), probe('a'), stop], ['start > loop']);
    const { id } = await run(wf);
    const before = fixture.calls.length;
    const again = await retry(wf, id, 'failed');
    expect(await again.watch.ended).toMatchObject({ status: 'failed', error: { type: 'stopped' } });
    expect(fixture.calls).toHaveLength(before);
  });
});

test('what from does not name is refused with what there is', async () => {
  const wf = await fixture.save([loop('loop', ['a']), probe('a'), probe('b')], ['start > loop', 'loop > b']);
  const { id } = await run(wf);
  for (const [from, issue] of [
    ['other', 'is not a node of version 1: "other"'],
    [
      'loop[9]/a',
      'names a run that does not exist: "loop[9]"; the body of loop ran 5 times, from [0] to [4]',
    ],
    ['loop[9]', 'names a run that does not exist: "loop[9]"; the body of loop ran 5 times, from [0] to [4]'],
    ['loop[1]/b', 'names no node in loop[1]; its nodes are: a'],
    ['b[1]/a', 'names a body of b that did not run: "b[1]/a"'],
    ['none[1]/a', 'names no node run of the execution: "none"'],
  ] as const)
    await expect(plan(id, from), from).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ field: 'from', issue }] },
    });
});
