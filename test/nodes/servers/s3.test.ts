import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileReference } from '../../../src/contract/byte-source.ts';
import type { NodeFailure, Outcome } from '../../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { s3 } from '../../../src/nodes/connectors/servers/s3.node.ts';
import { validateConfig } from '../../../src/nodes/validate-config.ts';
import { openDiskFiles, type DiskFiles } from '../../../src/store/files.ts';
import { realClock } from '../../support/servers/http-server.ts';
import { closeRunners, createAttempt, makeRunner, settleAttempt } from '../../support/node-runner.ts';
import type { AttemptSample } from '../../support/node-runner.ts';
import { s3Keys, startS3, type S3Server } from '../../support/servers/s3/s3-server.ts';

let folder: string;
let files: DiskFiles;
let made: ReturnType<typeof makeRunner>;
let server: S3Server;
let endpoint: string;
/** A server whose responses a test sets. */
let other: Server;
let answer: { status: number; headers?: Record<string, string>; body: string };
let asked: string[] = [];

beforeAll(async () => {
  server = await startS3();
  other = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.writeHead(answer.status, answer.headers).end(answer.body));
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await server?.close();
  other.closeAllConnections();
  other.close();
});
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-s3-files-'));
  files = await openDiskFiles(folder, Date.now);
  endpoint = server.url;
  asked = [];
  use({});
});
afterEach(async () => {
  await closeRunners();
  rmSync(folder, { recursive: true });
});

function use({
  secret = JSON.stringify(s3Keys),
  hosts = null,
  allowedHosts = '127.0.0.1',
}: {
  secret?: string;
  hosts?: string[] | null;
  allowedHosts?: string;
}): void {
  made = makeRunner({
    files,
    allowedHosts,
    maxFileSize: 8 * 1024 ** 2,
    secrets: { S3: { value: secret, hosts } },
  });
}
function useOther(): void {
  endpoint = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}

function run(config: JsonObject, input: Json = {}, more: AttemptSample = {}): Promise<Outcome> {
  const whole = { credentials: '{{ secrets.S3 }}', bucket: 'reports', endpoint, ...config };
  expect(validateConfig(s3, whole)).toEqual([]);
  return settleAttempt(made.runner.run(createAttempt(s3, whole, { input, ...more })));
}
async function result(config: JsonObject, input: Json = {}): Promise<JsonObject> {
  const outcome = await run(config, input);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.outputs['out'] as JsonObject;
}
async function failure(config: JsonObject, input: Json = {}, more: AttemptSample = {}): Promise<NodeFailure> {
  const outcome = await run(config, input, more);
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  expect(made.errors).toEqual([]);
  return outcome.error;
}
async function store(bytes: Buffer, name: string, contentType: string): Promise<FileReference> {
  const row = {
    id: `stored_${name}`,
    ownerId: 'usr_1',
    executionId: 'ex_1',
    hash: await files.put(bytes),
    size: bytes.length,
    name,
    contentType,
    createdAt: 0,
  };
  made.rows.set(row.id, row);
  return { $file: { id: row.id, name, content_type: contentType, size: bytes.length } };
}
const read = async (file: Json | undefined) =>
  Buffer.from((await files.get(made.rows.get((file as FileReference).$file.id)!.hash))!);
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

