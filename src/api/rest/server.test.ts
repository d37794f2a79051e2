import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { afterEach, describe, expect, test } from 'vitest';
import { createTimeOrderedIds } from '../../lib/ids.ts';
import { check } from '../../contract/check.ts';
import { WeftError, conflict } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { createLog } from '../log.ts';
import type { Clock } from '../../ports/clock.ts';
import { idPrefixes, type Ids } from '../../ports/ids.ts';
import { unauthorized } from '../../auth/authenticate.ts';
import { forgetfulRateLimit } from '../../services/testing/rate-limit.ts';
import { createAdmission } from '../admission.ts';
import type { EventSink, Route } from './route.ts';
import { createServer, drainServer, type ServerOptions } from './server.ts';

const clock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};
const nextId = createTimeOrderedIds(
  () => clock.now(),
  (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
);
const ids: Ids = { next: (kind) => `${idPrefixes[kind]}_${nextId()}` };

const alice: Principal = {
  userId: 'usr_alice',
  role: 'member',
  plan: 'standard',
  scopes: null,
  via: 'session',
  sessionId: 's',
};
const Echo = Type.Object(
  { a: Type.Optional(Type.Unknown()), deep: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);
const sinks: EventSink[] = [];
let release: (() => void) | null = null;

const routes: Route[] = [
  {
    method: 'POST',
    path: '/echo',
    operation: 'echo',
    status: 201,
    scope: 'public',
    summary: 'Gives the body back.',
    answer: Type.Unknown(),
    body: Type.Unknown(),
    handle: (ctx) => ({ body: check(Echo, ctx.body) }),
  },
  {
    method: 'GET',
    path: '/things/{id}',
    operation: 'getThing',
    status: 200,
    scope: 'public',
    summary: 'Gives path and query back.',
    answer: Type.Unknown(),
    query: Type.Object({ page: Type.Integer(), name: Type.String(), flag: Type.Boolean() }),
    handle: (ctx) => ({ id: ctx.params['id'], query: ctx.query, ip: ctx.ip, request: ctx.requestId }),
  },
  {
    method: 'POST',
    path: '/ping',
    operation: 'ping',
    status: 200,
    scope: 'any',
    summary: 'Takes no body.',
    answer: Type.Unknown(),
    handle: () => ({ pong: true }),
  },
  {
    method: 'GET',
    path: '/broken',
    operation: 'breakDown',
    status: 200,
    scope: 'public',
    summary: 'Fails.',
    answer: Type.Unknown(),
    handle: () => {
      throw new Error('SELECT password FROM /etc/shadow');
    },
  },
  {
    method: 'GET',
    path: '/conflict',
    operation: 'getConflict',
    status: 200,
    scope: 'public',
    summary: 'Conflicts.',
    answer: Type.Unknown(),
    handle: () => {
      throw conflict('Taken.', { endpoint: 'x' });
    },
  },
  {
    method: 'GET',
    path: '/slow',
    operation: 'getSlow',
    status: 200,
    scope: 'public',
    summary: 'Waits until it is released.',
    answer: Type.Unknown(),
    handle: () => new Promise((resolve) => (release = () => resolve({ done: true }))),
  },
  {
    method: 'GET',
    path: '/events',
    operation: 'followEvents',
    status: 200,
    scope: 'any',
    summary: 'A stream.',
    answer: Type.Unknown(),
    handle: (ctx) =>
      ctx.stream((sink) => {
        sinks.push(sink);
        sink.send({ n: 1 }, 'first', '0');
        sink.send({ n: 2 });
      }),
  },
];

const lines: string[] = [];
const open: ReturnType<typeof createServer>[] = [];
afterEach(async () => {
  lines.length = 0;
  for (const app of open.splice(0)) await drainServer(app, clock, 100);
});

function server(change: Partial<ServerOptions> = {}, config: Partial<ServerOptions['config']> = {}) {
  const app = createServer({
    config: { version: '9.8.7', corsOrigins: [], trustProxy: [], ...config },
    admission: createAdmission(
      ({ authorization }) => {
        if (authorization === 'Bearer good') return alice;
        throw unauthorized('No.');
      },
      forgetfulRateLimit({ standard: 1000, pro: null, enterprise: null }, clock),
    ),
    routes,
    log: createLog('info', { write: (line: string) => void lines.push(line) }),
    clock,
    ids,
    ...change,
  });
  open.push(app);
  return app;
}

async function listening(app: ReturnType<typeof createServer>): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Sends bytes as they are and reads until the other side closes, or `enough` is there. */
async function raw(port: number, text: string, enough?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString();
    if (enough !== undefined && answer.includes(enough)) socket.destroy();
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

const json = { 'content-type': 'application/json' };

describe('every answer', () => {
  test.each([
    ['GET', '/v1/things/1', 200],
    ['GET', '/v1/nowhere', 404],
    ['GET', '/', 404],
    ['DELETE', '/v1/echo', 404],
    ['GET', '/v1/conflict', 400],
    ['GET', '/v1/broken', 500],
    ['POST', '/v1/ping', 401],
  ] as const)('%s %s: %i with request id and version', async (method, url, status) => {
    const answer = await server().inject({ method, url });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
    expect(answer.headers['weft-version']).toBe('9.8.7');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    if (status !== 200) {
      expect(Object.keys(answer.json())).toEqual(['error']);
      expect(Object.keys(answer.json().error)).toEqual(['code', 'message', 'details']);
    }
  });

  test('an unknown path and an unknown method are NOT_FOUND', async () => {
    for (const [method, url] of [
      ['GET', '/v1/x'],
      ['PUT', '/v1/ping'],
      ['GET', '/v2/ping'],
      ['QUERY', '/v1/ping'],
    ] as const) {
      expect((await server().inject({ method, url })).json().error).toMatchObject({
        code: 'NOT_FOUND',
        details: {},
      });
    }
  });

  test('401 says how to authenticate', async () => {
    const answer = await server().inject({ method: 'POST', url: '/v1/ping' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="weft"');
    expect(answer.json().error.code).toBe('UNAUTHORIZED');
  });

  test('a fault of ours shows nothing of itself; its log line has the request id and the stack', async () => {
    const answer = await server().inject({ url: '/v1/broken' });
    expect(answer.json()).toEqual({
      error: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.', details: {} },
    });
    const line = JSON.parse(lines[0]!);
    expect(line).toMatchObject({ level: 'error', request_id: answer.headers['x-request-id'] });
    expect(line.err.stack).toContain('SELECT password');
  });

  test('HEAD answers like GET without a body', async () => {
    const answer = await server().inject({ method: 'HEAD', url: '/v1/things/1' });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });

  test('OPTIONS says what a path takes; without the setting there is no CORS', async () => {
    const answer = await server().inject({
      method: 'OPTIONS',
      url: '/v1/things/1',
      headers: { origin: 'https://a.example' },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('a row without scope does not start', () => {
    const { scope: _scope, ...row } = routes[0]!;
    expect(() => server({ routes: [row as Route] })).toThrow('POST /echo declares no scope');
  });
});

describe('CORS', () => {
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  test('a preflight of an allowed origin, and the answer after it', async () => {
    const app = server({}, { corsOrigins: ['https://a.example'] });
    const preflight = await app.inject({ method: 'OPTIONS', url: '/v1/echo', headers });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('https://a.example');
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    const answer = await app.inject({ url: '/v1/conflict', headers: { origin: 'https://a.example' } });
    expect(answer.headers['access-control-allow-origin']).toBe('https://a.example');
    expect(answer.headers.vary).toBe('Origin');
    expect(answer.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
  });
  test('another origin gets no leave', async () => {
    const app = server({}, { corsOrigins: ['https://a.example'] });
    const answer = await app.inject({
      method: 'OPTIONS',
      url: '/v1/echo',
      headers: { ...headers, origin: 'https://b.example' },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the query', () => {
  test('numbers and flags are read where the row says so', async () => {
    const answer = await server().inject({ url: '/v1/things/a%20b?page=2&name=7&flag=true' });
    expect(answer.json()).toMatchObject({ id: 'a b', query: { page: 2, name: '7', flag: true } });
  });
  test('text that is no number stays text, for the service to refuse', async () => {
    expect((await server().inject({ url: '/v1/things/1?page=1e1' })).json().query).toEqual({ page: '1e1' });
  });
  test.each([
    ['?stauts=failed', 'stauts', 'is not a known query parameter; known are page, name, flag'],
    ['?page=1&page=2', 'page', 'is given more than once'],
    ['?__proto__=1', '__proto__', 'is not a known query parameter; known are page, name, flag'],
    ['?constructor=1', 'constructor', 'is not a known query parameter; known are page, name, flag'],
  ])('%s is refused with the name', async (query, field, issue) => {
    const answer = await server().inject({ url: `/v1/things/1${query}` });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field, issue, errors: [{ field, issue }] },
    });
  });
  test('a path that cannot be decoded', async () => {
    const answer = await server().inject({ url: '/v1/things/%zz' });
    expect([answer.statusCode, answer.json().error.details.field]).toEqual([400, 'path']);
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
  });
  test('a segment longer than any id', async () => {
    expect((await server().inject({ url: `/v1/things/${'x'.repeat(5000)}` })).statusCode).toBe(404);
  });
});

describe('the body', () => {
  const post = (payload: string | Buffer, headers: Record<string, string> = json) =>
    server().inject({ method: 'POST', url: '/v1/echo', payload, headers });

  test.each(['{', '', '{"a":1,}', 'nope', '{"a":1} x', '"\\x"', '[1', '\u0000'])(
    '%j is INVALID_JSON',
    async (payload) => {
      const answer = await post(payload);
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'INVALID_JSON']);
    },
  );
  test('no body at all where one is needed', async () => {
    const answer = await server().inject({ method: 'POST', url: '/v1/echo' });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'INVALID_JSON']);
  });
  test('bytes that are no UTF-8', async () => {
    expect((await post(Buffer.from([0x22, 0xff, 0x22]))).json().error.code).toBe('INVALID_JSON');
  });
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('the type %s is refused', async (type) => {
    const answer = await post('{"a":1}', { 'content-type': type });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'content-type' },
    });
  });
  test.each(['application/json; charset=utf-8', 'application/merge-patch+json', 'Application/JSON'])(
    'the type %s is taken',
    async (type) => {
      expect((await post('{"a":1}', { 'content-type': type })).json()).toEqual({ body: { a: 1 } });
    },
  );
  test('a compressed body is refused, and told why', async () => {
    const answer = await post(Buffer.from([0x1f, 0x8b, 8, 0]), { ...json, 'content-encoding': 'gzip' });
    expect([answer.statusCode, answer.json().error.details.field]).toEqual([400, 'content-encoding']);
  });
  test('large bodies at once are bounded; small ones always pass, and the room comes back', async () => {
    const app = server();
    const port = await listening(app);
    const head = (length: number) =>
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const size = 5 * 1024 * 1024;
    const sockets = Array.from({ length: 51 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.write(`${head(size)}{`);
      return socket;
    });
    await expect
      .poll(async () => await raw(port, `${head(size)}{`, '"capacity"').then((text) => text.slice(0, 12)))
      .toBe('HTTP/1.1 429');
    const small = await fetch(`http://127.0.0.1:${port}/v1/echo`, {
      method: 'POST',
      headers: json,
      body: '{"a":1}',
    });
    expect(small.status).toBe(201);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(
        async () =>
          (
            await fetch(`http://127.0.0.1:${port}/v1/echo`, {
              method: 'POST',
              headers: json,
              body: `{"a":"${'x'.repeat(1e6)}"}`,
            })
          ).status,
      )
      .toBe(201);
  });
  test('5 MiB is taken, one byte more is PAYLOAD_TOO_LARGE', async () => {
    const limit = 5 * 1024 * 1024;
    const fits = await post(`{"a":"${'x'.repeat(limit - 8)}"}`);
    expect(fits.statusCode).toBe(201);
    const over = await post(`{"a":"${'x'.repeat(limit - 7)}"}`);
    expect([over.statusCode, over.json().error.code, over.json().error.details]).toEqual([
      400,
      'PAYLOAD_TOO_LARGE',
      { limit },
    ]);
  });
  test('who sends all of a body that is too large still reads the answer, and the connection stays', async () => {
    const port = await listening(server());
    for (const size of [6e6, 20e6, 5.3e6, 40e6]) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/echo`, {
        method: 'POST',
        headers: json,
        body: 'x'.repeat(size),
      });
      expect([answer.status, answer.headers.get('connection') === 'close']).toEqual([400, false]);
      expect(await answer.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
    }
  });
  test('64 levels are taken, 65 are not, five million do no harm', async () => {
    const nested = (levels: number) => `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await post(nested(64))).statusCode).toBe(201);
    for (const levels of [65, 1_000_000]) {
      const answer = await post(nested(levels));
      expect([answer.statusCode, answer.json().error.details.field]).toEqual([400, 'deep']);
    }
  });
  test.each([
    ['{"a":1,"a":2}', 'a', 'is given twice'],
    ['{"a":{"b":[0,{"c":1,"\\u0063":2}]}}', 'a.b[1].c', 'is given twice'],
    ['{"a":{"__proto__":{"admin":true}}}', 'a.__proto__', 'is not allowed as a name'],
    ['{"a":[{"\\u005f_proto__":1}]}', 'a[0].__proto__', 'is not allowed as a name'],
  ])('%s is refused', async (payload, field, issue) => {
    const answer = await post(payload);
    expect(answer.json().error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, issue } });
  });
  test('names in strings, quotes and commas confuse nothing', async () => {
    const value = { a: ['{"a":1,"a":2}', '\\', '"', { constructor: 1, x: { x: 1 } }, ',', ':'] };
    expect((await post(JSON.stringify(value))).json()).toEqual({ body: value });
  });
  test('an unknown field is named with the known ones', async () => {
    const answer = await post('{"b":1}');
    expect(answer.json().error.details).toMatchObject({
      field: 'b',
      issue: 'is not a known field; known are a, deep',
    });
  });
  test('a row without body takes none or {}', async () => {
    const app = server();
    const ping = (payload?: string) =>
      app.inject({
        method: 'POST',
        url: '/v1/ping',
        headers: { authorization: 'Bearer good', ...(payload === undefined ? {} : json) },
        ...(payload === undefined ? {} : { payload }),
      });
    expect((await ping()).json()).toEqual({ pong: true });
    expect((await ping('{}')).json()).toEqual({ pong: true });
    expect((await ping('')).json()).toEqual({ pong: true });
    expect((await ping('{"x":1}')).json().error.details.field).toBe('x');
    expect((await ping('[1]')).json().error.code).toBe('VALIDATION_ERROR');
  });
  test('who is not known is told so before the body is read', async () => {
    const answer = await server().inject({ method: 'POST', url: '/v1/ping', headers: json, payload: '{' });
    expect(answer.statusCode).toBe(401);
  });
});

