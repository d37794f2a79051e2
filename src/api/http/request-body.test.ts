import { describe, expect, test } from 'vitest';
import { createEchoServers, json, listen } from '../../../test/support/servers/echo-server.ts';

const { server } = createEchoServers();

describe('request bodies', () => {
  const post = (payload: string | Buffer, headers: Record<string, string> = json) =>
    server().inject({ method: 'POST', url: '/v1/echo', payload, headers });

  test.each(['{', '', '{"a":1,}', 'nope', '{"a":1} x', '"\\x"', '[1', '\u0000'])(
    '%j is a VALIDATION_ERROR of the body field',
    async (payload) => {
      const response = await post(payload);
      expect([response.statusCode, response.json().error.code]).toEqual([400, 'VALIDATION_ERROR']);
    },
  );
  test('a missing body is rejected', async () => {
    const response = await server().inject({ method: 'POST', url: '/v1/echo' });
    expect([response.statusCode, response.json().error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
  test('bytes that are not valid UTF-8 are rejected', async () => {
    expect((await post(Buffer.from([0x22, 0xff, 0x22]))).json().error.code).toBe('VALIDATION_ERROR');
  });
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('the type %s is rejected', async (type) => {
    const response = await post('{"a":1}', { 'content-type': type });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'content-type' },
    });
  });
  test.each(['application/json; charset=utf-8', 'application/merge-patch+json', 'Application/JSON'])(
    'the type %s is accepted',
    async (type) => {
      expect((await post('{"a":1}', { 'content-type': type })).json()).toEqual({ body: { a: 1 } });
    },
  );
  test('a compressed body is rejected with a reason', async () => {
    const response = await post(Buffer.from([0x1f, 0x8b, 8, 0]), { ...json, 'content-encoding': 'gzip' });
    expect([response.statusCode, response.json().error.details.field]).toEqual([400, 'content-encoding']);
  });
  test('5 MiB are accepted, one byte more is PAYLOAD_TOO_LARGE', async () => {
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
  test('a client that sends a whole oversized body can read the response, and the connection stays open', async () => {
    const port = await listen(server());
    for (const size of [6e6, 20e6, 5.3e6, 40e6]) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/echo`, {
        method: 'POST',
        headers: json,
        body: 'x'.repeat(size),
      });
      expect([response.status, response.headers.get('connection') === 'close']).toEqual([400, false]);
      expect(await response.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
    }
  });
  test('64 levels are accepted; 65 and a million are rejected', async () => {
    const nested = (levels: number) => `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await post(nested(64))).statusCode).toBe(201);
    for (const levels of [65, 1_000_000]) {
      const response = await post(nested(levels));
      expect([response.statusCode, response.json().error.details.field]).toEqual([
        400,
        `deep${'[0]'.repeat(63)}`,
      ]);
    }
  });
  test.each([
    ['{"a":1,"a":2}', 'a', 'must not be repeated'],
    ['{"a":{"b":[0,{"c":1,"\\u0063":2}]}}', 'a.b[1].c', 'must not be repeated'],
    ['{"a":{"__proto__":{"admin":true}}}', 'a.__proto__', 'is not allowed as a key'],
    ['{"a":[{"\\u005f_proto__":1}]}', 'a[0].__proto__', 'is not allowed as a key'],
  ])('%s is rejected', async (payload, field, issue) => {
    const response = await post(payload);
    expect(response.json().error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, issue } });
  });
  test('keys, quotes and commas within strings are not parsed as keys', async () => {
    const value = { a: ['{"a":1,"a":2}', '\\', '"', { constructor: 1, x: { x: 1 } }, ',', ':'] };
    expect((await post(JSON.stringify(value))).json()).toEqual({ body: value });
  });
  test('an unknown field is reported with the known fields', async () => {
    const response = await post('{"b":1}');
    expect(response.json().error.details).toMatchObject({
      field: 'b',
      issue: 'is not a known field; known are a, deep',
    });
  });
  test('a route without a body accepts none or {}', async () => {
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
  test('authentication is checked before the body is read', async () => {
    const response = await server().inject({ method: 'POST', url: '/v1/ping', headers: json, payload: '{' });
    expect(response.statusCode).toBe(401);
  });
});
