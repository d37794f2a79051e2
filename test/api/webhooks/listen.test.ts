import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSocket, endSocketClients } from '../../support/websocket/websocket-client.ts';
import { createTestClock } from '../../support/time/clock.ts';
import { startInProcess, type InProcess } from '../../support/in-process.ts';
import { caller, createTempFolder, type ApiResponse, type Call } from '../../support/service.ts';
import { createEchoWorkflow, manual, mapNode } from '../definitions.ts';

const folder = createTempFolder();
const clock = createTestClock(Date.parse('2026-03-01T10:00:00Z'));
let weft: InProcess;
let api: Call;
let other: Call;
let token: string;

type Listener = { url: string; method: string; expires_at: string; node_id: string };
type Failure = {
  error: { code: string; message: string; details: { field?: string; retry_after?: number } };
};

beforeAll(async () => {
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
  const user = { email: 'other@example.com', password: 'another good password' };
  expect((await api('POST', '/users', { body: user })).status).toBe(201);
  const login = await weft.call('POST', '/auth/login', { body: user });
  other = caller(weft.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
  const key = await api('POST', '/api-keys', { body: { name: 'watcher', scopes: ['executions:read'] } });
  token = (key.body as { key: string }).key;
  await api('PUT', '/secrets/HOOK_KEY', { body: { value: 'the key of the hook' } });
});
afterAll(async () => {
  endSocketClients();
  await weft.service.stop();
  folder.remove();
});

async function draft(definition: object): Promise<string> {
  const response = await api('POST', '/workflows', { body: { name: 'x', definition } });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
async function listen(id: string, body?: object): Promise<Listener> {
  const response = await api('POST', `/workflows/${id}/listen`, body === undefined ? {} : { body });
  expect(response.status, response.text).toBe(201);
  return response.body as Listener;
}
const at = (url: string, options: Parameters<Call>[2] = {}, method = 'POST'): Promise<ApiResponse> =>
  weft.call(method, url.slice(weft.url.length), options);
const readErrorCode = (response: ApiResponse): [number, string] => [
  response.status,
  (response.body as Failure).error.code,
];
const count = async (): Promise<number> =>
  ((await api('GET', '/executions?limit=1')).body as { pagination: { total: number } }).pagination.total;

describe('a test address', () => {
  test('of a draft accepts one request, like the real endpoint, and is removed', async () => {
    const id = await draft(createEchoWorkflow('orders'));
    const listener = await listen(id);
    expect(listener).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/listen\/[\w-]{32}$/) as string,
      method: 'POST',
      expires_at: new Date(clock.now() + 120_000).toISOString(),
      node_id: 'hook',
    });
    expect((await weft.call('POST', '/webhooks/orders', { body: {} })).status).toBe(404);
    const response = await at(listener.url, { body: { n: 1 } });
    expect([response.status, response.body]).toEqual([200, { body: { n: 1 } }]);
    const execution = response.headers.get('x-weft-execution-id');
    const shown = (await api('GET', `/executions/${execution}`)).body as {
      trigger: object;
      workflow_id: string;
    };
    expect(shown).toMatchObject({
      workflow_id: id,
      status: 'completed',
      trigger: { type: 'webhook', node_id: 'hook', test: true },
    });
    const before = await count();
    expect(readErrorCode(await at(listener.url, { body: { n: 2 } }))).toEqual([404, 'NOT_FOUND']);
    expect(await count()).toBe(before);
  });

  test('of an active workflow runs the newest version, not the live one', async () => {
    const body = { name: 'x', definition: createEchoWorkflow('live'), status: 'active' };
    const { id } = (await api('POST', '/workflows', { body })).body as { id: string };
    const listener = await listen(id);
    const newer = {
      ...createEchoWorkflow('live'),
      nodes: [createEchoWorkflow('live').nodes[0], mapNode('all', 'body', 'newest')],
    };
    const put = await api('PUT', `/workflows/${id}`, { body: { definition: newer, publish: false } });
    expect(put.status, put.text).toBe(200);
    expect((await at(listener.url, { body: 1 })).body).toEqual({ newest: 1 });
    expect((await weft.call('POST', '/webhooks/live', { body: 1 })).body).toEqual({ body: 1 });
  });

  test('publishes its execution over the WebSocket like any other', async () => {
    const id = await draft(createEchoWorkflow('watched'));
    const client = await connectSocket(weft.url);
    expect((await client.auth(token)).type).toBe('auth_success');
    const response = await at((await listen(id)).url, { body: {} });
    const update = await client.next(
      ({ type, data }) => type === 'execution_update' && data?.['status'] === 'completed',
    );
    expect(update.data).toMatchObject({
      workflow_id: id,
      execution_id: response.headers.get('x-weft-execution-id'),
    });
    client.end();
  });

  test('responds as respond is configured', async () => {
    const once = await listen(await draft(createEchoWorkflow('a', { respond: 'immediately' })));
    expect((await at(once.url, { body: {} })).body).toEqual({
      execution_id: expect.stringMatching(/^ex_/) as string,
    });
    const definition = createEchoWorkflow('a', { respond: 'respond' });
    definition.nodes[1] = {
      id: 'all',
      type: 'respond',
      config: { status: 418, body: { tea: '{{ input.body.tea }}' } },
    } as never;
    const response = await at((await listen(await draft(definition))).url, { body: { tea: 'green' } });
    expect([response.status, response.body]).toEqual([418, { tea: 'green' }]);
    const failing = createEchoWorkflow('a');
    failing.nodes[1] = { id: 'all', type: 'stop', config: { outcome: 'failed', message: 'no' } } as never;
    expect(readErrorCode(await at((await listen(await draft(failing))).url, { body: {} }))).toEqual([
      500,
      'EXECUTION_FAILED',
    ]);
  });

  test('accepts the endpoint with its parameters after the token, and any body', async () => {
    const definition = createEchoWorkflow('orders/:order/items/:item', { method: 'PUT' });
    definition.nodes[1] = mapNode('all', 'params', 'params') as never;
    const id = await draft(definition);
    const { url, method } = await listen(id);
    expect(method).toBe('PUT');
    expect(url).toMatch(/\/orders\/:order\/items\/:item$/);
    const base = url.replace('/orders/:order/items/:item', '');
    for (const [verb, path] of [
      ['PUT', base],
      ['PUT', `${base}/orders/1`],
      ['POST', `${base}/orders/1/items/2`],
      ['PUT', `${base}/orders/1/items/2/3`],
    ] as const) {
      expect((await at(path, { body: {} }, verb)).status, `${verb} ${path}`).toBe(404);
    }
    const response = await at(`${base}/orders/a%2Fb/items/2?x=1`, { raw: 'text' }, 'PUT');
    expect(response.body).toEqual({ params: { order: 'a/b', item: '2' } });
    const plain = await listen(await draft(createEchoWorkflow('a/b')));
    expect((await at(`${plain.url}/a/b/`, { body: 1 })).body).toEqual({ body: 1 });
  });

  test('HEAD is served where GET is', async () => {
    const { url } = await listen(await draft(createEchoWorkflow('h', { method: 'GET' })));
    const response = await at(url, {}, 'HEAD');
    expect([response.status, response.text]).toEqual([200, '']);
    expect(response.headers.get('x-weft-execution-id')).toMatch(/^ex_/);
  });

  test('a call without valid authentication is refused, and does not use up the URL', async () => {
    const config = { authentication: 'hmac', secret: 'HOOK_KEY', expectedSchema: { order: 'string' } };
    const { url } = await listen(await draft(createEchoWorkflow('signed', config)));
    const before = await count();
    expect(readErrorCode(await at(url, { body: { order: 'x' } }))).toEqual([401, 'UNAUTHORIZED']);
    const send = (body: object): Promise<ApiResponse> => {
      const raw = JSON.stringify(body);
      const time = Math.floor(clock.now() / 1000);
      const digest = createHmac('sha256', 'the key of the hook').update(`${time}.${raw}`).digest('hex');
      return at(url, {
        raw,
        headers: { 'content-type': 'application/json', 'x-weft-signature': `t=${time},v1=${digest}` },
      });
    };
    const wrongType = await send({ order: 1 });
    expect(readErrorCode(wrongType)).toEqual([400, 'VALIDATION_ERROR']);
    expect(await count()).toBe(before);
    // Proved, so it was used up, though its body was refused.
    expect((await send({ order: 'x' })).status).toBe(404);
    const again = await listen(await draft(createEchoWorkflow('signed', config)));
    expect(again.url).not.toBe(url);
  });

  test('a repeat of a delivery is no repeat here', async () => {
    const id = await draft(createEchoWorkflow('twice', { deduplicate: '{{ input.body.id }}' }));
    const ids = [];
    for (let i = 0; i < 2; i++) {
      const { url } = await listen(id);
      const response = await at(url, { body: { id: 'evt_1' }, headers: { 'idempotency-key': 'k' } });
      expect(response.status).toBe(200);
      ids.push(response.headers.get('x-weft-execution-id'));
    }
    expect(new Set(ids).size).toBe(2);
  });

  test('of many calls at once one is served', async () => {
    const { url } = await listen(await draft(createEchoWorkflow('race')));
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => at(url, { body: n })));
    expect(responses.filter(({ status }) => status === 200).length).toBe(1);
    expect(responses.filter(({ status }) => status === 404).length).toBe(19);
  });

  test('is over after two minutes', async () => {
    const id = await draft(createEchoWorkflow('late'));
    const [first, second] = [await listen(id), await listen(id)];
    await clock.advance(119_999);
    expect((await at(first.url, { body: 1 })).status).toBe(200);
    await clock.advance(1);
    expect((await at(second.url, { body: 1 })).status).toBe(404);
    api = await weft.login();
  });

  test('follows the workflow: deleted, changed, faulty', async () => {
    const gone = await draft(createEchoWorkflow('gone'));
    const first = await listen(gone);
    await api('DELETE', `/workflows/${gone}`);
    expect((await at(first.url, { body: 1 })).status).toBe(404);

    const changed = await draft(createEchoWorkflow('one', { method: 'POST' }));
    const second = await listen(changed);
    await api('PUT', `/workflows/${changed}`, {
      body: { definition: createEchoWorkflow('one', { method: 'PUT' }) },
    });
    expect((await at(second.url, { body: 1 })).status).toBe(404);
    expect((await at(second.url, { body: 1 }, 'PUT')).status).toBe(200);

    const invalid = await draft(createEchoWorkflow('two'));
    const third = await listen(invalid);
    await api('PUT', `/workflows/${invalid}`, {
      body: { definition: { nodes: [createEchoWorkflow('two').nodes[0], { id: 'x', type: 'no_such' }] } },
    });
    expect(readErrorCode(await at(third.url, { body: 1 }))).toEqual([400, 'CONFLICT']);
    await api('PUT', `/workflows/${invalid}`, { body: { definition: { nodes: [manual] } } });
    expect((await at(third.url, { body: 1 })).status).toBe(404);
    await api('PUT', `/workflows/${invalid}`, { body: { definition: createEchoWorkflow('two') } });
    expect((await at(third.url, { body: 1 })).body).toEqual({ body: 1 });
  });

  test('too large a body is refused before it is read', async () => {
    const { url } = await listen(await draft(createEchoWorkflow('large')));
    const response = await at(url, { raw: Buffer.alloc(16 * 1024 * 1024 + 1, 'a') });
    expect(readErrorCode(response)).toEqual([400, 'PAYLOAD_TOO_LARGE']);
    expect((await at(url, { body: 1 })).status).toBe(200);
  });

  test.each(['', 'x', 'x/', '//', '%00', 'a'.repeat(5_000), '__proto__'])(
    'an unknown token %j is a 404',
    async (token) => {
      expect((await weft.call('POST', `/listen/${token}`, { body: {} })).status).toBe(404);
    },
  );
});

