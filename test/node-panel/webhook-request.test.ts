import { expect, test } from 'vitest';
import type { Doc, Entry } from '../../web/src/canvas/model/document.ts';
import {
  formatCountdown,
  formatCurlCommand,
  createExampleInput,
  findOnlyWebhook,
  describePlaceholder,
  buildProductionUrl,
  getTriggerState,
} from '../../web/src/runs/webhook/webhook-request.ts';

type Workflow = Parameters<typeof buildProductionUrl>[0];

const BASE = 'https://hooks.example.com/v1/webhooks';

function workflow(over: object = {}): Workflow {
  const triggers = [{ node_id: 'start', type: 'webhook', url: `${BASE}/orders`, method: 'POST' }];
  return { id: 'wf_1', status: 'active', triggers, ...over } as unknown as Workflow;
}

test.each([
  ['orders', `${BASE}/orders`],
  ['/orders/:id/', `${BASE}/orders/:id`],
  [':tenant/orders', `${BASE}/wf_1/:tenant/orders`],
  ['', null],
  ['/', null],
  [undefined, null],
])('the production URL of the endpoint %j is below the base of the service', (endpoint, expected) => {
  expect(buildProductionUrl(workflow(), { endpoint })).toBe(expected);
});

test('the production URL is unknown while the workflow has no registered webhook', () => {
  expect(buildProductionUrl(workflow({ triggers: [] }), { endpoint: 'orders' })).toBeNull();
});

test.each([
  ['live', {}, { endpoint: 'orders' }],
  ['live', {}, { endpoint: '/orders/', method: 'POST' }],
  ['changed', {}, { endpoint: 'orders', method: 'PUT' }],
  ['changed', {}, { endpoint: 'orders/new' }],
  ['changed', { triggers: [] }, { endpoint: 'orders' }],
  ['off', { status: 'draft' }, { endpoint: 'orders' }],
  ['off', { status: 'inactive' }, { endpoint: 'orders' }],
])('a trigger is %s', (expected, over, config) => {
  expect(getTriggerState(workflow(over), 'start', config)).toBe(expected);
});

const json = String.raw`-H 'Content-Type: application/json'`;

test.each([
  [
    { endpoint: 'orders', authentication: 'none' },
    ["curl -X POST 'u/orders'", json, `-d '{"id":1,"name":"Ada"}'`],
  ],
  [{ method: 'GET', authentication: 'none' }, ["curl -X GET 'u/orders'"]],
  [
    { method: 'DELETE', authentication: 'bearer' },
    ["curl -X DELETE 'u/orders'", "-H 'Authorization: Bearer YOUR_TOKEN'"],
  ],
  [{ method: 'GET', authentication: 'basic' }, ["curl -X GET 'u/orders'", "-u 'USER:PASSWORD'"]],
  [{ method: 'GET', authentication: 'api_key' }, ["curl -X GET 'u/orders'", "-H 'X-API-Key: YOUR_KEY'"]],
  [
    { method: 'GET', authentication: 'hmac', scheme: 'github' },
    ["curl -X GET 'u/orders'", "-H 'X-Hub-Signature-256: YOUR_SIGNATURE'"],
  ],
  [
    { authentication: 'none', expectedSchema: { "the user's": 'string', total: 'number', paid: 'boolean' } },
    ["curl -X POST 'u/orders'", json, String.raw`-d '{"the user'\''s":"text","total":9.5,"paid":true}'`],
  ],
])('the command for %j has its method, credential and body', (config, lines) => {
  expect(formatCurlCommand('u/orders', config)).toBe(lines.join(' \\\n  '));
  const hasPlaceholder = lines.some((line) => /YOUR_|USER:/.test(line));
  expect(describePlaceholder(config) !== null).toBe(hasPlaceholder);
});

test('parameters of the path have values in the command and in the example input', () => {
  const config = { endpoint: 'orders/:id/items/:item', method: 'PUT', authentication: 'none' };
  expect(formatCurlCommand(`${BASE}/orders/:id/items/:item`, config)).toContain(`'${BASE}/orders/1/items/1'`);
  expect(createExampleInput(config)).toEqual({
    body: { id: 1, name: 'Ada' },
    query: {},
    headers: { 'content-type': 'application/json' },
    params: { id: '1', item: '1' },
    method: 'PUT',
  });
});

test('the only enabled trigger counts', () => {
  const webhook: Entry = { id: 'hook', type: 'trigger', config: { triggerType: 'webhook' } };
  const manual: Entry = { id: 'hand', type: 'trigger', config: { triggerType: 'manual' } };
  const createDoc = (...nodes: Entry[]) =>
    ({ nodes: new Map(nodes.map((node) => [node.id, node])) }) as unknown as Doc;
  expect(findOnlyWebhook(createDoc(webhook, { id: 'a', type: 'set' }))).toBe(webhook);
  expect(findOnlyWebhook(createDoc(webhook, { ...manual, disabled: true }))).toBe(webhook);
  expect(findOnlyWebhook(createDoc(webhook, manual))).toBeNull();
  expect(findOnlyWebhook(createDoc(manual))).toBeNull();
  expect(findOnlyWebhook(createDoc({ ...webhook, disabled: true }))).toBeNull();
});

test.each([
  [120_000, '2:00'],
  [65_001, '1:06'],
  [9_000, '0:09'],
  [-5, '0:00'],
])('%d ms are %s', (ms, text) => {
  expect(formatCountdown(ms)).toBe(text);
});
