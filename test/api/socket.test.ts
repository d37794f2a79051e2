import { afterEach, expect, test } from 'vitest';
import { connectSocket, endSocketClients, type SocketClient } from '../support/websocket/websocket-client.ts';
import { useService } from '../support/use-service.ts';
import { adminEmail, adminPassword, spawnService, createTempFolder } from '../support/service.ts';
import { greeting, longWait, manual } from './definitions.ts';

/** Ends as failed. */
const failing = {
  nodes: [manual, { id: 'end', type: 'stop', config: { outcome: 'failed', message: 'on purpose' } }],
  connections: [{ from: 'start', to: 'end' }],
};
const fixture = useService();
const { api } = fixture;
afterEach(endSocketClients);

async function login(email = adminEmail, password = adminPassword): Promise<{ token: string; id: string }> {
  const { body } = await fixture.weft.call('POST', '/auth/login', { body: { email, password } });
  const { token, user } = body as { token: string; user: { id: string } };
  return { token, id: user.id };
}
async function makeWorkflow(definition: object = greeting): Promise<string> {
  return ((await api('POST', '/workflows', { body: { name: 'x', definition } })).body as { id: string }).id;
}
async function run(workflowId: string, body: object = {}): Promise<string> {
  const response = await api('POST', `/workflows/${workflowId}/execute`, { body });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}

const member = { email: 'member@example.com', password: 'password of a member' };
async function addMember(): Promise<string> {
  const { status, body, text } = await api('POST', '/users', { body: member });
  expect(status, text).toBe(201);
  return (body as { id: string }).id;
}
async function proved(token: string): Promise<SocketClient> {
  const client = await connectSocket(fixture.weft.url);
  expect((await client.auth(token)).type).toBe('auth_success');
  return client;
}
async function expectEnded(client: SocketClient): Promise<void> {
  expect(await client.closed()).toMatchObject({ code: 4401 });
  expect(client.messages.at(-1)).toMatchObject({ type: 'error', data: { code: 'UNAUTHORIZED' } });
}
async function expectOpen(client: SocketClient): Promise<void> {
  client.send({ type: 'ping' });
  await client.next('pong');
}
function listUpdates(client: SocketClient, executionId: string): Record<string, unknown>[] {
  return client.messages
    .filter(({ type, data }) => type === 'execution_update' && data?.['execution_id'] === executionId)
    .map(({ data }) => data ?? {});
}