describe('closing them', () => {
  test('ends the URLs of one trigger or of the workflow, any number of times', async () => {
    const two = createEchoWorkflow('closing');
    two.nodes.push({
      ...two.nodes[0],
      id: 'second',
      config: { ...two.nodes[0]!.config, endpoint: 'closing-2' },
    } as never);
    two.connections.push({ from: 'second', to: 'all' });
    const id = await draft(two);
    const close = async (query = ''): Promise<unknown> =>
      (await api('DELETE', `/workflows/${id}/listen${query}`)).body;
    const [first, second, third] = [
      await listen(id, { node_id: 'hook' }),
      await listen(id, { node_id: 'second' }),
      await listen(id, { node_id: 'second' }),
    ];
    expect(await close('?node_id=hook')).toEqual({ closed: 1 });
    expect(readErrorCode(await at(first.url, { body: 1 }))).toEqual([404, 'NOT_FOUND']);
    expect((await at(third.url, { body: 1 })).status).toBe(200);
    expect(await close()).toEqual({ closed: 1 });
    expect((await at(second.url, { body: 1 })).status).toBe(404);
    expect(await close()).toEqual({ closed: 0 });
    expect(await close('?node_id=gone')).toEqual({ closed: 0 });
  });

  test('needs the scope and the owner; a wrong parameter is named', async () => {
    const id = await draft(createEchoWorkflow('kept'));
    const { url } = await listen(id);
    for (const call of [
      () => other('DELETE', `/workflows/${id}/listen`),
      () => api('DELETE', '/workflows/wf_none/listen'),
    ])
      expect(readErrorCode(await call())).toEqual([404, 'NOT_FOUND']);
    expect((await weft.call('DELETE', `/workflows/${id}/listen`)).status).toBe(401);
    const made = await api('POST', '/api-keys', { body: { name: 'closer', scopes: ['workflows:write'] } });
    const key = caller(weft.url, { 'x-api-key': (made.body as { key: string }).key });
    expect(readErrorCode(await key('DELETE', `/workflows/${id}/listen`))).toEqual([403, 'FORBIDDEN']);
    const wrong = await api('DELETE', `/workflows/${id}/listen?node=hook`);
    expect([wrong.status, (wrong.body as Failure).error.details.field]).toEqual([400, 'node']);
    expect((await at(url, { body: 1 })).status).toBe(200);
  });
});

