import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { comparePacks } from '../../src/contract/packs/pack-difference.ts';
import type { NodeFailure, NodeType, Outcome } from '../../src/contract/node-type.ts';
import type { OpenApiManifest } from '../../src/contract/packs/packs.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { createOpenApiNode } from '../../src/nodes/openapi/openapi-node.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { readManifest } from '../../src/runner/openapi/manifest.ts';
import { createAttempt, closeRunners, makeRunner, settleAttempt } from '../support/node-runner.ts';
import { serve, type TestServer } from '../support/servers/http-server.ts';

type Echo = { method: string; url: string; headers: Record<string, string>; body: string };

const secrets = {
  KEY: { value: 'key-123456', hosts: null },
  OTHER: { value: 'other-secret-1', hosts: ['api.example.com'] },
};
const source = readFileSync(`${import.meta.dirname}/openapi-node.yaml`, 'utf8');

let server: TestServer;
let made: ReturnType<typeof makeRunner>;
let node: NodeType;
let manifest: OpenApiManifest;
let calls: Echo[] = [];
let reply: { status: number; headers: Record<string, string>; body: string } | null = null;

beforeEach(async () => {
  calls = [];
  reply = null;
  server = await serve((request, response, body) => {
    const echo = { method: request.method, url: request.url, headers: request.headers, body } as Echo;
    calls.push(echo);
    if (echo.url.startsWith('/v1/slow')) return;
    const { status, headers, body: text } = reply ?? { status: 200, headers: {}, body: JSON.stringify(echo) };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  });
  made = makeRunner({ secrets });
  manifest = readManifest(source, `${server.url}/openapi.yaml`);
  node = createOpenApiNode(manifest);
});
afterEach(async () => {
  await closeRunners();
  await server.close();
});

async function run(config: JsonObject, input: Json = {}): Promise<Outcome> {
  expect(validateConfig(node, config)).toEqual([]);
  return settleAttempt(made.runner.run(createAttempt(node, config, { input })));
}

async function echoed(config: JsonObject, input: Json = {}): Promise<Echo> {
  const outcome = await run(config, input);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  expect(outcome.outputs['out']).toMatchObject({ status: 200 });
  const last = calls.at(-1);
  if (last === undefined) throw new Error('Nothing arrived');
  return last;
}

async function failure(config: JsonObject, input: Json = {}): Promise<NodeFailure> {
  const outcome = await run(config, input);
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return outcome.error;
}

describe('the node type', () => {
  it('has a variant for each operation: required fields first, optional ones on demand', () => {
    expect([node.type, node.version, node.category, node.effects]).toEqual([
      'openapi.items',
      '1.2.0',
      'connector',
      'external',
    ]);
    const { oneOf } = node.config as unknown as {
      oneOf: { title: string; properties: JsonObject; required: string[] }[];
    };
    const find = oneOf.find(({ title }) => title === 'Find items');
    expect(find?.required).toEqual(['operation', 'shop']);
    expect(Object.keys(find?.properties ?? {})).toEqual([
      'operation',
      'baseUrl',
      'shop',
      'tags',
      'filter',
      'timeout_query',
      'X-Trace',
      'session',
      'apiKeys',
      'authentication',
      'pagination',
      'responses',
      'responseType',
      'idleTimeout',
      'proxy',
      'retryPolicy',
      'timeout',
    ]);
    expect(find?.properties['tags']).toMatchObject({ title: 'tags', 'x-ui': { advanced: true } });
    expect(find?.properties['shop']).toMatchObject({ 'x-ui': { placeholder: 'main' } });
    expect(node.keywords).toEqual(['items']);
  });

  it.each<[string, JsonObject, string[]]>([
    ['an unknown operation', { operation: 'nope' }, ['operation']],
    ['no operation', {}, ['operation']],
    ['a missing parameter', { operation: 'findItems' }, ['shop']],
    ['a wrong type', { operation: 'findItems', shop: 'a', tags: 'x' }, ['tags']],
    ['an unknown field', { operation: 'findItems', shop: 'a', tag: ['x'] }, ['tag']],
    ['a wrong field of the body', { operation: 'addItem', shop: 'a', body: { name: 5 } }, ['body.name']],
    [
      'a server with credentials',
      { operation: 'findItems', shop: 'a', baseUrl: 'https://u:p@x.example' },
      ['baseUrl'],
    ],
    [
      'a basic user name with a colon',
      {
        operation: 'findItems',
        shop: 'a',
        authentication: { type: 'basic', username: 'a:b', password: 'c' },
      },
      ['authentication.username'],
    ],
    [
      'pages of a file',
      { operation: 'findItems', shop: 'a', pagination: {}, responseType: 'file' },
      ['pagination'],
    ],
    [
      'pagination of a POST',
      { operation: 'addItem', shop: 'a', body: { name: 'x' }, pagination: {} },
      ['pagination'],
    ],
  ])('refuses %s when it is saved', (_title, config, fields) => {
    expect(validateConfig(node, config).map(({ field }) => field)).toEqual(fields);
  });

  it('validates the variants of an API with many operations one by one', () => {
    const [first] = manifest.operations;
    if (first === undefined) throw new Error();
    const many = Array.from({ length: 100 }, (_, i) => ({ ...first, id: `op${i}` }));
    const large = createOpenApiNode({ ...manifest, operations: many });
    expect(validateConfig(large, { operation: 'op42', shop: 'a' })).toEqual([]);
    expect(validateConfig(large, { operation: 'op42' })).toEqual([{ field: 'shop', issue: 'is required' }]);
    const [wrong] = validateConfig(large, { operation: 'op100', shop: 'a' });
    expect(wrong?.field).toBe('operation');
    expect(wrong?.issue).toMatch(/^must be one of op0, op1, .*op49, …$/);
    expect(validateConfig(large, {})).toMatchObject([{ field: 'operation' }]);
    expect(validateConfig(large, { operation: 5 as never })).toMatchObject([{ field: 'operation' }]);
  });
});

