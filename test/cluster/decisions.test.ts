import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SLACK_SIGNING_SECRET, startFakeSlack, type FakeSlack } from '../support/servers/fake-slack.ts';
import { startMailServer, parseHeaders, type TestMailServer } from '../support/servers/smtp-server.ts';
import { waitUntil, type Call, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

const DECISIONS = 12;

type Decision = { id: string; status: string; assignees: { email: string; choice: string | null }[] };

describe.skipIf(!canScale)('decisions on several processes', () => {
  let cluster: Cluster;
  let apis: SpawnedService[];
  let workers: SpawnedService[];
  let call: Call;
  let mail: TestMailServer;
  let slack: FakeSlack;
  beforeAll(async () => {
    cluster = await startCluster();
    mail = await startMailServer();
    slack = await startFakeSlack();
    slack.addUser({ id: 'U1', email: 'admin@example.com' });
    slack.addUser({ id: 'U2', email: 'late@example.com' });
    const first = await cluster.start('api');
    const [second, ...started] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    [apis, workers] = [[first, second], started];
    call = await first.login();
    await call('PUT', '/secrets/MAIL', { body: { value: `smtp://127.0.0.1:${mail.port}?tls=off` } });
    await call('PUT', '/secrets/SLACK', { body: { value: slack.credentials } });
    await call('PUT', '/secrets/SLACK_SIGNING', { body: { value: SLACK_SIGNING_SECRET } });
  });
  afterAll(async () => {
    await cluster.close();
    await mail.close();
    await slack.close();
  });

  async function ask(config: object, count: number): Promise<void> {
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'ask', type: 'approval', config: { title: 'Expense', ...config } },
      ],
      connections: [{ from: 'start', to: 'ask' }],
    };
    const made = await call('POST', '/workflows', { body: { name: 'Ask', definition } });
    expect(made.status, made.text).toBe(201);
    const path = `/workflows/${(made.body as { id: string }).id}/execute`;
    for (let i = 0; i < count; i++) await call('POST', path, { body: {} });
  }
  const list = async (): Promise<Decision[]> =>
    ((await call('GET', '/decisions?view=owned&limit=100')).body as { decisions: Decision[] }).decisions;

  test('reminders and escalations are sent once each, also if a worker ends', async () => {
    await ask(
      {
        assignees: ['admin@example.com'],
        email: { credentials: '{{ secrets.MAIL }}', from: 'weft@example.com' },
        reminders: ['3s', '9s'],
        escalation: { after: '6s', assignees: ['late@example.com'] },
      },
      DECISIONS,
    );
    const ids = (to: string): string[] =>
      mail.received
        .filter((one) => one.to.includes(to))
        .map(({ raw }) => parseHeaders(raw).get('message-id')!);
    await waitUntil(
      () => Promise.resolve(ids('admin@example.com').length),
      (count) => count >= DECISIONS * 2,
      60_000,
    );
    // Gracefully, so that no e-mail is in flight: the other worker sends what is due.
    await workers[0]!.stop();
    // The question and two reminders; for the person of the escalation, the question and one reminder.
    await waitUntil(
      () => Promise.resolve([ids('admin@example.com').length, ids('late@example.com').length]),
      ([first, second]) => first! >= DECISIONS * 3 && second! >= DECISIONS * 2,
      60_000,
    );
    const all = [...ids('admin@example.com'), ...ids('late@example.com')];
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(DECISIONS * 5);
    expect(await list()).toMatchObject(
      Array.from({ length: DECISIONS }, () => ({
        status: 'open',
        assignees: [{ email: 'admin@example.com' }, { email: 'late@example.com' }],
      })),
    );
    workers[0] = await cluster.start('worker');
  });

  test('100 clicks at two processes decide once, and a worker updates the message once', async () => {
    await ask(
      {
        assignees: ['admin@example.com', 'late@example.com'],
        slack: { channel: '#a', credentials: '{{ secrets.SLACK }}', signing_secret: 'SLACK_SIGNING' },
      },
      1,
    );
    await waitUntil(
      () => Promise.resolve(slack.messages.length),
      (count) => count === 1,
    );
    const message = { ...slack.messages[0]! };
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const request = slack.createClick(
          message,
          i % 3 === 0 ? 'U1' : 'U2',
          i % 2 === 0 ? 'Approve' : 'Reject',
        );
        return (await fetch(`${apis[i % 2]!.url}/slack/interactions`, request)).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const [decision] = (await list()).filter(({ status }) => status === 'decided');
    expect(decision?.assignees.filter(({ choice }) => choice !== null)).toHaveLength(1);
    await waitUntil(
      () => Promise.resolve(slack.updates.length),
      (count) => count > 0,
    );
    // The other worker finds nothing left.
    await workers[1]!.stop();
    await workers[0]!.stop();
    const again = await cluster.start('worker');
    await waitUntil(
      () => again.call('GET', '/health'),
      ({ status }) => status === 200,
    );
    expect([slack.updates.length, slack.updateTries.get(message.ts)]).toEqual([1, 1]);
  });
});
