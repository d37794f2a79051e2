import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';
import type { ApiResponse } from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

const STANDARD_KEY = Buffer.from('a key of twenty-four byte');
const service = useService();
const { api } = service;

beforeAll(async () => {
  const secrets = {
    STANDARD: `whsec_${STANDARD_KEY.toString('base64')}`,
    SLACK: '8f742231b10e8888abcd99yyyzzz85a5',
    STRIPE: 'whsec_test_secret',
    BROKEN: 'whsec_this is no base64',
  };
  for (const [name, value] of Object.entries(secrets))
    await api('PUT', `/secrets/${name}`, { body: { value } });
});

const seconds = (): string => String(Math.floor(Date.now() / 1000));
const readExecutionId = (response: ApiResponse): string | null => response.headers.get('x-weft-execution-id');

async function activate(endpoint: string, config: object): Promise<string> {
  const definition = createEchoWorkflow(endpoint, { authentication: 'hmac', ...config });
  const response = await api('POST', '/workflows', {
    body: { name: endpoint, definition, status: 'active' },
  });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}

function send(path: string, text: string, headers: Record<string, string>): Promise<ApiResponse> {
  return service.weft.call('POST', path, {
    raw: text,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

function slackHeaders(text: string, time = seconds()): Record<string, string> {
  const digest = createHmac('sha256', '8f742231b10e8888abcd99yyyzzz85a5').update(`v0:${time}:${text}`);
  return { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${digest.digest('hex')}` };
}

test('Standard Webhooks: one delivery is one execution, whatever an eavesdropper adds to it', async () => {
  await activate('standard', { secret: 'STANDARD', scheme: 'standard' });
  const text =
    '{"type":"contact.created","timestamp":"2022-11-03T20:26:10.344522Z","data":{"id":"1f81eb52"}}';
  const time = seconds();
  const signature = createHmac('sha256', STANDARD_KEY).update(`msg_1.${time}.${text}`).digest('base64');
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': time,
    'webhook-signature': `v1,${signature}`,
  };
  const first = await send('/webhooks/standard', text, headers);
  expect([first.status, first.body]).toEqual([200, { body: JSON.parse(text) as unknown }]);
  for (const more of [{}, { 'idempotency-key': 'mine' }, { 'x-github-delivery': 'mine' }]) {
    const again = await send('/webhooks/standard', text, { ...headers, ...more });
    expect([again.status, readExecutionId(again)]).toEqual([200, readExecutionId(first)]);
  }
  const renamed = await send('/webhooks/standard', text, { ...headers, 'webhook-id': 'msg_2' });
  expect(renamed.status).toBe(401);
});

test('Slack: the handshake succeeds with a valid signature, and starts nothing', async () => {
  const id = await activate('slack', {
    secret: 'SLACK',
    scheme: 'slack',
    expectedSchema: { event: 'object' },
  });
  const asked = JSON.stringify({ token: 'x', challenge: '3eZbrw1aBm2rZgRNFdxV', type: 'url_verification' });
  const listen = await api('POST', `/workflows/${id}/listen`, { body: {} });
  const address = new URL((listen.body as { url: string }).url).pathname.replace(/^\/v1/, '');
  for (const path of ['/webhooks/slack', address, address]) {
    const response = await send(path, asked, slackHeaders(asked));
    expect([response.status, response.body, readExecutionId(response)]).toEqual([
      200,
      { challenge: '3eZbrw1aBm2rZgRNFdxV' },
      null,
    ]);
    expect((await send(path, asked, slackHeaders(`${asked} `))).status).toBe(401);
    expect((await send(path, asked, {})).status).toBe(401);
  }
  const executions = await api('GET', `/workflows/${id}/executions`);
  expect((executions.body as { pagination: { total: number } }).pagination.total).toBe(0);

  const event = JSON.stringify({ type: 'event_callback', event_id: 'Ev1', event: { type: 'app_mention' } });
  const first = await send('/webhooks/slack', event, slackHeaders(event));
  expect(first.status, first.text).toBe(200);
  // Slack tries again with another time and another signature.
  const again = await send('/webhooks/slack', event, slackHeaders(event, String(Number(seconds()) - 60)));
  expect(readExecutionId(again)).toBe(readExecutionId(first));
});

test('Stripe: an event that is delivered again is the same one', async () => {
  await activate('stripe', { secret: 'STRIPE', scheme: 'stripe' });
  const text = '{ "id": "evt_1", "object": "event", "type": "setup_intent.created" }';
  const signed = (time: string): Record<string, string> => ({
    'stripe-signature': `t=${time},v1=${createHmac('sha256', 'whsec_test_secret').update(`${time}.${text}`).digest('hex')}`,
  });
  const first = await send('/webhooks/stripe', text, signed(seconds()));
  expect(first.status, first.text).toBe(200);
  const again = await send('/webhooks/stripe', text, signed(String(Number(seconds()) - 200)));
  expect(readExecutionId(again)).toBe(readExecutionId(first));
  expect((await send('/webhooks/stripe', text, signed(String(Number(seconds()) - 400)))).status).toBe(401);
});

test('a secret that cannot verify a signature rejects every call', async () => {
  await activate('broken', { secret: 'BROKEN', scheme: 'standard' });
  const headers = { 'webhook-id': 'a', 'webhook-timestamp': seconds(), 'webhook-signature': 'v1,' };
  expect((await send('/webhooks/broken', '{}', headers)).status).toBe(401);
});
