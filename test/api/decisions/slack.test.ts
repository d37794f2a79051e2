import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  SLACK_SIGNING_SECRET,
  startFakeSlack,
  type ClickOptions,
  type FakeSlack,
  type SlackMessage,
} from '../../support/servers/fake-slack.ts';
import { waitUntil } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { manual } from '../definitions.ts';

const service = useService();
let slack: FakeSlack;

const PEOPLE = { U1: 'ada@example.com', U2: 'bob@example.com', U3: 'guest@example.com' };

beforeAll(async () => {
  slack = await startFakeSlack();
  for (const [id, email] of Object.entries(PEOPLE)) slack.addUser({ id, email });
  for (const email of ['ada@example.com', 'bob@example.com'])
    await service.api('POST', '/users', { body: { email, password: 'a password of twenty', name: email } });
  await service.api('PUT', '/secrets/SLACK', { body: { value: slack.credentials } });
  await service.api('PUT', '/secrets/SLACK_SIGNING', { body: { value: SLACK_SIGNING_SECRET } });
});
beforeEach(() => {
  slack.ephemerals.length = 0;
  slack.calls.length = 0;
});
afterAll(() => slack.close());

const target = { channel: '#approvals', credentials: '{{ secrets.SLACK }}', signing_secret: 'SLACK_SIGNING' };

type Started = { id: string; message: SlackMessage };

async function create(config: object, type = 'approval', ports = ['approved', 'rejected']): Promise<string> {
  const made = await service.api('POST', '/workflows', {
    body: {
      name: 'Expenses',
      definition: {
        nodes: [
          manual,
          { id: 'ask', type, config: { title: 'Expense of 250 EUR', slack: target, ...config } },
          ...ports.map((port) => ({ id: `to_${port}`, type: 'notify', config: { message: port } })),
        ],
        connections: [
          { from: 'start', to: 'ask' },
          ...ports.map((port) => ({ from: 'ask', sourcePort: port, to: `to_${port}` })),
        ],
      },
    },
  });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}
async function start(workflow: string): Promise<string> {
  const started = await service.api('POST', `/workflows/${workflow}/execute`, { body: {} });
  expect(started.status, started.text).toBe(201);
  return (started.body as { id: string }).id;
}
/** Starts an approval, and returns it with its message. */
async function ask(config: object = {}, ...rest: [string?, string[]?]): Promise<Started> {
  const before = slack.messages.length;
  const id = await start(
    await create({ assignees: ['ada@example.com', 'bob@example.com'], ...config }, ...rest),
  );
  const [message] = await waitUntil(
    () => Promise.resolve(slack.messages.slice(before)),
    (list) => list.length > 0,
  );
  return { id, message: message! };
}
const send = (request: RequestInit): Promise<Response> =>
  fetch(`${service.weft.url}/slack/interactions`, request);
async function click(
  message: SlackMessage,
  user: string,
  label: string,
  options?: ClickOptions,
): Promise<number> {
  return (await send(slack.createClick(message, user, label, options))).status;
}
async function findDecision(execution: string) {
  const { body } = await service.api('GET', '/decisions?view=owned&limit=100');
  return (
    body as {
      decisions: {
        id: string;
        status: string;
        choice: string | null;
        execution_id: string;
        assignees: { email: string; choice: string | null; via: string | null }[];
      }[];
    }
  ).decisions.find(({ execution_id: id }) => id === execution)!;
}
const updatesOf = ({ ts }: SlackMessage): SlackMessage[] => slack.updates.filter((one) => one.ts === ts);
const updated = (message: SlackMessage): Promise<SlackMessage[]> =>
  waitUntil(
    () => Promise.resolve(updatesOf(message)),
    (list) => list.length > 0,
  );
