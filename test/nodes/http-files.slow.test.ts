import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileReference } from '../../src/contract/byte-source.ts';
import type { NodeFailure, Outcome } from '../../src/contract/node-type.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startRawServer, type RawServer } from '../support/servers/raw-http-server.ts';
import { createAttempt, closeRunners, makeRunner, settleAttempt } from '../support/node-runner.ts';
import { serve, type TestServer } from '../support/servers/http-server.ts';
import { openDiskFiles, type DiskFiles } from '../../src/store/files.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const content = randomBytes(1_500_000);
const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
let folder: string;
let files: DiskFiles;
let made: ReturnType<typeof makeRunner>;
const servers: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-http-files-'));
  files = await openDiskFiles(folder, Date.now);
  made = makeRunner({ files, maxFileSize: MAX_FILE_BYTES });
});
afterEach(async () => {
  await closeRunners();
  await Promise.all(servers.splice(0).map((one) => one.close()));
  rmSync(folder, { recursive: true });
});

async function raw(respond: (socket: Socket, head: string, rest: Buffer) => void): Promise<RawServer> {
  const one = await startRawServer(respond);
  servers.push(one);
  return one;
}

async function http(...args: Parameters<typeof serve>): Promise<TestServer> {
  const one = await serve(...args);
  servers.push(one);
  return one;
}

const run = (config: JsonObject, input: JsonObject = {}, signal?: AbortSignal): Promise<Outcome> =>
  settleAttempt(
    made.runner.run(
      createAttempt(httpRequest, config, {
        input,
        ...(signal === undefined ? {} : { signal: () => signal }),
      }),
    ),
  );

async function failure(config: JsonObject, input?: JsonObject): Promise<NodeFailure> {
  const outcome = await run(config, input);
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return outcome.error;
}

async function fetched(config: JsonObject): Promise<FileReference> {
  const outcome = await run(config);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return (outcome.outputs['out'] as { body: FileReference }).body;
}

