import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { manual } from '../api/definitions.ts';

/** A process with little memory, and executions whose values together are several times as much. */
const HEAP_MB = 512;
const folder = createTempFolder();
let upstream: Upstream;
let weft: SpawnedService;
let call: Call;
beforeAll(async () => {
  const body = { text: 'y'.repeat(20_000_000) };
  upstream = await startUpstream(({ path }) =>
    path === '/large' ? { body } : { after: path === '/slow' ? 300 : 2_000 },
  );
  weft = await spawnService({
    dataDir: folder.path,
    nodeArgs: [`--max-old-space-size=${HEAP_MB}`],
    env: { WEFT_ALLOWED_HOSTS: new URL(upstream.url).host },
  });
  call = await weft.login();
});
afterAll(async () => {
  await weft.stop();
  await upstream.close();
  folder.remove();
});

type Edge = { from: string; to: string };
/** A text of some 16 MB made of what was given; one of its own, for each node. */
const quadruple = (id: string, input: string) => ({
  id,
  type: 'data_transformer',
  config: {
    operations: [
      { action: 'combine', inputs: [input, input, input, input], output: 'large', separator: id },
      { action: 'map', input, output: input },
    ],
  },
});
const input = { text: 'x'.repeat(4_000_000) };

async function run(nodes: object[], connections: Edge[]): Promise<() => Promise<string>> {
  const definition = { nodes: [manual, ...nodes], connections };
  const { body } = await call('POST', '/workflows', { body: { name: 'large', definition } });
  const { id } = body as { id: string };
  return async () => {
    for (;;) {
      const { status, body: started } = await call('POST', `/workflows/${id}/execute`, { body: { input } });
      if (status < 300) return (started as { id: string }).id;
      // A start beyond the capacity is refused, and accepted a little later.
      const { error } = started as { error: { code: string; details: { reason?: string } } };
      expect([error.code, error.details.reason], JSON.stringify(error)).toEqual(['RATE_LIMITED', 'capacity']);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
}

/**
 * Starts sixty executions, eight requests at a time: on a busy machine, sixty requests of 4 MB sent at once
 * are not all read within the 60 s that a request may take to arrive.
 */
async function startSixty(start: () => Promise<string>): Promise<string[]> {
  const ids: string[] = [];
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun++ < 60) ids.push(await start());
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return ids;
}

const fetching = (id: string, path: string) => ({
  id,
  type: 'http_request',
  config: { method: 'GET', url: `${upstream.url}${path}`, timeout: '5m' },
});

async function ended(id: string): Promise<{ status: string; error: unknown }> {
  for (;;) {
    const { body } = await call('GET', `/executions?limit=100`);
    const { executions } = body as { executions: { id: string; status: string; error: unknown }[] };
    const found = executions.find((each) => each.id === id);
    if (found !== undefined && ['completed', 'failed'].includes(found.status)) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('a fan-out whose values are a gigabyte together fails in words, and the process lives', async () => {
  const ids = Array.from({ length: 60 }, (_, i) => `n${i}`);
  const start = await run(
    ids.map((id) => quadruple(id, 'text')),
    ids.map((to) => ({ from: 'start', to })),
  );
  expect(await ended(await start())).toMatchObject({ status: 'failed', error: { type: 'limit' } });
  expect(weft.child.exitCode).toBeNull();
});

test('a chain that passes 720 MB completes: only values still in use count', async () => {
  const ids = Array.from({ length: 36 }, (_, i) => `n${i}`);
  const start = await run(
    ids.map((id) => quadruple(id, 'text')),
    ids.map((to, i) => ({ from: i === 0 ? 'start' : ids[i - 1]!, to })),
  );
  const id = await start();
  expect(await ended(id)).toMatchObject({ status: 'completed', error: null });

  // Reading it stays within the limit too: values that exceed the detail are returned in pages.
  const detail = (await call('GET', `/executions/${id}`)).body as { nodes: unknown[]; output: object };
  expect(Object.keys(detail.output)).toEqual(['large', 'text']);
  expect(detail.nodes.length).toBeLessThan(5);
  for (const page of [2, 30]) {
    const { body } = await call('GET', `/executions/${id}/nodes?limit=1&page=${page}`);
    const [node] = (body as { nodes: { node_id: string; output: { large: string } }[] }).nodes;
    expect(node!.node_id).toBe(ids[page - 2]);
    expect(node!.output.large).toHaveLength(4 * input.text.length + 3 * node!.node_id.length);
  }
  expect(await call('GET', `/executions/${id}/nodes?limit=30&page=1`)).toMatchObject({
    status: 400,
    body: { error: { code: 'PAYLOAD_TOO_LARGE' } },
  });
  expect((await call('GET', `/executions/${id}/logs?limit=1`)).status).toBe(200);
  expect(weft.child.exitCode).toBeNull();
}, 400_000);

test('sixty at once that keep 20 MB each while they call out: all complete', async () => {
  const start = await run(
    [quadruple('large', 'text'), fetching('out', '/')],
    [
      { from: 'start', to: 'large' },
      { from: 'large', to: 'out' },
    ],
  );
  const ids = await startSixty(start);
  for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'completed' });
  expect(upstream.received.filter(({ path }) => path === '/')).toHaveLength(60);
  expect(weft.child.exitCode).toBeNull();
}, 400_000);

test('sixty concurrent responses of 20 MB each: all complete', async () => {
  const start = await run(
    [fetching('in', '/large'), fetching('out', '/slow')],
    [
      { from: 'start', to: 'in' },
      { from: 'in', to: 'out' },
    ],
  );
  const ids = await startSixty(start);
  for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'completed' });
  expect(upstream.received.filter(({ path }) => path === '/slow')).toHaveLength(60);
  expect(weft.child.exitCode).toBeNull();
}, 400_000);

test('sixty concurrent calls for 20 MB each in one execution fail with a clear error, and the process survives', async () => {
  const ids = Array.from({ length: 60 }, (_, i) => `n${i}`);
  const start = await run(
    [...ids.map((id) => fetching(id, '/large')), { id: 'all', type: 'merge', config: { mode: 'append' } }],
    ids.flatMap((id) => [
      { from: 'start', to: id },
      { from: id, to: 'all' },
    ]),
  );
  expect(await ended(await start())).toMatchObject({ status: 'failed', error: { type: 'limit' } });
  expect(weft.child.exitCode).toBeNull();
}, 400_000);
