import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectSocket, endSocketClients, type SocketClient } from '../support/websocket/websocket-client.ts';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  createTempFolder,
  type Call,
} from '../support/service.ts';
import { createCallingWorkflow, createEchoWorkflow } from './definitions.ts';

const SECRET = 'the-key-that-nobody-sees';
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let admin: SocketClient;
let member: { client: SocketClient; api: Call };

async function logIn(email: string, password: string): Promise<string> {
  const { body } = await weft.call('POST', '/auth/login', { body: { email, password } });
  return (body as { token: string }).token;
}
const as =
  (token: string): Call =>
  (method, path, options = {}) =>
    weft.call(method, path, {
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${token}` },
    });

beforeAll(async () => {
  weft = await spawnService({
    dataDir: folder.path,
    env: { WEFT_RATE_LIMIT_STANDARD: '20', WEFT_RATE_LIMIT_PRO: '21' },
  });
  const token = await logIn(adminEmail, adminPassword);
  api = as(token);
  admin = await connectSocket(weft.url);
  await admin.auth(token);
  const user = { email: 'member@example.com', password: 'a long password' };
  await api('POST', '/users', { body: user });
  const own = await logIn(user.email, user.password);
  member = { client: await connectSocket(weft.url), api: as(own) };
  await member.client.auth(own);
});
afterAll(async () => {
  endSocketClients();
  await weft.stop();
  folder.remove();
});

const notices = (client: SocketClient) =>
  client.messages.filter((message) => message.type === 'notification').map((message) => message.data!);
const quiet = () => new Promise((resolve) => setTimeout(resolve, 100));

test('only the owner is notified of a failed execution, without secrets', async () => {
  await api('PUT', '/secrets/KEY', { body: { value: SECRET } });
  const definition = createCallingWorkflow('http://127.0.0.1:1/', {
    headers: { 'x-key': '{{ secrets.KEY }}' },
  });
  const made = await api('POST', '/workflows', { body: { name: `Orders of ${SECRET}`, definition } });
  const { id } = made.body as { id: string };
  const ran = await api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
  expect(ran.body).toMatchObject({ status: 'failed' });
  const notice = await admin.next('notification');
  expect(notice.data).toMatchObject({
    level: 'error',
    message: expect.stringMatching(
      /^The execution ex_\w+ of the workflow "Orders of •••" failed at the node call: /,
    ),
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  // The update of the end arrives first.
  expect(admin.messages.findIndex((message) => message.data?.['status'] === 'failed')).toBeLessThan(
    admin.messages.indexOf(notice),
  );
  await quiet();
  expect(notices(admin)).toHaveLength(1);
  expect(notices(member.client)).toEqual([]);
  expect(JSON.stringify(admin.messages)).not.toContain(SECRET);
});

test('the owner is notified of a webhook whose secret was deleted', async () => {
  await api('PUT', '/secrets/HOOK', { body: { value: 'the key of the hook' } });
  const definition = createEchoWorkflow('orders', { authentication: 'bearer', secret: 'HOOK' });
  const made = await api('POST', '/workflows', { body: { name: 'Hook', definition, status: 'active' } });
  expect(made.status, made.text).toBe(201);
  await api('DELETE', '/secrets/HOOK');
  const headers = { authorization: 'Bearer the key of the hook' };
  for (let i = 0; i < 3; i++)
    expect((await weft.call('POST', '/webhooks/orders', { headers, body: {} })).status).toBe(401);
  const notice = await admin.next(
    (message) => message.type === 'notification' && String(message.data?.['message']).includes('Hook'),
  );
  expect(notice.data!['message']).toBe(
    'The webhook of the workflow "Hook" could not be served: There is no secret HOOK, so every call is refused.',
  );
  await quiet();
  expect(notices(admin)).toHaveLength(2);
});

test('a user is notified once each at 80% and 100% of the limit', async () => {
  const responses = await Promise.all(Array.from({ length: 60 }, () => member.api('GET', '/users/me')));
  expect(responses.filter((response) => response.status === 200)).toHaveLength(20);
  for (const { headers, status } of responses) {
    expect(headers.get('x-ratelimit-limit')).toBe('20');
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now());
    expect(headers.has('retry-after')).toBe(status === 429);
  }
  await member.client.next('notification');
  await quiet();
  expect(notices(member.client)).toMatchObject([
    { level: 'warning', message: expect.stringMatching(/^80 % of the 20 requests/) },
    { level: 'error', message: expect.stringMatching(/^All 20 requests/) },
  ]);
  expect(notices(admin)).toHaveLength(2);
  // A higher plan takes effect immediately, and has notifications of its own.
  const { body } = await api('GET', '/users?limit=100');
  const { id } = (body as { users: { id: string; email: string }[] }).users.find(
    (user) => user.email === 'member@example.com',
  )!;
  await api('PUT', `/users/${id}`, { body: { plan: 'pro' } });
  expect((await member.api('GET', '/users/me')).status).toBe(200);
  expect((await member.api('GET', '/users/me')).status).toBe(429);
  await quiet();
  expect(notices(member.client)).toHaveLength(3);
});
