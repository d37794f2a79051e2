import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDiskFiles, type DiskFiles } from '../../store/files.ts';
import { realClock } from '../../../test/support/servers/http-server.ts';
import {
  s3Keys,
  startS3,
  type S3Server,
  type SeenRequest,
} from '../../../test/support/servers/s3/s3-server.ts';
import { openBucketFiles, type OpenedBucket } from './open-bucket-files.ts';

const MIB = 1024 ** 2;
const DAY_MS = 86_400_000;

let server: S3Server;
let folder: string;
let disk: DiskFiles;
let opened: OpenedBucket[] = [];
let warnings: string[] = [];
let names = 0;

beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-bucket-'));
  vi.stubEnv('TMPDIR', folder);
  disk = await openDiskFiles(folder, Date.now);
  warnings = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.failures = [];
  await Promise.all(opened.splice(0).map((one) => one.close()));
  for (const key of server.objects.get('weft')!.keys()) server.remove('weft', key);
  for (const id of server.uploads.keys()) (server.uploads as Map<string, unknown>).delete(id);
  server.requests.splice(0);
  rmSync(folder, { recursive: true });
});

async function open({
  bucket = 'weft',
  installation = 'one',
  secret = s3Keys.secret_access_key,
  hasFiles = false,
  endpoint = server.url,
} = {}): Promise<OpenedBucket> {
  const one = await openBucketFiles({
    settings: {
      folder: { bucket, prefix: 'live/', endpoint },
      keys: { accessKeyId: s3Keys.access_key_id, secretAccessKey: secret },
    },
    installation,
    elsewhere: disk,
    hasFiles: async () => hasFiles,
    maxFileSize: 2 * 1024 ** 3,
    clock: realClock,
    nextName: () => `obj_${++names}`,
    warn: (message) => warnings.push(message),
  });
  opened.push(one);
  return one;
}

async function* inPieces(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function readAll(content: AsyncIterable<Uint8Array> | null): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of content ?? []) all.push(piece);
  return Buffer.concat(all);
}
const sum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const sent = (pattern: RegExp): SeenRequest[] =>
  server.requests.filter(({ method, target }) => pattern.test(`${method} ${target}`));
const isPart = ({ method, target }: SeenRequest): boolean =>
  method === 'PUT' && target.includes('partNumber');
const none = async (hashes: readonly string[]): Promise<string[]> => [...hashes];
const all = async (): Promise<string[]> => [];

describe('contents', () => {
  test.each([0, 1, 64 * 1024, 5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 12 * MIB + 17])(
    '%i bytes come back as they went, whole and in ranges',
    async (size) => {
      const { files } = await open();
      const bytes = randomBytes(size);
      const { hash, size: written } = await files.write(inPieces(bytes));
      expect(written).toBe(size);
      expect(hash).toMatch(/^s3-obj_\d+$/);
      expect(sum(await readAll(await files.open(hash)))).toBe(sum(bytes));
      expect(sum((await files.get(hash))!)).toBe(sum(bytes));
      const [start, end] = [Math.floor(size / 3), Math.floor(size / 2)];
      const range = await readAll(await files.open(hash, { start, end }));
      expect(range.equals(bytes.subarray(start, end))).toBe(true);
      expect(server.uploads.size).toBe(0);
    },
  );

  test('equal contents are separate objects, and a removed one is gone', async () => {
    const { files } = await open();
    const [one, other] = [await files.put(Buffer.from('same')), await files.put(Buffer.from('same'))];
    expect(one).not.toBe(other);
    await files.remove([one]);
    expect(await files.open(one)).toBeNull();
    expect(String(await files.get(other))).toBe('same');
    await files.remove([one]);
  });

  test('contents that were stored before are read and removed where they are', async () => {
    const hash = await disk.put(Buffer.from('earlier'));
    const { files } = await open();
    expect(String(await readAll(await files.open(hash)))).toBe('earlier');
    expect(sent(/live\/files/)).toEqual([]);
  });
});

