import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  adminEmail,
  adminPassword,
  caller,
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

const MB = 1024 * 1024;
/** `LARGE_FILE_MB=1024 npx vitest run test/api/large-files.slow.test.ts` is the whole of what is promised. */
const size = Number(process.env['LARGE_FILE_MB'] ?? 100) * MB;
const allowed = (size > 500 * MB ? 100 : 60) * MB;

const folder = createTempFolder();
const block = Buffer.alloc(MB, 'of one megabyte each byte differs from that of a good many others ');
/** The received bytes, by path. */
const arrived = new Map<string, { bytes: number; sum: string }>();
let upstream: Server;
let base: string;
let weft: SpawnedService;
let api: Call;
let token: string;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const [, kind, count = '0'] = (request.url ?? '').split('/');
    if (kind === 'send') {
      response.writeHead(200, { 'content-type': 'application/zip', 'content-length': count });
      let left = Number(count);
      const more = (): void => {
        while (left > 0) {
          const piece = block.subarray(0, Math.min(left, block.length));
          left -= piece.length;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      return more();
    }
    void digest(request).then((received) => {
      arrived.set(kind ?? '', received);
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  weft = await spawnService({ dataDir: folder.path });
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  token = (login.body as { token: string }).token;
  api = caller(weft.url, { authorization: `Bearer ${token}` });
});
afterAll(async () => {
  await weft.stop();
  upstream.close();
  folder.remove();
});

async function digest(
  body: AsyncIterable<Uint8Array> | IncomingMessage,
): Promise<{ bytes: number; sum: string }> {
  const sum = createHash('sha256');
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    sum.update(piece);
    bytes += piece.byteLength;
  }
  return { bytes, sum: sum.digest('hex') };
}

function computeChecksum(bytes: number): string {
  const sum = createHash('sha256');
  for (let left = bytes; left > 0; left -= block.length)
    sum.update(block.subarray(0, Math.min(left, block.length)));
  return sum.digest('hex');
}

/** Fetches, sends on as a body, sends on in a form. */
async function relay(bytes: number): Promise<{ $file: { id: string; size: number } }> {
  const node = (id: string, config: object): object => ({ id, type: 'http_request', config });
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      node('get', { url: `${base}/send/${bytes}`, responseType: 'file' }),
      node('raw', { method: 'POST', url: `${base}/raw`, body: '{{ nodes.get.body }}' }),
      node('form', {
        method: 'POST',
        url: `${base}/form`,
        body: { note: 'with a file' },
        files: { doc: { content: '{{ nodes.get.body }}' } },
      }),
      { id: 'end', type: 'set', config: { fields: { file: '{{ nodes.get.body }}' } } },
    ],
    connections: [
      { from: 'start', to: 'get' },
      { from: 'get', to: 'raw' },
      { from: 'raw', to: 'form' },
      { from: 'form', to: 'end' },
    ],
  };
  const made = await api('POST', '/workflows', { body: { name: 'relay', definition } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const ran = await api('POST', `/workflows/${id}/execute`, { body: { wait: '60s' } });
  const ended = await waitUntil(
    () => api('GET', `/executions/${(ran.body as { id: string }).id}`),
    ({ body }) => (body as { status: string }).status !== 'running',
    60_000,
  );
  expect(ended.body, ended.text).toMatchObject({ status: 'completed' });
  return (ended.body as { output: { file: { $file: { id: string; size: number } } } }).output.file;
}

/** Bytes; `VmHWM` is the peak since it was last set back. */
function memory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${weft.child.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) * 1024;
}

test('a large file passes through a workflow and a download without being held in memory', async () => {
  // Code that the first request loads, and the heap of a running process, are not part of the file's memory.
  await relay(10 * MB);
  const before = memory('VmRSS');
  writeFileSync(`/proc/${weft.child.pid}/clear_refs`, '5');
  const { $file } = await relay(size);
  const reply = await fetch(`${weft.url}/files/${$file.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const downloaded = await digest(reply.body as unknown as AsyncIterable<Uint8Array>);
  const grown = memory('VmHWM') - before;

  const sum = computeChecksum(size);
  expect($file.size).toBe(size);
  expect(arrived.get('raw')).toEqual({ bytes: size, sum });
  expect(arrived.get('form')!.bytes).toBeGreaterThan(size);
  expect(downloaded).toEqual({ bytes: size, sum });
  if (size > 500 * MB)
    console.log(`${size / MB} MB: +${Math.round(grown / MB)} MB on ${Math.round(before / MB)}`);
  expect(grown).toBeLessThan(allowed);
});
