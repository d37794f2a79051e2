import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FileReference } from '../../../src/contract/byte-source.ts';
import type { Outcome } from '../../../src/contract/node-type.ts';
import { s3 } from '../../../src/nodes/connectors/servers/s3.node.ts';
import { openDiskFiles, type DiskFiles } from '../../../src/store/files.ts';
import {
  closeRunners,
  createAttempt,
  makeRunner,
  settleAttempt,
  type AttemptSample,
} from '../../support/node-runner.ts';
import { s3Keys, startS3, type S3Server, type SeenRequest } from '../../support/servers/s3/s3-server.ts';

/* Files that the s3 node uploads in parts. */

const MIB = 1024 ** 2;
const FILE_BYTES = 40 * MIB + 3;
const bytes = randomBytes(FILE_BYTES);

let server: S3Server;
let folder: string;
let files: DiskFiles;
let made: ReturnType<typeof makeRunner>;
let file: FileReference;

beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-s3-parts-'));
  files = await openDiskFiles(folder, Date.now);
  made = makeRunner({
    files,
    allowedHosts: '127.0.0.1',
    maxFileSize: 100 * MIB,
    secrets: { S3: { value: JSON.stringify(s3Keys), hosts: null } },
  });
  const about = { id: 'stored', name: 'big.bin', contentType: 'application/zip', size: FILE_BYTES };
  made.rows.set(about.id, {
    ...about,
    ownerId: 'usr_1',
    executionId: 'ex_1',
    hash: await files.put(bytes),
    createdAt: 0,
  });
  file = { $file: { id: about.id, name: about.name, content_type: about.contentType, size: FILE_BYTES } };
});
afterEach(async () => {
  server.failures = [];
  server.requests.splice(0);
  server.remove('reports', 'big');
  await closeRunners();
  rmSync(folder, { recursive: true });
});

const put = (more: AttemptSample = {}): Promise<Outcome> =>
  settleAttempt(
    made.runner.run(
      createAttempt(
        s3,
        {
          credentials: '{{ secrets.S3 }}',
          bucket: 'reports',
          endpoint: server.url,
          operation: 'put',
          key: 'big',
          content: '{{ input }}',
          metadata: { order: '17' },
        },
        { input: file, ...more },
      ),
    ),
  );
const isPart = ({ method, target }: SeenRequest): boolean =>
  method === 'PUT' && target.includes('partNumber');
const sum = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

test('the parts are joined to the same bytes, type and metadata', async () => {
  const outcome = await put();
  const stored = server.objects.get('reports')!.get('big')!;
  expect(outcome).toMatchObject({
    kind: 'done',
    outputs: {
      out: { key: 'big', size: FILE_BYTES, etag: stored.etag!.replaceAll('"', ''), version_id: null },
    },
  });
  expect(stored.etag).toMatch(/-3"$/);
  expect(sum(stored.body)).toBe(sum(bytes));
  expect(stored).toMatchObject({ type: 'application/zip', metadata: { 'x-amz-meta-order': '17' } });
  expect(server.requests.filter(isPart)).toHaveLength(3);
});

test('a busy service and a connection that breaks repeat only their part', async () => {
  let seen = 0;
  server.failures = [
    { when: (request) => isPart(request) && ++seen === 1, outcome: { status: 503, code: 'SlowDown' } },
    { when: (request) => isPart(request) && seen === 3, outcome: 'cut', times: 1 },
  ];
  expect((await put()).kind).toBe('done');
  expect(server.requests.filter(isPart)).toHaveLength(5);
  expect(sum(server.objects.get('reports')!.get('big')!.body)).toBe(sum(bytes));
});

test('a part that is refused ends the upload, and the parts are deleted', async () => {
  server.failures = [
    { when: ({ target }) => target.includes('partNumber=2'), outcome: { status: 403, code: 'AccessDenied' } },
  ];
  const outcome = await put();
  expect(outcome).toMatchObject({ kind: 'failed', error: { type: 'client_error', status: 403 } });
  expect(JSON.stringify(outcome)).toContain('AccessDenied');
  expect(server.uploads.size).toBe(0);
  expect(server.objects.get('reports')!.has('big')).toBe(false);
});

test('the end of the execution deletes the parts', async () => {
  server.failures = [{ when: ({ target }) => target.includes('partNumber=3'), outcome: 'hang' }];
  const end = new AbortController();
  const ended = put({ timeout: null, signal: () => end.signal });
  await expect.poll(() => [...server.uploads.values()][0]?.parts.size).toBe(2);
  end.abort();
  expect(await ended).toMatchObject({ kind: 'failed', error: { type: 'stopped' } });
  await expect.poll(() => server.uploads.size).toBe(0);
});

test('a completion that fails with status 200 is a failure, and a repetition stores the same object', async () => {
  server.failures = [
    {
      when: ({ method, target }) => method === 'POST' && target.includes('uploadId'),
      outcome: { status: 200, code: 'InternalError' },
      times: 1,
    },
  ];
  expect(await put()).toMatchObject({ kind: 'failed', error: { type: 'server_error' } });
  expect(server.uploads.size).toBe(0);
  expect((await put()).kind).toBe('done');
  expect((await put()).kind).toBe('done');
  expect(sum(server.objects.get('reports')!.get('big')!.body)).toBe(sum(bytes));
});
