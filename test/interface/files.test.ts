import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startInProcess, type InProcess } from '../harness/in-process.ts';
import { adminEmail, adminPassword, caller, temporaryFolder, type Call } from '../harness/service.ts';

const folder = temporaryFolder();
const picture = randomBytes(300_000);
let weft: InProcess;
let api: Call;
let server: Server;
let token: string;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.end(picture);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  weft = await startInProcess({ dataDir: folder.path });
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  token = (login.body as { token: string }).token;
  api = caller(weft.url, { authorization: `Bearer ${token}` });
});
afterAll(async () => {
  await weft.service.stop();
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
  const answer = await fetch(`${weft.url}/files/${$file.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(picture)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(picture.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  });
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment;/);
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
