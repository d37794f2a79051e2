import { describe, expect, test } from 'vitest';
import { WeftError } from '../../contract/errors.ts';
import type { Route } from '../rest/route.ts';
import { echoServers } from '../../../test/support/servers/echo-server.ts';

const { server, lines, routes } = echoServers();

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
      error: { code: 'INTERNAL_ERROR', message: 'An internal error occurred.', details: {} },
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
