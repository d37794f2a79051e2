import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FileReference } from '../../../src/contract/byte-source.ts';
import type { Outcome } from '../../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { s3 } from '../../../src/nodes/connectors/servers/s3.node.ts';
import { openDiskFiles, type DiskFiles } from '../../../src/store/files.ts';
import { closeRunners, createAttempt, makeRunner, settleAttempt } from '../../support/node-runner.ts';
import { hasRadosgw, startRadosgw, type Radosgw } from '../../support/servers/s3/radosgw-server.ts';
import { s3Keys } from '../../support/servers/s3/s3-server.ts';

/* The s3 node and an S3 server that others maintain: radosgw of Ceph. */

const MIB = 1024 ** 2;
const reason = hasRadosgw ? '' : ' (skipped: radosgw, ceph-mon and ceph-osd are not installed)';
const hash = (kind: 'md5' | 'sha256', bytes: Uint8Array): string =>
  createHash(kind).update(bytes).digest('hex');

describe.skipIf(!hasRadosgw)(
  `on a real server${reason}`,
  () => {
    let server: Radosgw;
    let folder: string;
    let files: DiskFiles;
    let made: ReturnType<typeof makeRunner>;

    beforeAll(async () => {
      server = await startRadosgw();
    });
    afterAll(() => server?.close());
    beforeEach(async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'weft-s3-files-'));
      files = await openDiskFiles(folder, Date.now);
      use(s3Keys);
    });
    afterEach(async () => {
      await closeRunners();
      rmSync(folder, { recursive: true });
    });

    function use(keys: object): void {
      const secrets = { S3: { value: JSON.stringify(keys), hosts: null } };
      made = makeRunner({ files, allowedHosts: '127.0.0.1', maxFileSize: 100 * MIB, secrets });
    }
    function run(config: JsonObject, input: Json = {}): Promise<Outcome> {
      const at = { credentials: '{{ secrets.S3 }}', bucket: 'reports', endpoint: server.url };
      return settleAttempt(made.runner.run(createAttempt(s3, { ...at, ...config }, { input })));
    }
    async function result(config: JsonObject, input: Json = {}): Promise<JsonObject> {
      const outcome = await run(config, input);
      if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
      return outcome.outputs['out'] as JsonObject;
    }
    async function failure(config: JsonObject, input: Json = {}): Promise<unknown> {
      const outcome = await run(config, input);
      if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
      return outcome.error;
    }
    async function store(bytes: Buffer): Promise<FileReference> {
      const about = { id: 'stored', name: 'a.bin', contentType: 'application/zip', size: bytes.length };
      const row = {
        ...about,
        ownerId: 'usr_1',
        executionId: 'ex_1',
        hash: await files.put(bytes),
        createdAt: 0,
      };
      made.rows.set(about.id, row);
      return { $file: { id: about.id, name: about.name, content_type: about.contentType, size: about.size } };
    }
    const read = async (file: Json | undefined): Promise<Uint8Array> =>
      (await files.get(made.rows.get((file as FileReference).$file.id)!.hash))!;

    test.each(['a.txt', "orders/2026/ü +&?#%'()!*~;:=@, invoice.pdf", '//two//slashes/', '📦/%2F'])(
      'an object is stored, listed, read, copied and deleted: %s',
      async (key) => {
        const bytes = randomBytes(1_000_003);
        const put = { operation: 'put', key: '{{ input.key }}', content: '{{ input.file }}' };
        const metadata = { order: '17', title: 'a  b' };
        const stored = await result({ ...put, metadata }, { key, file: await store(bytes) });
        expect(stored).toEqual({ key, size: bytes.length, etag: hash('md5', bytes), version_id: null });
        expect((await result({ operation: 'list' }))['objects']).toEqual([
          {
            key,
            size: bytes.length,
            last_modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
            etag: hash('md5', bytes),
            storage_class: 'STANDARD',
          },
        ]);
        const copy = { operation: 'copy', source_key: '{{ input.key }}', key: 'copy' };
        expect(await result(copy, { key })).toMatchObject({ key: 'copy', etag: hash('md5', bytes) });
        for (const one of [key, 'copy']) {
          const got = await result({ operation: 'get', key: '{{ input.one }}' }, { one });
          expect(got).toMatchObject({ etag: hash('md5', bytes), metadata: { order: '17' } });
          expect(got['file']).toMatchObject({
            $file: { content_type: 'application/zip', size: bytes.length },
          });
          expect(hash('md5', await read(got['file']))).toBe(hash('md5', bytes));
          await result({ operation: 'delete', key: '{{ input.one }}' }, { one });
        }
        expect((await result({ operation: 'list' }))['objects']).toEqual([]);
      },
    );

    test('a list has pages, a maximum, a delimiter and a start', async () => {
      const keys = Array.from({ length: 1_203 }, (_, i) => `list/${i % 3}/${String(i).padStart(4, '0')} +`);
      for (let i = 0; i < keys.length; i += 50)
        await Promise.all(
          keys.slice(i, i + 50).map((key) => server.request('PUT', `reports/${encodeURIComponent(key)}`)),
        );
      const list = async (more: JsonObject) => {
        const page = await result({ operation: 'list', prefix: 'list/', ...more });
        const found = (page['objects'] as { key: string }[]).map(({ key }) => key);
        return { keys: found, prefixes: page['prefixes'], is_truncated: page['is_truncated'] };
      };
      expect(await list({ max_objects: 5_000 })).toEqual({
        keys: keys.toSorted(),
        prefixes: [],
        is_truncated: false,
      });
      const some = await list({ max_objects: 1_001 });
      expect([some.keys, some.is_truncated]).toEqual([keys.toSorted().slice(0, 1_001), true]);
      expect(await list({ delimiter: '/' })).toEqual({
        keys: [],
        prefixes: ['list/0/', 'list/1/', 'list/2/'],
        is_truncated: false,
      });
      expect((await list({ start_after: keys.toSorted()[1_200]! })).keys).toEqual(
        keys.toSorted().slice(1_201),
      );
    });

    test('a large file is stored in parts', async () => {
      const bytes = randomBytes(40 * MIB + 3);
      const put = { operation: 'put', key: 'big', content: '{{ input }}', metadata: { order: '17' } };
      // This version of radosgw completes an upload without its ETag.
      expect(await result(put, await store(bytes))).toMatchObject({ size: bytes.length, etag: null });
      const got = await result({ operation: 'get', key: 'big' });
      const etag: unknown = expect.stringMatching(/^[\da-f]{32}-3$/);
      expect(got).toMatchObject({ etag, metadata: { order: '17' } });
      expect(hash('sha256', await read(got['file']))).toBe(hash('sha256', bytes));
      expect(await (await server.request('GET', 'reports?uploads')).text()).not.toContain('<UploadId>');
    });

    test('presigned URLs download and upload without keys', async () => {
      const key = "a b/ü'+.txt";
      const upload = await result({ operation: 'presign', key, method: 'PUT' });
      expect((await fetch(upload['url'] as string, { method: 'PUT', body: 'shared' })).status).toBe(200);
      const link = await result({ operation: 'presign', key, expires_in: '10m' });
      expect(await (await fetch(link['url'] as string)).text()).toBe('shared');
      const forged = (link['url'] as string).replace('X-Amz-Expires=600', 'X-Amz-Expires=6000');
      expect((await fetch(forged)).status).toBe(403);
      expect((await fetch(link['url'] as string, { method: 'DELETE' })).status).toBe(403);
    });

    test('errors of the server have its code', async () => {
      expect(await failure({ operation: 'get', key: 'missing' })).toMatchObject({
        type: 'client_error',
        status: 404,
        // This server sends no message with the code.
        message: `S3, get: ${new URL(server.url).host} responded with 404: NoSuchKey`,
        data: { code: 'NoSuchKey' },
      });
      const inMissing = { operation: 'put', key: 'a', content: 'x', bucket: 'missing-bucket' };
      expect(await failure(inMissing)).toMatchObject({ status: 404, data: { code: 'NoSuchBucket' } });
      use({ ...s3Keys, secret_access_key: 'wrong' });
      expect(await failure({ operation: 'list' })).toMatchObject({
        status: 403,
        data: { code: 'SignatureDoesNotMatch' },
      });
      use({ ...s3Keys, access_key_id: 'UNKNOWN' });
      expect(await failure({ operation: 'list' })).toMatchObject({
        status: 403,
        data: { code: 'InvalidAccessKeyId' },
      });
    });

    test('a server that dies in the middle is a network error, and the next attempt stores the object', async () => {
      const bytes = randomBytes(60 * MIB);
      const file = await store(bytes);
      const put = { operation: 'put', key: 'again', content: '{{ input }}' };
      const failed = failure(put, file);
      const count = async () =>
        (await (await server.request('GET', 'reports?uploads')).text()).split('<UploadId>').length;
      await expect.poll(count, { interval: 5 }).toBe(2);
      await server.kill();
      expect(await failed).toMatchObject({ type: 'network' });
      await server.start();
      expect(await failure({ operation: 'get', key: 'again' })).toMatchObject({
        data: { code: 'NoSuchKey' },
      });
      expect((await result(put, file))['size']).toBe(bytes.length);
      const { file: got } = await result({ operation: 'get', key: 'again' });
      expect(hash('sha256', await read(got))).toBe(hash('sha256', bytes));
    });
  },
  120_000,
);
