import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../../support/service.ts';

/** Responses of workflows share an origin with the editor by default, and must not have access to it. */
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let made = 0;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterAll(async () => {
  await weft?.kill9();
  folder.remove();
});

function startAnswering(endpoint: string, config: object, trigger: object = {}): object {
  return {
    nodes: [
      {
        id: 'in',
        type: 'trigger',
        config: {
          triggerType: 'webhook',
          endpoint,
          method: 'GET',
          authentication: 'none',
          respond: 'respond',
          ...trigger,
        },
      },
      { id: 'out', type: 'respond', config },
    ],
    connections: [{ from: 'in', to: 'out' }],
  };
}

async function activate(definition: object): Promise<string> {
  const created = await api('POST', '/workflows', {
    body: { name: `w${++made}`, status: 'active', definition },
  });
  expect(created.status, created.text).toBe(201);
  return (created.body as { id: string }).id;
}

function expectIsolated(headers: Headers): void {
  expect(headers.get('content-security-policy')).toBe('sandbox');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
}

describe('every response is sandboxed', () => {
  test.each([
    'text/html',
    'text/html; profile=json',
    'TEXT/HTML; x=JSON',
    'text/html;\tx=json',
    'image/svg+xml; x=json',
    'text/xml;json=1',
    'application/json',
    'application/problem+json',
  ])('of the content type %j', async (type) => {
    const endpoint = `type-${++made}`;
    await activate(
      startAnswering(endpoint, { headers: { 'content-type': type }, body: '<script>1</script>' }),
    );
    const response = await weft.call('GET', `/webhooks/${endpoint}`);
    expect(response.status).toBe(200);
    expectIsolated(response.headers);
    const isJson = type.startsWith('application/');
    expect(response.text).toBe(isJson ? '"<script>1</script>"' : '<script>1</script>');
  });

  test('on completion, at once, by POST past the framework, and an error', async () => {
    await activate(startAnswering('done', { body: 1 }, { respond: 'on_completion' }));
    expectIsolated((await weft.call('GET', '/webhooks/done')).headers);
    await activate(startAnswering('now', { body: 1 }, { respond: 'immediately', method: 'POST' }));
    expectIsolated((await weft.call('POST', '/webhooks/now', { body: {} })).headers);
    expectIsolated((await weft.call('GET', '/webhooks/unknown')).headers);
    expectIsolated((await weft.call('POST', '/webhooks/unknown', { body: {} })).headers);
  });

  test('at a test address', async () => {
    const id = await activate(
      startAnswering('tested', {
        headers: { 'content-type': 'text/html', 'set-cookie': 'a=1' },
        body: '<p>',
      }),
    );
    const opened = await api('POST', `/workflows/${id}/listen`, { body: {} });
    const { url } = opened.body as { url: string };
    const response = await fetch(url);
    expect(await response.text()).toBe('<p>');
    expectIsolated(response.headers);
    expect(response.headers.get('set-cookie')).toBe(`a=1; Path=${new URL(url).pathname}`);
  });
});

describe('headers', () => {
  test.each([
    ['clear-site-data', '"*"'],
    ['Content-Security-Policy', "script-src 'unsafe-inline'"],
    ['service-worker-allowed', '/'],
    ['x-content-type-options', 'none'],
    ['nel', '{}'],
    ['strict-transport-security', 'max-age=1'],
    ['x-request-id', 'a'],
    ['weft-version', '9'],
    ['content-type', 'application/json, text/html'],
    ['content-type', 'image/svg+xml;json'],
    ['set-cookie', 'a=1; Path=/'],
    ['set-cookie', 'weft_login=1'],
    ['set-cookie', '__Host-a=1; Path=/; Secure'],
  ])('%s: %s is refused when it is saved', async (name, value) => {
    const definition = startAnswering('refused', { headers: { [name]: value } });
    const refused = await api('POST', '/workflows', { body: { name: 'r', status: 'active', definition } });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { field: expect.stringContaining('config.headers') } },
    });
  });

  test.each([
    ['content-type', 'text/html, application/json'],
    ['set-cookie', 'weft_login=1'],
  ])('%s that a template makes fails the node', async (name, value) => {
    const endpoint = `template-${++made}`;
    await activate(startAnswering(endpoint, { headers: { [name]: '{{ input.query.v }}' } }));
    const response = await weft.call('GET', `/webhooks/${endpoint}?v=${encodeURIComponent(value)}`);
    expect(response.body).toMatchObject({ error: { code: 'EXECUTION_FAILED' } });
    expect(response.headers.get(name)).not.toBe(value);
    const id = response.headers.get('x-weft-execution-id') ?? '';
    const execution = (await api('GET', `/executions/${id}`)).body as { error: { message: string } };
    expect(execution.error.message).toContain(`headers`);
  });

  test('a cookie stays below the first segment of its webhook, at each of its addresses', async () => {
    const id = await activate(
      startAnswering(
        'shop/cart',
        { headers: { 'set-cookie': '{{ input.query.c }}' } },
        { respond: 'respond' },
      ),
    );
    const get = (path: string, cookie: string) =>
      weft.call('GET', `/webhooks/${path}?c=${encodeURIComponent(cookie)}`);
    expect((await get('shop/cart', 'a=1')).headers.get('set-cookie')).toBe('a=1; Path=/v1/webhooks/shop');
    expect((await get('shop/cart', 'a=1; Path=/v1/webhooks/shop/cart')).headers.get('set-cookie')).toBe(
      'a=1; Path=/v1/webhooks/shop/cart',
    );
    expect((await get(`${id}/shop/cart`, 'a=1')).headers.get('set-cookie')).toBe(
      `a=1; Path=/v1/webhooks/${id}`,
    );
    const refused = await get('shop/cart', 'a=1; Path=/v1/webhooks/other');
    expect(refused.status).toBe(500);
    expect(refused.text).toContain('below /v1/webhooks/shop');
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(refused.headers.get('x-weft-execution-id')).toMatch(/^ex_/);
  });

  test('Vary of the workflow joins that of the allowed origin', async () => {
    await activate(
      startAnswering('shared', { headers: { vary: 'Accept' } }, { cors: ['https://shop.example'] }),
    );
    const response = await weft.call('GET', '/webhooks/shared', {
      headers: { origin: 'https://shop.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(response.headers.get('vary')).toBe('Origin, Accept');
  });
});
