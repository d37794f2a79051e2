import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEchoWorkflow, manual } from '../api/definitions.ts';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../support/service.ts';
import {
  eventLoopProbe,
  isBelow,
  readEventLoopBlock,
  type EventLoopBlock,
} from '../support/time/event-loop-probe.ts';

/** Input of callers without a credential, and of upstreams, does not block the event loop for long. */
const MAX_BLOCK_MS = 50;
/** A body of 15 MB or more is scanned on the main thread before it is refused. */
const MAX_SCAN_BLOCK_MS = 300;
/** A garbage collection may fall into a round, so one of these must stay below the limit. */
const MAX_ROUNDS = 4;

const keys = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
const MANY_KEYS = keys(400_000);
const upstreamBodies: Record<string, string> = { '/deep': '['.repeat(20_000_000), '/keys': keys(2_000_000) };
const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));

const upstream = createServer({ maxHeaderSize: 1 << 20 }, (request, response) => {
  const { url = '' } = request;
  if (url === '/headers')
    response.writeHead(
      200,
      Array.from({ length: 10_000 }, (_, i) => [`x-${i}`, 'v']),
    );
  else if (url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' });
  else response.setHeader('content-type', 'application/json');
  response.end(url === '/bomb' ? bomb : upstreamBodies[url]);
});

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  weft = await spawnService({ dataDir: folder.path, nodeArgs: eventLoopProbe });
  api = await weft.login();
  const body = { name: 'open', status: 'active', definition: createEchoWorkflow('open') };
  expect((await api('POST', '/workflows', { body })).status).toBe(201);
});
afterAll(async () => {
  await weft?.stop();
  upstream.close();
  folder.remove();
});

async function saveWith(node: object): Promise<string> {
  const definition = {
    nodes: [manual, { id: 'n', ...node }],
    connections: [{ from: manual.id, to: 'n' }],
  };
  const saved = await api('POST', '/workflows', { body: { name: 'w', definition } });
  expect(saved.status, saved.text).toBe(201);
  return (saved.body as { id: string }).id;
}

async function execute(id: string): Promise<void> {
  const reply = await api('POST', `/workflows/${id}/execute`, { body: { wait: '50s' } });
  expect(reply.status, reply.text.slice(0, 500)).toBe(201);
  expect((reply.body as { status: string }).status).toMatch(/completed|failed/);
}

async function expectResponsive(
  what: string,
  limitMs: number,
  run: () => Promise<unknown>,
  maxRounds = MAX_ROUNDS,
): Promise<void> {
  const rounds: EventLoopBlock[] = [];
  do {
    await readEventLoopBlock(weft);
    await run();
    rounds.push(await readEventLoopBlock(weft));
  } while (!isBelow(limitMs, rounds.at(-1)!) && rounds.length < maxRounds);
  console.log(`blocked by ${what}, and the baseline, ms: ${JSON.stringify(rounds.map(Object.values))}`);
  expect(isBelow(limitMs, rounds.at(-1)!), JSON.stringify(rounds)).toBe(true);
}

test('the first call of code', async () => {
  const id = await saveWith({
    type: 'code',
    config: { language: 'javascript', source: 'export default (input) => input' },
  });
  // Only the first call of a process starts a sandbox.
  await expectResponsive('the first call of code', MAX_BLOCK_MS, () => execute(id), 1);
});

test.each([
  ['400,000 keys for a login', '/auth/login', MANY_KEYS, MAX_BLOCK_MS],
  ['400,000 keys for an unknown resume URL', '/resume/x', MANY_KEYS, MAX_BLOCK_MS],
  ['1,250,000 keys for a webhook', '/webhooks/open', keys(1_250_000), MAX_SCAN_BLOCK_MS],
  ['16 million levels for a webhook', '/webhooks/open', '['.repeat(16_000_000), MAX_SCAN_BLOCK_MS],
])('%s', async (what, path, raw, limitMs) => {
  await expectResponsive(what, limitMs, () =>
    weft.call('POST', path, { raw, headers: { 'content-type': 'application/json' } }),
  );
});

test.each([
  ['a response of 20 million levels', '/deep', MAX_SCAN_BLOCK_MS],
  ['a response of 2 million keys', '/keys', MAX_SCAN_BLOCK_MS],
  ['a response of 10,000 headers', '/headers', MAX_BLOCK_MS],
  ['a response of 200 MiB in gzip', '/bomb', MAX_BLOCK_MS],
])('%s', async (what, path, limitMs) => {
  const { port } = upstream.address() as AddressInfo;
  const id = await saveWith({ type: 'http_request', config: { url: `http://127.0.0.1:${port}${path}` } });
  await expectResponsive(what, limitMs, () => execute(id));
});
