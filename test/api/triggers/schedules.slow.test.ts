import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../support/time/clock.ts';
import { startInProcess, type InProcess } from '../../support/in-process.ts';
import { createTempFolder, waitUntil, type Call } from '../../support/service.ts';
import { startUpstream } from '../../support/upstream.ts';
import { mapNode } from '../definitions.ts';

const MINUTE_MS = 60_000;
const clock = createTestClock(Date.parse('2026-05-01T00:00:00Z'));
const folder = createTempFolder();
let weft: InProcess;
let api: Call;

beforeAll(async () => {
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
});
afterAll(async () => {
  await weft.service.stop();
  folder.remove();
});

type List = {
  executions: { id: string; status: string; trigger: { scheduled_at: string } }[];
  pagination: { total: number };
};
type Workflow = { id: string; triggers: { next_run_at: string | null; last_error: string | null }[] };

function every(config: object, slow: boolean) {
  const second = slow
    ? { id: 'work', type: 'delay', config: { duration: '150s' } }
    : mapNode('work', 'scheduled_at', 'at');
  return {
    nodes: [
      { id: 'tick', type: 'trigger', config: { triggerType: 'schedule', interval: '1m', ...config } },
      second,
    ],
    connections: [{ from: 'tick', to: 'work' }],
  };
}
async function activate(config: object, slow = false): Promise<string> {
  const response = await api('POST', '/workflows', {
    body: { name: 'x', definition: every(config, slow), status: 'active' },
  });
  expect(response.status, response.text).toBe(201);
  return (response.body as Workflow).id;
}
const list = async (id: string): Promise<List> =>
  (await api('GET', `/workflows/${id}/executions?limit=100`)).body as List;
const times = ({ executions }: List): string[] =>
  executions.map(({ trigger }) => trigger.scheduled_at.slice(11, 19)).toReversed();
/** Advances time in steps, so that due timers fire. */
async function pass(ms: number, step = 10_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) await clock.advance(Math.min(step, ms - passed));
}
const next = async (id: string): Promise<string | null> =>
  ((await api('GET', `/workflows/${id}`)).body as Workflow).triggers[0]?.next_run_at ?? null;
const remove = (id: string) => api('DELETE', `/workflows/${id}`);

test('ticks fire once each, on the beat, with the time they were due', async () => {
  const id = await activate({});
  expect(await next(id)).toBe('2026-05-01T00:01:00.000Z');
  // Each tick has its turn before the next is due, however busy the machine is.
  for (let i = 1; i <= 3; i++) {
    await pass(MINUTE_MS);
    await waitUntil(
      () => list(id),
      ({ pagination }) => pagination.total === i,
    );
  }
  const found = await list(id);
  expect(times(found)).toEqual(['00:01:00', '00:02:00', '00:03:00']);
  const { id: last } = found.executions[0]!;
  await waitUntil(
    async () => (await api('GET', `/executions/${last}`)).body as { status: string; output: unknown },
    ({ status }) => status === 'completed',
  );
  expect((await api('GET', `/executions/${last}`)).body).toMatchObject({
    input: { scheduled_at: '2026-05-01T00:03:00.000Z' },
    output: { at: '2026-05-01T00:03:00.000Z' },
    trigger: { type: 'schedule', node_id: 'tick' },
  });
  // A change that leaves the schedule alone leaves its beat alone too.
  await pass(30_000);
  await api('PUT', `/workflows/${id}`, { body: { name: 'y' } });
  expect(await next(id)).toBe('2026-05-01T00:04:00.000Z');
  await api('PUT', `/workflows/${id}`, { body: { status: 'inactive' } });
  expect(await next(id)).toBeNull();
  await pass(5 * MINUTE_MS);
  expect((await list(id)).pagination.total).toBe(3);
  await remove(id);
});

test('overlap: skip lets ticks go, queue keeps them, allow starts them', async () => {
  const skip = await activate({ overlap: 'skip' }, true);
  const queue = await activate({ overlap: 'queue' }, true);
  const allow = await activate({ overlap: 'allow' }, true);
  const began = clock.now();
  // Each run takes two and a half minutes. The clock of the test must not run ahead of the disk.
  await pass(MINUTE_MS + 5_000, 1_000);
  for (const id of [skip, queue, allow])
    await waitUntil(
      () => list(id),
      ({ executions }) => executions.some(({ status }) => status === 'waiting'),
    );
  await pass(2 * MINUTE_MS + 40_000, 1_000);
  await waitUntil(
    () => list(skip),
    ({ executions }) => executions[0]?.status === 'completed',
  );
  await pass(2 * MINUTE_MS + 40_000, 1_000);
  const toMinute = (text: string): number => (Date.parse(`2026-05-01T${text}Z`) - began) / MINUTE_MS;
  const minutes = async (id: string): Promise<number[]> => times(await list(id)).map(toMinute);
  const minutesOnceThereAre = (count: number, id: string): Promise<number[]> =>
    waitUntil(
      () => minutes(id),
      (found) => found.length === count,
    );
  expect(await minutesOnceThereAre(6, allow)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await minutesOnceThereAre(2, skip)).toEqual([1, 4]);
  expect(await minutesOnceThereAre(3, queue)).toEqual([1, 2, 3]);
  for (const id of [skip, queue, allow]) await remove(id);
});