const textOf = (message: { blocks: object[] } | undefined): string => JSON.stringify(message?.blocks);
/** Without what differs in each run. */
const stable = (blocks: object[]): unknown =>
  JSON.parse(
    JSON.stringify(blocks)
      .replaceAll(/dec_[0-9a-z]+/g, 'dec_1')
      .replaceAll(/<!date\^\d+\^/g, '<!date^1700000000^')
      .replaceAll(/\|\d{4}-[^>]+>/g, '|2026-01-01T00:00:00.000Z>'),
  );

describe('the message', () => {
  test('has a button for each choice, and shows the decision after it', async () => {
    const { id, message } = await ask({
      message: '**A chair** of <!channel> & [rules](https://example.com)',
    });
    expect(stable(message.blocks)).toMatchSnapshot('before');
    expect(message.channel).toMatch(/^C/);
    expect(await click(message, 'U2', 'Approve')).toBe(200);
    const [update] = await updated(message);
    expect(stable(update!.blocks)).toMatchSnapshot('after');
    expect(update).toMatchObject({ channel: message.channel, ts: message.ts });
    expect(await findDecision(id)).toMatchObject({
      status: 'decided',
      choice: 'approved',
      assignees: [{ choice: null }, { email: 'bob@example.com', choice: 'approved', via: 'slack' }],
    });
    const execution = await waitUntil(
      async () => (await service.api('GET', `/executions/${id}`)).body as { status: string },
      ({ status }) => status === 'completed',
    );
    expect(JSON.stringify(execution)).toContain('approved');
    const { body } = await service.api('GET', '/audit-events?action=decision.responded&limit=1');
    expect((body as { audit_events: unknown[] }).audit_events[0]).toMatchObject({
      outcome: 'success',
      actor: { email: 'bob@example.com', credential: 'slack', credential_id: 'U2' },
    });
  });

  test('shows a decision that was made elsewhere, and the deadline', async () => {
    const inApi = await ask({ assignees: ['admin@example.com'] });
    const { id } = await findDecision(inApi.id);
    await service.api('POST', `/decisions/${id}/respond`, { body: { choice: 'rejected' } });
    expect(textOf((await updated(inApi.message))[0])).toMatch(/\*Reject\*: decided by admin@example\.com/);

    const late = await ask({ deadline: '1s' }, 'approval', ['approved', 'expired']);
    const [update] = await updated(late.message);
    expect(textOf(update)).toContain('The deadline passed');
    expect(textOf(update)).not.toContain('"actions"');
  });

  test('is posted again after a failure of Slack, and not at all for an account without access', async () => {
    slack.fail('chat.postMessage', { status: 503, body: {} });
    const { message } = await ask({ retryPolicy: { initialDelay: '50ms' } });
    expect(slack.calls.filter((method) => method === 'chat.postMessage')).toHaveLength(2);
    expect(await click(message, 'U1', 'Reject')).toBe(200);
    await updated(message);
    slack.fail('chat.postMessage', { body: { ok: false, error: 'not_in_channel' } });
    const failed = await waitUntil(
      async () => {
        const id = await start(await create({}));
        return (
          await waitUntil(
            async () =>
              (await service.api('GET', `/executions/${id}`)).body as {
                status: string;
                error: { message: string } | null;
              },
            ({ status }) => status === 'failed',
          )
        ).error;
      },
      (error) => error !== null,
    );
    expect(failed?.message).toContain('not_in_channel');
  });
});

