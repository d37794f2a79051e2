import { afterEach, expect, test } from 'vitest';
import { SLACK_SIGNING_SECRET, startFakeSlack, type FakeSlack } from '../../support/servers/fake-slack.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/* People click buttons in Slack while the service is killed. */
const KILLS = readNumber('CRASH_KILLS', 5);
const QUESTIONS = 30;

const folder = createTempFolder();
let service: SpawnedService | null = null;
let slack: FakeSlack | null = null;

afterEach(async () => {
  await service?.kill9();
  await slack?.close();
  folder.remove();
});

const definition = {
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    {
      id: 'ask',
      type: 'approval',
      config: {
        title: 'Expense',
        assignees: ['admin@example.com', 'guest@example.com'],
        slack: { channel: '#a', credentials: '{{ secrets.SLACK }}', signing_secret: 'SLACK_SIGNING' },
      },
    },
  ],
  connections: [{ from: 'start', to: 'ask' }],
};

type Decision = { id: string; status: string; choice: string; assignees: { choice: string | null }[] };

async function begin(env: Record<string, string>): Promise<{ call: Call; path: string }> {
  slack = await startFakeSlack();
  slack.addUser({ id: 'U1', email: 'admin@example.com' });
  slack.addUser({ id: 'U2', email: 'guest@example.com' });
  service = await spawnService({ dataDir: folder.path, env });
  const call = await service.login();
  await call('PUT', '/secrets/SLACK', { body: { value: slack.credentials } });
  await call('PUT', '/secrets/SLACK_SIGNING', { body: { value: SLACK_SIGNING_SECRET } });
  const made = await call('POST', '/workflows', { body: { name: 'Ask', definition } });
  return { call, path: `/workflows/${(made.body as { id: string }).id}/execute` };
}
async function restart(env: Record<string, string>): Promise<Call> {
  await service!.kill9();
  service = await spawnService({ dataDir: folder.path, env });
  return service.login();
}
const listDecisions = async (call: Call): Promise<Decision[]> =>
  ((await call('GET', '/decisions?view=owned&limit=100')).body as { decisions: Decision[] }).decisions;
const click = async (url: string, user: string, n: number, label: string): Promise<number> =>
  (await fetch(`${url}/slack/interactions`, slack!.createClick(originals[n]!, user, label))).status;
/** The messages as they were posted: a person may have an old one on the screen. */
let originals: FakeSlack['messages'] = [];

test('kill -9 between the decision and the update: the message is updated by the next process', async () => {
  const env = { PORT: String(await freePort()) };
  const { call, path } = await begin(env);
  await call('POST', path, { body: {} });
  await waitUntil(
    () => Promise.resolve(slack!.messages.length),
    (count) => count === 1,
  );
  originals = [{ ...slack!.messages[0]! }];
  // Slack has got the update, and the process ends before the response.
  slack!.fail('chat.update', 'hang');
  expect(await click(service!.url, 'U2', 0, 'Reject')).toBe(200);
  const { ts } = originals[0]!;
  await waitUntil(
    () => Promise.resolve(slack!.updateTries.get(ts)),
    (tries) => tries === 1,
  );
  const after = await restart(env);
  await waitUntil(
    () => Promise.resolve(slack!.updates),
    (updates) => updates.length === 1,
  );
  expect(JSON.stringify(slack!.messages[0]!.blocks)).toContain('*Reject*: decided by guest@example.com');
  expect(await listDecisions(after)).toMatchObject([{ status: 'decided', choice: 'rejected' }]);
  // Nothing is left to update.
  const last = await restart(env);
  expect((await listDecisions(last)).length).toBe(1);
  expect(await click(service!.url, 'U1', 0, 'Approve')).toBe(200);
  expect(slack!.ephemerals.at(-1)?.text).toContain('decided by guest@example.com');
  expect([slack!.updates.length, slack!.updateTries.get(ts)]).toEqual([1, 2]);
});

test(
  `${KILLS} times kill -9 while people click`,
  async () => {
    const random = createSeededRandom(chooseSeed('CRASH_SEED')).next;
    const env = { PORT: String(await freePort()), WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' };
    const started = await begin(env);
    let { call } = started;
    const isPosted = new Set<string>();
    for (let i = 0; i < QUESTIONS; i++) await call('POST', started.path, { body: {} });
    let repeated = 0;
    let isOver = false;
    const { url } = service!;
    const acknowledged = new Set<string>();
    /** Clicks again until Slack shows no error. */
    async function clickAll(user: string): Promise<void> {
      while (!isOver) {
        originals = slack!.messages.map((one) => ({ ...one }));
        for (const [n, { ts, blocks }] of originals.entries()) {
          isPosted.add(ts);
          if (acknowledged.has(`${user} ${ts}`) || !JSON.stringify(blocks).includes('Approve"')) continue;
          if (!blocks.some(({ type }) => type === 'actions')) continue;
          const status = await click(url, user, n, random() < 0.5 ? 'Approve' : 'Reject').catch(() => 0);
          if (status === 200) acknowledged.add(`${user} ${ts}`);
          else repeated++;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    const people = ['U1', 'U2'].map(clickAll);
    for (let kill = 0; kill < KILLS; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 50 + random() * 400));
      call = await restart(env);
    }
    const decisions = await waitUntil(
      () => listDecisions(call),
      (all) => all.length === QUESTIONS && all.every(({ status }) => status === 'decided'),
      120_000,
    );
    // All messages that were recorded or clicked show the result.
    const labels = { approved: 'Approve', rejected: 'Reject' } as Record<string, string>;
    const messages = await waitUntil(
      () => Promise.resolve(slack!.messages),
      (all) => all.every(({ ts }) => slack!.updates.some((update) => update.ts === ts)),
      60_000,
    );
    isOver = true;
    await Promise.all(people);
    const shown = messages.map(({ blocks }) => /\*(\w+)\*: decided by/.exec(JSON.stringify(blocks))?.[1]);
    const count = (label: string): number => shown.filter((one) => one === label).length;
    const extra = messages.length - QUESTIONS;
    for (const [choice, label] of Object.entries(labels)) {
      const made = decisions.filter((one) => one.choice === choice).length;
      expect(count(label)).toBeGreaterThanOrEqual(made);
      expect(count(label)).toBeLessThanOrEqual(made + extra);
    }
    for (const { assignees } of decisions)
      expect(assignees.filter((person) => person.choice !== null)).toHaveLength(1);
    // Only a post in flight at a kill is repeated.
    expect(extra).toBeLessThanOrEqual(KILLS * 20);
    const twice = [...slack!.updateTries.values()].filter((tries) => tries > 1).length;
    expect(twice).toBeLessThanOrEqual(KILLS * 4);
    expect(repeated).toBeGreaterThan(0);
    console.log(
      `Slack: ${QUESTIONS} questions, ${KILLS} kills, ${repeated} clicks repeated, ${extra} messages posted twice, ${twice} updates repeated`,
    );
  },
  KILLS * 30_000 + 240_000,
);
