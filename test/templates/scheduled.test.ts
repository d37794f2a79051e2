import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../support/time/clock.ts';
import { startInProcess, type InProcess } from '../support/in-process.ts';
import { createTempFolder, waitUntil, type Call } from '../support/service.ts';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.ts';
import { install } from './template.ts';

const clock = createTestClock(Date.parse('2026-03-01T10:00:00Z'));
const folder = createTempFolder();
const MINUTE_MS = 60_000;
let weft: InProcess;
let api: Call;
let upstream: Upstream;
let respond: (request: ReceivedRequest) => { status?: number; body?: unknown };

beforeAll(async () => {
  upstream = await startUpstream((request) => respond(request));
  weft = await startInProcess({ dataDir: folder.path, clock });
});
afterAll(async () => {
  await weft.service.stop();
  await upstream.close();
  folder.remove();
});

type List = { executions: { id: string; status: string }[] };

/** Advances time in steps until this number of executions of the workflow have ended. */
async function ended(id: string, count: number, step = 1_000): Promise<List> {
  return waitUntil(
    async () => {
      await clock.advance(step);
      const list = await api('GET', `/workflows/${id}/executions`);
      if (list.status === 401) api = await weft.login();
      return list.status === 200 ? (list.body as List) : { executions: [] };
    },
    ({ executions }) =>
      executions.filter(({ status }) => ['completed', 'failed'].includes(status)).length >= count,
  );
}
const readOutput = async (id: string): Promise<unknown> =>
  ((await api('GET', `/executions/${id}`)).body as { output: unknown }).output;
const received = (path: string): ReceivedRequest[] => upstream.received.filter((one) => one.path === path);

test('uptime-check posts nothing while all is well, and reports a wrong status and a missing response', async () => {
  api = await weft.login();
  let status = 204;
  respond = ({ path }) => (path === '/page' ? { status } : {});
  const parameters = { url: `${upstream.url}/page`, interval: '1m', expected_status: 204 };
  const id = await install(api, 'uptime-check', parameters, { CHAT_WEBHOOK_URL: `${upstream.url}/chat-1` });
  await clock.advance(MINUTE_MS);
  await ended(id, 1, 10);
  expect([received('/page').length, received('/chat-1').length]).toEqual([1, 0]);

  status = 503;
  await clock.advance(MINUTE_MS);
  await ended(id, 2, 10);
  expect(received('/chat-1').map(({ body }) => body)).toEqual([
    { text: `${upstream.url}/page is not well: the response has status 503` },
  ]);

  await api('DELETE', `/workflows/${id}`);
  // A port without a listener.
  const gone = await startUpstream();
  await gone.close();
  const dead = await install(api, 'uptime-check', { url: gone.url, interval: '1m' }, {});
  await clock.advance(MINUTE_MS);
  await ended(dead, 1);
  expect(received('/chat-1').length).toBe(2);
  expect((received('/chat-1')[1]!.body as { text: string }).text).toMatch(
    /is not well: .*(refused|connect)/i,
  );
  await api('DELETE', `/workflows/${dead}`);
});

test('nightly-report reads the list at its hour and posts the first entries', async () => {
  api = await weft.login();
  const items = ['Ada', 'Bo', 'Cy', 'Di', 'Ed'].map((title) => ({ title }));
  respond = ({ path }) => (path === '/list' ? { body: { page: { items } } } : {});
  const parameters = {
    title: 'New customers',
    url: `${upstream.url}/list`,
    list: 'body.page.items',
    label: 'title',
    cron: '0 6 * * *',
    timezone: 'Europe/Berlin',
    shown: 3,
  };
  const id = await install(api, 'nightly-report', parameters, {
    REPORT_TOKEN: 'the token of the report',
    CHAT_WEBHOOK_URL: `${upstream.url}/chat-2`,
  });
  const { triggers } = (await api('GET', `/workflows/${id}`)).body as { triggers: { next_run_at: string }[] };
  expect(triggers[0]?.next_run_at).toBe('2026-03-02T05:00:00.000Z');
  await clock.advance(Date.parse('2026-03-02T05:00:00Z') - clock.now());
  await ended(id, 1, 10);
  expect(received('/list')[0]?.headers.authorization).toBe('Bearer the token of the report');
  expect(received('/chat-2').map(({ body }) => body)).toEqual([
    { text: 'New customers: 5 entries. Ada, Bo, Cy' },
  ]);

  respond = ({ path }) => (path === '/list' ? { status: 403 } : {});
  await clock.advance(24 * 60 * MINUTE_MS);
  await ended(id, 2, 10);
  expect((received('/chat-2')[1]!.body as { text: string }).text).toMatch(
    /^New customers: the list could not be read: .*403/,
  );
  await api('DELETE', `/workflows/${id}`);
});

