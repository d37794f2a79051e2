import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  createTempFolder,
  waitUntil,
  type Call,
} from '../../support/service.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';
import { createCallingWorkflow, createEchoWorkflow, manual, mapNode } from '../definitions.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream(() => ({ body: 'ok', after: Math.random() * 20 }));
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterAll(async () => {
  await weft.stop();
  await upstream.close();
  folder.remove();
});

type Execution = {
  id: string;
  status: string;
  nodes: { status: string; end_time: string | null }[];
  end_time: string;
};
async function workflow(definition: object, more: object = {}): Promise<string> {
  const response = await api('POST', '/workflows', { body: { name: 'x', definition, ...more } });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
const get = async (id: string): Promise<Execution> =>
  (await api('GET', `/executions/${id}`)).body as Execution;
const isSettled = (status: string): boolean => ['completed', 'failed', 'stopped'].includes(status);

test('stop against completion: one final status, equal to the response', async () => {
  const id = await workflow(createCallingWorkflow(`${upstream.url}/race`));
  const counts = { stopped: 0, completed: 0 };
  for (let round = 0; round < 8; round++) {
    await Promise.all(
      Array.from({ length: 15 }, async () => {
        const { id: execution } = (await api('POST', `/workflows/${id}/execute`, { body: {} }))
          .body as Execution;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        const stop = await api('POST', `/executions/${execution}/stop`);
        expect([200, 400], stop.text).toContain(stop.status);
        const first = await get(execution);
        expect(isSettled(first.status), first.status).toBe(true);
        expect(first.status).toBe(stop.status === 200 ? 'stopped' : 'completed');
        counts[first.status as keyof typeof counts]++;
        for (const node of first.nodes) expect(['completed', 'skipped', 'stopped']).toContain(node.status);
        await new Promise((resolve) => setTimeout(resolve, 30));
        expect(await get(execution)).toEqual(first);
      }),
    );
  }
  expect(counts.stopped).toBeGreaterThan(0);
});

test('deleting a workflow while it is called: every response is complete, and no data remains', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await workflow(createEchoWorkflow(`vanishing/${round}`), { status: 'active' });
    const calls = Array.from({ length: 30 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, i));
      return weft.call('POST', `/webhooks/vanishing/${round}`, { body: i });
    });
    await new Promise((resolve) => setTimeout(resolve, 12));
    expect((await api('DELETE', `/workflows/${id}`)).status).toBe(200);
    for (const response of await Promise.all(calls)) {
      // Waiting callers receive an error for an execution that the deletion stopped.
      expect([200, 404, 500], response.text).toContain(response.status);
      if (response.status === 500) expect(response.text).toContain('EXECUTION_FAILED');
    }
    expect((await api('GET', `/executions?workflow_id=${id}`)).body).toMatchObject({
      pagination: { total: 0 },
    });
  }
});

test('activating, changing and calling at once: a call runs one definition from beginning to end', async () => {
  const version = (n: number) => ({
    nodes: [
      {
        id: 'hook',
        type: 'trigger',
        config: {
          triggerType: 'webhook',
          endpoint: 'changing-version',
          authentication: 'none',
          respond: 'on_completion',
        },
      },
      mapNode('a', 'method', 'a', String(n)),
      mapNode('b', 'a', 'b', `{{ value }}-${n}`),
    ],
    connections: [
      { from: 'hook', to: 'a' },
      { from: 'a', to: 'b' },
    ],
  });
  const id = await workflow(version(0), { status: 'active' });
  let isDone = false;
  const changing = (async () => {
    for (let n = 1; n <= 20; n++)
      expect((await api('PUT', `/workflows/${id}`, { body: { definition: version(n) } })).status).toBe(200);
    isDone = true;
  })();
  const seen = new Set<string>();
  while (!isDone) {
    const response = await weft.call('POST', '/webhooks/changing-version', { body: {} });
    expect(response.status, response.text).toBe(200);
    const { b } = response.body as { b: string };
    const [first, second] = b.split('-');
    expect(first).toBe(second);
    seen.add(b);
  }
  await changing;
  expect((await weft.call('POST', '/webhooks/changing-version', { body: {} })).body).toEqual({ b: '20-20' });
  expect(seen.size).toBeGreaterThan(1);
});

test('totals match the stored rows afterwards', async () => {
  const id = await workflow({
    nodes: [manual, mapNode('a', 'n', 'n')],
    connections: [{ from: 'start', to: 'a' }],
  });
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      api('POST', `/workflows/${id}/execute`, { body: { input: n % 3 === 0 ? {} : { n } } }),
    ),
  );
  type Total = { pagination: { total: number } };
  const total = async (query: string): Promise<number> =>
    ((await api('GET', `/workflows/${id}/executions?limit=1&${query}`)).body as Total).pagination.total;
  await waitUntil(
    () => total('status=completed'),
    (count) => count === 40,
  );
  expect([
    await total('status=failed'),
    await total(''),
    await total('status=running'),
    await total('status=queued'),
  ]).toEqual([20, 60, 0, 0]);
});