describe('objects', () => {
  it('a file is stored, listed, read, copied and deleted', async () => {
    const bytes = randomBytes(3_000_000);
    const file = await store(bytes, 'invoice 1.pdf', 'application/pdf');
    const key = "orders/2026/ü +&?#%'()!*~ invoice.pdf";
    expect(
      await result(
        {
          operation: 'put',
          key: '{{ input.key }}',
          content: '{{ input.file }}',
          metadata: { Order: 'a  b' },
        },
        { key, file },
      ),
    ).toEqual({ key, size: bytes.length, etag: md5(bytes), version_id: null });
    const got = await result({ operation: 'get', key: '{{ input.key }}' }, { key });
    expect(got).toMatchObject({ key, etag: md5(bytes), metadata: { order: 'a  b' } });
    expect(got['file']).toMatchObject({
      $file: { name: key.split('/').at(-1), content_type: 'application/pdf', size: bytes.length },
    });
    expect((await read(got['file'])).equals(bytes)).toBe(true);
    expect(await result({ operation: 'list', prefix: 'orders/' })).toEqual({
      objects: [
        {
          key,
          size: bytes.length,
          last_modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
          etag: md5(bytes),
          storage_class: 'STANDARD',
        },
      ],
      prefixes: [],
      is_truncated: false,
    });
    const copy = { operation: 'copy', source_key: '{{ input.key }}', key: 'copies/a.pdf' };
    expect(await result(copy, { key })).toMatchObject({ key: 'copies/a.pdf', etag: md5(bytes) });
    const named = { operation: 'get', key: 'copies/a.pdf', filename: 'renamed.pdf' };
    expect((await result(named))['file']).toMatchObject({
      $file: { name: 'renamed.pdf', size: bytes.length },
    });
    for (const one of [key, 'copies/a.pdf', 'never/there'])
      expect(await result({ operation: 'delete', key: '{{ input.one }}' }, { one })).toMatchObject({
        key: one,
      });
    expect((await result({ operation: 'list' }))['objects']).toEqual([]);
  });

  it('text and an empty text are stored with their media type', async () => {
    expect(await result({ operation: 'put', key: 'a.txt', content: 'grün' })).toMatchObject({ size: 5 });
    const got = await result({ operation: 'get', key: 'a.txt' });
    expect(got['file']).toMatchObject({
      $file: { name: 'a.txt', content_type: 'text/plain; charset=utf-8' },
    });
    await result({ operation: 'put', key: 'empty', content: '', content_type: 'text/csv' });
    expect((await result({ operation: 'get', key: 'empty' }))['file']).toMatchObject({
      $file: { content_type: 'text/csv', size: 0 },
    });
  });

  it('a list is read in pages, up to a maximum, and grouped by a delimiter', async () => {
    for (let i = 0; i < 12; i++) await result({ operation: 'put', key: `list/${i % 3}/${i}`, content: 'x' });
    const all = await result({ operation: 'list', prefix: 'list/', max_objects: 12 });
    expect([(all['objects'] as Json[]).length, all['is_truncated']]).toEqual([12, false]);
    const some = await result({ operation: 'list', prefix: 'list/', max_objects: 5 });
    expect([(some['objects'] as Json[]).length, some['is_truncated']]).toEqual([5, true]);
    const grouped = await result({ operation: 'list', prefix: 'list/', delimiter: '/' });
    expect(grouped).toMatchObject({ objects: [], prefixes: ['list/0/', 'list/1/', 'list/2/'] });
    const after = await result({ operation: 'list', prefix: 'list/2/', start_after: 'list/2/2' });
    expect((after['objects'] as JsonObject[]).map(({ key }) => key)).toEqual(['list/2/5', 'list/2/8']);
  });

  it('any key that a URL allows comes back as it went (random)', async () => {
    const unit = fc.constantFrom(
      'a',
      ' ',
      '+',
      '%',
      '/',
      "'",
      '(',
      '&',
      '=',
      '?',
      '#',
      'ü',
      '📦',
      '~',
      ';',
      ':',
    );
    const keys = fc.string({ unit, minLength: 1, maxLength: 12 }).map((text) => `/k${text}k`);
    await fc.assert(
      fc.asyncProperty(keys, async (key) => {
        await result({ operation: 'put', key: '{{ input.key }}', content: '{{ input.key }}' }, { key });
        const got = await result({ operation: 'get', key: '{{ input.key }}' }, { key });
        expect((await read(got['file'])).toString()).toBe(key);
        await result({ operation: 'delete', key: '{{ input.key }}' }, { key });
      }),
      { seed: 1125, numRuns: 40 },
    );
  });

  it('presigned URLs download and upload for anyone, until they expire', async () => {
    await result({ operation: 'put', key: 'a b/ü.txt', content: 'shared' });
    const link = await result({ operation: 'presign', key: 'a b/ü.txt', expires_in: '10m' });
    expect(link).toMatchObject({ method: 'GET', key: 'a b/ü.txt' });
    expect(Date.parse(link['expires_at'] as string)).toBeGreaterThan(Date.now() + 590_000);
    expect(await (await fetch(link['url'] as string)).text()).toBe('shared');
    const forged = (link['url'] as string).replace('X-Amz-Expires=600', 'X-Amz-Expires=6000');
    expect((await fetch(forged)).status).toBe(403);
    const upload = await result({ operation: 'presign', key: 'up.txt', method: 'PUT' });
    expect((await fetch(upload['url'] as string, { method: 'PUT', body: 'uploaded' })).status).toBe(200);
    expect((await read((await result({ operation: 'get', key: 'up.txt' }))['file'])).toString()).toBe(
      'uploaded',
    );
  });
});

