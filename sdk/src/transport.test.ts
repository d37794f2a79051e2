import { afterEach, describe, expect, test } from 'vitest';
import type { ServerResponse } from 'node:http';
import {
  ConflictError,
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
  ValidationError,
  WeftError,
  createClient,
  type ClientOptions,
} from './index.ts';
import {
  createErrorBody,
  json,
  startFailingServer,
  type ReceivedRequest,
  type FailingServer,
} from './testing/failing-server.ts';

let server: FailingServer;
afterEach(() => server.close());

async function against(
  respond: (seen: ReceivedRequest, response: ServerResponse, nth: number) => void,
  options: Partial<ClientOptions> = {},
) {
  server = await startFailingServer(respond);
  return createClient({ baseUrl: server.url, apiKey: 'weft_key', ...options });
}

const page = { workflows: [], pagination: { page: 1, limit: 10, total: 0, total_pages: 0 } };

describe('a request', () => {
  test('is sent below /v1 with credential, query and body', async () => {
    const client = await against((_seen, response) => json(response, 200, page));
    await client.workflows.list({ search: 'a b&c', status: undefined });
    await createClient({
      baseUrl: `${server.url}/v1/`,
      token: () => Promise.resolve('tok'),
    }).workflows.create({
      name: 'x',
      description: undefined,
    });
    expect(server.seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/v1/workflows?search=a+b%26c', undefined],
      ['POST', '/v1/workflows', { name: 'x' }],
    ]);
    expect(server.seen[0]!.headers['x-api-key']).toBe('weft_key');
    expect(server.seen[1]!.headers['authorization']).toBe('Bearer tok');
  });

  test('encodes ids so that they cannot change the path', async () => {
    const client = await against((_seen, response) => json(response, 404, createErrorBody('NOT_FOUND')));
    await expect(client.workflows.get('../users/me?x=1#y')).rejects.toBeInstanceOf(NotFoundError);
    expect(server.seen[0]!.path).toBe('/v1/workflows/..%2Fusers%2Fme%3Fx%3D1%23y');
  });

  test.each([
    ['VALIDATION_ERROR', 400, ValidationError],
    ['PAYLOAD_TOO_LARGE', 400, PayloadTooLargeError],
    ['CONFLICT', 400, ConflictError],
    ['UNAUTHORIZED', 401, UnauthorizedError],
    ['FORBIDDEN', 403, ForbiddenError],
    ['NOT_FOUND', 404, NotFoundError],
    ['RATE_LIMITED', 429, RateLimitedError],
    ['INTERNAL_ERROR', 500, ServerError],
    ['STORAGE_FULL', 500, ServerError],
    ['OF_A_LATER_VERSION', 400, WeftError],
  ] as const)('%s is an error of its own kind', async (code, status, kind) => {
    const client = await against((_seen, response) =>
      json(response, status, createErrorBody(code, { field: 'f', issue: 'i', limit: 5 })),
    );
    const error = await client.workflows
      .create({ name: 'x' }, { retries: 0 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ code, status, requestId: 'req_1', message: `It is ${code}.` });
    if (error instanceof ValidationError)
      expect([error.field, error.issue, error.errors]).toEqual(['f', 'i', []]);
    if (error instanceof PayloadTooLargeError) expect(error.limit).toBe(5);
  });

  test('rejects a response that is not from Weft', async () => {
    const client = await against((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>a router</html>');
    });
    await expect(client.users.me()).rejects.toThrow(UnexpectedResponseError);
    await expect(client.users.me()).rejects.toThrow(/base URL is that of a Weft service.*a router/);
    await expect(createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).users.me()).rejects.toThrow(
      ConnectionError,
    );
    expect(() => createClient({ baseUrl: 'nowhere' })).toThrow(/takes an address such as/);
    expect(() => createClient({ baseUrl: server.url, apiKey: 'a', token: 'b' })).toThrow(/takes one of/);
  });

  test('aborts a response without end', async () => {
    const client = await against(
      (_seen, response) => {
        response.writeHead(200);
        const pour = (): void => {
          if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(pour));
        };
        pour();
      },
      { maxResponseBytes: 1_000_000 },
    );
    await expect(client.users.me()).rejects.toThrow(/larger than 1000000 bytes/);
    expect(server.seen.length).toBe(1);
  });
});