describe('failures', () => {
  test('a busy service, a connection that breaks and a lost response are repeated', async () => {
    const { files } = await open();
    const bytes = randomBytes(11 * MIB);
    let parts = 0;
    server.failures = [
      { when: (seen) => isPart(seen) && ++parts === 1, outcome: { status: 503, code: 'SlowDown' } },
      { when: (seen) => isPart(seen) && parts === 3, outcome: 'cut', times: 1 },
      { when: ({ target }) => /obj_\d+\?uploads/.test(target), outcome: 'lose', times: 1 },
      {
        when: ({ method, target }) => method === 'POST' && target.includes('uploadId'),
        outcome: 'lose',
        times: 1,
      },
    ];
    const { hash } = await files.write(inPieces(bytes));
    expect(server.failures.slice(1).map(({ times }) => times)).toEqual([0, 0, 0]);
    server.failures = [{ when: ({ method }) => method === 'GET', outcome: 'cut', times: 1 }];
    expect(sum(await readAll(await files.open(hash)))).toBe(sum(bytes));
    expect(server.failures[0]?.times).toBe(0);
    // The first start of the upload was lost; the sweep deletes it.
    expect(server.uploads.size).toBe(1);
    server.age(2 * DAY_MS);
    await files.sweep(all);
    expect(server.uploads.size).toBe(0);
    expect(warnings).toEqual([]);
  });

  test('a source that fails leaves no parts and no object', async () => {
    const { files } = await open();
    const source = async function* () {
      yield* inPieces(randomBytes(6 * MIB));
      throw new Error('The source broke');
    };
    await expect(files.write(source())).rejects.toThrow('The source broke');
    expect(sent(/^PUT .*partNumber=1/)).toHaveLength(1);
    expect(server.uploads.size).toBe(0);
    expect([...server.objects.get('weft')!.keys()]).toEqual(['live/weft.json']);
  });

  test('denied access is an error at once, and logged without the keys', async () => {
    const { files } = await open();
    server.failures = [
      { when: ({ method }) => method === 'PUT', outcome: { status: 403, code: 'AccessDenied' } },
    ];
    await expect(files.put(Buffer.from('x'))).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      reason: 'it returned 403 (AccessDenied)',
      isTemporary: false,
    });
    expect(sent(/^PUT live|^PUT weft\/live\/files/)).toHaveLength(1);
    expect(warnings.join()).toMatch(/PUT live\/files\/obj_\d+ failed: 127.0.0.1:\d+ returned 403/);
    expect(warnings.join()).not.toContain(s3Keys.secret_access_key);
  });

  test('slow uploads do not hold up others, and leave no temporary files', async () => {
    const { files } = await open();
    const bytes = randomBytes(6 * MIB);
    const slow = Promise.withResolvers<void>();
    let waiting = 0;
    const source = async function* () {
      yield* inPieces(bytes.subarray(0, MIB));
      waiting++;
      await slow.promise;
      yield* inPieces(bytes.subarray(MIB));
    };
    const held = Array.from({ length: 40 }, () => files.write(source()));
    await expect.poll(() => waiting).toBe(40);
    const quick = await files.write(inPieces(bytes));
    expect(sum((await files.get(quick.hash))!)).toBe(sum(bytes));
    expect(readdirSync(folder)).not.toContainEqual(expect.stringMatching('weft-part'));
    slow.resolve();
    for (const { hash, size } of await Promise.all(held)) {
      expect(size).toBe(bytes.length);
      expect(sum((await files.get(hash))!)).toBe(sum(bytes));
    }
  });

  test('a temporary folder that cannot be written fails only the uploads that need it', async () => {
    const { files } = await open();
    vi.stubEnv('TMPDIR', path.join(folder, 'missing'));
    const slow = Promise.withResolvers<void>();
    const source = async function* () {
      yield* inPieces(randomBytes(MIB));
      await slow.promise;
    };
    const stored = await Promise.allSettled(
      Array.from({ length: 26 }, (_, i) => files.write(source()).finally(() => i > 23 && slow.resolve())),
    );
    const failed = stored.filter((one) => one.status === 'rejected');
    expect(failed).not.toEqual([]);
    for (const { reason } of failed)
      expect((reason as Error).message).toBe(
        'The file storage is not available: a temporary file could not be written (ENOENT).',
      );
  });
});