describe('a call', () => {
  it('fills in path, query, headers and cookies, with an idempotency key', async () => {
    const seen = await echoed(
      {
        operation: 'findItems',
        shop: '{{ input.shop }}',
        tags: ['a b', 'c'],
        filter: { price: { min: 5 }, name: 'x&y' },
        timeout_query: 7,
        'X-Trace': 'T-{{ input.n }}',
        session: 's;1',
      },
      { shop: 'main/é', n: 3 },
    );
    expect(seen.method).toBe('GET');
    expect(seen.url).toBe(
      '/v1/shops/main%2F%C3%A9/items?tags=a%20b|c&filter%5Bprice%5D%5Bmin%5D=5&filter%5Bname%5D=x%26y&timeout=7'.replace(
        '|',
        '%7C',
      ),
    );
    expect(seen.headers).toMatchObject({
      accept: 'application/json',
      'x-trace': 'T-3',
      cookie: 'session=s%3B1',
      'idempotency-key': 'key-of-this-run',
    });
    expect(seen.headers).not.toHaveProperty('content-type');
  });

  it.each([
    ['', 'must not be empty'],
    ['..', 'must not be "." or ".."'],
  ])('fails for the path parameter %j before anything is sent', async (shop, issue) => {
    const error = await failure({ operation: 'findItems', shop: '{{ input.shop }}' }, { shop });
    expect(error).toMatchObject({ type: 'validation', data: { field: 'shop' } });
    expect(error.message).toContain(issue);
    expect(calls).toEqual([]);
  });

  it('fails for a header with a line break', async () => {
    const error = await failure(
      { operation: 'findItems', shop: 'a', 'X-Trace': '{{ input }}' },
      'a\r\nX-Evil: 1',
    );
    expect(error).toMatchObject({
      type: 'validation',
      message: expect.stringContaining('line breaks') as string,
    });
    expect(calls).toEqual([]);
  });

  it.each<[string, JsonObject, string | RegExp, string | RegExp]>([
    [
      'JSON',
      { operation: 'addItem', shop: 'a', body: { name: 'N', size: '{{ input.n }}' } },
      'application/vnd.items+json',
      '{"name":"N","size":7}',
    ],
    [
      'a URL-encoded form',
      {
        operation: 'setItem',
        id: 5,
        body: { name: 'a b&c', list: [1, 2], deep: { x: 1 }, plain: { y: 'z' }, skip: null },
      },
      'application/x-www-form-urlencoded',
      'name=a+b%26c&list=1%2C2&deep%5Bx%5D=1&plain=%7B%22y%22%3A%22z%22%7D'.replace('1%2C2', '1,2'),
    ],
    ['text', { operation: 'note', body: 'Hello {{ input.n }}' }, 'text/plain', 'Hello 7'],
    [
      'a multipart form',
      { operation: 'upload', body: { title: 'T', meta: { a: 1 }, tags: ['x', 'y'], photo: 'bytes' } },
      /^multipart\/form-data; boundary=/,
      /name="title"\r\n\r\nT\r\n[^]*name="meta"\r\nContent-Type: application\/json\r\n\r\n\{"a":1\}\r\n[^]*name="tags"\r\n\r\nx\r\n[^]*name="tags"\r\n\r\ny\r\n[^]*name="photo"; filename="photo"\r\nContent-Type: image\/png\r\n\r\nbytes\r\n/,
    ],
  ])('sends %s', async (_title, config, type, body) => {
    const seen = await echoed(config, { n: 7 });
    expect(seen.headers['content-type']).toMatch(type);
    expect(seen.body).toMatch(body);
    if (typeof body === 'string') expect(seen.body).toBe(body);
  });

  it('receives a file and sends it on', async () => {
    reply = { status: 200, headers: { 'content-type': 'image/png' }, body: 'PNG' };
    const outcome = await run({ operation: 'findItems', shop: 'a', responseType: 'file' });
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
    const { body: file } = outcome.outputs['out'] as { body: Json };
    reply = null;
    const seen = await echoed({ operation: 'upload', body: { title: 'T', photo: '{{ input }}' } }, file);
    expect(seen.body).toMatch(/name="photo"; filename="items"\r\nContent-Type: image\/png\r\n\r\nPNG/);
    const raw = await echoed({ operation: 'note', body: '{{ input }}' }, file);
    expect([raw.headers['content-type'], raw.body]).toEqual(['text/plain', 'PNG']);
  });

  it('returns a failure with the request, without what a secret wrote', async () => {
    reply = { status: 422, headers: {}, body: '{"error":"no"}' };
    const error = await failure({
      operation: 'addItem',
      shop: 'a',
      apiKeys: { query_key: '{{ secrets.KEY }}', header_key: '{{ secrets.KEY }}' },
      body: { name: 'x' },
    });
    expect(calls[0]?.url).toContain('api_key=key-123456');
    expect(calls[0]?.headers['x-key']).toBe('key-123456');
    expect(error).toMatchObject({
      type: 'client_error',
      status: 422,
      data: { body: { error: 'no' }, request: { method: 'POST', body: { name: 'x' } } },
    });
    expect(JSON.stringify(error)).not.toContain('key-123456');
  });

  it.each([
    ['cookie_key', 'a; admin=1', 'must not contain a semicolon'],
    ['cookie_key', 'a\r\nb', 'must not contain line breaks'],
    ['header_key', 'a\nb', 'must not contain line breaks'],
  ])('names the API key %s that cannot be sent: %j', async (field, value, issue) => {
    const config = { operation: 'findItems', shop: 'a', session: 's', apiKeys: { [field]: '{{ input }}' } };
    expect(await failure(config, value)).toMatchObject({
      type: 'validation',
      message: expect.stringContaining(`apiKeys.${field}: ${issue}`) as string,
    });
    expect(calls).toEqual([]);
    const seen = await echoed({ ...config, apiKeys: { cookie_key: 'a=b/c+d' } });
    expect(seen.headers['cookie']).toBe('session=s; sid=a=b/c+d');
  });

  it('keeps a secret from hosts that it is not bound to', async () => {
    const error = await failure({
      operation: 'findItems',
      shop: 'a',
      apiKeys: { header_key: '{{ secrets.OTHER }}' },
    });
    expect(error.message).toContain('OTHER');
    expect(calls).toEqual([]);
  });

  it('authenticates as http_request does', async () => {
    const seen = await echoed({
      operation: 'findItems',
      shop: 'a',
      authentication: { type: 'bearer', token: '{{ secrets.KEY }}' },
    });
    expect(seen.headers['authorization']).toBe('Bearer key-123456');
  });

  it('fetches all pages', async () => {
    reply = {
      status: 200,
      headers: { link: `<${server.url}/v1/shops/a/items?page=2>; rel="next"` },
      body: '[1,2]',
    };
    const running = run({ operation: 'findItems', shop: 'a', pagination: { maxPages: 2 } });
    const outcome = await running;
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
    expect(outcome.outputs['out']).toMatchObject({ body: [1, 2, 1, 2], pages: 2 });
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'key-of-this-run',
      'key-of-this-run-2',
    ]);
  });

  it('ends when the execution is stopped, and at its time limit', async () => {
    const stopping = new AbortController();
    const config = { operation: 'slow' };
    const running = settleAttempt(
      made.runner.run(createAttempt(node, config, { input: {}, signal: () => stopping.signal })),
    );
    await expect.poll(() => calls.length).toBe(1);
    stopping.abort();
    expect((await running).kind).toBe('failed');
    expect(await failure({ operation: 'slow', timeout: '200ms' })).toMatchObject({ type: 'timeout' });
  });

  it('is refused for a private address unless it is allowed', async () => {
    const strict = makeRunner({ secrets, allowedHosts: '' });
    const config = { operation: 'findItems', shop: 'a' };
    const outcome = await settleAttempt(strict.runner.run(createAttempt(node, config, { input: {} })));
    expect(outcome).toMatchObject({ kind: 'failed', error: { type: 'forbidden' } });
    expect(calls).toEqual([]);
  });
});

