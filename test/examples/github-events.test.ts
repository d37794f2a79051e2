import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, type SpawnedService, createTempFolder, type Call } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { install } from './example.ts';

/** Recorded events of GitHub: several of each type. */
type Recorded = { name: string; examples: Record<string, unknown>[] };
const recorded = createRequire(import.meta.url)('@octokit/webhooks-examples') as Recorded[];
const secret = 'a secret shared with GitHub';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let tracker: Upstream;
let id: string;
let failures = 0;

beforeAll(async () => {
  tracker = await startUpstream(({ path }) => {
    if (path !== '/events') return { status: 404 };
    if (failures > 0) {
      failures--;
      return { status: 503 };
    }
    return { status: 201, body: { id: 4711 } };
  });
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  id = await install(api, 'github-events', { GITHUB_WEBHOOK_SECRET: secret, TRACKER_URL: tracker.url });
});
afterAll(async () => {
  await weft.stop();
  await tracker.close();
  folder.remove();
});

let delivery = 0;
function send(event: string, payload: unknown, options: { key?: string; delivery?: string; isForm?: boolean } = {}) {
  const json = JSON.stringify(payload);
  const raw = options.isForm === true ? new URLSearchParams({ payload: json }).toString() : json;
  return weft.call('POST', '/webhooks/github', {
    raw,
    headers: {
      'content-type': options.isForm === true ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': event,
      'x-github-delivery': options.delivery ?? `72d3162e-cc78-11e3-81ab-${String(++delivery).padStart(12, '0')}`,
      'x-hub-signature-256': `sha256=${createHmac('sha256', options.key ?? secret).update(raw).digest('hex')}`,
    },
  });
}

/** An independent implementation of the example's behavior. */
function expected(event: string, payload: Record<string, unknown>): 'bug' | 'push' | 'ignored' {
  const { action, ref, issue, label, repository } = payload as {
    action?: string;
    ref?: string;
    issue?: { labels?: { name: string }[] };
    label?: { name: string };
    repository?: { default_branch: string };
  };
  if (repository === undefined) return 'ignored';
  const isFreshBug =
    (action === 'opened' && issue?.labels?.some(({ name }) => name === 'bug') === true) ||
    (action === 'labeled' && label?.name === 'bug');
  if (event === 'issues' && isFreshBug) return 'bug';
  return event === 'push' && ref === `refs/heads/${repository.default_branch}` ? 'push' : 'ignored';
}

test('every recorded event gets a response, and exactly the bugs and pushes are posted', async () => {
  const counts = { bug: 0, push: 0, ignored: 0 };
  for (const { name, examples } of recorded) {
    for (const payload of examples) {
      const before = tracker.received.length;
      const want = expected(name, payload);
      const response = await send(name, payload);
      counts[want]++;
      expect(response.body, `${name}: ${response.text.slice(0, 300)}`).toEqual(want === 'ignored' ? { posted: false } : { posted: true, ticket: 4711 });
      expect(response.status).toBe(want === 'ignored' ? 200 : 201);
      expect(response.headers.get('x-weft-execution-id')).toMatch(/^ex_/);
      expect(tracker.received.length - before).toBe(want === 'ignored' ? 0 : 1);
    }
  }
  expect(counts.bug).toBeGreaterThanOrEqual(5);
  expect(counts.push).toBeGreaterThanOrEqual(2);
  expect(counts.ignored).toBeGreaterThan(100);
  const bug = tracker.received.find(({ body }) => (body as { kind: string }).kind === 'bug opened')!;
  expect(bug.body).toMatchObject({ repository: 'Codertocat/Hello-World', by: 'Codertocat' });
  expect(bug.headers['idempotency-key']).toMatch(/./);
  const list = await api('GET', `/workflows/${id}/executions?status=completed&limit=1`);
  expect((list.body as { pagination: { total: number } }).pagination.total).toBe(counts.bug + counts.push + counts.ignored);
});

type IssueEvent = { action: string; issue: { labels: { name: string }[] }; label?: { name: string } };

/** A recorded event with other labels. `added` is the label that the event reports. */
function issueWith(action: 'opened' | 'labeled', names: string[], added?: string): IssueEvent {
  const { examples } = recorded.find(({ name }) => name === 'issues')!;
  const event = structuredClone(examples.find((payload) => payload['action'] === action)!) as IssueEvent;
  event.issue.labels = names.map((name) => ({ ...event.label, name }));
  if (added !== undefined) event.label = { ...event.label, name: added };
  return event;
}

test('every label of a new issue counts, and only the new label of a labeled issue', async () => {
  const cases: [IssueEvent, string | null][] = [
    [issueWith('opened', ['area: docs', 'bug']), 'bug opened'],
    [issueWith('opened', ['area: docs', 'no bug']), null],
    [issueWith('opened', []), null],
    [issueWith('labeled', ['area: docs', 'bug'], 'bug'), 'bug labeled'],
    [issueWith('labeled', ['bug', 'area: docs'], 'area: docs'), null],
  ];
  for (const [payload, kind] of cases) {
    const before = tracker.received.length;
    const response = await send('issues', payload);
    expect(response.body, response.text).toEqual(kind === null ? { posted: false } : { posted: true, ticket: 4711 });
    expect(tracker.received.slice(before).map(({ body }) => (body as { kind: string }).kind)).toEqual(kind === null ? [] : [kind]);
  }
});

test('GitHub’s other content type, a form, has the same result', async () => {
  for (const name of ['issues', 'push', 'issue_comment']) {
    for (const payload of recorded.find((event) => event.name === name)!.examples) {
      const before = tracker.received.length;
      const json = await send(name, payload);
      const form = await send(name, payload, { isForm: true });
      expect([form.status, form.body], name).toEqual([json.status, json.body]);
      const posts = tracker.received.slice(before).map(({ body }) => body);
      expect(posts.length).toBe(expected(name, payload) === 'ignored' ? 0 : 2);
      expect(posts[1]).toEqual(posts[0]);
    }
  }
});

test('a call with an invalid signature is rejected, and nothing is stored', async () => {
  const push = recorded.find(({ name }) => name === 'push')!.examples[0];
  const total = async (): Promise<number> =>
    ((await api('GET', '/executions?limit=1')).body as { pagination: { total: number } }).pagination.total;
  const before = await total();
  const response = await send('push', push, { key: 'another secret' });
  expect(response.status).toBe(401);
  expect(response.body).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
  expect(await total()).toBe(before);
});

test('GitHub delivers again: the same execution responds, and the tracker gets one post', async () => {
  const { examples } = recorded.find(({ name }) => name === 'issues')!;
  const bug = examples.find((payload) => expected('issues', payload) === 'bug')!;
  const before = tracker.received.length;
  const first = await send('issues', bug, { delivery: 'once' });
  const second = await send('issues', bug, { delivery: 'once' });
  expect(second.headers.get('x-weft-execution-id')).toBe(first.headers.get('x-weft-execution-id'));
  expect([second.status, second.body]).toEqual([first.status, first.body]);
  expect(tracker.received.length - before).toBe(1);
});

test('a tracker that is temporarily down gets its post with the same key', async () => {
  const { examples } = recorded.find(({ name }) => name === 'issues')!;
  const bug = examples.find((payload) => expected('issues', payload) === 'bug')!;
  failures = 2;
  const before = tracker.received.length;
  expect((await send('issues', bug)).status).toBe(201);
  const tries = tracker.received.slice(before);
  expect(tries.length).toBe(3);
  expect(new Set(tries.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});
