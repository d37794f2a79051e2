import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  createTempFolder,
  waitUntil,
  type ApiResponse,
  type Call,
} from '../../support/service.ts';
import { createEchoWorkflow, mapNode } from '../definitions.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let hook: Call;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path, env: { WEFT_WEBHOOK_RATE_LIMIT: '500' } });
  api = await weft.login();
  hook = (method, path, options) => weft.call(method, `/webhooks${path}`, options);
  await api('PUT', '/secrets/HOOK_KEY', { body: { value: 'the key of the hook' } });
  await api('PUT', '/secrets/HOOK_USER', { body: { value: 'user:pass:word' } });
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

async function activate(definition: object): Promise<string> {
  const response = await api('POST', '/workflows', { body: { name: 'x', definition, status: 'active' } });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
const count = async (): Promise<number> =>
  ((await api('GET', '/executions?limit=1')).body as { pagination: { total: number } }).pagination.total;
function readError(response: ApiResponse): [number, string, string | undefined] {
  const { error } = response.body as { error: { code: string; details: { field?: string } } };
  return [response.status, error.code, error.details.field];
}
const readExecutionId = (response: ApiResponse): string => response.headers.get('x-weft-execution-id') ?? '';

describe('addresses', () => {
  test('only while active, by endpoint and by workflow, with the method configured', async () => {
    const id = await activate(createEchoWorkflow('orders/:order/items/:item', { method: 'PUT' }));
    for (const path of ['/orders/1/items/2', `/${id}/orders/1/items/2`, '/orders/1/items/2/']) {
      const response = await hook('PUT', path, { body: { a: 1 } });
      expect([response.status, response.body], path).toEqual([200, { body: { a: 1 } }]);
    }
    for (const [method, path] of [
      ['POST', '/orders/1/items/2'],
      ['PUT', '/orders/1/items'],
      ['PUT', '/orders/1/items/2/3'],
      ['PUT', `/wf_other/orders/1/items/2`],
      ['PUT', '/'],
    ] as const) {
      expect((await hook(method, path, { body: {} })).status, `${method} ${path}`).toBe(404);
    }
    await api('PUT', `/workflows/${id}`, { body: { status: 'inactive' } });
    expect((await hook('PUT', '/orders/1/items/2', { body: {} })).status).toBe(404);
  });

  test('a new definition goes live with the PUT; a deleted workflow is not found immediately', async () => {
    const id = await activate(createEchoWorkflow('moving/first'));
    await api('PUT', `/workflows/${id}`, { body: { definition: createEchoWorkflow('moving/second') } });
    expect((await hook('POST', '/moving/first', { body: {} })).status).toBe(404);
    expect((await hook('POST', '/moving/second', { body: 1 })).body).toEqual({ body: 1 });
    await api('DELETE', `/workflows/${id}`);
    expect((await hook('POST', '/moving/second', { body: {} })).status).toBe(404);
  });

  test('the trigger delivers body, query, headers, params and method', async () => {
    const definition = createEchoWorkflow('all/:what', { method: 'POST' });
    definition.nodes[1] = {
      id: 'all',
      type: 'data_transformer',
      config: {
        operations: ['body', 'query', 'params', 'method']
          .map((field) => ({ action: 'map', input: field, output: field }))
          .concat({ action: 'map', input: 'headers["x-mine"]', output: 'mine' }),
      },
    };
    await activate(definition);
    const response = await hook('POST', '/all/a%2Fb?x=1&y=2&y=3&z', {
      raw: 'a=1&b=two',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-mine': 'yes' },
    });
    expect(response.body).toEqual({
      body: { a: '1', b: 'two' },
      query: { x: '1', y: ['2', '3'], z: '' },
      params: { what: 'a/b' },
      method: 'POST',
      mine: 'yes',
    });
  });

  test('GET and HEAD', async () => {
    await activate(createEchoWorkflow('get', { method: 'GET', respond: 'immediately' }));
    const get = await hook('GET', '/get?a=1');
    expect([get.status, get.body]).toEqual([200, { execution_id: readExecutionId(get) }]);
    const head = await hook('HEAD', '/get?a=1');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(readExecutionId(head)).toMatch(/^ex_/);
  });
});

describe('answers', () => {
  test('immediately: the id, at once, and it is on disk', async () => {
    await activate({
      nodes: [
        {
          id: 'hook',
          type: 'trigger',
          config: { triggerType: 'webhook', endpoint: 'now', authentication: 'none' },
        },
        { id: 'wait', type: 'delay', config: { duration: '1h' } },
      ],
      connections: [{ from: 'hook', to: 'wait' }],
    });
    const response = await hook('POST', '/now', { body: { a: 1 } });
    expect([response.status, response.body]).toEqual([200, { execution_id: readExecutionId(response) }]);
    const execution = await api('GET', `/executions/${readExecutionId(response)}`);
    expect(execution.body).toMatchObject({
      trigger: { type: 'webhook', node_id: 'hook' },
      input: { body: { a: 1 }, method: 'POST' },
    });
  });

  test('on completion: the output, the failure, or the state after the wait', async () => {
    await activate(createEchoWorkflow('done'));
    expect((await hook('POST', '/done', { body: [1] })).body).toEqual({ body: [1] });
    const failing = createEchoWorkflow('fails');
    failing.nodes[1] = mapNode('all', 'body.missing', 'x');
    await activate(failing);
    const failed = await hook('POST', '/fails', { body: {} });
    expect(failed.status).toBe(500);
    expect(failed.body).toMatchObject({
      error: { code: 'EXECUTION_FAILED', details: { execution_id: readExecutionId(failed) } },
    });
    expect(readExecutionId(failed)).toMatch(/^ex_/);
    const slow = createEchoWorkflow('slow', { timeout: '200ms' });
    slow.nodes[1] = { id: 'all', type: 'delay', config: { duration: '1h' } } as never;
    await activate(slow);
    const late = await hook('POST', '/slow', { body: {} });
    expect([late.status, late.body]).toEqual([
      200,
      { execution_id: readExecutionId(late), status: 'waiting' },
    ]);
    const stopping = hook('POST', '/slow', { body: {} });
    await waitUntil(
      async () =>
        (await api('GET', '/executions?status=waiting&limit=1')).body as { executions: { id: string }[] },
      ({ executions }) => executions.length > 0,
    );
    await stopping;
  });

  test('by a respond node: its status, headers and body; later nodes continue', async () => {
    const definition = {
      nodes: [
        {
          id: 'hook',
          type: 'trigger',
          config: { triggerType: 'webhook', endpoint: 'answer', authentication: 'none', respond: 'respond' },
        },
        {
          id: 'say',
          type: 'respond',
          config: {
            status: 201,
            headers: { 'X-Mine': 'é {{ input.body.n }}'.replace('é ', '') },
            body: { n: '{{ input.body.n }}' },
          },
        },
        { id: 'later', type: 'delay', config: { duration: '1h' } },
      ],
      connections: [
        { from: 'hook', to: 'say' },
        { from: 'say', to: 'later' },
      ],
    };
    await activate(definition);
    const response = await hook('POST', '/answer', { body: { n: 7 } });
    expect([response.status, response.headers.get('x-mine'), response.body]).toEqual([201, '7', { n: 7 }]);
    expect(readExecutionId(response)).toMatch(/^ex_/);
  });

  test('204 and 304 have no body, and no length of one', async () => {
    for (const status of [204, 304]) {
      const { nodes, connections } = createEchoWorkflow(`none/${status}`, { respond: 'respond' });
      await activate({
        nodes: [...nodes, { id: 'say', type: 'respond', config: { status, body: { a: 1 } } }],
        connections: [...connections, { from: 'all', to: 'say' }],
      });
      const response = await hook('POST', `/none/${status}`, { body: {} });
      expect([response.status, response.text, response.headers.get('content-length')]).toEqual([
        status,
        '',
        null,
      ]);
      expect(readExecutionId(response)).toMatch(/^ex_/);
    }
  });

  test('a page returned by a workflow cannot act as a page of Weft', async () => {
    await activate({
      nodes: [
        {
          id: 'hook',
          type: 'trigger',
          config: {
            triggerType: 'webhook',
            endpoint: 'page',
            method: 'GET',
            authentication: 'none',
            respond: 'respond',
          },
        },
        {
          id: 'say',
          type: 'respond',
          config: { headers: { 'Content-Type': 'text/html' }, body: '<script>1</script>' },
        },
      ],
      connections: [{ from: 'hook', to: 'say' }],
    });
    const response = await hook('GET', '/page');
    expect(response.text).toBe('<script>1</script>');
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('without a respond node that is reached: as on completion', async () => {
    await activate(createEchoWorkflow('unanswered', { respond: 'respond' }));
    expect((await hook('POST', '/unanswered', { body: 1 })).body).toEqual({ body: 1 });
  });
});

describe('authentication', () => {
  test('each kind: right passes, wrong and missing get 401, nothing is stored', async () => {
    await activate(createEchoWorkflow('auth/basic', { authentication: 'basic', secret: 'HOOK_USER' }));
    await activate(createEchoWorkflow('auth/bearer', { authentication: 'bearer', secret: 'HOOK_KEY' }));
    await activate(createEchoWorkflow('auth/api_key', { authentication: 'api_key', secret: 'HOOK_KEY' }));
    const right: Record<string, Record<string, string>> = {
      basic: { authorization: `Basic ${Buffer.from('user:pass:word').toString('base64')}` },
      bearer: { authorization: 'Bearer the key of the hook' },
      api_key: { 'x-api-key': 'the key of the hook' },
    };
    const wrong: Record<string, Record<string, string>> = {
      basic: { authorization: `Basic ${Buffer.from('user:other').toString('base64')}` },
      bearer: { authorization: 'Bearer the key of the hoo' },
      api_key: { 'x-api-key': '' },
    };
    for (const kind of ['basic', 'bearer', 'api_key']) {
      const passed = await hook('POST', `/auth/${kind}`, { body: { a: 1 }, headers: right[kind]! });
      expect(passed.status, `${kind}: ${passed.text}`).toBe(200);
      const stored = await api('GET', `/executions/${readExecutionId(passed)}`);
      expect(stored.text).not.toContain('the key of the hook');
      expect((stored.body as { input: { headers: object } }).input.headers).not.toHaveProperty(
        'authorization',
      );
      const before = await count();
      for (const headers of [wrong[kind]!, {}]) {
        const refused = await hook('POST', `/auth/${kind}`, { body: { a: 1 }, headers });
        expect([refused.status, readError(refused)[1]]).toEqual([401, 'UNAUTHORIZED']);
        expect(refused.headers.get('www-authenticate')).toMatch(kind === 'basic' ? /^Basic/ : /^Bearer/);
      }
      expect(await count()).toBe(before);
    }
  });

  test('a signature of Weft, over the raw bytes and within its time', async () => {
    await activate(createEchoWorkflow('signed', { authentication: 'hmac', secret: 'HOOK_KEY' }));
    const raw = '{ "a" : 1 }';
    const sign = (time: number, text = raw): Record<string, string> => ({
      'content-type': 'application/json',
      'x-weft-signature': `t=${time},v1=${createHmac('sha256', 'the key of the hook').update(`${time}.${text}`).digest('hex')}`,
    });
    const now = Math.floor(Date.now() / 1000);
    expect((await hook('POST', '/signed', { raw, headers: sign(now) })).body).toEqual({ body: { a: 1 } });
    expect((await hook('POST', '/signed', { raw: '{"a":1}', headers: sign(now) })).status).toBe(401);
    expect((await hook('POST', '/signed', { raw, headers: sign(now - 310) })).status).toBe(401);
    // The signature is looked at before the JSON.
    expect((await hook('POST', '/signed', { raw: '{', headers: sign(now) })).status).toBe(401);
    expect(readError(await hook('POST', '/signed', { raw: '{', headers: sign(now, '{') }))[1]).toBe(
      'VALIDATION_ERROR',
    );
  });

  test('a deleted secret rejects calls; a new value is used immediately', async () => {
    await api('PUT', '/secrets/CHANGING', { body: { value: 'the first value of it' } });
    await activate(createEchoWorkflow('changing', { authentication: 'bearer', secret: 'CHANGING' }));
    const ask = async (value: string): Promise<number> =>
      (await hook('POST', '/changing', { body: 1, headers: { authorization: `Bearer ${value}` } })).status;
    expect(await ask('the first value of it')).toBe(200);
    await api('PUT', '/secrets/CHANGING', { body: { value: 'the second value of it' } });
    expect([await ask('the first value of it'), await ask('the second value of it')]).toEqual([401, 200]);
    await api('DELETE', '/secrets/CHANGING');
    expect([await ask('the second value of it'), await ask('')]).toEqual([401, 401]);
  });

  test('it must be written, and its secret must be set', async () => {
    const { authentication: _left, ...config } = createEchoWorkflow('open').nodes[0]!.config as {
      authentication: string;
    };
    const responses = await Promise.all([
      api('POST', '/workflows', {
        body: {
          name: 'x',
          status: 'active',
          definition: {
            ...createEchoWorkflow('open'),
            nodes: [{ id: 'hook', type: 'trigger', config }, createEchoWorkflow('open').nodes[1]],
          },
        },
      }),
      api('POST', '/workflows', {
        body: {
          name: 'x',
          status: 'active',
          definition: createEchoWorkflow('open', { authentication: 'bearer', secret: 'NOT_SET' }),
        },
      }),
    ]);
    for (const response of responses)
      expect(readError(response).slice(0, 2)).toEqual([400, 'VALIDATION_ERROR']);
    expect(readError(responses[1]!)[2]).toBe('definition.nodes[0].config.secret');
  });
});

describe('repeats', () => {
  test('a delivery id: repeats get the same execution, also concurrently', async () => {
    await activate(createEchoWorkflow('repeat'));
    for (const name of ['idempotency-key', 'webhook-id', 'x-github-delivery']) {
      const before = await count();
      const responses = await Promise.all(
        Array.from({ length: 6 }, () =>
          hook('POST', '/repeat', { body: { name }, headers: { [name]: `delivery ${name}` } }),
        ),
      );
      expect(responses.map(({ status, body }) => [status, body])).toEqual(
        Array(6).fill([200, { body: { name } }]),
      );
      expect(new Set(responses.map(readExecutionId)).size).toBe(1);
      expect(await count()).toBe(before + 1);
    }
    const headers = { 'idempotency-key': 'delivery idempotency-key' };
    expect(readError(await hook('POST', '/repeat', { body: { other: 1 }, headers }))).toEqual([
      400,
      'CONFLICT',
      'Idempotency-Key',
    ]);
  });

  test('a repeated call gets the same response, while the execution continues', async () => {
    const workflow = await activate({
      nodes: [
        {
          id: 'hook',
          type: 'trigger',
          config: {
            triggerType: 'webhook',
            endpoint: 'early',
            authentication: 'none',
            respond: 'respond',
            timeout: '30s',
          },
        },
        { id: 'say', type: 'respond', config: { status: 201, body: { got: '{{ input.body.n }}' } } },
        { id: 'work', type: 'delay', config: { duration: '10m' } },
      ],
      connections: [
        { from: 'hook', to: 'say' },
        { from: 'say', to: 'work' },
      ],
    });
    const send = () => hook('POST', '/early', { body: { n: 7 }, headers: { 'idempotency-key': 'early 1' } });
    const responses = [await send(), await send()];
    expect(responses.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([201, { got: 7 }]));
    expect(new Set(responses.map(readExecutionId)).size).toBe(1);
    await api('POST', `/executions/${readExecutionId(responses[0]!)}/stop`);
    expect((await send()).body).toEqual({ got: 7 });
    await api('DELETE', `/workflows/${workflow}`);
  });

  test('the deduplication key of the trigger distinguishes events', async () => {
    await activate(createEchoWorkflow('told', { deduplicate: '{{ input.body.id }}' }));
    const send = async (body: object): Promise<string> =>
      readExecutionId(await hook('POST', '/told', { body }));
    const first = await send({ id: 1, n: 1 });
    expect(await send({ id: 1, n: 2 })).toBe(first);
    expect(await send({ id: 2 })).not.toBe(first);
    expect(readError(await hook('POST', '/told', { body: {} }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'deduplicate',
    ]);
  });

  test('the expression of deduplicate must not read a secret', async () => {
    const definition = createEchoWorkflow('told/secret', { deduplicate: '{{ secrets.HOOK_KEY }}' });
    const response = await api('POST', '/workflows', { body: { name: 'x', definition, status: 'active' } });
    expect(readError(response)).toEqual([400, 'VALIDATION_ERROR', 'definition.nodes[0].config.deduplicate']);
  });
});

describe('content', () => {
  test('expectedSchema names every field that is missing or of another type', async () => {
    await activate(
      createEchoWorkflow('shape', {
        expectedSchema: {
          order: 'object',
          count: 'integer',
          tags: 'array',
          ok: 'boolean',
          name: 'string',
          any: 'any',
        },
      }),
    );
    const right = { order: {}, count: 1, tags: [], ok: false, name: '', any: null };
    expect((await hook('POST', '/shape', { body: right })).status).toBe(200);
    const before = await count();
    const response = await hook('POST', '/shape', {
      body: { ...right, count: 1.5, order: [], name: undefined },
    });
    expect(readError(response)).toEqual([400, 'VALIDATION_ERROR', 'order']);
    const { errors } = (response.body as { error: { details: { errors: { field: string }[] } } }).error
      .details;
    expect(errors.map(({ field }) => field)).toEqual(['order', 'count', 'name']);
    expect((await hook('POST', '/shape', { body: [] })).status).toBe(400);
    expect(await count()).toBe(before);
  });

  test('sizes: 16 MiB pass, one byte more does not', async () => {
    await activate(createEchoWorkflow('large', { respond: 'immediately' }));
    const limit = 16 * 1024 * 1024;
    const text = (size: number): string => 'x'.repeat(size);
    const headers = { 'content-type': 'text/plain' };
    expect((await hook('POST', '/large', { raw: text(limit), headers })).status).toBe(200);
    const response = await hook('POST', '/large', { raw: text(limit + 1), headers });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE', details: { limit } } });
  });

  test('bodies without a type, empty bodies and odd paths do no harm', async () => {
    await activate(createEchoWorkflow('odd'));
    expect((await hook('POST', '/odd')).body).toEqual({ body: null });
    expect((await hook('POST', '/odd', { raw: new Uint8Array([104, 105]) })).body).toEqual({ body: 'hi' });
    expect(
      readError(
        await hook('POST', '/odd', {
          raw: new Uint8Array([255, 254]),
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
        }),
      ),
    ).toEqual([400, 'VALIDATION_ERROR', 'body']);
    expect(
      (
        await hook('POST', '/odd?__proto__=1&constructor=2', {
          body: JSON.parse('{"__proto__":{"polluted":1}}'),
        })
      ).status,
    ).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    for (const path of ['/%', '/%00', '/../workflows', `/${'a/'.repeat(500)}`, `/${'x'.repeat(5000)}`]) {
      expect([400, 401, 404], path.slice(0, 20)).toContain((await hook('POST', path, { body: {} })).status);
    }
  });

  test('a caller that leaves in the middle of its body starts nothing', async () => {
    await activate(createEchoWorkflow('cut', { respond: 'immediately' }));
    const before = await count();
    const { hostname, port } = new URL(weft.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'POST /v1/webhooks/cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await count()).toBe(before);
  });
});

test('a flood of one workflow is rejected with 429 and Retry-After; others continue', async () => {
  await activate(createEchoWorkflow('flood', { respond: 'immediately' }));
  await activate(createEchoWorkflow('calm', { respond: 'immediately' }));
  const responses = await Promise.all(
    Array.from({ length: 550 }, () => hook('POST', '/flood', { body: {} })),
  );
  const refused = responses.filter(({ status }) => status === 429);
  // The minute may turn in the middle of the flood: then all pass, and the next one is full.
  if (refused.length === 0) return;
  expect(responses.length - refused.length).toBeGreaterThanOrEqual(500);
  expect(refused[0]?.body).toMatchObject({
    error: { code: 'RATE_LIMITED', details: { reason: 'workflow' } },
  });
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await hook('POST', '/calm', { body: {} })).status).toBe(200);
});
