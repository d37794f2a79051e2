import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { waitUntil } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { useService } from '../support/use-service.ts';
import { install } from './template.ts';

const KEY = 'key-of-the-travel-desk';
const service = useService();
let mail: TestMailServer;
let upstream: Upstream;

beforeAll(async () => {
  [mail, upstream] = await Promise.all([startMailServer(), startUpstream()]);
  await install(
    service.api,
    'expense-approval',
    {
      first_approver: 'first@example.com',
      second_approver: 'second@example.com',
      result_url: `${upstream.url}/accounting`,
    },
    { EXPENSES_KEY: KEY, MAIL_SERVER: `smtp://127.0.0.1:${mail.port}?tls=off` },
  );
});
afterAll(async () => {
  await mail.close();
  await upstream.close();
});

/** The links of the two approvers to the question about an expense. */
async function request(id: string): Promise<string[]> {
  const before = mail.received.length;
  const body = { id, employee: 'Ada', amount: 412, purpose: 'Hotel in Ghent' };
  const headers = { 'x-api-key': KEY };
  const response = await service.weft.call('POST', '/webhooks/expenses', { body, headers });
  expect(response.status, response.text).toBe(200);
  const mails = await waitUntil(
    () => Promise.resolve(mail.received.slice(before)),
    (received) => received.length === 2,
  );
  return mails.map(({ raw }) => {
    const text = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    return /https?:\/\/\S+\/v1\/decide\/\S+/.exec(text)![0];
  });
}
const choose = (link: string, choice: string): Promise<Response> =>
  fetch(link, { method: 'POST', body: new URLSearchParams({ choice }) });
const result = (id: string): Promise<unknown> =>
  waitUntil(
    () => {
      const bodies = upstream.received.map(({ body }) => body as { request: string });
      return Promise.resolve(bodies.find((body) => body.request === id) ?? null);
    },
    (body) => body !== null,
  );

test('two people approve', async () => {
  const [first, second] = await request('e-1');
  expect((await choose(first!, 'approved')).status).toBe(200);
  expect(upstream.received).toHaveLength(0);
  expect((await choose(second!, 'approved')).status).toBe(200);
  expect(await result('e-1')).toMatchObject({
    outcome: 'approved',
    responses: [
      { email: 'first@example.com', choice: 'approved', via: 'link' },
      { email: 'second@example.com', choice: 'approved' },
    ],
  });
});

test('one rejection is enough, because two approvals cannot be reached', async () => {
  const [first] = await request('e-2');
  await choose(first!, 'rejected');
  expect(await result('e-2')).toMatchObject({ outcome: 'rejected' });
});
