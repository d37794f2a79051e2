import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { startS3, type Failure } from '../support/servers/s3/s3-server.ts';
import { runWeft, waitUntil, type SpawnedService } from '../support/service.ts';
import {
  createBucketEnv,
  createContent,
  EARLY_RETENTION_MODULE,
  execute,
  findFile,
  listFiles,
  MIB,
  saveTransfer,
  waitForEnd,
  computeHash,
  useBucketService,
} from '../support/files/bucket-service.ts';

/* Files of executions in a bucket, on the built service. */

const bucket = useBucketService(startS3);
const { start } = bucket;

afterEach(() => {
  bucket.s3.failures = [];
});

/** The keys of the objects to which rows refer. */
function readFileNames(folder: string): string[] {
  const database = new Database(path.join(folder, 'weft.db'), { readonly: true });
  const rows = database.prepare<[], { hash: string }>('SELECT hash FROM files').all();
  database.close();
  return rows.map(({ hash }) => `${bucket.prefix}/files/${hash.replace(/^s3-/, '')}`).toSorted();
}
const refusal = (env: Record<string, string>): Promise<string> =>
  start(env).then(
    () => 'it started',
    (error: Error) => error.message,
  );

test('a file goes through the bucket, survives kill -9, and the setting cannot be lost', async () => {
  let call = await start();
  const workflow = await saveTransfer(call, bucket.upstream.url);
  const where = `/${12 * MIB + 5}/one`;
  const shown = await waitForEnd(call, await execute(call, workflow, where));
  expect(shown.status, JSON.stringify(shown.error)).toBe('completed');
  const content = createContent(where, 12 * MIB + 5);
  expect(bucket.upstream.received.get(where)).toBe(computeHash(content));
  expect(listFiles(bucket.s3, bucket.prefix)).toHaveLength(1);
  await bucket.service.kill9();
  call = await start();
  const id = findFile(shown);
  const range = await fetch(`${bucket.service.url}/files/${id}`, {
    headers: { authorization: `Bearer ${await token(bucket.service)}`, range: 'bytes=6000000-8000000' },
  });
  expect(range.status).toBe(206);
  expect(computeHash(new Uint8Array(await range.arrayBuffer()))).toBe(
    computeHash(content.subarray(6_000_000, 8_000_001)),
  );
  await bucket.service.stop();

  expect(await refusal({})).toContain('refers to files in a bucket, but WEFT_FILES_URL is not set');
  expect(await refusal(createBucketEnv(bucket.s3, 'empty'))).toContain('weft.json is missing');
  const copy = path.join(bucket.folder, '..', `${path.basename(bucket.folder)}-copy`);
  const backup = await runWeft(['backup', copy], { WEFT_DATA_DIR: bucket.folder });
  expect(backup.stdout + backup.stderr).toContain('1 files are in the bucket of WEFT_FILES_URL');
  const restored = await runWeft(['restore', copy], { WEFT_DATA_DIR: path.join(copy, 'data') });
  expect(restored.stdout + restored.stderr).toContain('1 more files are in a bucket');
}, 120_000);

async function token(one: SpawnedService): Promise<string> {
  const reply = await one.call('POST', '/auth/login', {
    body: { email: 'admin@example.com', password: 'correct horse battery staple' },
  });
  return (reply.body as { token: string }).token;
}

test('files that were stored before stay readable', async () => {
  let call = await start({});
  const workflow = await saveTransfer(call, bucket.upstream.url);
  const before = await waitForEnd(call, await execute(call, workflow, '/300000/before'));
  await bucket.service.stop();
  call = await start();
  const after = await waitForEnd(call, await execute(call, workflow, '/300000/after'));
  expect(listFiles(bucket.s3, bucket.prefix)).toHaveLength(1);
  for (const [shown, where] of [
    [before, '/300000/before'],
    [after, '/300000/after'],
  ] as const) {
    const read = await call('GET', `/files/${findFile(shown)}`, { headers: { range: 'bytes=0-99' } });
    expect(read.status).toBe(206);
    expect(read.headers.get('content-range')).toBe('bytes 0-99/300000');
    expect(bucket.upstream.received.get(where)).toBe(computeHash(createContent(where, 300_000)));
  }
}, 60_000);

