import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { manual } from '../api/definitions.ts';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';

/* Files and large values while the process is killed repeatedly: the received bytes equal the sent bytes. */
const KILLS = 6;
/** Executions that are started before each kill. */
const MIN_STARTS_PER_KILL = 2;
const FILE_BYTES = 600_000;

const folder = createTempFolder();
let service: SpawnedService | null = null;
let upstream: Server | null = null;

afterEach(async () => {
  await service?.kill9();
  upstream?.closeAllConnections();
  upstream?.close();
  folder.remove();
});

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
/** The same bytes for the same number. */
const createContent = (n: number): Buffer => Buffer.alloc(FILE_BYTES, hash(Buffer.from(String(n))), 'hex');

test(`killed ${KILLS} times while files and large values are transferred: each arrives completely`, async () => {
  const seed = chooseSeed('CRASH_SEED');
  console.log(`files: CRASH_SEED=${seed}`);
  const random = createSeededRandom(seed);
  /** Contents received per path. */
  const arrived = new Map<string, Set<string>>();
  upstream = createServer((request, response) => {
    const [, kind, n] = (request.url ?? '').split('/');
    if (request.method === 'GET' && kind === 'file') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      return void response.end(createContent(Number(n)));
    }
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ text: createContent(Number(n)).toString('base64') }));
    }
    buffer(request).then(
      (body) => {
        const path = request.url ?? '';
        arrived.set(path, (arrived.get(path) ?? new Set()).add(hash(body)));
        response.end('{}');
      },
      // Interrupted by a kill: the call is repeated.
      () => {},
    );
  });
  await new Promise<void>((resolve) => upstream!.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const start = async (): Promise<Call> => {
    service = await spawnService({ dataDir: folder.path });
    return service.login();
  };
  let call = await start();
  const save = async (kind: string, send: object): Promise<string> => {
    const nodes = [
      manual,
      { id: 'get', type: 'http_request', config: { method: 'GET', url: `${url}/${kind}/{{ trigger.n }}` } },
      { id: 'rest', type: 'delay', config: { duration: '100ms' } },
      {
        id: 'send',
        type: 'http_request',
        config: { method: 'POST', url: `${url}/${kind}/{{ trigger.n }}`, ...send },
      },
    ];
    const connections = nodes.slice(1).map((node, i) => ({ from: nodes[i]!.id, to: node.id }));
    const saved = await call('POST', '/workflows', {
      body: { name: kind, definition: { nodes, connections } },
    });
    expect(saved.status, saved.text).toBe(201);
    return (saved.body as { id: string }).id;
  };
  const workflows = [
    await save('file', { body: '{{ nodes.get.body }}', body_type: 'binary' }),
    await save('value', { body: '{{ nodes.get.body.text }}', body_type: 'text' }),
  ];
  const started: { id: string; path: string }[] = [];
  let n = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    let dies: Promise<void> | null = null;
    let isAlive = true;
    const before = started.length;
    while (isAlive) {
      // A slow machine needs longer for the first executions.
      if (dies === null && started.length - before >= MIN_STARTS_PER_KILL)
        dies = sleep(random.next() * 1_000)
          .then(() => service!.kill9())
          .then(() => void (isAlive = false));
      const own = n++;
      const kind = own % 2;
      const reply = await call('POST', `/workflows/${workflows[kind]}/execute`, {
        body: { input: { n: own } },
      }).catch(() => null);
      if (reply?.status !== 201) continue;
      const { id } = reply.body as { id: string };
      started.push({ id, path: `/${kind === 0 ? 'file' : 'value'}/${own}` });
    }
    await dies;
    call = await start();
  }
  expect(started.length).toBeGreaterThanOrEqual(KILLS * MIN_STARTS_PER_KILL);
  type Shown = {
    id: string;
    status: string;
    error: unknown;
    nodes: { node_id: string; output: { body: { $file?: { id: string } } } }[];
  };
  const wrong: string[] = [];
  for (const { id, path } of started) {
    const shown = await waitUntil(
      async () => (await call('GET', `/executions/${id}`)).body as Shown,
      ({ status }) => ['completed', 'failed', 'stopped'].includes(status),
      60_000,
    );
    const content = createContent(Number(path.split('/')[2]));
    const isFile = path.startsWith('/file');
    const sent = isFile ? content : Buffer.from(content.toString('base64'));
    if (shown.status !== 'completed') wrong.push(`${path}: ${shown.status} ${JSON.stringify(shown.error)}`);
    if ([...(arrived.get(path) ?? [])].join() !== hash(sent)) wrong.push(`${path}: other bytes arrived`);
    if (!isFile) continue;
    const file = shown.nodes.find((node) => node.node_id === 'get')?.output.body.$file?.id;
    const download = await call('GET', `/files/${file}`, { headers: { range: `bytes=0-63` } });
    if (download.status !== 206) wrong.push(`${path}: its file is answered with ${download.status}`);
  }
  expect(wrong).toEqual([]);
  console.log(`files: ${started.length} executions over ${KILLS} kills, each arrived completely`);
});
