import { afterAll, beforeAll, expect, test } from 'vitest';
import { manual } from '../../api/definitions.ts';
import { listPackProcesses } from '../../support/packs/pack-processes.ts';
import { packFixture } from '../../support/packs/npm-pack.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/* What a pack does to its process reaches neither the service nor other executions. */

/** 10,000 connections take 20 s on a busy machine. */
const LIMIT_MS = 120_000;
const folder = createTempFolder();
let service: SpawnedService;
let call: Call;

beforeAll(async () => {
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
  const archive = packFixture('hostile').toString('base64');
  const installed = await call('POST', '/packs', { body: { archive } });
  expect(installed.status, installed.text).toBe(201);
});
afterAll(async () => {
  await service?.kill9();
  folder.remove();
});

type Shown = {
  status: string;
  error: { type: string; message: string; node_id: string } | null;
  output: unknown;
};
async function run(operation: string, more: object = {}): Promise<Shown> {
  const definition = {
    nodes: [manual, { id: 'bad', type: 'npm.hostile', config: { operation, ...more } }],
    connections: [{ from: 'start', to: 'bad' }],
  };
  const saved = await call('POST', '/workflows', { body: { name: operation, definition } });
  expect(saved.status, saved.text).toBe(201);
  const { id } = saved.body as { id: string };
  const started = await call('POST', `/workflows/${id}/execute`, { body: {} });
  const execution = (started.body as { id: string }).id;
  return waitUntil(
    async () => (await call('GET', `/executions/${execution}`)).body as Shown,
    ({ status }) => status === 'completed' || status === 'failed',
    LIMIT_MS,
  );
}

test.each([
  ['hangs', 'endless_loop', { type: 'timeout', message: 'The node did not complete within 3000 ms' }],
  ['forges a response', 'forge_response', { type: 'code', message: 'The process of the pack crashed' }],
  ['takes too much memory', 'endless_heap', { type: 'code', message: 'The pack exceeded its memory limit' }],
  [
    'returns too much',
    'large_result',
    { type: 'code', message: 'The result is larger than 16777216 bytes of JSON' },
  ],
])(
  'a pack that %s fails its node, and the next one runs',
  async (_title, operation, error) => {
    const failed = await run(operation, operation === 'endless_loop' ? { timeout: '3s' } : {});
    expect(failed).toMatchObject({ status: 'failed', error: { ...error, node_id: 'bad' } });
    expect((await call('GET', '/health/ready')).status).toBe(200);
    expect(await run('environment')).toMatchObject({ status: 'completed' });
  },
  120_000,
);

test('a pack that floods its output completes', async () => {
  expect(await run('flood')).toMatchObject({ status: 'completed' });
  expect((await call('GET', '/health/ready')).status).toBe(200);
}, 120_000);

test.each([
  ['prints without end', 'endless_output', 'The pack printed more than 67108864 bytes'],
  ['connects without end', 'endless_connections', 'The pack opened more than 10000 connections'],
])(
  'a pack that %s occupies the service only up to a limit',
  async (_title, operation, message) => {
    const failed = await run(operation, { timeout: '10m' });
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'code', message, node_id: 'bad' } });
    expect(await run('environment')).toMatchObject({ status: 'completed' });
  },
  LIMIT_MS + 60_000,
);

test(
  'a pack that continues after its call loses its process',
  async () => {
    expect(await run('leave_connections')).toMatchObject({
      status: 'completed',
      output: { reached: 'returned' },
    });
    const pids = listPackProcesses(service.child.pid!);
    await waitUntil(
      () => Promise.resolve(listPackProcesses(service.child.pid!)),
      (left) => !left.some((pid) => pids.includes(pid)),
      LIMIT_MS,
    );
    expect(pids).not.toEqual([]);
  },
  LIMIT_MS + 60_000,
);

test('a pack that allocates buffers without bound ends at its limit', async () => {
  // The allocation is refused, or ends the process.
  const { status, output, error } = await run('endless_buffers');
  if (status === 'completed') expect(JSON.stringify(output)).toMatch(/refused.*alloc/i);
  else expect(error).toMatchObject({ node_id: 'bad', type: 'code' });
  expect((await call('GET', '/health/ready')).status).toBe(200);
}, 120_000);