describe('retries', () => {
  test('retries a GET after 500, 502 and a broken connection', async () => {
    const client = await against((_seen, response, nth) => {
      if (nth === 1) json(response, 500, createErrorBody('INTERNAL_ERROR'));
      else if (nth === 2) response.writeHead(502).end('<html>');
      else if (nth === 3) response.destroy();
      else json(response, 200, page);
    });
    expect(await client.workflows.list()).toEqual(page);
    expect(server.seen.length).toBe(4);
  });

  test('are limited', async () => {
    const client = await against(
      (_seen, response) => json(response, 500, createErrorBody('INTERNAL_ERROR')),
      {
        retries: 2,
      },
    );
    await expect(client.workflows.list()).rejects.toBeInstanceOf(ServerError);
    expect(server.seen.length).toBe(3);
    await expect(client.workflows.list({}, { retries: 0 })).rejects.toBeInstanceOf(ServerError);
    expect(server.seen.length).toBe(4);
  });

  test('do not repeat a write unless it was rejected before execution', async () => {
    const client = await against((seen, response, nth) => {
      if (seen.path.endsWith('/publish')) json(response, 500, createErrorBody('INTERNAL_ERROR'));
      else if (nth === 2)
        json(response, 429, createErrorBody('RATE_LIMITED', { reason: 'capacity' }), { 'retry-after': '0' });
      else json(response, 201, { id: 'wf_1' });
    });
    await expect(client.workflows.publish('wf_1')).rejects.toBeInstanceOf(ServerError);
    expect(server.seen.length).toBe(1);
    expect(await client.workflows.create({ name: 'x' })).toEqual({ id: 'wf_1' });
    expect(server.seen.length).toBe(3);
  });

  test('send the same generated idempotency key with each attempt of an execute', async () => {
    const client = await against((_seen, response, nth) => {
      if (nth % 2 === 1) response.destroy();
      else json(response, 201, { id: 'ex_1', status: 'queued' });
    });
    await client.workflows.execute('wf_1', { input: { a: 1 } });
    await client.workflows.execute('wf_1', { input: { a: 1 } }, { idempotencyKey: 'mine' });
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0], 'mine', 'mine']);
  });

  test('respect Retry-After, and throw when it is too long', async () => {
    const client = await against((_seen, response, nth) => {
      if (nth === 1)
        json(response, 429, createErrorBody('RATE_LIMITED', { reason: 'capacity' }), { 'retry-after': '1' });
      else if (nth === 3)
        json(response, 429, createErrorBody('RATE_LIMITED', { reason: 'plan' }), { 'retry-after': '1800' });
      else json(response, 200, page);
    });
    const began = performance.now();
    await client.workflows.list();
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    const error = await client.workflows.list().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfter: 1_800, reason: 'plan' });
    expect(server.seen.length).toBe(3);
  });

  test('apply the timeout to one attempt and the signal to all', async () => {
    const client = await against((_seen, response, nth) => {
      if (nth === 2) json(response, 200, page);
    });
    expect(await client.workflows.list({}, { timeout: 100 })).toEqual(page);
    const late = await client.workflows
      .list({}, { timeout: 50, retries: 0 })
      .catch((thrown: unknown) => thrown);
    expect(late).toBeInstanceOf(TimeoutError);
    const controller = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 50);
    await expect(client.workflows.list({}, { signal: controller.signal })).rejects.toBe(reason);
    await expect(client.workflows.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const pausing = new AbortController();
    const down = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 50 });
    setTimeout(() => pausing.abort(reason), 50);
    await expect(down.users.me({ signal: pausing.signal })).rejects.toBe(reason);
  });
});