test('killed during uploads: every execution completes with its bytes, and nothing else remains', async () => {
  let call = await start();
  const workflow = await saveTransfer(call, bucket.upstream.url);
  const executions = new Map<string, string>();
  const size = 8 * MIB;
  for (let kill = 0; kill < 3; kill++) {
    const leftover = new Set(bucket.s3.uploads.keys());
    const uploads = () => [...bucket.s3.uploads].filter(([id]) => !leftover.has(id));
    for (let i = 0; i < 2; i++) {
      const where = `/${size}/${kill}-${i}`;
      executions.set(await execute(call, workflow, `${where}?slow`), where);
    }
    // In the middle of an upload, between two parts, or before the row is written.
    const isThere = [
      () => uploads().length > 0,
      () => uploads().some(([, { parts }]) => parts.size > 0),
      () => listFiles(bucket.s3, bucket.prefix).length > kill * 2,
    ][kill % 3]!;
    await waitUntil(async () => isThere(), Boolean);
    await bucket.service.kill9();
    call = await start();
  }
  const files: string[] = [];
  for (const [id, where] of executions) {
    const shown = await waitForEnd(call, id);
    expect(shown.status, JSON.stringify(shown)).toBe('completed');
    expect(bucket.upstream.received.get(where)).toBe(computeHash(createContent(where, size)));
    files.push(findFile(shown));
  }
  // Leftovers of the kills.
  const before = listFiles(bucket.s3, bucket.prefix).length + bucket.s3.uploads.size;
  expect(before).toBeGreaterThan(executions.size);
  await bucket.service.stop();
  bucket.s3.age(25 * 3_600_000);
  call = await start(createBucketEnv(bucket.s3, bucket.prefix), ['--import', EARLY_RETENTION_MODULE]);
  // A kill between the row of a file and the end of its node leaves a file that belongs to the execution.
  const names = readFileNames(bucket.folder);
  expect(names.length).toBeGreaterThanOrEqual(executions.size);
  await waitUntil(
    async () => ({ objects: listFiles(bucket.s3, bucket.prefix), uploads: bucket.s3.uploads.size }),
    ({ objects, uploads }) => objects.length === names.length && uploads === 0,
  );
  expect(listFiles(bucket.s3, bucket.prefix).toSorted()).toEqual(names);
  for (const id of files)
    expect((await call('GET', `/files/${id}`, { headers: { range: 'bytes=0-0' } })).status).toBe(206);
}, 240_000);

test('retention deletes the object with its row; after a failure and a crash, the next start does', async () => {
  let call = await start();
  const workflow = await saveTransfer(call, bucket.upstream.url, { retention: '1s' });
  const keeping = await saveTransfer(call, bucket.upstream.url);
  await waitForEnd(call, await execute(call, keeping, '/300000/kept'));
  const [kept] = listFiles(bucket.s3, bucket.prefix);
  await waitForEnd(call, await execute(call, workflow, '/300000/first'));
  expect(listFiles(bucket.s3, bucket.prefix)).toHaveLength(2);
  await bucket.service.stop();
  call = await start(createBucketEnv(bucket.s3, bucket.prefix), ['--import', EARLY_RETENTION_MODULE]);
  await waitUntil(
    async () => listFiles(bucket.s3, bucket.prefix),
    ({ length }) => length === 1,
  );
  expect(listFiles(bucket.s3, bucket.prefix)).toEqual([kept]);

  const refused: Failure = {
    when: ({ method, target }) => method === 'DELETE' && target.includes('/files/'),
    outcome: 'cut',
  };
  // Without the early retention, which also shortens other timers.
  await bucket.service.stop();
  call = await start();
  const second = await execute(call, workflow, '/300000/second');
  expect((await waitForEnd(call, second)).status).toBe('completed');
  expect(listFiles(bucket.s3, bucket.prefix)).toHaveLength(2);
  await bucket.service.stop();
  bucket.s3.failures = [refused];
  call = await start(createBucketEnv(bucket.s3, bucket.prefix), ['--import', EARLY_RETENTION_MODULE]);
  await waitUntil(
    async () => (await call('GET', `/executions/${second}`)).status,
    (status) => status === 404,
  );
  expect(listFiles(bucket.s3, bucket.prefix)).toHaveLength(2);
  await bucket.service.kill9();
  bucket.s3.failures = [];
  bucket.s3.age(25 * 3_600_000);
  await start(createBucketEnv(bucket.s3, bucket.prefix), ['--import', EARLY_RETENTION_MODULE]);
  await waitUntil(
    async () => listFiles(bucket.s3, bucket.prefix),
    ({ length }) => length === 1,
  );
  expect(listFiles(bucket.s3, bucket.prefix)).toEqual([kept]);
}, 120_000);