describe('a click', () => {
  test('without a valid signature is refused and recorded in the audit log', async () => {
    const { id, message } = await ask();
    const now = Date.now();
    const valid = slack.createClick(message, 'U1', 'Approve');
    const refused: RequestInit[] = [
      slack.createClick(message, 'U1', 'Approve', { secret: 'another secret' }),
      slack.createClick(message, 'U1', 'Approve', { at: now - 301_000 }),
      slack.createClick(message, 'U1', 'Approve', { at: now + 301_000 }),
      slack.createClick(message, 'U1', 'Approve', { headers: { 'x-slack-signature': '' } }),
      slack.createClick(message, 'U1', 'Approve', { headers: { 'x-slack-request-timestamp': '1' } }),
      { ...valid, body: valid.body.replace('U1', 'U2') },
    ];
    for (const request of refused) expect((await send(request)).status).toBe(401);
    expect(await findDecision(id)).toMatchObject({ status: 'open' });
    expect(slack.calls).not.toContain('users.info');
    const { body } = await service.api('GET', '/audit-events?action=decision.responded&outcome=failure');
    expect((body as { audit_events: unknown[] }).audit_events.length).toBeGreaterThanOrEqual(refused.length);
    expect((await send({ ...valid, body: 'payload={}' })).status).toBe(400);
    expect((await send({ method: 'POST', body: '{}' })).status).toBe(400);
    expect((await send({ ...valid, body: `${valid.body}&a` })).status).toBe(400);
    const large = await send({ ...valid, body: 'a&'.repeat(150_000) });
    expect(await large.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect((await fetch(`${service.weft.url}/slack/interactions`)).status).toBe(404);
    expect((await send(valid)).status).toBe(200);
  });

  test('that is repeated or replayed decides nothing twice', async () => {
    const { id, message } = await ask({ policy: 'everyone' });
    const request = slack.createClick(message, 'U1', 'Approve');
    expect((await send(request)).status).toBe(200);
    const again = { ...request, headers: { ...request.headers, 'x-slack-retry-num': '1' } };
    expect((await send(again)).status).toBe(200);
    expect((await findDecision(id)).assignees).toMatchObject([{ choice: 'approved' }, { choice: null }]);
    expect(textOf(slack.ephemerals[0])).toContain('More responses are needed');
    expect(await click(message, 'U1', 'Reject')).toBe(200);
    expect(textOf(slack.ephemerals.at(-1))).toContain('You have already responded: approved');
    expect(await click(message, 'U2', 'Approve')).toBe(200);
    expect(textOf((await updated(message))[0])).toMatch(/bob@example\.com.*ada@example\.com: Approve/s);
    expect((await send(again)).status).toBe(200);
    expect(updatesOf(message)).toHaveLength(1);
  });

  test('after the decision shows only this person who decided and when', async () => {
    const { message } = await ask();
    const before = { ...message };
    await click(message, 'U1', 'Reject');
    await updated(message);
    expect(await click(before, 'U2', 'Approve')).toBe(200);
    expect(slack.ephemerals).toMatchObject([{ user: 'U2', channel: message.channel }]);
    expect(slack.ephemerals[0]!.text).toMatch(/^\*Reject\*: decided by ada@example\.com, <!date\^\d+/);
  });

  test('of a person who cannot be identified, or was not asked, is refused with the reason', async () => {
    const { id, message } = await ask();
    slack.addUser({ id: 'U4', email: null });
    slack.addUser({ id: 'U5', email: 'ada@example.com', profile: { team_id: 'T9OTHER' } });
    slack.addUser({ id: 'U6', email: 'ada@example.com', profile: { is_email_confirmed: false } });
    const reasons = [
      ['U3', 'guest@example.com was not asked'],
      ['U4', 'users:read.email'],
      ['U5', 'Only members of this Slack workspace'],
      ['U6', 'not confirmed'],
      ['U9', 'user_not_found'],
    ] as const;
    for (const [user, reason] of reasons) {
      expect(await click(message, user, 'Approve')).toBe(200);
      expect(slack.ephemerals.at(-1)).toMatchObject({ user });
      expect(textOf(slack.ephemerals.at(-1))).toContain(reason);
    }
    slack.fail('users.info', {
      status: 429,
      body: { ok: false, error: 'ratelimited' },
      headers: { 'retry-after': '5' },
    });
    expect(await click(message, 'U1', 'Approve')).toBe(200);
    expect(textOf(slack.ephemerals.at(-1))).toContain('ratelimited');
    slack.fail('users.info', 'hang');
    expect(await click(message, 'U1', 'Approve')).toBe(200);
    expect(await findDecision(id)).toMatchObject({ status: 'open' });
  });

  test('of a person without an account is accepted if the address was asked', async () => {
    const { message, id } = await ask({ assignees: ['guest@example.com'] });
    expect(await click(message, 'U3', 'Approve')).toBe(200);
    expect(await findDecision(id)).toMatchObject({ status: 'decided', assignees: [{ via: 'slack' }] });
  });

  test('of a question with fields brings this person the link to the page', async () => {
    for (const type of ['approval', 'form'] as const) {
      const fields = [{ type: 'text', name: 'reason', label: 'Reason' }];
      const ports = type === 'form' ? ['submitted'] : ['approved'];
      const { message, id } = await ask({ fields }, type, ports);
      expect(await click(message, 'U1', 'Open the form')).toBe(200);
      const { user, blocks } = slack.ephemerals.at(-1)!;
      expect(user).toBe('U1');
      const link = /https?:[^"]+\/v1\/decide\/[^"]+/.exec(JSON.stringify(blocks))![0];
      const page = await fetch(link);
      expect(await page.text()).toContain('Reason');
      expect(await findDecision(id)).toMatchObject({ status: 'open' });
    }
  });

  test('100 at once make one decision and one update', async () => {
    const { id, message } = await ask();
    const before = { ...message };
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        click(before, i % 2 === 0 ? 'U1' : 'U2', i % 3 === 0 ? 'Approve' : 'Reject'),
      ),
    );
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const { choice, assignees } = await findDecision(id);
    expect(assignees.filter((person) => person.choice !== null)).toMatchObject([{ choice, via: 'slack' }]);
    const { body } = await service.api(
      'GET',
      '/audit-events?action=decision.responded&outcome=success&limit=100',
    );
    const { audit_events: events } = body as { audit_events: { target: { id: string } }[] };
    const { id: decision } = await findDecision(id);
    expect(events.filter(({ target }) => target.id === decision)).toHaveLength(1);
    await updated(message);
    // A second update would be due within the longest sleep.
    await click(before, 'U1', 'Approve');
    expect(updatesOf(message)).toHaveLength(1);
  });
});