test('api-sync writes new items, retries, and skips unchanged ones', async () => {
  api = await weft.login();
  let source = 200;
  let failures = 2;
  respond = ({ path }) => {
    if (path === '/source') return source === 200 ? { body: { stock: { 'A-1': 3 } } } : { status: source };
    if (path === '/target' && failures-- > 0) return { status: 503 };
    return { body: {} };
  };
  const parameters = {
    source_url: `${upstream.url}/source`,
    target_url: `${upstream.url}/target`,
    method: 'POST',
    interval: '30s',
    attempts: 5,
    first_pause: '1s',
  };
  const secrets = { SOURCE_TOKEN: 'token of the source', TARGET_TOKEN: 'token of the target' };
  const id = await install(api, 'api-sync', parameters, secrets);
  await clock.advance(30_000);
  const first = await ended(id, 1);
  expect(await readOutput(first.executions.at(-1)!.id)).toEqual({ changed: true, status: 200 });
  const writes = received('/target');
  expect(writes.length).toBe(3);
  for (const { method, body, headers } of writes) {
    expect([method, body, headers.authorization]).toEqual([
      'POST',
      { stock: { 'A-1': 3 } },
      'Bearer token of the target',
    ]);
  }
  expect(new Set(writes.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);

  await api('DELETE', `/workflows/${id}`);
  source = 304;
  const quiet = await install(api, 'api-sync', parameters, {});
  await clock.advance(30_000);
  const second = await ended(quiet, 1, 10);
  expect(await readOutput(second.executions.at(-1)!.id)).toEqual({ changed: false });
  expect(received('/target').length).toBe(3);
  await api('DELETE', `/workflows/${quiet}`);
});

test('approval-reminder waits across a restart and reminds of open requests', async () => {
  api = await weft.login();
  respond = ({ path }) => ({ body: { state: path === '/requests/r%2F1' ? 'pending' : 'approved' } });
  const parameters = {
    requests_url: `${upstream.url}/requests`,
    reminder_url: `${upstream.url}/reminders`,
    wait: '4h',
  };
  const secrets = { APPROVALS_KEY: 'key of the callers', APPROVALS_TOKEN: 'token of the system' };
  const id = await install(api, 'approval-reminder', parameters, secrets);
  const ask = (request: string, body: object, key = 'key of the callers') =>
    weft.call('POST', `/webhooks/approvals/${request}`, { body, headers: { 'x-api-key': key } });
  expect((await ask('r%2F1', { approver: 'ada@example.com' }, 'wrong')).status).toBe(401);
  expect((await ask('r%2F1', { who: 'ada@example.com' })).status).toBe(400);
  expect((await ask('r%2F1', { approver: 'ada@example.com' })).status).toBe(200);
  expect((await ask('r2', { approver: 'bo@example.com' })).status).toBe(200);
  await clock.advance(3 * 60 * MINUTE_MS);
  await weft.service.stop();
  weft = await startInProcess({ dataDir: folder.path, clock });
  expect(upstream.received.filter(({ path }) => path.startsWith('/requests')).length).toBe(0);
  await clock.advance(60 * MINUTE_MS);
  api = await weft.login();
  await ended(id, 2, 10);
  expect(received('/reminders').map(({ body }) => body)).toEqual([
    { to: 'ada@example.com', request: 'r/1', text: 'This request has waited for you for 4h.' },
  ]);
  await api('DELETE', `/workflows/${id}`);
});
