import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manual } from '../../api/definitions.ts';
import { mysqlProgram, startMysql, type MysqlServer } from '../../support/servers/mysql-server.ts';
import { redisProgram, startRedis, type RedisServer } from '../../support/servers/redis-server.ts';
import { s3Keys, startS3, type S3Server } from '../../support/servers/s3/s3-server.ts';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../../support/service.ts';

/* The mysql, redis and s3 nodes, on the built service. */

const MB = 1024 * 1024;
/** `LARGE_FILE_MB=200 npm test -- test/nodes/servers/server-nodes.test.ts` measures a larger file. */
const LARGE_FILE = Number(process.env['LARGE_FILE_MB'] ?? 30) * MB;
/** Growth of the process in bytes: buffers of the connections, and memory that is not collected yet. */
const MAX_GROWTH_BYTES = 120 * MB;

const folder = createTempFolder();
let weft: SpawnedService;
let call: Call;
let s3: S3Server;
let mysql: MysqlServer | null = null;
let redis: RedisServer | null = null;
let files: Server;

beforeAll(async () => {
  files = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    void sendBytes(response, Number(request.url!.slice(1)));
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  s3 = await startS3();
  if (mysqlProgram !== null) mysql = await startMysql(mysqlProgram);
  if (redisProgram !== null) redis = await startRedis();
  weft = await spawnService({ dataDir: folder.path });
  call = await weft.login();
  for (const [name, value] of [
    ['S3', JSON.stringify(s3Keys)],
    ['MYSQL', mysql?.url ?? 'missing'],
    ['REDIS', redis?.url ?? 'missing'],
  ] as const)
    expect((await call('PUT', `/secrets/${name}`, { body: { value } })).status).toBe(200);
});
afterAll(async () => {
  await weft?.stop();
  await Promise.all([s3?.close(), mysql?.close(), redis?.remove()]);
  files.closeAllConnections();
  files.close();
  folder.remove();
});

async function sendBytes(response: ServerResponse, size: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, 'weft');
  for (let sent = 0; sent < size; sent += piece.length)
    if (!response.write(piece.subarray(0, size - sent)))
      await new Promise((resolve) => response.once('drain', resolve));
  response.end();
}

type Ended = { status: string; output: unknown; error: { type: string; message: string } | null };

/** Runs nodes one after the other. */
async function run(
  nodes: { id: string; type: string; config: object }[],
  input: object = {},
): Promise<Ended> {
  const ids = ['start', ...nodes.map(({ id }) => id)];
  const connections = ids.slice(1).map((to, i) => ({ from: ids[i], to }));
  const made = await call('POST', '/workflows', {
    body: { name: 'servers', definition: { nodes: [manual, ...nodes], connections } },
  });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const ran = await call('POST', `/workflows/${id}/execute`, { body: { input, wait: '60s' } });
  return ran.body as Ended;
}
const node = (id: string, type: string, config: object) => ({ id, type, config });
const object = (operation: string, more: object) => ({
  operation,
  credentials: '{{ secrets.S3 }}',
  bucket: 'reports',
  endpoint: s3.url,
  ...more,
});

/** Bytes; `VmHWM` is the peak since it was last set back. */
function memory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${weft.child.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) * 1024;
}

test('a large file goes to a bucket and back without ever being held', async () => {
  const { port } = files.address() as AddressInfo;
  const transfer = (size: number) =>
    run([
      node('load', 'http_request', { url: `http://127.0.0.1:${port}/${size}`, responseType: 'file' }),
      node('put', 's3', object('put', { key: 'large.bin', content: '{{ nodes.load.body }}' })),
      node('get', 's3', object('get', { key: 'large.bin' })),
    ]);
  // Code that the first run loads is not part of the file's memory.
  await transfer(MB);
  const before = memory('VmRSS');
  writeFileSync(`/proc/${weft.child.pid}/clear_refs`, '5');
  const began = performance.now();
  const ended = await transfer(LARGE_FILE);
  const grown = memory('VmHWM') - before;
  if (LARGE_FILE > 100 * MB)
    writeFileSync(
      2,
      `${LARGE_FILE / MB} MB: +${Math.round(grown / MB)} MB on ${Math.round(before / MB)}, ${Math.round(performance.now() - began)} ms\n`,
    );
  expect(ended).toMatchObject({
    status: 'completed',
    output: { file: { $file: { name: 'large.bin', size: LARGE_FILE } } },
  });
  expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
});

test('a presigned URL is shown whole, and the key of the secret is not', async () => {
  const ended = await run([
    node('put', 's3', object('put', { key: 'a.txt', content: 'shared' })),
    node('link', 's3', object('presign', { key: 'a.txt' })),
  ]);
  const { url } = ended.output as { url: string };
  expect(url).toContain(s3Keys.access_key_id);
  expect(await (await fetch(url)).text()).toBe('shared');
  expect(JSON.stringify(ended)).not.toContain(s3Keys.secret_access_key);
});

test.skipIf(mysqlProgram === null)(
  'rows are written and read, and an error names what is wrong',
  async () => {
    const sql = (query: string, parameters: unknown[] = []) => ({
      operation: 'query',
      credentials: '{{ secrets.MYSQL }}',
      query,
      parameters,
    });
    const ended = await run(
      [
        node('create', 'mysql', sql('CREATE TABLE orders (id varchar(20) PRIMARY KEY, total decimal(9,2))')),
        node('write', 'mysql', {
          operation: 'upsert',
          credentials: '{{ secrets.MYSQL }}',
          table: 'orders',
          values: '{{ trigger.orders }}',
          conflict: ['id'],
        }),
        node('read', 'mysql', sql('SELECT id, total FROM orders WHERE total > ?', ['{{ trigger.least }}'])),
      ],
      {
        orders: [
          { id: 'o-1', total: 5 },
          { id: 'o-2', total: 99.5 },
        ],
        least: 50,
      },
    );
    expect(ended).toMatchObject({ status: 'completed', output: { rows: [{ id: 'o-2', total: '99.50' }] } });
    expect(await run([node('wrong', 'mysql', sql('SELEC 1'))])).toMatchObject({
      status: 'failed',
      error: { type: 'client_error', message: expect.stringContaining('ER_PARSE_ERROR') as string },
    });
  },
);

test.skipIf(redisProgram === null)('values are set and read', async () => {
  const config = (operation: string, more: object) => ({
    operation,
    credentials: '{{ secrets.REDIS }}',
    ...more,
  });
  const ended = await run(
    [
      node('set', 'redis', config('hash_set', { key: 'user:{{ trigger.id }}', values: { name: 'Ada' } })),
      node('get', 'redis', config('hash_get', { key: 'user:{{ trigger.id }}' })),
    ],
    { id: 17 },
  );
  expect(ended).toMatchObject({ status: 'completed', output: { value: { name: 'Ada' } } });
});
