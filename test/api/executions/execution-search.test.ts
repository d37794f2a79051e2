import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  caller,
  spawnService,
  createTempFolder,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let checks: string;
let failed: string;
const SECRET = 'zebra-4711-password';

type Item = { id: string; retries: { id: string; status: string }[]; [field: string]: unknown };
type List = { executions: Item[]; pagination: { total: number }; searched_from: string | null };

const stop = (message: string) => ({
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    { id: 'halt', type: 'stop', config: { outcome: 'failed', message } },
  ],
  connections: [{ from: 'start', to: 'halt' }],
});

async function create(body: object): Promise<string> {
  const response = await api('POST', '/workflows', { body });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
async function run(id: string): Promise<string> {
  const response = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}
async function list(query: string): Promise<List> {
  const response = await api('GET', `/executions?${query}`);
  expect(response.status, response.text).toBe(200);
  return response.body as List;
}
const ids = async (query: string): Promise<string[]> => (await list(query)).executions.map(({ id }) => id);
async function graphql(query: string): Promise<unknown> {
  const response = await api('POST', '/graphql', { body: { query } });
  expect((response.body as { errors?: unknown }).errors, response.text).toBeUndefined();
  return (response.body as { data: unknown }).data;
}

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  await api('PUT', '/secrets/PASSWORD', { body: { value: SECRET } });
  checks = await create({
    name: 'Checks',
    definition: stop('The warehouse has no stock of zebra-4711-password'),
  });
  failed = await run(checks);
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

test('executions are found by id, by words of the error, by failed node and by trigger', async () => {
  expect(await ids('q=STOCK%20warehouse')).toEqual([failed]);
  expect(await ids('q=shelf')).toEqual([]);
  expect(await ids(`q=${failed.slice(0, -3)}`)).toContain(failed);
  expect(await ids(`q=${failed.toUpperCase()}`)).toEqual([failed]);
  expect(await ids('node_id=halt&trigger=manual')).toEqual([failed]);
  expect(await ids('node_id=start')).toEqual([]);
  expect(await ids('trigger=webhook')).toEqual([]);
  expect(await ids('q=stock&status=completed')).toEqual([]);
  const { pagination, searched_from } = await list('q=stock&page=2');
  expect([pagination.total, searched_from]).toEqual([1, null]);
  const response = await api('GET', '/executions?trigger=telepathy');
  expect(response.status).toBe(400);
  expect(
    await graphql(
      '{ executionsPage(filter: { q: "stock", nodeId: "halt" }) { executions { id } searchedFrom } }',
    ),
  ).toEqual({
    executionsPage: { executions: [{ id: failed }], searchedFrom: null },
  });
});

test('executions are found by words in the input and in outputs of nodes', async () => {
  const order = await create({
    name: 'Order',
    definition: {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'price', type: 'set', config: { fields: { label: 'Invoice {{ input.number + 1 }}' } } },
        { id: 'wait', type: 'delay', config: { duration: '50ms' } },
        { id: 'end', type: 'set', config: { fields: { done: 'shipped to {{ trigger.city }}' } } },
      ],
      connections: [
        { from: 'start', to: 'price' },
        { from: 'price', to: 'wait' },
        { from: 'wait', to: 'end' },
      ],
    },
  });
  const input = { number: 52_017, city: 'Göteborg', note: 'the password is zebra-4711-password' };
  const reply = await api('POST', `/workflows/${order}/execute`, { body: { input, wait: '20s' } });
  expect(reply.body, reply.text).toMatchObject({ status: 'completed' });
  const { id } = reply.body as { id: string };
  for (const words of ['52017', 'göteborg', 'INVOICE 52018', 'shipped GÖTEBORG', 'password invoice'])
    expect([words, await ids(`q=${encodeURIComponent(words)}`)]).toEqual([words, [id]]);
  for (const words of ['52019', 'number', 'invoice stock', 'zebra', '4711'])
    expect([words, await ids(`q=${encodeURIComponent(words)}`)]).toEqual([words, []]);
  expect(await ids('q=52017&status=failed')).toEqual([]);
  expect(await ids('q=52017&status=completed&trigger=manual')).toEqual([id]);
  const history = await api('GET', `/workflows/${order}/executions?q=52018`);
  expect((history.body as List).executions.map((one) => one.id)).toEqual([id]);
  expect(await graphql('{ executions(filter: { q: "göteborg" }) { id } }')).toEqual({ executions: [{ id }] });
  expect((await api('DELETE', `/workflows/${order}`)).status).toBe(200);
  expect(await ids('q=52018')).toEqual([]);
});

