import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ApiResponse } from '../support/service.ts';
import { endChildren } from './support/children.ts';
import { createCrashFixture, type CrashFixture } from './support/harness.ts';
import { runScenario } from './support/scenario.ts';
import { failAt, traceWithDelay, findStraceOrSkip } from './support/strace.ts';
import { testWorkflows } from './support/workflows.ts';

const SYNCS = 'fsync,fdatasync';
/** The same for every start on a used folder. */
let startSyncs: Promise<number> | null = null;
let rig: CrashFixture | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  rig = null;
});

/** One after the other, until the service has exited. */
async function startOneByOne(given: CrashFixture, workflow: string): Promise<void> {
  const call = await given.login();
  for (let i = 0; i < 300; i++) {
    const response = await call('POST', '/webhooks/crash/completion', { body: {} });
    const id = response.headers.get('x-weft-execution-id');
    if (response.status === 200)
      given.promised({ t: 'execution', id: id!, workflow, key: null, ended: true });
  }
}

test.for(['one by one', 'at once'])(
  'when a sync fails during work %s, the process exits, and the next has everything that was acknowledged',
  async (how, { skip }) => {
    findStraceOrSkip(skip);
    rig = await createCrashFixture();
    let service = await rig.startReady();
    const ids = await rig.deploy(await rig.login(), testWorkflows(rig.upstream));
    service.kill('SIGTERM');
    await service.exited;

    // After the syncs of the start, so that the failure hits later writes.
    const starting = await (startSyncs ??= rig.callsToStart(SYNCS));
    const log = path.join(rig.folder, 'trace.log');
    service = await rig.startReady(failAt(SYNCS, 'EIO', `${starting + 6}+`, log));
    const failing = service;
    const work = how === 'at once' ? runScenario(rig, ids, 'failing') : startOneByOne(rig, '');
    const outcome = await work.catch(String);
    const { code } = await failing.exited;
    const files = [...readFileSync(log, 'utf8').matchAll(/sync\((\d+)\).*EIO.*INJECTED/g)]
      .map((found) => Number(found[1]))
      .filter((file) => file > 2);
    expect(files.length).toBeGreaterThan(0);
    // A failed sync is not retried: a success of the second one would be meaningless.
    expect(new Set(files).size).toBe(files.length);
    expect(code, `${String(outcome)}\n${failing.output()}`).toBe(1);
    expect(failing.output()).toMatch(/Fatal error, shutting down: The disk failed/);
    expect(rig.acknowledged().length).toBeGreaterThan(0);

    service = await rig.startReady();
    expect(await runScenario(rig, ids, 'failing')).toBe('done');
    service.kill('SIGTERM');
    expect((await service.exited).code).toBe(0);
    expect(rig.check().violations).toEqual([]);
  },
);

test('on a slow disk writes share syncs, and reads do not wait', async ({ skip }) => {
  findStraceOrSkip(skip);
  rig = await createCrashFixture();
  let service = await rig.startReady();
  await rig.deploy(await rig.login(), testWorkflows(rig.upstream));
  service.kill('SIGTERM');
  await service.exited;
  const log = path.join(rig.folder, 'trace.log');
  const starting = await (startSyncs ??= rig.callsToStart(SYNCS));
  service = await rig.startReady(traceWithDelay(SYNCS, 300_000, starting + 1, log));
  const call = await rig.login();
  const since = performance.now();
  let writing = true;
  const writes = Promise.all(
    Array.from({ length: 40 }, () => call('POST', '/webhooks/crash/respond', { body: { order: 1 } })),
  ).finally(() => (writing = false));
  const waits: number[] = [];
  const isWriting = (): boolean => writing;
  while (isWriting()) {
    const asked = performance.now();
    expect((await call('GET', '/workflows')).status).toBe(200);
    waits.push(performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const took = performance.now() - since;
  const responses: ApiResponse[] = await writes;
  for (const response of responses) {
    expect(response.status, response.text).toBe(200);
    const id = response.headers.get('x-weft-execution-id')!;
    rig.promised({ t: 'execution', id, workflow: '', key: null, ended: true });
  }
  const middle = waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]!;
  console.log(
    `slow disk: 40 executions of 2 syncs each in ${Math.round(took)} ms, reads ${Math.round(middle)} ms`,
  );
  expect(readFileSync(log, 'utf8')).toMatch(/DELAYED/);
  // Sequential syncs would take 40 * 2 * 300 ms.
  expect(took).toBeGreaterThan(600);
  expect(took).toBeLessThan(16_000);
  expect(middle).toBeLessThan(250);
  service.kill();
  await service.exited;
  service = await rig.startReady();
  await rig.settled(await rig.login(), 10_000);
  service.kill('SIGTERM');
  await service.exited;
  expect(rig.check().violations).toEqual([]);
});