test('an outage fails nodes with files in bounded time, and nothing else', async () => {
  const call = await start();
  const workflow = await saveTransfer(call, bucket.upstream.url);
  const stored = await waitForEnd(call, await execute(call, workflow, '/300000/stored'));
  const health = async () =>
    (await call('GET', '/health')).body as { status: string; checks: Record<string, { status: string }> };
  expect(await health()).toMatchObject({ status: 'ok', checks: { files: { status: 'ok' } } });
  await bucket.s3.pause();
  try {
    const began = performance.now();
    const failed = await waitForEnd(call, await execute(call, workflow, '/300000/failed.bin'));
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(failed.status).toBe('failed');
    expect(failed.error).toMatchObject({
      node_id: 'get',
      type: 'network',
      message:
        'The file failed.bin could not be stored: the file storage is not available: the connection to it failed',
    });
    const download = await call('GET', `/files/${findFile(stored)}`);
    expect([download.status, (download.body as { error: { code: string } }).error.code]).toEqual([
      500,
      'STORAGE_UNAVAILABLE',
    ]);
    await waitUntil(health, ({ checks }) => checks['files']?.status === 'failed');
    expect((await health()).status).toBe('degraded');
    expect((await call('GET', '/health/ready')).status).toBe(200);
    expect(bucket.service.logs()).toMatch(/file storage s3:\/\/weft\/p\d+\/: \w+ .* failed: 127.0.0.1/);
  } finally {
    await bucket.s3.resume();
  }
  const again = await waitForEnd(call, await execute(call, workflow, '/300000/again'));
  expect(again.status, JSON.stringify(again.error)).toBe('completed');
  await waitUntil(health, ({ checks }) => checks['files']?.status === 'ok');
}, 180_000);

test('the start refuses what cannot work, and names it', async () => {
  const good = createBucketEnv(bucket.s3, bucket.prefix);
  expect(await refusal({ ...good, WEFT_FILES_URL: 'https://weft/files' })).toContain(
    'WEFT_FILES_URL is "https://weft/files"; it must be s3://bucket/prefix',
  );
  expect(await refusal({ ...good, AWS_SECRET_ACCESS_KEY: '' })).toContain(
    'AWS_SECRET_ACCESS_KEY is not set, but WEFT_FILES_URL is',
  );
  expect(await refusal({ ...good, AWS_SECRET_ACCESS_KEY: 'wrong' })).toContain('SignatureDoesNotMatch');
  expect(await refusal(createBucketEnv(bucket.s3, bucket.prefix, 'missing'))).toContain(
    'the bucket missing does not exist',
  );
  expect(await refusal({ ...good, WEFT_FILES_URL: 's3://weft?endpoint=http://127.0.0.1:1' })).toContain(
    '127.0.0.1:1 refused the connection',
  );
}, 120_000);
