import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canScale, startCluster, type Cluster } from '../cluster/cluster.ts';
import { startS3, type S3Server } from '../support/servers/s3/s3-server.ts';
import { waitUntil } from '../support/service.ts';
import {
  createBucketEnv,
  createContent,
  execute,
  findFile,
  listFiles,
  MIB,
  saveTransfer,
  waitForEnd,
  startFileServer,
  computeHash,
  type FileServer,
} from '../support/files/bucket-service.ts';

describe.skipIf(!canScale)('several processes', () => {
  let s3: S3Server;
  let upstream: FileServer;
  let cluster: Cluster;
  beforeAll(async () => {
    [s3, upstream] = await Promise.all([startS3(), startFileServer()]);
    cluster = await startCluster(createBucketEnv(s3, 'shared'));
  });
  afterAll(async () => {
    await cluster?.close();
    upstream?.close();
    await s3?.close();
  });

  test('share files: one process stores them, another one serves them, and one replaces a killed one', async () => {
    const [api, worker] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
    const call = await cluster.login(api);
    const workflow = await saveTransfer(call, upstream.url);
    const size = 6 * MIB;
    const slow = await execute(call, workflow, `/${size}/one?slow`);
    await waitUntil(async () => [...s3.uploads.values()].some(({ parts }) => parts.size > 0), Boolean);
    await worker.kill9();
    await cluster.start('worker');
    const shown = await waitForEnd(call, slow);
    expect(shown.status, JSON.stringify(shown)).toBe('completed');
    expect(upstream.received.get(`/${size}/one`)).toBe(computeHash(createContent(`/${size}/one`, size)));
    expect(listFiles(s3, 'shared')).toHaveLength(1);
    const file = await call('GET', `/files/${findFile(shown)}`, { headers: { range: 'bytes=0-9' } });
    expect([file.status, file.headers.get('content-range')]).toEqual([206, `bytes 0-9/${size}`]);
    expect((await call('GET', '/health')).body).toMatchObject({ checks: { files: { status: 'ok' } } });
  }, 120_000);
});
