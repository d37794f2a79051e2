import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { readNumber } from '../support/seeded-random.ts';

/** OUTAGE_SECONDS=60 runs the long version. */
const outageSeconds = readNumber('OUTAGE_SECONDS', 12);
const CHAIN_LENGTH = 20;
const PARENTS = 20;
const programs = needPostgres();

type Execution = { id: string; status: string; error: unknown };
type Node = { id: string; type: string; config: unknown };

let folder: ReturnType<typeof createTempFolder>;
let service: SpawnedService | null = null;
let upstream: Upstream | null = null;
let server: TestServer | null = null;

afterEach(async () => {
  await service?.kill9();
  await upstream?.close();
  await server?.close();
  service = upstream = server = null;
  folder.remove();
});

const start: Node = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };

async function saveWorkflow(
  call: Call,
  name: string,
  nodes: Node[],
  connections?: unknown[],
): Promise<string> {
  const inOrder = nodes.slice(1).map((node, i) => ({ from: nodes[i]!.id, to: node.id }));
  const saved = await call('POST', '/workflows', {
    body: { name, definition: { nodes, connections: connections ?? inOrder } },
  });
  expect(saved.status, saved.text).toBe(201);
  return (saved.body as { id: string }).id;
}

async function execute(call: Call, workflow: string): Promise<string> {
  const started = await call('POST', `/workflows/${workflow}/execute`, { body: {} });
  expect(started.status, started.text).toBe(201);
  return (started.body as { id: string }).id;
}

function settle(call: Call, id: string, ms?: number): Promise<Execution> {
  return waitUntil(
    async () => (await call('GET', `/executions/${id}`)).body as Execution,
    ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
    ms,
  );
}

async function countExecutions(call: Call, workflow: string): Promise<number> {
  const listed = await call('GET', `/executions?workflow_id=${workflow}&limit=1`);
  expect(listed.status, listed.text).toBe(200);
  return (listed.body as { pagination: { total: number } }).pagination.total;
}

describe('a process that stops while an execution starts another', () => {
  const subWorkflow = (child: string): Node => ({
    id: 'sub',
    type: 'sub_workflow',
    config: { workflow_id: child },
  });
  const escalation = (child: string): Node => ({
    id: 'handler',
    type: 'error_handler',
    config: { strategies: [{ errorType: '*', action: 'escalate', escalationWorkflow: child }] },
  });

  test.each([
    { kind: 'sub_workflow', node: subWorkflow, port: undefined, status: 200, expected: 'completed' },
    { kind: 'escalate', node: escalation, port: 'error', status: 500, expected: 'failed' },
  ])('$kind: it resumes after the restart', async ({ node, port, status, expected }) => {
    folder = createTempFolder();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    upstream = await startUpstream(() => ({ held, status }));
    service = await spawnService({ dataDir: folder.path });
    let call = await service.login();
    const child = await saveWorkflow(call, 'Child', [start]);
    const slow: Node = { id: 'slow', type: 'http_request', config: { url: upstream.url } };
    const last = node(child);
    const workflow = await saveWorkflow(
      call,
      'Parent',
      [start, slow, last],
      [
        { from: 'start', to: 'slow' },
        { from: 'slow', to: last.id, ...(port !== undefined && { sourcePort: port }) },
      ],
    );
    const id = await execute(call, workflow);
    await waitUntil(
      () => Promise.resolve(upstream!.received.length),
      (count) => count === 1,
    );
    const stopping = service.stop();
    await waitUntil(
      () =>
        fetch(`${service!.url}/health`).then(
          () => false,
          () => true,
        ),
      (isClosed) => isClosed,
    );
    release();
    expect(await stopping).toBe(0);

    service = await spawnService({ dataDir: folder.path });
    call = await service.login();
    const ended = await settle(call, id);
    expect(ended.status, JSON.stringify(ended)).toBe(expected);
    expect(ended.error).not.toMatchObject({ type: 'rate_limited' });
    expect(await countExecutions(call, child)).toBe(1);
    expect(upstream.received).toHaveLength(1);
  });
});

test.skipIf(programs === null)(
  `PostgreSQL unavailable for ${outageSeconds} s: executions that start others resume, and start each of them once`,
  { timeout: 180_000 + outageSeconds * 1_000 },
  async () => {
    folder = createTempFolder();
    server = await startServer(programs!, { isDurable: true });
    service = await spawnService({
      dataDir: path.join(folder.path, 'unused'),
      env: {
        DATABASE_URL: await server.database(),
        WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
      },
    });
    const call = await service.login();
    const child = await saveWorkflow(call, 'Child', [
      start,
      { id: 'pause', type: 'delay', config: { duration: '200ms' } },
    ]);
    const parent = await saveWorkflow(call, 'Parent', [
      start,
      ...Array.from({ length: CHAIN_LENGTH }, (_, i) => ({
        id: `sub${i}`,
        type: 'sub_workflow',
        config: { workflow_id: child },
      })),
    ]);
    const ids = await Promise.all(Array.from({ length: PARENTS }, () => execute(call, parent)));
    await waitUntil(
      () => countExecutions(call, child),
      (count) => count > PARENTS,
    );
    await server.crash();
    // The outage lasts longer than the store's retries.
    await new Promise((resolve) => setTimeout(resolve, outageSeconds * 1_000));
    await server.start();
    const ended = await Promise.all(ids.map((id) => settle(call, id, 120_000)));
    expect(ended.filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(await countExecutions(call, child)).toBe(PARENTS * CHAIN_LENGTH);
  },
);
