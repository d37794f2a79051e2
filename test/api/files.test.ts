import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  caller,
  createTempFolder,
  type Call,
} from '../support/service.ts';

const folder = createTempFolder();
const picture = randomBytes(300_000);
let weft: SpawnedService;
let api: Call;
let server: Server;
let token: string;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.end(picture);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  weft = await spawnService({ dataDir: folder.path });
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  token = (login.body as { token: string }).token;
  api = caller(weft.url, { authorization: `Bearer ${token}` });
});
afterAll(async () => {
  await weft.stop();
  server.close();
  folder.remove();
});

type Reference = { $file: { id: string; name: string; content_type: string; size: number } };

async function fetched(): Promise<Reference> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cat.png`;
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'get', type: 'http_request', config: { method: 'GET', url } },
    ],
    connections: [{ from: 'start', to: 'get' }],
  };
  const made = await api('POST', '/workflows', { body: { name: 'picture', definition } });
  const { id } = made.body as { id: string };
  const ran = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
  return (ran.body as { output: { body: Reference } }).output.body;
}

test('what a node fetched can be fetched, byte for byte, as a download that no browser runs', async () => {
  const { $file } = await fetched();
  expect($file).toMatchObject({ content_type: 'image/png', size: picture.length });
  const reply = await fetch(`${weft.url}/files/${$file.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(reply.status).toBe(200);
  expect(Buffer.from(await reply.arrayBuffer()).equals(picture)).toBe(true);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(picture.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  });
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment;/);
});

test('a part of it can be fetched, and only its head', async () => {
  const { $file } = await fetched();
  const get = (headers: Record<string, string>, method = 'GET') =>
    fetch(`${weft.url}/files/${$file.id}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const head = await get({}, 'HEAD');
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
    200,
    String(picture.length),
    '',
  ]);
  const etag = head.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
  const parts: [string, number, number][] = [
    ['bytes=100000-199999', 100_000, 200_000],
    ['bytes=299999-', 299_999, 300_000],
    ['bytes=-70000', 230_000, 300_000],
  ];
  for (const [range, start, end] of parts) {
    const part = await get({ range, 'if-range': etag });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${picture.length}`);
    expect(part.headers.get('content-length')).toBe(String(end - start));
    expect(Buffer.from(await part.arrayBuffer()).equals(picture.subarray(start, end))).toBe(true);
  }
  const whole = await get({ range: 'bytes=0-9', 'if-range': '"another"' });
  expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, picture.length]);
  const behind = await api('GET', `/files/${$file.id}`, { headers: { range: `bytes=${picture.length}-` } });
  expect([behind.status, behind.text]).toEqual([400, expect.stringContaining('must start before the end')]);
});

test('a client that leaves in the middle leaves no file open', async () => {
  const { $file } = await fetched();
  const open = (): number =>
    readdirSync(`/proc/${weft.child.pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${weft.child.pid}/fd/${fd}`).startsWith(path.join(folder.path, 'files'));
      } catch {
        return false;
      }
    }).length;
  for (let i = 0; i < 20; i++) {
    const leave = new AbortController();
    const reply = await fetch(`${weft.url}/files/${$file.id}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leave.signal,
    });
    expect(reply.status).toBe(200);
    leave.abort();
  }
  await expect.poll(open).toBe(0);
});

test('a missing file, another user’s, and no credential', async () => {
  const { $file } = await fetched();
  expect((await api('GET', '/files/file_nothing')).status).toBe(404);
  expect((await weft.call('GET', `/files/${$file.id}`)).status).toBe(401);
  await api('POST', '/users', {
    body: { email: 'bob@example.com', name: 'Bob', password: 'a long password' },
  });
  const login = await weft.call('POST', '/auth/login', {
    body: { email: 'bob@example.com', password: 'a long password' },
  });
  const bob = caller(weft.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
  expect((await bob('GET', `/files/${$file.id}`)).status).toBe(404);
});

test('a file goes with its execution', async () => {
  const { $file } = await fetched();
  const { executions } = (await api('GET', '/executions')).body as { executions: { workflow_id: string }[] };
  await api('DELETE', `/workflows/${executions[0]!.workflow_id}`);
  expect((await api('GET', `/files/${$file.id}`)).status).toBe(404);
});