describe('the socket', () => {
  test.each([
    ['not HTTP', 'HELLO\r\n\r\n', 'is not valid HTTP'],
    ['no host', 'GET /v1/things/1 HTTP/1.1\r\nConnection: close\r\n\r\n', 'is required in HTTP/1.1'],
    [
      'both length and chunks',
      'POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      'is not valid HTTP',
    ],
    [
      'a header that is too long',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      'headers are larger',
    ],
  ])('%s: 400 in our form', async (_name, text, issue) => {
    const answer = await raw(await listening(server()), text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/x-request-id: req_/i);
    expect(answer).toMatch(/weft-version: 9\.8\.7/i);
    expect(answer).toContain('{"error":{"code":"');
    expect(answer).toContain(issue);
  });
  test('an Expect that Node does not know is no 417', async () => {
    const port = await listening(server());
    const answer = await raw(
      port,
      'GET /v1/things/1 HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
  test('a method that Node does not know is an unknown method', async () => {
    const port = await listening(server());
    for (const line of ['BREW /v1/things/1', 'CONNECT example.com:443']) {
      const answer = await raw(port, `${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
      expect(answer).toContain('"code":"NOT_FOUND"');
    }
  });
  test('a whole request before one that is none gets its own answer', async () => {
    const port = await listening(server());
    for (const [rest, status, issue] of [
      ['{"a":1}', 400, 'is not valid HTTP'],
      ['BREW / HTTP/1.1\r\n\r\n', 404, 'There is no BREW'],
    ] as const) {
      const answer = await raw(port, `GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n\r\n${rest}`);
      const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, one]) => Number(one));
      expect(statuses, answer).toEqual([200, status]);
      expect(answer).toContain('"id":"1"');
      expect(answer).toContain(issue);
    }
  });
  test('headers that do not come are given up', { timeout: 20_000 }, async () => {
    const app = server();
    const port = await listening(app);
    expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([10_000, 60_000]);
    app.server.headersTimeout = 100;
    const answer = await raw(port, 'GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('did not arrive in time');
  });
  test('a body that does not come is given up, and its room comes back', { timeout: 20_000 }, async () => {
    const app = server();
    const port = await listening(app);
    app.server.headersTimeout = 50;
    app.server.requestTimeout = 100;
    const head =
      'POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{';
    const answer = await raw(port, head);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('did not arrive in time');
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
  test('a caller that leaves in the middle of its body is no fault of ours', async () => {
    const port = await listening(server());
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lines.filter((line) => !line.includes('Server listening'))).toEqual([]);
  });
  test('X-Forwarded-For counts only from a trusted proxy', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await server().inject({ url: '/v1/things/1', headers })).json().ip).toBe('127.0.0.1');
    const trusting = server({}, { trustProxy: ['loopback'] });
    expect((await trusting.inject({ url: '/v1/things/1', headers })).json().ip).toBe('203.0.113.9');
  });
});

describe('streams and the drain', () => {
  const headers = { authorization: 'Bearer good' };
  test('server-sent events with the headers of every answer; closing ends them', async () => {
    const port = await listening(server());
    const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, { headers });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('1000');
    sinks.at(-1)!.close();
    expect(await answer.text()).toBe('event: first\nid: 0\ndata: {"n":1}\n\ndata: {"n":2}\n\n');
  });
  test('a client that leaves is noticed', async () => {
    const port = await listening(server());
    const stop = new AbortController();
    await fetch(`http://127.0.0.1:${port}/v1/events`, { headers, signal: stop.signal });
    const left = new Promise<void>((resolve) => sinks.at(-1)!.onClose(resolve));
    stop.abort();
    await left;
    expect(sinks.at(-1)!.closed).toBe(true);
  });
  test('a client that does not read is cut off', async () => {
    const port = await listening(server());
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n');
    await once(socket, 'readable');
    const sink = sinks.at(-1)!;
    const chunk = 'x'.repeat(100_000);
    for (let i = 0; i < 1000 && !sink.closed; i++) sink.send(chunk);
    expect(sink.closed).toBe(true);
    socket.destroy();
  });
  test('a drain ends streams and idle connections, and lets requests in flight finish', async () => {
    const app = server();
    const port = await listening(app);
    const base = `http://127.0.0.1:${port}/v1`;
    await (await fetch(`${base}/things/1`)).text();
    const stream = await fetch(`${base}/events`, { headers });
    const slow = fetch(`${base}/slow`);
    await expect.poll(() => release).not.toBeNull();
    const drained = drainServer(app, clock, 60_000);
    expect(await stream.text()).toContain('data: {"n":2}');
    release!();
    expect(await (await slow).json()).toEqual({ done: true });
    await drained;
    await expect(fetch(`${base}/things/1`)).rejects.toThrow();
    await drainServer(app, clock, 5_000);
  });
  test('what does not finish within the grace period is cut', async () => {
    const app = server();
    const port = await listening(app);
    const slow = fetch(`http://127.0.0.1:${port}/v1/slow`).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await drainServer(app, clock, 50);
    expect(await slow).toBeInstanceOf(Error);
  });
});

describe('the webhook door', () => {
  test('gets bytes of any type, and its errors are answered like all others', async () => {
    const app = server({
      webhooks: (scope) => {
        scope.post('/webhooks/*', (request) => {
          if (request.body === undefined) throw new WeftError('FORBIDDEN');
          return { bytes: (request.body as Buffer).toString('latin1') };
        });
      },
    });
    const post = (payload?: string, type = 'text/weird') =>
      app.inject({
        method: 'POST',
        url: '/v1/webhooks/a/b',
        ...(payload === undefined ? {} : { payload, headers: { 'content-type': type } }),
      });
    expect((await post('{"a"', 'application/json')).json()).toEqual({ bytes: '{"a"' });
    expect((await post('x=1', 'application/x-www-form-urlencoded')).json()).toEqual({ bytes: 'x=1' });
    expect((await post()).statusCode).toBe(403);
    const big = await post('x'.repeat(16 * 1024 * 1024 + 1));
    expect(big.json().error).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { limit: 16 * 1024 * 1024 },
    });
    // The doors do not share their parsers.
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/v1/echo',
          payload: 'x',
          headers: { 'content-type': 'text/weird' },
        })
      ).statusCode,
    ).toBe(400);
  });
});