describe('a session', () => {
  const login = (token: string, expires_in = 3_600) => ({
    token,
    expires_in,
    user: { id: 'usr_1', email: 'a@b.c', name: 'A' },
  });

  test('that has expired is renewed once for all concurrent requests', async () => {
    const kept: (string | null)[] = [];
    const client = await against(
      ({ path, headers, body }, response) => {
        if (path === '/v1/auth/refresh')
          setTimeout(() => json(response, 200, login(`${(body as { token: string }).token}+`)), 50);
        else if (headers.authorization === 'Bearer old+') json(response, 200, page);
        else json(response, 401, createErrorBody('UNAUTHORIZED'));
      },
      {
        apiKey: undefined,
        session: { token: 'old', expiresAt: Date.now() + 3_600_000, user: login('').user },
        onSession: (session) => void kept.push(session?.token ?? null),
      },
    );
    await Promise.all(Array.from({ length: 20 }, () => client.workflows.list()));
    // A POST is repeated as well: the service rejected it.
    await client.workflows.create({ name: 'x' });
    expect(server.seen.filter(({ path }) => path === '/v1/auth/refresh').length).toBe(1);
    expect(kept).toEqual(['old+']);
  });

  test('is renewed before it expires', async () => {
    const client = await against(
      ({ path }, response) => json(response, 200, path === '/v1/auth/refresh' ? login('new') : page),
      { apiKey: undefined, session: { token: 'old', expiresAt: Date.now() + 5_000, user: login('').user } },
    );
    await client.workflows.list();
    expect(server.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/auth/refresh', undefined],
      ['/v1/workflows', 'Bearer new'],
    ]);
  });

  test('that cannot be renewed is reported once and not retried', async () => {
    const client = await against((_seen, response) => json(response, 401, createErrorBody('UNAUTHORIZED')), {
      apiKey: undefined,
      token: 'dead',
    });
    for (let i = 0; i < 3; i++)
      await expect(client.workflows.list()).rejects.toBeInstanceOf(UnauthorizedError);
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/v1/workflows',
      '/v1/auth/refresh',
      '/v1/workflows',
      '/v1/workflows',
    ]);
    const key = createClient({ baseUrl: server.url, apiKey: 'weft_wrong' });
    await expect(key.workflows.list()).rejects.toBeInstanceOf(UnauthorizedError);
    expect(server.seen.length).toBe(5);
  });

  test('survives a lost response of a renewal', async () => {
    const client = await against(
      ({ path, headers }, response, nth) => {
        if (path === '/v1/auth/refresh' && nth === 2) response.destroy();
        else if (path === '/v1/auth/refresh') json(response, 200, login('new'));
        else if (headers.authorization === 'Bearer new') json(response, 200, page);
        else json(response, 401, createErrorBody('UNAUTHORIZED'));
      },
      { apiKey: undefined, token: 'old' },
    );
    expect(await client.workflows.list()).toEqual(page);
  });
});

test('iterates all pages without duplicates although the list grows at its front', async () => {
  const items = Array.from({ length: 7 }, (_, i) => ({ id: `wf_${i}` }));
  const client = await against(({ path }, response) => {
    const { searchParams } = new URL(path, 'http://x');
    const [number, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))];
    const workflows = items.slice((number - 1) * limit, number * limit);
    if (number === 1) items.unshift({ id: 'wf_new' });
    const total_pages = Math.ceil(items.length / limit);
    json(response, 200, { workflows, pagination: { page: number, limit, total: items.length, total_pages } });
  });
  const seen: string[] = [];
  for await (const { id } of client.workflows.listAll({ limit: 3 })) seen.push(id);
  expect(seen).toEqual(['wf_0', 'wf_1', 'wf_2', 'wf_3', 'wf_4', 'wf_5', 'wf_6']);
  const some: string[] = [];
  for await (const { id } of client.workflows.listAll({ limit: 3 }, { maxItems: 4 })) some.push(id);
  expect(some.length).toBe(4);
});

describe('GraphQL', () => {
  test('returns data, and an error with the partial data', async () => {
    const client = await against((_seen, response, nth) => {
      if (nth === 1) json(response, 200, { data: { workflows: [] } });
      else
        json(response, 200, {
          data: { workflow: null },
          errors: [
            { message: 'no', path: ['workflow'], extensions: { code: 'FORBIDDEN', details: { a: 1 } } },
          ],
        });
    });
    const data = await client.graphql<{ workflows: { id: string }[] }>(
      'query ($a: Int) { workflows { id } }',
      { a: 1 },
    );
    expect(data.workflows).toEqual([]);
    expect(server.seen[0]!.body).toEqual({
      query: 'query ($a: Int) { workflows { id } }',
      variables: { a: 1 },
    });
    await expect(client.graphql('mutation { x }')).rejects.toMatchObject({
      name: 'GraphqlError',
      code: 'FORBIDDEN',
      details: { a: 1 },
      data: { workflow: null },
    });
  });

  test('retries a query but not a mutation', async () => {
    const client = await against(
      (_seen, response) => json(response, 500, createErrorBody('INTERNAL_ERROR')),
      {
        retries: 1,
      },
    );
    await expect(client.graphql('{ a }')).rejects.toBeInstanceOf(ServerError);
    await expect(client.graphql('mutation { a }')).rejects.toBeInstanceOf(ServerError);
    expect(server.seen.length).toBe(3);
  });
});
