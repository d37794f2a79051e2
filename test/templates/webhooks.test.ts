import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  type SpawnedService,
  createTempFolder,
  waitUntil,
  type ApiResponse,
  type Call,
} from '../support/service.ts';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.ts';
import { install } from './template.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let upstream: Upstream;
let respond: (request: ReceivedRequest) => { status?: number; body?: unknown } = () => ({});

beforeAll(async () => {
  upstream = await startUpstream((request) => respond(request));
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterAll(async () => {
  await weft.stop();
  await upstream.close();
  folder.remove();
});
afterEach(() => {
  upstream.received.length = 0;
});

const received = (path: string): ReceivedRequest[] => upstream.received.filter((one) => one.path === path);
const hook = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  weft.call('POST', `/webhooks/${path}`, { body, headers });

describe('github-push-to-chat', () => {
  type Recorded = { name: string; examples: Record<string, unknown>[] };
  const recorded = createRequire(import.meta.url)('@octokit/webhooks-examples') as Recorded[];
  const pushes = recorded.find(({ name }) => name === 'push')!.examples;

  async function send(event: string, payload: unknown, key = 'shared with GitHub'): Promise<ApiResponse> {
    const raw = JSON.stringify(payload);
    return weft.call('POST', '/webhooks/github/push', {
      raw,
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': `d-${Math.random()}`,
        'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(raw).digest('hex')}`,
      },
    });
  }

  test('posts pushes to its branch, and nothing else', async () => {
    await install(
      api,
      'github-push-to-chat',
      { branch: 'master' },
      { GITHUB_WEBHOOK_SECRET: 'shared with GitHub', CHAT_WEBHOOK_URL: `${upstream.url}/chat` },
    );
    let expected = 0;
    for (const push of pushes) {
      const isOurs = push['ref'] === 'refs/heads/master' && push['deleted'] !== true;
      if (isOurs) expected++;
      const actual = await send('push', push);
      expect([actual.status, actual.body], actual.text).toEqual([200, { posted: isOurs }]);
    }
    const commits = [{ id: '1' }, { id: '2' }];
    const whole = {
      ref: 'refs/heads/master',
      deleted: false,
      repository: { full_name: 'ada/engine' },
      pusher: { name: 'ada' },
      compare: 'https://github.com/ada/engine/compare/1...2',
      commits,
      head_commit: { message: 'Count the cards\n\nAll of them.' },
    };
    expect((await send('push', whole)).body).toEqual({ posted: true });
    expect((await send('issues', whole)).body).toEqual({ posted: false });
    expect((await send('push', { ...whole, ref: 'refs/heads/other' })).body).toEqual({ posted: false });
    expect((await send('push', whole, 'another key')).status).toBe(401);
    expect(received('/chat').length).toBe(expected + 1);
    expect(received('/chat').at(-1)?.body).toEqual({
      text: 'ada pushed 2 commits to ada/engine (master): Count the cards https://github.com/ada/engine/compare/1...2',
    });
  });
});

test('form-to-crm accepts complete forms, reports errors of others, and fails when the CRM is down', async () => {
  respond = ({ path }) => (path === '/customers' ? { status: 201, body: { id: 'c-7' } } : {});
  const parameters = { crm_url: `${upstream.url}/customers`, required_fields: ['email', 'message'] };
  const id = await install(api, 'form-to-crm', parameters, { CRM_TOKEN: 'token of the CRM' });
  const form = { email: ' Ada@Example.com', name: ' Ada ', message: 'Hello' };
  const untrimmed = await hook('forms/contact', form);
  expect([untrimmed.status, untrimmed.body]).toMatchObject([400, { accepted: false }]);
  const taken = await hook('forms/contact', { ...form, email: 'Ada@Example.com' });
  expect([taken.status, taken.body], taken.text).toEqual([201, { accepted: true, customer: 'c-7' }]);
  const [customer] = received('/customers');
  expect(customer?.headers.authorization).toBe('Bearer token of the CRM');
  expect(customer?.body).toEqual({
    email: 'ada@example.com',
    name: 'Ada',
    phone: '',
    note: 'Hello',
    source: 'website',
  });
  for (const wrong of [{}, { email: 'ada@example.com' }, { email: 'no address', message: 'x' }, 'text']) {
    const refused = await hook('forms/contact', wrong);
    expect(refused.status, refused.text).toBe(400);
    expect((refused.body as { reason: string }).reason).toMatch(/./);
  }
  const encoded = await weft.call('POST', '/webhooks/forms/contact', {
    raw: 'email=bo%40example.com&message=Hi',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(encoded.status, encoded.text).toBe(201);
  expect(received('/customers').length).toBe(2);
  respond = () => ({ status: 401 });
  const away = await hook('forms/contact', { email: 'cy@example.com', message: 'Hi' });
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '60']);
  await api('DELETE', `/workflows/${id}`);
});

test('order-intake accepts each signed order once', async () => {
  respond = ({ path }) => (path === '/fulfil' ? { status: 202, body: { id: 'f-1' } } : {});
  await install(
    api,
    'order-intake',
    {
      fulfilment_url: `${upstream.url}/fulfil`,
      event_types: ['order.paid', 'order.renewed'],
      currencies: ['EUR'],
    },
    { ORDERS_SIGNING_KEY: 'signing key of the shop', FULFILMENT_TOKEN: 'token of the fulfilment' },
  );
  const send = (event: object, key = 'signing key of the shop'): Promise<ApiResponse> => {
    const raw = JSON.stringify(event);
    const time = Math.floor(Date.now() / 1000);
    const digest = createHmac('sha256', key).update(`${time}.${raw}`).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-weft-signature': `t=${time},v1=${digest}` };
    return weft.call('POST', '/webhooks/orders', { raw, headers });
  };
  const data = { amount: 1995, currency: 'EUR', items: [{ sku: 'A-1', quantity: 2 }] };
  const order = { id: 'evt_1', type: 'order.paid', data };
  const first = await send(order);
  expect([first.status, first.body], first.text).toEqual([201, { received: true, fulfilment: 'f-1' }]);
  const again = await send(order);
  expect([again.status, again.body]).toEqual([201, { received: true, fulfilment: 'f-1' }]);
  expect(again.headers.get('x-weft-execution-id')).toBe(first.headers.get('x-weft-execution-id'));
  expect(received('/fulfil').map(({ body }) => body)).toEqual([
    { reference: 'evt_1', items: data.items, total: 19.95, currency: 'EUR' },
  ]);
  expect((await send({ ...order, id: 'evt_2', type: 'order.renewed' })).status).toBe(201);
  const other = await send({ ...order, id: 'evt_3', type: 'customer.created' });
  expect([other.status, other.body]).toEqual([200, { received: true }]);
  const dollars = await send({ ...order, id: 'evt_4', data: { ...data, currency: 'USD' } });
  expect(dollars.status, dollars.text).toBe(400);
  expect((await send({ ...order, id: 'evt_5' }, 'another key')).status).toBe(401);
  expect((await send({ type: 'order.paid', data })).status).toBe(400);
  expect(received('/fulfil').length).toBe(2);
});

test('webhook-relay sends to both, and responds immediately while one is down', async () => {
  let failures = 1;
  respond = ({ path }) => (path === '/second' && failures-- > 0 ? { status: 503 } : {});
  const parameters = {
    first_url: `${upstream.url}/first`,
    second_url: `${upstream.url}/second`,
    headers: { 'X-Source': 'weft' },
    method: 'POST',
  };
  const id = await install(api, 'webhook-relay', parameters, { RELAY_TOKEN: 'token of the callers' });
  expect((await hook('relay', { n: 1 })).status).toBe(401);
  const actual = await hook('relay', { n: 1 }, { authorization: 'Bearer token of the callers' });
  expect(actual.status).toBe(200);
  const { executions } = await waitUntil(
    async () =>
      (await api('GET', `/workflows/${id}/executions?status=completed`)).body as {
        executions: { id: string }[];
      },
    (list) => list.executions.length === 1,
  );
  expect((await api('GET', `/executions/${executions[0]!.id}`)).body).toMatchObject({
    output: { first: 200, second: 200 },
  });
  expect([received('/first').length, received('/second').length]).toEqual([1, 2]);
  for (const { body, headers } of upstream.received)
    expect([body, headers['x-source']]).toEqual([{ n: 1 }, 'weft']);
});

test('ticket-triage files every request, and posts urgent ones to the chat', async () => {
  respond = ({ path }) => (path === '/tickets' ? { status: 201, body: { id: 4711 } } : {});
  const parameters = {
    tickets_url: `${upstream.url}/tickets`,
    queue: 'billing',
    chat_url_secret: 'ALERT_URL',
  };
  await install(api, 'ticket-triage', parameters, {
    SUPPORT_KEY: 'key of the callers',
    TICKETS_TOKEN: 'token of the tickets',
    ALERT_URL: `${upstream.url}/alerts`,
  });
  const send = (subject: string, text: string): Promise<ApiResponse> =>
    hook('support', { email: 'ada@example.com', subject, text }, { 'x-api-key': 'key of the callers' });
  const normal = await send('An invoice', 'Please send it again.');
  expect([normal.status, normal.body], normal.text).toEqual([201, { ticket: 4711 }]);
  expect(received('/alerts').length).toBe(0);
  const urgent = await send('Help', 'Everything is DOWN since noon');
  expect(urgent.status).toBe(201);
  await waitUntil(
    () => Promise.resolve(received('/alerts')),
    (alerts) => alerts.length === 1,
  );
  expect(received('/alerts')[0]?.body).toEqual({ text: 'Urgent: Help (ada@example.com)' });
  expect(received('/tickets').map(({ body }) => body)).toEqual([
    { queue: 'billing', from: 'ada@example.com', subject: 'An invoice', text: 'Please send it again.' },
    { queue: 'urgent', from: 'ada@example.com', subject: 'Help', text: 'Everything is DOWN since noon' },
  ]);
});
