import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

/** What senders ask before they deliver, by another method than that of their deliveries. */
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path, env: { WEFT_WEBHOOK_RATE_LIMIT: '120' } });
  api = await weft.login();
  for (const [name, value] of Object.entries({ APP: 'a secret of the app', VERIFY: 'token' }))
    await api('PUT', `/secrets/${name}`, { body: { value } });
});
afterAll(async () => {
  await weft?.kill9();
  folder.remove();
});

async function activate(endpoint: string, config: object): Promise<void> {
  const definition = createEchoWorkflow(endpoint, config);
  const response = await api('POST', '/workflows', {
    body: { name: endpoint, definition, status: 'active' },
  });
  expect(response.status, response.text).toBe(201);
}

describe('Meta verifies an address by GET', () => {
  const ask = (endpoint: string, query: object): Promise<Response> =>
    fetch(`${weft.url}/webhooks/${endpoint}?${new URLSearchParams({ ...query })}`);
  const question = { 'hub.mode': 'subscribe', 'hub.verify_token': 'token', 'hub.challenge': '1158201444' };

  beforeAll(async () => {
    await activate('meta', {
      authentication: 'sender',
      preset: 'meta',
      secret: 'APP',
      verifySecret: 'VERIFY',
    });
    await activate('meta-plain', { authentication: 'sender', preset: 'meta', secret: 'APP' });
  });

  test('its challenge is returned unchanged', async () => {
    const response = await ask('meta', question);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      '1158201444',
    ]);
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
    expect(response.headers.get('x-weft-execution-id')).toBeNull();
  });

  test('another token gets 401, and anything else is no address', async () => {
    expect((await ask('meta', { ...question, 'hub.verify_token': 'other' })).status).toBe(401);
    expect((await ask('meta', { ...question, 'hub.mode': 'unsubscribe' })).status).toBe(404);
    expect((await ask('meta', {})).status).toBe(404);
    expect((await ask('meta-plain', question)).status).toBe(404);
    expect((await ask('nowhere', question)).status).toBe(404);
  });

  test('a trigger for GET at the same path takes precedence', async () => {
    await activate('meta-own', {
      authentication: 'sender',
      preset: 'meta',
      secret: 'APP',
      verifySecret: 'VERIFY',
    });
    await activate('meta-own', { authentication: 'none', method: 'GET' });
    expect(await (await ask('meta-own', question)).json()).toEqual({ body: null });
  });
});

describe('CloudEvents ask by OPTIONS', () => {
  const ask = (endpoint: string, headers: Record<string, string>): Promise<ApiResponse> =>
    weft.call('OPTIONS', `/webhooks/${endpoint}`, { headers });

  beforeAll(async () => {
    await activate('events', { authentication: 'none', cloudEventsOrigins: ['eventgrid.azure.net'] });
    await activate('any-events', { authentication: 'none', cloudEventsOrigins: ['*'] });
    await activate('no-events', { authentication: 'none' });
  });

  test('an allowed sender receives the permission to deliver', async () => {
    const response = await ask('events', {
      'webhook-request-origin': 'eventgrid.azure.net',
      'webhook-request-rate': '1000',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('webhook-allowed-origin')).toBe('eventgrid.azure.net');
    expect(response.headers.get('webhook-allowed-rate')).toBe('120');
    expect(response.headers.get('allow')).toContain('POST');
    const any = await ask('any-events', { 'webhook-request-origin': 'other.example.com' });
    expect(any.headers.get('webhook-allowed-origin')).toBe('other.example.com');
  });

  test('other senders receive no permission', async () => {
    expect((await ask('events', { 'webhook-request-origin': 'other.example.com' })).status).toBe(404);
    expect((await ask('events', {})).status).toBe(404);
    expect((await ask('no-events', { 'webhook-request-origin': 'eventgrid.azure.net' })).status).toBe(404);
  });

  test('a delivery starts the workflow', async () => {
    const event = { specversion: '1.0', id: '1', source: '/a', type: 'created', data: { n: 1 } };
    const response = await weft.call('POST', '/webhooks/events', {
      raw: JSON.stringify(event),
      headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    });
    expect(response.body).toEqual({ body: event });
  });
});
