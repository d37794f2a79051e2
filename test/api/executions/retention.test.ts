import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../support/time/clock.ts';
import { startInProcess, type InProcess } from '../../support/in-process.ts';
import { createTempFolder, waitUntil, type Call } from '../../support/service.ts';
import { greeting, longWait } from '../definitions.ts';

const DAY_MS = 86_400_000;
const clock = createTestClock(Date.parse('2026-05-01T00:00:00Z'));
const folder = createTempFolder();
let weft: InProcess;

beforeAll(async () => {
  weft = await startInProcess({ dataDir: folder.path, clock, env: { WEFT_RETENTION: '14d' } });
});
afterAll(async () => {
  await weft.service.stop();
  folder.remove();
});

test('ended executions go when their time is over, by the workflow or by the service; others stay', async () => {
  let api: Call = await weft.login();
  const run = async (definition: object, settings: object, status: string): Promise<string> => {
    const { id } = (await api('POST', '/workflows', { body: { name: 'x', definition, settings } })).body as {
      id: string;
    };
    const execution = (await api('POST', `/workflows/${id}/execute`, { body: { input: { name: 'Ada' } } }))
      .body as { id: string };
    await waitUntil(
      async () => (await api('GET', `/executions/${execution.id}`)).body as { status: string },
      (found) => found.status === status,
    );
    return execution.id;
  };
  const short = await run(greeting, { retention: '1d' }, 'completed');
  const usual = await run(greeting, {}, 'completed');
  const unsettled = await run(longWait, { retention: '1d', timeout: '366d' }, 'waiting');
  await api('POST', `/executions/${unsettled}/stop`);
  const waiting = await run(
    { ...longWait, nodes: [longWait.nodes[0], { id: 'wait', type: 'delay', config: { duration: '30d' } }] },
    { retention: '1d' },
    'waiting',
  );
  const shown = async (): Promise<string[]> => {
    // StoreMaintenance comes once a minute, and takes its time.
    await clock.advance(61_000);
    const found: string[] = [];
    for (const id of [short, usual, unsettled, waiting])
      if ((await api('GET', `/executions/${id}`)).status === 200) found.push(id);
    return found;
  };
  const later = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    api = await weft.login();
  };
  await later(DAY_MS / 2);
  expect(await shown()).toEqual([short, usual, unsettled, waiting]);
  await later(DAY_MS / 2);
  expect(await waitUntil(shown, (found) => found.length === 2)).toEqual([usual, waiting]);
  await later(14 * DAY_MS);
  expect(await waitUntil(shown, (found) => found.length === 1)).toEqual([waiting]);
  // Deleted executions are not counted in lists.
  expect((await api('GET', '/executions')).body).toMatchObject({ pagination: { total: 1 } });
});