it('signs as the documentation of Amazon S3 shows', async () => {
  const { date, ...example } = {
    date: Date.parse('2013-05-24T00:00:00Z'),
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  made = makeRunner({
    clock: { ...realClock, now: () => date },
    secrets: { S3: { value: JSON.stringify(example), hosts: null } },
  });
  const link = await result({
    operation: 'presign',
    bucket: 'examplebucket',
    endpoint: 'https://s3.amazonaws.com',
    path_style: false,
    key: 'test.txt',
    expires_in: '24h',
  });
  const url = new URL(link['url'] as string);
  expect(url.origin + url.pathname).toBe('https://examplebucket.s3.amazonaws.com/test.txt');
  expect(url.searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
  expect(link['expires_at']).toBe('2013-05-25T00:00:00.000Z');
});

describe('failures', () => {
  it('a missing object, a missing bucket', async () => {
    expect(await failure({ operation: 'get', key: 'nothing' })).toMatchObject({
      type: 'client_error',
      status: 404,
      message: expect.stringContaining('responded with 404: NoSuchKey: ') as string,
      data: { code: 'NoSuchKey' },
    });
    expect((await failure({ operation: 'list', bucket: 'nowhere' })).data).toMatchObject({
      code: 'NoSuchBucket',
    });
  });

  it('wrong keys are refused and not shown', async () => {
    use({ secret: JSON.stringify({ ...s3Keys, secret_access_key: 'secret-word-17' }) });
    const wrong = await failure({ operation: 'put', key: 'a', content: 'x' });
    expect(wrong).toMatchObject({
      type: 'client_error',
      status: 403,
      data: { code: 'SignatureDoesNotMatch' },
    });
    expect(JSON.stringify(wrong)).not.toContain('secret-word-17');
    use({ secret: JSON.stringify({ ...s3Keys, access_key_id: 'OTHER' }) });
    expect((await failure({ operation: 'list' })).data).toMatchObject({ code: 'InvalidAccessKeyId' });
  });

  it.each([
    ['secret-word'],
    ['{"access_key_id":"secret-word"}'],
    ['{"access_key_id":"a b secret-word","secret_access_key":"x"}'],
    ['{"access_key_id":"a","secret_access_key":"secret-word","region":"x"}'],
  ])('a secret that has no keys is refused without being shown: %s', async (secret) => {
    use({ secret });
    for (const config of [{ operation: 'list' }, { operation: 'presign', key: 'a' }]) {
      const wrong = await failure(config);
      expect(wrong).toMatchObject({ type: 'validation', data: { field: 'credentials' } });
      expect(JSON.stringify(wrong)).not.toContain('secret-word');
    }
  });

  it('a temporary error may be retried; a redirect to another region is explained, and not followed', async () => {
    useOther();
    answer = { status: 503, body: '<Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>' };
    expect(await failure({ operation: 'list' })).toMatchObject({
      type: 'server_error',
      message: expect.stringContaining('503: SlowDown: Reduce your rate') as string,
    });
    answer = {
      status: 301,
      headers: { location: 'http://127.0.0.1:1/', 'x-amz-bucket-region': 'eu-west-3' },
      body: '',
    };
    expect((await failure({ operation: 'get', key: 'a' })).message).toContain('region eu-west-3');
    expect(asked.length).toBe(2);
  });

  it('a copy that fails with status 200, and a response without a list', async () => {
    useOther();
    answer = { status: 200, body: '<Error><Code>InternalError</Code><Message>Try again</Message></Error>' };
    const copy = { operation: 'copy', source_key: 'a', key: 'b' };
    expect(await failure(copy)).toMatchObject({ type: 'server_error', data: { code: 'InternalError' } });
    for (const body of ['', 'hello', '<html></html>', '<a><b>'.repeat(300)]) {
      answer = { status: 200, body };
      expect((await failure({ operation: 'list' })).message.length).toBeGreaterThan(10);
    }
  });

  it('a server that repeats a page causes no endless loop', async () => {
    useOther();
    answer = {
      status: 200,
      body: '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken><Contents><Key>a+b</Key><Size>1</Size></Contents></ListBucketResult>',
    };
    const list = await result({ operation: 'list' });
    expect((list['objects'] as JsonObject[]).map(({ key }) => key)).toEqual(['a+b', 'a+b']);
    expect(asked.length).toBe(2);
  });

  it('an object that is larger than files may be is refused, and leaves no file', async () => {
    useOther();
    answer = { status: 200, body: 'x'.repeat(8 * 1024 ** 2 + 1) };
    expect((await failure({ operation: 'get', key: 'a' })).type).toBe('limit');
    expect(made.rows.size).toBe(0);
  });

  it('a file of another execution, and no file', async () => {
    const file = { $file: { id: 'file_404', name: 'a', content_type: 'text/plain', size: 1 } };
    for (const content of [file, 17, null])
      expect(await failure({ operation: 'put', key: 'a', content: '{{ input }}' }, content)).toMatchObject({
        type: 'validation',
        data: { field: 'content' },
      });
  });

  it('no private address, and only hosts of the secret', async () => {
    use({ allowedHosts: '' });
    expect((await failure({ operation: 'list' })).type).toBe('forbidden');
    use({ hosts: ['s3.example.com'] });
    expect((await failure({ operation: 'list' })).type).toBe('forbidden');
  });

  it('a server that closes the connection in the middle is a network error, and nothing is stored', async () => {
    const file = await store(randomBytes(2_000_000), 'a.bin', 'application/octet-stream');
    server.closeAfter(500_000);
    const put = { operation: 'put', key: 'broken', content: '{{ input }}' };
    expect((await failure(put, file)).type).toBe('network');
    expect((await failure({ operation: 'get', key: 'broken' })).data).toMatchObject({ code: 'NoSuchKey' });
  });

  it('the end of the execution ends the request', async () => {
    let connections = 0;
    const silent = createServer(() => connections++);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const end = new AbortController();
    const ended = failure({ operation: 'get', key: 'a' }, {}, { timeout: null, signal: () => end.signal });
    await expect.poll(() => connections).toBe(1);
    end.abort();
    expect((await ended).type).toBe('stopped');
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('what it takes', () => {
  it.each([
    [{ operation: 'get' }, 'key'],
    [{ operation: 'get', key: 'a/../b' }, 'key'],
    [{ operation: 'get', key: './a' }, 'key'],
    [{ operation: 'get', key: 'x'.repeat(1_025) }, 'key'],
    [{ operation: 'get', key: 'a\ud800' }, 'key'],
    [{ operation: 'get', key: 'a', bucket: 'a' }, 'bucket'],
    [{ operation: 'get', key: 'a', bucket: 'a/../b' }, 'bucket'],
    [{ operation: 'get', key: 'a', region: 'EU West' }, 'region'],
    [{ operation: 'get', key: 'a', endpoint: 'ftp://x' }, 'endpoint'],
    [{ operation: 'get', key: 'a', endpoint: 'https://u:p@x' }, 'endpoint'],
    [{ operation: 'get', key: 'a', endpoint: 'https://x/?a=1' }, 'endpoint'],
    [{ operation: 'put', key: 'a' }, 'content'],
    [{ operation: 'put', key: 'a', content: 'x', metadata: { 'a b': 'x' } }, 'metadata["a b"]'],
    [{ operation: 'put', key: 'a', content: 'x', metadata: { a: 'x\ny' } }, 'metadata.a'],
    [{ operation: 'copy', key: 'a', source_key: '..' }, 'source_key'],
    [{ operation: 'list', max_objects: 0 }, 'max_objects'],
    [{ operation: 'presign', key: 'a', expires_in: '8d' }, 'expires_in'],
    [{ operation: 'presign', key: 'a', expires_in: '500ms' }, 'expires_in'],
    [{ operation: 'presign', key: 'a', method: 'DELETE' }, 'method'],
    [{ operation: 'move', key: 'a' }, 'operation'],
    [{ operation: 'list', credentials: '{"access_key_id":"x"}' }, 'credentials'],
  ] as [JsonObject, string][])('%j is an error of %s', (config, field) => {
    const errors = validateConfig(s3, { credentials: '{{ secrets.S3 }}', bucket: 'reports', ...config });
    expect(errors.map((error) => error.field)).toContain(field);
  });
});