describe('opening one', () => {
  test('needs a webhook trigger, and its id where there are several', async () => {
    const none = await draft({ nodes: [manual], connections: [] });
    expect(readErrorCode(await api('POST', `/workflows/${none}/listen`))).toEqual([400, 'CONFLICT']);
    const two = createEchoWorkflow('first');
    two.nodes.push({
      ...two.nodes[0],
      id: 'second',
      config: { ...two.nodes[0]!.config, endpoint: 'second', method: 'PUT' },
    } as never);
    two.connections.push({ from: 'second', to: 'all' });
    const id = await draft(two);
    const unsaid = await api('POST', `/workflows/${id}/listen`, { body: {} });
    expect((unsaid.body as Failure).error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'node_id' },
    });
    expect(unsaid.text).toContain('hook, second');
    expect(await listen(id, { node_id: 'second' })).toMatchObject({ node_id: 'second', method: 'PUT' });
  });

  test.each([
    [{ node_id: 'all' }, 'node_id'],
    [{ node_id: 'nowhere' }, 'node_id'],
    [{ node_id: 1 }, 'node_id'],
    [{ node_id: '' }, 'node_id'],
    [{ node: 'hook' }, 'node'],
    [[], ''],
  ])('%j is refused', async (body, field) => {
    const id = await draft(createEchoWorkflow('bad'));
    const response = await api('POST', `/workflows/${id}/listen`, { body });
    expect([response.status, (response.body as Failure).error.details.field]).toEqual([400, field]);
  });

  test('is rejected with all errors while the definition has errors', async () => {
    const definition = createEchoWorkflow('faulty', { authentication: 'bearer', secret: 'NOT_SET' });
    const response = await api('POST', `/workflows/${await draft(definition)}/listen`);
    expect(readErrorCode(response)).toEqual([400, 'VALIDATION_ERROR']);
    expect(response.text).toContain('NOT_SET');
  });

  test("another owner's workflow is missing; the scope must reach", async () => {
    const id = await draft(createEchoWorkflow('mine'));
    for (const call of [
      () => other('POST', `/workflows/${id}/listen`),
      () => api('POST', '/workflows/wf_none/listen'),
    ])
      expect(readErrorCode(await call())).toEqual([404, 'NOT_FOUND']);
    expect((await weft.call('POST', `/workflows/${id}/listen`)).status).toBe(401);
    const made = await api('POST', '/api-keys', { body: { name: 'k', scopes: ['workflows:write'] } });
    const key = caller(weft.url, { 'x-api-key': (made.body as { key: string }).key });
    expect(readErrorCode(await key('POST', `/workflows/${id}/listen`))).toEqual([403, 'FORBIDDEN']);
  });

  test('an owner can have fifty open, and closing one allows another', async () => {
    await clock.advance(120_000);
    api = await weft.login();
    const id = await draft(createEchoWorkflow('many'));
    const open = await Promise.all(Array.from({ length: 50 }, () => listen(id)));
    const refused = await api('POST', `/workflows/${id}/listen`);
    expect(readErrorCode(refused)).toEqual([429, 'RATE_LIMITED']);
    expect((refused.body as Failure).error.details.retry_after).toBe(120);
    expect((await at(open[0]!.url, { body: 1 })).status).toBe(200);
    await listen(id);
    await clock.advance(120_000);
    api = await weft.login();
    await listen(id);
  });

  test('a restart closes them', async () => {
    const id = await draft(createEchoWorkflow('restart'));
    const { url } = await listen(id);
    await weft.service.stop();
    weft = await startInProcess({ dataDir: folder.path, clock });
    api = await weft.login();
    expect((await weft.call('POST', new URL(url).pathname.slice('/v1'.length), { body: 1 })).status).toBe(
      404,
    );
  });
});