test('a search finds nothing that the response redacts', async () => {
  const { executions } = await list('q=warehouse');
  expect(JSON.stringify(executions)).not.toContain(SECRET);
  expect(await ids('q=zebra')).toEqual([]);
});

test('an execution names its retries, newest first', async () => {
  const retry = async (): Promise<string> => {
    const response = await api('POST', `/executions/${failed}/retry`, { body: { from: 'start' } });
    expect(response.status, response.text).toBe(201);
    const { id } = response.body as { id: string };
    await expect
      .poll(async () => ((await api('GET', `/executions/${id}`)).body as { status: string }).status)
      .toBe('failed');
    return id;
  };
  const retries = [await retry(), await retry()].toReversed();
  const expected = retries.map((id) => ({ id, status: 'failed', start_time: expect.any(String) }));
  const { body } = await api('GET', `/executions/${failed}`);
  expect((body as Item).retries).toEqual(expected);
  const { executions } = await list('limit=10');
  expect(executions.find(({ id }) => id === failed)?.retries).toEqual(expected);
  expect(executions[0]).toMatchObject({ retry_of: failed, retries: [] });
  expect(await graphql(`{ execution(id: "${failed}") { retries { id status } } }`)).toEqual({
    execution: { retries: retries.map((id) => ({ id, status: 'failed' })) },
  });
});

test('a workflow names its last execution and its next run', async () => {
  const scheduled = await create({
    name: 'Nightly',
    status: 'active',
    definition: {
      nodes: [
        { id: 'night', type: 'trigger', config: { triggerType: 'schedule', cron: '0 3 * * *' } },
        { id: 'day', type: 'trigger', config: { triggerType: 'schedule', cron: '0 3 1 1 *' } },
      ],
      connections: [],
    },
  });
  type Activity = { id: string; last_execution: unknown; next_due_at: string | null };
  const { body } = await api('GET', `/workflows/${scheduled}`);
  const one = body as Activity & { triggers: { node_id: string; next_run_at: string }[] };
  const due = one.triggers.find(({ node_id }) => node_id === 'night')!.next_run_at;
  expect(one).toMatchObject({ last_execution: null, next_due_at: due });
  const newest = await run(checks);
  const listed = (await api('GET', '/workflows')).body as { workflows: Activity[] };
  expect(
    listed.workflows.map(({ id, last_execution, next_due_at }) => ({ id, last_execution, next_due_at })),
  ).toEqual([
    { id: scheduled, last_execution: null, next_due_at: due },
    {
      id: checks,
      last_execution: { id: newest, status: 'failed', started_at: expect.any(String) },
      next_due_at: null,
    },
  ]);
  expect(await graphql('{ workflows { id lastExecution { id status } nextDueAt } }')).toEqual({
    workflows: [
      { id: scheduled, lastExecution: null, nextDueAt: due },
      { id: checks, lastExecution: { id: newest, status: 'failed' }, nextDueAt: null },
    ],
  });
  const key = await api('POST', '/api-keys', { body: { name: 'lists', scopes: ['workflows:read'] } });
  const { key: secret } = key.body as { key: string };
  const hidden = await caller(weft.url, { 'x-api-key': secret })('GET', `/workflows/${checks}`);
  expect(hidden.body).toMatchObject({ last_execution: null });
});
