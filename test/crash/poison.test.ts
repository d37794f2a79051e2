import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { limits } from '../../src/ports/limits.ts';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import { canScale, startCluster } from '../cluster/cluster.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream } from '../support/upstream.ts';

/*
 * A node that crashes the service process. It must fail after a few crashes, and the executions that ran in
 * the same process must complete.
 */
const NEIGHBORS = 12;
const CALLS_PER_NEIGHBOR = 6;
const CALL_DURATION_MS = 700;
/** The first crash, and the crashes that narrow down the suspects until it runs alone. */
const MOST_CRASHES = 3 + limits.crashesAsOnlySuspect;

const programs = needPostgres();
const deadlyNode = `
import { defineNode } from 'weft/node-kit';
export default defineNode({
  type: 'deadly', version: '1.0.0', name: 'Deadly', category: 'http', description: 'Ends the process.', icon: 'plug',
  config: { type: 'object', properties: {} },
  outputs: [{ name: 'out', type: 'any', description: 'Never' }],
  effects: 'external',
  run: () => process.abort(),
  examples: [{ title: 'One', config: {}, input: null }],
});`;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Execution = { status: string; error: unknown };

/** Restarts a service whenever it crashes. */
function supervise(start: () => Promise<SpawnedService>): {
  readonly crashes: number;
  call: Call;
  stop(): Promise<void>;
} {
  let current: SpawnedService | null = null;
  let crashes = 0;
  let isStopping = false;
  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        current = await start();
      } catch {
        // It crashed before it was ready.
        crashes++;
        continue;
      }
      const { child } = current;
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once('exit', resolve));
      crashes++;
    }
  };
  const running = run();
  return {
    get crashes() {
      return crashes;
    },
    async call(...request) {
      for (;;) {
        try {
          return await (
            await current!.login()
          )(...request);
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
    async stop() {
      isStopping = true;
      await current?.kill9();
      await running;
    },
  };
}

function writeDeadlyNode(folder: string): string {
  const location = path.join(folder, 'nodes');
  mkdirSync(location);
  writeFileSync(path.join(location, 'deadly.node.mjs'), deadlyNode);
  return location;
}

async function save(call: Call, name: string, nodes: { id: string; type: string; config: object }[]) {
  const all = [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }, ...nodes];
  const connections = nodes.map(({ id }, i) => ({ from: all[i]!.id, to: id }));
  const saved = await call('POST', '/workflows', { body: { name, definition: { nodes: all, connections } } });
  expect(saved.status, saved.text).toBe(201);
  return (saved.body as { id: string }).id;
}

async function execute(call: Call, workflow: string): Promise<string> {
  const key = randomBytes(8).toString('hex');
  const started = await call('POST', `/workflows/${workflow}/execute`, {
    body: {},
    headers: { 'idempotency-key': key },
  });
  expect([200, 201], started.text).toContain(started.status);
  return (started.body as { id: string }).id;
}

function settle(call: Call, id: string): Promise<Execution> {
  return waitUntil(
    async () => (await call('GET', `/executions/${id}`)).body as Execution,
    ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
    120_000,
  );
}

/** Runs other executions and one that crashes the process; returns how they ended. */
async function runNextToPoison(call: Call): Promise<{ poison: Execution; neighbors: Execution[] }> {
  const upstream = await startUpstream(() => ({ after: CALL_DURATION_MS }));
  closing.push(() => upstream.close());
  const neighbor = await save(
    call,
    'Neighbor',
    Array.from({ length: CALLS_PER_NEIGHBOR }, (_, i) => ({
      id: `call${i}`,
      type: 'http_request',
      config: { url: upstream.url },
    })),
  );
  const poisonous = await save(call, 'Poison', [{ id: 'deadly', type: 'deadly', config: {} }]);
  const ids: string[] = [];
  for (let i = 0; i < NEIGHBORS; i++) ids.push(await execute(call, neighbor));
  const id = await execute(call, poisonous);
  const poison = await settle(call, id);
  const neighbors = await Promise.all(ids.map((each) => settle(call, each)));
  return { poison, neighbors };
}

function expectBlame({ poison, neighbors }: Awaited<ReturnType<typeof runNextToPoison>>): void {
  expect(poison).toMatchObject({ status: 'failed', error: { type: 'interrupted', node_id: 'deadly' } });
  expect(neighbors.filter(({ status }) => status !== 'completed')).toEqual([]);
}

test.for([
  { store: 'SQLite', isThere: true },
  { store: 'PostgreSQL', isThere: programs !== null },
])(
  '$store: only the execution that crashes the process fails',
  { timeout: 240_000 },
  async ({ store, isThere }, { skip }) => {
    skip(!isThere);
    const folder = createTempFolder();
    closing.push(() => folder.remove());
    let server: TestServer | null = null;
    if (store === 'PostgreSQL') server = await startServer(programs!, { isDurable: true });
    closing.push(() => server?.close());
    const env = {
      WEFT_NODES_DIR: writeDeadlyNode(folder.path),
      WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
      ...(server !== null && { DATABASE_URL: await server.database() }),
    };
    const supervised = supervise(() => spawnService({ dataDir: path.join(folder.path, 'data'), env }));
    closing.push(() => supervised.stop());
    expectBlame(await runNextToPoison((...request) => supervised.call(...request)));
    expect(supervised.crashes).toBeGreaterThan(limits.crashesAsOnlySuspect);
    expect(supervised.crashes).toBeLessThanOrEqual(MOST_CRASHES);
  },
);

test.skipIf(!canScale)(
  'two workers: only the execution that crashes them fails',
  { timeout: 360_000 },
  async () => {
    const folder = createTempFolder();
    closing.push(() => folder.remove());
    const cluster = await startCluster({ WEFT_NODES_DIR: writeDeadlyNode(folder.path) });
    closing.push(() => cluster.close());
    const api = await cluster.start('api');
    const workers = [supervise(() => cluster.start('worker')), supervise(() => cluster.start('worker'))];
    closing.push(() => Promise.all(workers.map((worker) => worker.stop())));
    expectBlame(await runNextToPoison(await cluster.login(api)));
    const crashes = workers.reduce((sum, worker) => sum + worker.crashes, 0);
    expect(crashes).toBeGreaterThan(limits.crashesAsOnlySuspect);
    // Executions that both workers claimed at the same time may crash each of them once.
    expect(crashes).toBeLessThanOrEqual(MOST_CRASHES + 1);
  },
);