describe('the difference of two versions', () => {
  it('names added, removed and changed operations and their fields', () => {
    const text = source
      .replace('operationId: note', 'operationId: remark')
      .replace('name: session, in: cookie', 'name: sessionId, in: cookie, required: true')
      .replace('name: { type: string }', 'name: { type: string, maxLength: 9 }')
      .replace('summary: Slow', 'summary: Very slow\n      deprecated: true');
    expect(comparePacks(manifest, readManifest(text, `${server.url}/openapi.yaml`))).toEqual({
      added: [{ id: 'remark', title: 'remark' }],
      removed: [{ id: 'note', title: 'note' }],
      changed: [
        {
          id: 'findItems',
          title: 'Find items',
          added: ['cookie.sessionId'],
          removed: ['cookie.session'],
          changed: [],
          required: ['cookie.sessionId'],
          properties: [],
        },
        {
          id: 'addItem',
          title: 'addItem',
          added: [],
          removed: [],
          changed: ['body.name'],
          required: [],
          properties: [],
        },
        {
          id: 'slow',
          title: 'Very slow',
          added: [],
          removed: [],
          changed: [],
          required: [],
          properties: ['deprecated'],
        },
      ],
    });
    expect(comparePacks(manifest, manifest)).toEqual({ added: [], removed: [], changed: [] });
  });
});