test('auth, then every start and end of an execution in order', async () => {
  const { token, id } = await login();
  const client = await connectSocket(fixture.weft.url);
  expect(await client.auth(token)).toEqual({
    type: 'auth_success',
    data: { user_id: id, expires_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  const workflow = await makeWorkflow();
  const execution = await run(workflow, { input: { name: 'Ada' } });
  const last = await client.next((message) => message.data?.['status'] === 'completed');
  expect(last).toEqual({
    type: 'execution_update',
    data: {
      execution_id: execution,
      workflow_id: workflow,
      status: 'completed',
      progress: 1,
      current_node: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  });
  const updates = listUpdates(client, execution);
  expect(updates.length).toBeGreaterThan(2);
  expect(updates[0]?.['status']).toBe('running');
  expect(updates.map((update) => update['current_node'])).toContain('greet');
  const progress = updates.map((update) => update['progress'] as number);
  expect(progress).toEqual([...progress].sort((one, other) => one - other));
  expect(updates.filter((update) => update['status'] === 'completed')).toHaveLength(1);
});

test('an execution that begins to wait for an event is published as waiting', async () => {
  const { token } = await login();
  const client = await proved(token);
  const id = await makeWorkflow({
    nodes: [manual, { id: 'wait', type: 'wait_for_event', config: {} }],
    connections: [{ from: 'start', to: 'wait' }],
  });
  const executionId = await run(id);
  await client.next(({ data }) => data?.['execution_id'] === executionId && data['status'] === 'waiting');
  expect((await api('POST', `/executions/${executionId}/stop`)).status).toBe(200);
});

test('waiting and stopped are published too', async () => {
  const client = await proved((await login()).token);
  const execution = await run(await makeWorkflow(longWait));
  await client.next((message) => message.data?.['status'] === 'waiting');
  expect((await api('POST', `/executions/${execution}/stop`)).status).toBe(200);
  await client.next((message) => message.data?.['status'] === 'stopped');
  expect(listUpdates(client, execution).at(-1)?.['status']).toBe('stopped');
});

test('a failed execution is notified', async () => {
  const client = await proved((await login()).token);
  await run(await makeWorkflow(failing));
  await client.next((message) => message.data?.['status'] === 'failed');
  expect((await client.next('notification')).data).toMatchObject({
    level: 'error',
    message: expect.any(String),
    timestamp: expect.stringMatching(/Z$/),
  });
});

test('errors equal those of REST', async () => {
  const made = await api('POST', '/api-keys', { body: { name: 'k', scopes: ['workflows:read'] } });
  const { key } = made.body as { key: string };
  const readHandshakeError = async (path: string, headers?: Record<string, string>): Promise<unknown> =>
    (
      (await (headers === undefined ? api : fixture.weft.call)('GET', path, { headers: headers ?? {} }))
        .body as {
        error: unknown;
      }
    ).error;
  const limited = await proved(key);
  expect((await limited.next('error')).data).toEqual(
    await readHandshakeError('/executions', { 'x-api-key': key }),
  );

  const client = await proved((await login()).token);
  client.send({ type: 'subscribe', data: { execution_id: 'ex_none' } });
  expect((await client.next()).data).toEqual(await readHandshakeError('/executions/ex_none'));
  client.send({ type: 'subscribe', data: { workflow_id: 'wf_none' } });
  expect((await client.next()).data).toEqual(await readHandshakeError('/workflows/wf_none'));

  const wrong = await connectSocket(fixture.weft.url);
  expect((await wrong.auth('wrong')).data).toEqual(
    await readHandshakeError('/executions', { authorization: 'Bearer wrong' }),
  );
  await expectEnded(wrong);
});

test('logout, a new password, a stolen token, a removed key, a removed user: each ends its own connections', async () => {
  const userId = await addMember();
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const { token: stays } = await login(member.email, member.password);
  const staying = await proved(stays);

  const { token: leaves } = await login(member.email, member.password);
  const leaving = await proved(leaves);
  await fixture.weft.call('POST', '/auth/logout', as(leaves));
  await expectEnded(leaving);

  let { token } = await login(member.email, member.password);
  const [stolen, refreshed] = [token, await proved(token)];
  for (let i = 0; i < 2; i++)
    ({ token } = (await fixture.weft.call('POST', '/auth/refresh', as(token))).body as { token: string });
  await expectOpen(refreshed);
  expect((await fixture.weft.call('POST', '/auth/refresh', as(stolen))).status).toBe(401);
  await expectEnded(refreshed);

  const made = await fixture.weft.call('POST', '/api-keys', { ...as(stays), body: { name: 'k' } });
  const { id: keyId, key } = made.body as { id: string; key: string };
  const keyed = await proved(key);
  await fixture.weft.call('DELETE', `/api-keys/${keyId}`, as(stays));
  await expectEnded(keyed);

  const other = await proved((await login(member.email, member.password)).token);
  const body = { current_password: member.password, new_password: 'another password' };
  expect((await fixture.weft.call('PUT', '/users/me/password', { ...as(stays), body })).status).toBe(200);
  await expectEnded(other);

  await expectOpen(staying);
  expect((await api('DELETE', `/users/${userId}`)).status).toBe(200);
  await expectEnded(staying);
});

test('updates of executions are sent only to their owner', async () => {
  await addMember();
  const theirs = await proved((await login(member.email, member.password)).token);
  const mine = await proved((await login()).token);
  const execution = await run(await makeWorkflow(), { input: { name: 'Ada' } });
  await mine.next((message) => message.data?.['status'] === 'completed');
  theirs.send({ type: 'subscribe', data: { execution_id: execution } });
  expect((await theirs.next()).data).toMatchObject({ code: 'NOT_FOUND' });
  await expectOpen(theirs);
  expect(theirs.messages.map(({ type }) => type)).toEqual(['auth_success', 'error', 'pong']);
});

test('at SIGTERM clients get 1001, and the process ends', async () => {
  const ownFolder = createTempFolder();
  const service = await spawnService({ dataDir: ownFolder.path });
  try {
    const { body } = await service.call('POST', '/auth/login', {
      body: { email: adminEmail, password: adminPassword },
    });
    const client = await connectSocket(service.url);
    await client.auth((body as { token: string }).token);
    // One that never answers, not even the close.
    const mute = await connectSocket(service.url);
    mute.socket.pause();
    const began = performance.now();
    const stopped = service.stop();
    expect(await client.closed()).toMatchObject({ code: 1001 });
    expect(await stopped).toBe(0);
    expect(performance.now() - began).toBeLessThan(8_000);
  } finally {
    if (service.child.exitCode === null) await service.kill9();
    ownFolder.remove();
  }
});