describe('the sweep', () => {
  test('removes what is old and unreferenced, and nothing else', async () => {
    const { files } = await open();
    const kept = await files.put(Buffer.from('kept'));
    const lost = await files.put(Buffer.from('lost'));
    server.put('weft', 'other/file', 'not of Weft');
    await files.sweep(none);
    expect(await files.open(lost)).not.toBeNull();
    server.age(2 * DAY_MS);
    const { files: later } = await open();
    expect(await later.sweep(async (hashes) => hashes.filter((hash) => hash !== kept))).toBe(1);
    expect(await later.open(lost)).toBeNull();
    expect(await later.open(kept)).not.toBeNull();
    expect([...server.objects.get('weft')!.keys()].sort()).toEqual([
      `live/files/${kept.slice(3)}`,
      'live/weft.json',
      'other/file',
    ]);
  });

  test('reads all pages', async () => {
    for (let i = 0; i < 450; i++) server.put('weft', `live/files/obj_${i}x`, 'x');
    server.age(2 * DAY_MS);
    const { files } = await open();
    expect(await files.sweep(none)).toBe(450);
  });

  test('runs once in an hour, and again after a removal that failed', async () => {
    const { files } = await open();
    await files.sweep(all);
    await files.sweep(all);
    expect(sent(/^GET weft\/\?.*prefix=live\/files/)).toHaveLength(2);
    const hash = await files.put(Buffer.from('x'));
    server.age(2 * DAY_MS);
    server.failures = [
      { when: ({ method }) => method === 'DELETE', outcome: { status: 503, code: 'SlowDown' } },
    ];
    await expect(files.remove([hash])).rejects.toThrow('not available');
    server.failures = [];
    expect(await files.sweep(none)).toBe(1);
  });

  test('removes nothing when the folder belongs to another installation by now', async () => {
    const { files, check } = await open();
    await files.put(Buffer.from('x'));
    server.age(2 * DAY_MS);
    server.put('weft', 'live/weft.json', '{"installation": "two"}');
    await expect(files.sweep(none)).rejects.toThrow('another Weft installation');
    await expect(check()).rejects.toThrow('another Weft installation');
    expect(server.objects.get('weft')!.size).toBe(2);
  });
});

describe('the start', () => {
  test('claims an empty folder, and finds it again', async () => {
    await open();
    await (await open()).check();
    expect([...server.objects.get('weft')!.keys()]).toEqual(['live/weft.json']);
  });

  test.each([
    [
      'a missing bucket',
      { bucket: 'missing' },
      /WEFT_FILES_URL, s3:\/\/missing\/live\/: the bucket missing does not exist/,
    ],
    ['a wrong secret', { secret: 'wrong' }, /returned 403: SignatureDoesNotMatch/],
    ['a database with files, but an empty folder', { hasFiles: true }, /weft.json is missing/],
  ])('refuses %s', async (_, options, message) => {
    await expect(open(options)).rejects.toThrow(message);
  });

  test('refuses the folder of another installation', async () => {
    await open();
    await expect(open({ installation: 'two' })).rejects.toThrow(
      /contains the files of another Weft installation/,
    );
  });

  test.each([
    ['write', 'PUT'],
    ['delete', 'DELETE'],
    ['list', 'GET weft/?'],
  ])('refuses keys that may not %s', async (_, call) => {
    server.failures = [
      {
        when: ({ method, target }) => `${method} ${target}`.startsWith(call),
        outcome: { status: 403, code: 'AccessDenied' },
      },
    ];
    await expect(open()).rejects.toThrow(/returned 403: AccessDenied/);
  });
});
