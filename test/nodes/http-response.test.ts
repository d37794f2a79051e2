import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { realClock } from '../support/servers/http-server.ts';
import { useHttpNodeFixture } from '../support/http-node-fixture.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';
import { createAttempt, makeRunner, settleAttempt } from '../support/node-runner.ts';

const bench = useHttpNodeFixture();

describe('the response', () => {
  async function startAnswering(headers: Record<string, string>, body: string | Uint8Array, status = 200) {
    const target = await bench.server((_q, r) => r.writeHead(status, headers).end(body));
    return bench.answer({ url: `${target.url}/files/re%20port.bin` });
  }

  it.each([
    ['JSON', { 'content-type': 'application/json' }, '{"a":[1]}', { a: [1] }],
    ['problem JSON', { 'content-type': 'application/problem+json; charset=utf-8' }, '{"a":1}', { a: 1 }],
    ['JSON that is none', { 'content-type': 'application/json' }, '{"a":', '{"a":'],
    ['a text', { 'content-type': 'text/html; charset=utf-8' }, '<p>ü</p>', '<p>ü</p>'],
    ['a Latin-1 text', { 'content-type': 'text/plain; charset=iso-8859-1' }, Buffer.from([0xfc]), 'ü'],
    ['XML', { 'content-type': 'application/atom+xml' }, '<a/>', '<a/>'],
    ['nothing', { 'content-type': 'application/json' }, '', null],
    ['a text without a type', {}, 'plain', 'plain'],
  ])('reads %s', async (_title, headers, body, expected) => {
    expect((await startAnswering(headers as Record<string, string>, body)).body).toEqual(expected);
  });

  it.each([
    [{ 'content-type': 'application/pdf' }, 're port.bin', 'application/pdf'],
    [{}, 're port.bin', 'application/octet-stream'],
    [
      { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="../a b.zip"' },
      'a b.zip',
      'application/zip',
    ],
    [
      {
        'content-type': 'application/zip',
        'content-disposition': "attachment; filename=x.zip; filename*=UTF-8''%C3%BC.zip",
      },
      'ü.zip',
      'application/zip',
    ],
  ])('keeps anything else as a file: %j', async (headers, name, type) => {
    const bytes = new Uint8Array([1, 2, 0, 255]);
    const { body } = await startAnswering(headers as Record<string, string>, bytes);
    expect(body).toMatchObject({ $file: { name, content_type: type, size: 4 } });
    expect([...bench.made.contents.values()].map((content) => [...content])).toEqual([[1, 2, 0, 255]]);
  });

  it('has the status and lower-case headers', async () => {
    const { status, headers } = await startAnswering({ 'X-Thing': 'a' }, '', 204);
    expect([status, headers['x-thing']]).toEqual([204, 'a']);
  });
});

describe('results of statuses', () => {
  const at = async (status: number, config: JsonObject, headers: Record<string, string> = {}) => {
    const target = await bench.server((q, r) =>
      q.url === '/next'
        ? r.end('next')
        : r.writeHead(status, { location: '/next', ...headers }).end('{"why":1}'),
    );
    return bench.run({ url: `${target.url}/x?key=1`, ...config });
  };

  it.each([
    [400, 'client_error'],
    [404, 'client_error'],
    [408, 'client_error'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('%d is a %s', async (status, type) => {
    const outcome = await at(status, {}, { 'content-type': 'application/json' });
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { type, status, data: { status, body: { why: 1 } } },
    });
    expect((outcome as { error?: { message: string } }).error?.message).toMatch(
      /^GET http:\/\/127[^?]*\/x responded with \d+$/,
    );
  });

  it('has the request, without credentials and without what reads a secret', async () => {
    const target = await bench.server((_q, r) => r.writeHead(500).end('down'));
    const sent = async (config: JsonObject): Promise<JsonObject> => {
      const outcome = await settleAttempt(
        made.runner.run(
          createAttempt(httpRequest, { url: `${target.url}/x`, ...config }, { input: { n: 7 } }),
        ),
      );
      if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
      const data = outcome.error.data as { request: JsonObject };
      expect(JSON.stringify(outcome.error)).not.toMatch(/v3ry|V3RY|hard-coded/);
      return data.request;
    };
    const made = makeRunner({ secrets: { S: { value: 'v3ry-secret-value', hosts: null } } });

    expect(
      await sent({
        method: 'POST',
        url: `${target.url}/x?page=2&api_key=hard-coded`,
        headers: { 'X-Trace': 'a', 'X-Api-Key': 'hard-coded' },
        body: { n: '{{ input.n }}' },
      }),
    ).toEqual({
      method: 'POST',
      url: `${target.url}/x?page=2&api_key=•••`,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'key-of-this-run',
        'x-trace': 'a',
        'x-api-key': '•••',
      },
      body: { n: 7 },
    });
    expect(
      await sent({
        authentication: { type: 'header', name: 'X-Account', value: '{{ secrets.S }}' },
        headers: { 'X-Own': '{{ secrets.S | slice: 0, 4 }}', 'x.odd': '{{ secrets.S | upcase }}' },
      }),
    ).toMatchObject({ headers: { 'x-account': '•••', 'x-own': '•••', 'x.odd': '•••' } });
    expect(await sent({ query: { q: '{{ secrets.S | upcase }}' } })).toMatchObject({
      url: `${target.url}/x?•••`,
    });
    expect(await sent({ method: 'POST', body: { deep: ['{{ secrets.S | upcase }}'] } })).toMatchObject({
      body: '•••',
    });
    const { body } = await sent({ method: 'POST', body: 'x'.repeat(20_000) });
    expect(body).toBe(`${'x'.repeat(8_192)}…`);
  });

  const readRetryAfter = async (text: string): Promise<number | undefined> => {
    const outcome = await at(429, {}, { 'retry-after': text });
    return (outcome as unknown as { error: { retryAfter?: number } }).error.retryAfter;
  };
  it.each([
    ['7', 7000],
    ['0', 0],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['soon', undefined],
  ])('Retry-After %j is honored', async (text, ms) => {
    expect(await readRetryAfter(text)).toBe(ms);
  });
  it('Retry-After with a date is the time until then', async () => {
    const date = Math.floor(realClock.now() / 1000) * 1000 + 60_000;
    const before = realClock.now();
    const retryAfter = await readRetryAfter(new Date(date).toUTCString());
    expect(retryAfter).toBeLessThanOrEqual(date - before);
    expect(retryAfter).toBeGreaterThanOrEqual(date - realClock.now());
  });

  it.each([
    [404, { '4xx': 'return' }, 404],
    [429, { '4xx': 'return' }, 429],
    [503, { '5xx': 'return' }, 503],
    [302, { '3xx': 'return' }, 302],
    [302, { '3xx': 'follow' }, 200],
    [302, {}, 200],
  ])('%d with %j is the result %d', async (status, responses, expected) => {
    expect(await at(status, { responses })).toMatchObject({
      kind: 'done',
      outputs: { out: { status: expected } },
    });
  });

  it('a redirect may be an error', async () => {
    expect(await at(302, { responses: { '3xx': 'error' } })).toMatchObject({
      error: { type: 'client_error', status: 302 },
    });
  });
});
