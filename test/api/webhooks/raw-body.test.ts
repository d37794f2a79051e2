import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

const KEY = 'a key with thirty-two characters';
const MAX_BYTES = 4 * 1024 * 1024;
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  await api('PUT', '/secrets/KEY', { body: { value: KEY } });
});
afterAll(async () => {
  await weft?.kill9();
  folder.remove();
});

async function activate(endpoint: string, config: object, nodes: object[] = []): Promise<ApiResponse> {
  const hook = {
    id: 'hook',
    type: 'trigger',
    config: { triggerType: 'webhook', endpoint, authentication: 'none', respond: 'on_completion', ...config },
  };
  const ids = ['hook', ...nodes.map((node) => (node as { id: string }).id)];
  const connections = ids.slice(1).map((to, i) => ({ from: ids[i], to }));
  const definition = { nodes: [hook, ...nodes], connections };
  return api('POST', '/workflows', { body: { name: endpoint, definition, status: 'active' } });
}
const send = (endpoint: string, raw: string | Uint8Array, type = 'application/json'): Promise<ApiResponse> =>
  weft.call('POST', `/webhooks/${endpoint}`, { raw, headers: { 'content-type': type } });

test('a trigger that requests the raw body gets the bytes unchanged', async () => {
  await activate('raw', { rawBody: true });
  const text = '{ "b":1.0,\n"a":"\\u00e9", "a": 2 }';
  expect((await send('raw', text)).body).toMatchObject({
    body: { b: 1, a: 2 },
    raw: text,
    raw_encoding: 'utf8',
  });
  const bytes = Uint8Array.from([0xff, 0x00, 0x80]);
  expect((await send('raw', bytes, 'application/octet-stream')).body).toMatchObject({
    raw: '/wCA',
    raw_encoding: 'base64',
  });
  expect((await send('raw', '', 'text/plain')).body).toMatchObject({
    body: null,
    raw: '',
    raw_encoding: 'utf8',
  });
});

test('no other trigger does', async () => {
  await activate('parsed', {});
  const { body } = await send('parsed', '{}');
  expect(body).not.toHaveProperty('raw');
  expect(body).not.toHaveProperty('raw_encoding');
});

test('a workflow can check a signature over it', async () => {
  await activate('own', { rawBody: true }, [
    {
      id: 'check',
      type: 'crypto',
      config: {
        operation: 'verify_hmac',
        key: '{{ secrets.KEY }}',
        value: '{{ trigger.raw }}',
        signature: '{{ trigger.headers["x-signature"] }}',
      },
    },
  ]);
  const raw = '{"n":1.50}';
  const signature = createHmac('sha256', KEY).update(raw).digest('hex');
  const response = await weft.call('POST', '/webhooks/own', {
    raw,
    headers: { 'content-type': 'application/json', 'x-signature': signature },
  });
  expect([response.status, response.body]).toEqual([200, true]);
});

test('a secret in it is redacted where it is shown', async () => {
  await activate('redacted', { rawBody: true });
  const response = await send('redacted', `{"key":"${KEY}"}`);
  expect(response.text).not.toContain(KEY);
  const id = response.headers.get('x-weft-execution-id');
  const shown = await api('GET', `/executions/${id}`);
  expect(shown.text).not.toContain(KEY);
});

test('it is bounded', async () => {
  await activate('bounded', { rawBody: true, respond: 'immediately' });
  expect((await send('bounded', 'x'.repeat(MAX_BYTES), 'text/plain')).status).toBe(200);
  const response = await send('bounded', 'x'.repeat(MAX_BYTES + 1), 'text/plain');
  expect(response.status).toBe(400);
  expect(response.body).toMatchObject({
    error: { code: 'PAYLOAD_TOO_LARGE', details: { limit: MAX_BYTES } },
  });
});

test('a GET has none', async () => {
  const response = await activate('get', { method: 'GET', rawBody: true });
  expect(response.body).toMatchObject({
    error: { details: { field: 'definition.nodes[0].config.rawBody' } },
  });
});