test('queued ticks run after a restart, one by one; ticks during the downtime are missed', async () => {
  const id = await activate({ overlap: 'queue' }, true);
  const began = clock.now();
  const minutes = async (): Promise<number[]> =>
    times(await list(id)).map((text) => (Date.parse(`2026-05-01T${text}Z`) - began) / MINUTE_MS);
  // The first runs, and two wait for it.
  await pass(3 * MINUTE_MS + 5_000, 1_000);
  expect(await minutes()).toEqual([1]);
  await weft.service.stop();
  await clock.advance(4 * MINUTE_MS + 30_000);
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
  // Each takes two and a half minutes; 4 to 7 were due while nothing ran.
  await pass(11 * MINUTE_MS, 1_000);
  const found = await waitUntil(minutes, (all) => all.length >= 5);
  expect(found.slice(0, 5)).toEqual([1, 2, 3, 7, 8]);
  await remove(id);
});

test('overlap: queue with missed: all catches up without waiting between ticks', async () => {
  const upstream = await startUpstream(() => ({ after: 20 }));
  const response = await api('POST', '/workflows', {
    body: {
      name: 'Catch up',
      status: 'active',
      definition: {
        nodes: [
          {
            id: 'tick',
            type: 'trigger',
            config: { triggerType: 'schedule', interval: '1m', overlap: 'queue', missed: 'all' },
          },
          { id: 'call', type: 'http_request', config: { url: upstream.url } },
        ],
        connections: [{ from: 'tick', to: 'call' }],
      },
    },
  });
  expect(response.status, response.text).toBe(201);
  const { id } = response.body as Workflow;
  await weft.service.stop();
  await clock.advance(20 * MINUTE_MS + 1_000);
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
  // The clock stands still: a pause between two ticks would never end.
  const found = await waitUntil(
    () => list(id),
    ({ executions }) => executions.filter(({ status }) => status === 'completed').length === 20,
  );
  expect(new Set(times(found)).size).toBe(20);
  await remove(id);
  await upstream.close();
});

test('missed while down: once, none, or all', async () => {
  const once = await activate({ missed: 'once' });
  const skip = await activate({ missed: 'skip' });
  const all = await activate({ missed: 'all' });
  const began = clock.now();
  await pass(MINUTE_MS + 5_000);
  await weft.service.stop();
  await clock.advance(5 * MINUTE_MS);
  weft = await startInProcess({ dataDir: folder.path, clock });
  api = await weft.login();
  await pass(10_000, 1_000);
  const minutes = async (id: string): Promise<number[]> =>
    times(await list(id)).map((text) => (Date.parse(`2026-05-01T${text}Z`) - began) / MINUTE_MS);
  expect(
    await waitUntil(
      () => minutes(all),
      (found) => found.length === 6,
    ),
  ).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await minutes(once)).toEqual([1, 6]);
  expect(await minutes(skip)).toEqual([1]);
  await pass(MINUTE_MS);
  expect(
    await waitUntil(
      () => minutes(skip),
      (found) => found.length === 2,
    ),
  ).toEqual([1, 7]);
  for (const id of [once, skip, all]) await remove(id);
});

test('a wrong schedule is refused with its field', async () => {
  for (const [config, field] of [
    [{ interval: '10ms' }, 'interval'],
    [{ interval: undefined, cron: '99 * * * *' }, 'cron'],
    [{ interval: undefined, cron: '0 0 * * *', timezone: 'Mars/Base' }, 'timezone'],
    [{ overlap: 'never' }, 'overlap'],
  ] as const) {
    const response = await api('POST', '/workflows', {
      body: { name: 'x', definition: every(config, false), status: 'active' },
    });
    expect(response.status).toBe(400);
    expect((response.body as { error: { details: { field: string } } }).error.details.field).toBe(
      `definition.nodes[0].config.${field}`,
    );
  }
});