describe('an update', () => {
  test('is repeated as Slack asks, and then given up with a notification', async () => {
    const { message } = await ask();
    slack.fail('chat.update', {
      status: 429,
      body: { ok: false, error: 'ratelimited' },
      headers: { 'retry-after': '6' },
    });
    await click(message, 'U1', 'Approve');
    const begun = Date.now();
    await updated(message);
    expect(Date.now() - begun).toBeGreaterThan(5_000);

    const second = await ask();
    slack.fail('chat.update', { body: { ok: false, error: 'message_not_found' } });
    await click(second.message, 'U1', 'Approve');
    await waitUntil(
      () => Promise.resolve(slack.updateTries.get(second.message.ts)),
      (count) => count === 1,
    );
    const third = await ask();
    await click(third.message, 'U1', 'Approve');
    await updated(third.message);
    expect([message, second.message].map(({ ts }) => slack.updateTries.get(ts))).toEqual([2, 1]);
  });
});

test.each([
  [{ ...target, credentials: undefined }, 'slack.credentials'],
  [{ ...target, credentials: 'xoxb-1234-abcd' }, 'slack.credentials'],
  [{ ...target, credentials: '{{ input.secret }}' }, 'slack.credentials'],
  [{ ...target, connection: 'slack' }, 'slack.connection'],
  [{ ...target, signing_secret: undefined }, 'slack.signing_secret'],
  [{ ...target, channel: '' }, 'slack.channel'],
  [{ ...target, chanel: '#a' }, 'slack.chanel'],
])('%j is refused at %s', async (config, field) => {
  const id = await create({ slack: config });
  const { body } = await service.api('GET', `/workflows/${id}`);
  const { issues = [] } = body as { issues?: { field: string }[] };
  expect(issues.map((issue) => issue.field).join(' ')).toContain(field);
});