/** Everything on disk that is a content, whole or not. */
const stored = (): string[] =>
  readdirSync(path.join(folder, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

function readStoredBytes(reference: FileReference): Buffer {
  const hash = made.rows.get(reference.$file.id)!.hash;
  const file = path.join(folder, 'files', hash.slice(0, 2), hash.slice(2));
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

const head = (length: number | null, more = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n${length === null ? '' : `Content-Length: ${length}\r\n`}${more}\r\n`;

describe('a response that is a file', () => {
  test('is streamed to storage, with its name and type', async () => {
    const { url } = await http((_q, r) => {
      r.setHeader('content-type', 'image/png');
      r.setHeader('content-disposition', 'inline; filename="a/../cat.png"');
      r.end(content);
    });
    for (const more of [{}, { responseType: 'file' }]) {
      const reference = await fetched({ url, ...more });
      expect(reference.$file).toMatchObject({
        name: 'cat.png',
        content_type: 'image/png',
        size: content.length,
      });
      expect(readStoredBytes(reference).equals(content)).toBe(true);
    }
    expect(stored()).toHaveLength(1);
  });

  test('is stored decoded, for every accepted encoding', async () => {
    const encodings = { gzip: gzipSync, br: () => brotli, deflate: deflateSync };
    const { url } = await http((q, r) => {
      const name = (q.url ?? '').slice(1);
      r.setHeader('content-type', 'application/pdf');
      r.setHeader('content-encoding', name === 'raw' ? 'deflate' : name);
      r.end(name === 'raw' ? deflateRawSync(content) : encodings[name as 'gzip'](content));
    });
    for (const name of ['gzip', 'br', 'deflate', 'raw'])
      expect(readStoredBytes(await fetched({ url: `${url}/${name}` })).equals(content)).toBe(true);
  });

  test('is stored after redirects; an error response is not a file', async () => {
    const { url } = await http((q, r) => {
      if (q.url === '/file') return r.setHeader('content-type', 'image/png').end(content);
      if (q.url === '/wrong') return r.writeHead(404, { 'content-type': 'image/png' }).end(content);
      if (q.url === '/nothing') return r.writeHead(204, { 'content-type': 'image/png' }).end();
      return r.writeHead(302, { location: '/file', 'content-type': 'image/png' }).end(content);
    });
    expect(readStoredBytes(await fetched({ url })).equals(content)).toBe(true);
    expect(await fetched({ url: `${url}/nothing` })).toBeNull();
    expect(await failure({ url: `${url}/wrong`, responseType: 'file' })).toMatchObject({
      type: 'client_error',
      status: 404,
      data: { body: `${content.length} bytes of image/png` },
    });
    expect(stored()).toHaveLength(1);
    expect((await fetched({ url: `${url}/wrong`, responses: { '4xx': 'return' } })).$file.size).toBe(
      content.length,
    );
  });

  test('without a length ends where the connection does', async () => {
    const { url } = await raw((socket) => socket.end(Buffer.concat([Buffer.from(head(null)), content])));
    expect(readStoredBytes(await fetched({ url })).equals(content)).toBe(true);
  });
});

describe('stores no part of an incomplete file', () => {
  const broken: [string, (socket: Socket) => void, Partial<NodeFailure> | RegExp][] = [
    [
      'less than announced',
      (s) => s.end(Buffer.concat([Buffer.from(head(2_000_000)), content])),
      /^127\.0\.0\.1:\d+ closed the connection during the response, after 1500000 of 2000000 bytes$/,
    ],
    [
      'a reset',
      (s) =>
        s.write(Buffer.concat([Buffer.from(head(2_000_000)), content]), () =>
          setTimeout(() => s.resetAndDestroy(), 50),
        ),
      /closed the connection during the response, after \d+ of 2000000 bytes$/,
    ],
    [
      'chunks without their end',
      (s) => s.end(`${head(null, 'Transfer-Encoding: chunked\r\n')}5\r\nabcde\r\n`),
      /closed the connection during the response, after 5 bytes$/,
    ],
    [
      'a chunk that is none',
      (s) => s.end(`${head(null, 'Transfer-Encoding: chunked\r\n')}5\r\nabcde\r\nzz\r\n`),
      /did not respond with valid HTTP$/,
    ],
    [
      'half of a gzip',
      (s) => {
        const half = gzipSync(content).subarray(0, 700_000);
        s.end(Buffer.concat([Buffer.from(head(half.length, 'Content-Encoding: gzip\r\n')), half]));
      },
      /responded with a body that is not gzip$/,
    ],
    [
      'an unknown encoding',
      (s) => s.end(`${head(3, 'Content-Encoding: zip\r\n')}abc`),
      /with the encoding zip/,
    ],
    [
      'an announced length above the limit',
      (s) => s.write(head(MAX_FILE_BYTES + 1)),
      { type: 'limit', retryable: false },
    ],
    [
      'more than the limit, not announced',
      (s) => {
        s.write(head(null));
        for (let i = 0; i < 5; i++) s.write(content);
      },
      { type: 'limit', retryable: false },
    ],
    [
      'more than the limit once it is decoded',
      (s) => {
        const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
        s.end(Buffer.concat([Buffer.from(head(bomb.length, 'Content-Encoding: gzip\r\n')), bomb]));
      },
      {
        type: 'limit',
        message: expect.stringMatching(/more than 4194304 bytes$/) as string,
        retryable: false,
      },
    ],
  ];
  test.each(broken)('%s', async (_name, response, expected) => {
    const { url, sockets } = await raw((socket) => response(socket));
    const error = await failure({ url, responseType: 'file' });
    if (expected instanceof RegExp) {
      expect(error.message).toMatch(expected);
      expect(error.type).toBe('network');
    } else expect(error).toMatchObject(expected);
    await expect.poll(() => [stored(), sockets.size, made.rows.size]).toEqual([[], 0, 0]);
    expect(made.errors).toEqual([]);
  });

  test('a stop reaches the socket', async () => {
    const { url, sockets } = await raw((socket) =>
      socket.write(Buffer.concat([Buffer.from(head(MAX_FILE_BYTES)), content])),
    );
    const stop = new AbortController();
    const outcome = run({ url, responseType: 'file' }, {}, stop.signal);
    await expect.poll(stored).toHaveLength(1);
    stop.abort(new Error('stopped'));
    expect(await outcome).toMatchObject({ kind: 'failed', error: { type: 'stopped' } });
    await expect.poll(() => [stored(), sockets.size, made.rows.size]).toEqual([[], 0, 0]);
  });

  test('a transfer that makes no progress, and one that times out', async () => {
    const { url, sockets } = await raw((socket) =>
      socket.write(Buffer.concat([Buffer.from(head(MAX_FILE_BYTES)), content])),
    );
    const idle = await failure({ url, responseType: 'file', idleTimeout: '1s' });
    expect(idle.type).toBe('timeout');
    expect(idle.message).toMatch(
      /sent and received nothing for 1000 ms during the response, after 1500000 of 4194304 bytes$/,
    );
    const total = await run({ url, responseType: 'file', timeout: '1s' });
    expect(total).toMatchObject({ kind: 'failed', error: { type: 'timeout' } });
    await expect.poll(() => [stored(), sockets.size]).toEqual([[], 0]);
  });

  test('a slow transfer continues as long as it makes progress', async () => {
    const { url } = await raw((socket) => {
      socket.write(head(10));
      let left = 10;
      const more = setInterval(() => {
        socket.write('x');
        if (--left === 0) clearInterval(more);
      }, 400);
    });
    expect((await fetched({ url, idleTimeout: '3s' })).$file.size).toBe(10);
  });
});

describe('a file goes out', () => {
  test('is streamed, and sent again after a redirect that requires it', async () => {
    const far = await http((_q, r) => r.end());
    const near = await http((q, r) => {
      if (q.url === '/file') r.setHeader('content-type', 'image/png').end(content);
      else r.writeHead(307, { location: far.url }).end();
    });
    const file = await fetched({ url: `${near.url}/file` });
    const sent = { method: 'POST', url: `${near.url}/on` };
    expect(await run({ ...sent, body: '{{ input.file }}' }, { file })).toMatchObject({ kind: 'done' });
    expect(await run({ ...sent, files: { doc: { content: '{{ input.file }}' } } }, { file })).toMatchObject({
      kind: 'done',
    });
    const [plain, form] = far.received;
    expect(plain?.headers).toMatchObject({ 'content-type': 'image/png', 'content-length': '1500000' });
    expect(plain?.body).toBe(content.toString('latin1'));
    expect(form?.headers['content-length']).toBe(String(form?.body.length));
    const parts = await new Response(Buffer.from(form?.body ?? '', 'latin1'), {
      headers: { 'content-type': form?.headers['content-type'] ?? '' },
    }).formData();
    const doc = parts.get('doc') as File;
    expect([doc.name, doc.type]).toEqual(['file', 'image/png']);
    expect(Buffer.from(await doc.arrayBuffer()).equals(content)).toBe(true);
  });

  test('applies backpressure; a body that is not read times out', async () => {
    const { url } = await http((_q, r) =>
      r.setHeader('content-type', 'image/png').end(Buffer.alloc(MAX_FILE_BYTES)),
    );
    const file = await fetched({ url });
    // More than what the kernel holds for a connection.
    const many = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`f${i}`, { content: '{{ input.file }}' }]),
    );
    const deaf = await raw((socket) => socket.pause());
    const error = await failure(
      { method: 'POST', url: deaf.url, files: many, idleTimeout: '300ms' },
      { file },
    );
    expect(error).toMatchObject({ type: 'timeout' });
    expect(error.message).toMatch(/sent and received nothing for 300 ms before responding$/);
    for (const socket of deaf.sockets) socket.resume();
    await expect.poll(() => deaf.sockets.size).toBe(0);
  });
});
