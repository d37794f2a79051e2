import { describe, expect, test } from 'vitest';
import { hasRadosgw, startRadosgw } from '../support/servers/s3/radosgw-server.ts';
import { waitUntil, type Call } from '../support/service.ts';
import {
  createContent,
  EARLY_RETENTION_MODULE,
  execute,
  findFile,
  MIB,
  saveTransfer,
  waitForEnd,
  computeHash,
  useBucketService,
} from '../support/files/bucket-service.ts';

/* Files of executions in a bucket of an S3 server that others maintain: radosgw of Ceph. */

const reason = hasRadosgw ? '' : ' (skipped: radosgw, ceph-mon and ceph-osd are not installed)';

describe.skipIf(!hasRadosgw)(
  `on a real server${reason}`,
  () => {
    const bucket = useBucketService(startRadosgw);
    const start = (nodeArgs: string[] = []): Promise<Call> => bucket.start(undefined, nodeArgs);
    async function find(query: string, element: string): Promise<string[]> {
      const text = await (
        await bucket.s3.request('GET', `weft?${query}&prefix=${bucket.prefix}/files/`)
      ).text();
      return [...text.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'g'))].map(([, one = '']) => one);
    }
    const files = (): Promise<string[]> => find('list-type=2', 'Key');
    const uploads = (): Promise<string[]> => find('uploads', 'UploadId');

    test('small and large files are stored, served in ranges and deleted', async () => {
      const call = await start();
      const [kept, deleted] = [
        await saveTransfer(call, bucket.upstream.url),
        await saveTransfer(call, bucket.upstream.url, { retention: '1s' }),
      ];
      const paths = [`/${17}/small`, `/${5 * MIB}/part`, `/${12 * MIB + 5}/large`];
      for (const where of paths) {
        const shown = await waitForEnd(call, await execute(call, kept, where));
        expect(shown.status, JSON.stringify(shown.error)).toBe('completed');
        const content = createContent(where, Number(where.split('/')[1]));
        expect(bucket.upstream.received.get(where)).toBe(computeHash(content));
        const last = content.length - 1;
        const range = await call('GET', `/files/${findFile(shown)}`, {
          headers: { range: `bytes=${last - 9}-${last}` },
        });
        expect([range.status, range.text]).toEqual([206, content.subarray(-10).toString()]);
      }
      const before = await files();
      expect(before).toHaveLength(paths.length);
      await waitForEnd(call, await execute(call, deleted, '/300000/deleted'));
      expect(await files()).toHaveLength(paths.length + 1);
      await bucket.service.stop();
      await start(['--import', EARLY_RETENTION_MODULE]);
      expect(await waitUntil(files, ({ length }) => length === paths.length)).toEqual(before);
      expect(await uploads()).toEqual([]);
    });

    test('killed during uploads: every execution completes with its bytes', async () => {
      let call = await start();
      const workflow = await saveTransfer(call, bucket.upstream.url);
      const size = 12 * MIB;
      const executions = new Map<string, string>();
      for (let kill = 0; kill < 2; kill++) {
        for (let i = 0; i < 2; i++) {
          const where = `/${size}/${kill}-${i}`;
          executions.set(await execute(call, workflow, `${where}?slow`), where);
        }
        await waitUntil(uploads, ({ length }) => length > kill);
        await bucket.service.kill9();
        call = await start();
      }
      const stored = new Set<string>();
      for (const [id, where] of executions) {
        const shown = await waitForEnd(call, id);
        expect(shown.status, JSON.stringify(shown)).toBe('completed');
        expect(bucket.upstream.received.get(where)).toBe(computeHash(createContent(where, size)));
        stored.add(findFile(shown));
      }
      expect(stored.size).toBe(executions.size);
      // What the kills left is listed, for the sweep.
      expect((await uploads()).length).toBeGreaterThan(0);
    });

    test('the server dies during an upload and returns: the upload continues', async () => {
      const call = await start();
      const workflow = await saveTransfer(call, bucket.upstream.url);
      const where = `/${20 * MIB}/outage`;
      const id = await execute(call, workflow, `${where}?slow`);
      await waitUntil(uploads, ({ length }) => length > 0);
      await bucket.s3.kill();
      const health = async () =>
        (await call('GET', '/health')).body as { checks: { files: { status: string } } };
      await waitUntil(health, ({ checks }) => checks.files.status === 'failed');
      await bucket.s3.start();
      const shown = await waitForEnd(call, id);
      expect(shown.status, JSON.stringify(shown.error)).toBe('completed');
      expect(bucket.upstream.received.get(where)).toBe(computeHash(createContent(where, 20 * MIB)));
      expect(await uploads()).toEqual([]);
      await waitUntil(health, ({ checks }) => checks.files.status === 'ok');
    });
  },
  120_000,
);
