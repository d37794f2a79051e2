import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/service.ts';
import { endChildren, type Child } from '../support/children.ts';
import { createCrashFixture, type CrashFixture } from '../support/harness.ts';
import { chooseSeed, createSeededRandom } from '../../support/seeded-random.ts';
import { readStored } from '../support/read-database.ts';
import { createHangingWorkflow, testWorkflows } from '../support/workflows.ts';

let rig: CrashFixture | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  rig = null;
});

/** Starts one execution that hangs in its call, and waits until the upstream has received it. */
async function hang(given: CrashFixture, service: Child): Promise<string> {
  const before = given.calls().length;
  const call = await given.login();
  const response = await call('POST', '/webhooks/crash/hang', { body: {} });
  expect(response.status, service.output()).toBe(200);
  const id = response.headers.get('x-weft-execution-id')!;
  given.promised({ t: 'execution', id, workflow: '', key: null, ended: false });
  await waitUntil(
    () => Promise.resolve(given.calls().length),
    (n) => n > before,
  );
  return id;
}

test('a second process on the same data folder does not start, and names the first', async () => {
  rig = await createCrashFixture();
  const first = await rig.startReady();
  const second = rig.start();
  const { code } = await second.exited;
  const { pid } = JSON.parse(readFileSync(path.join(rig.dataDir, 'weft.pid'), 'utf8')) as { pid: number };
  expect(pid).toBe(first.process.pid);
  expect(code).toBe(1);
  expect(second.output()).toContain(`is in use by process ${pid}`);
  expect((await (await rig.login())('GET', '/workflows')).status).toBe(200);
  first.kill();
  await first.exited;
  // The lock ended with the killed process.
  await rig.startReady();
});

test('SIGTERM under load: it drains, no execution fails or counts as interrupted', async () => {
  const seed = chooseSeed('CRASH_SEED');
  const random = createSeededRandom(seed).next;
  rig = await createCrashFixture();
  let service = await rig.startReady();
  await rig.deploy(await rig.login(), testWorkflows(rig.upstream));
  const clients = await rig.startClients(seed, 6);
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 300 + random() * 700));
    // A busy machine takes time to build up load.
    const due = 8 * (round + 1);
    for (const until = performance.now() + 15_000; rig.acknowledged().length < due;) {
      if (performance.now() > until) throw new Error(`There are no ${due} acknowledgments.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const since = performance.now();
    service.kill('SIGTERM');
    expect((await service.exited).code, service.output()).toBe(0);
    expect(performance.now() - since).toBeLessThan(20_000);
    service = await rig.startReady();
  }
  clients.kill('SIGTERM');
  expect((await clients.exited).code, clients.output()).toBe(0);
  await rig.settled(await rig.login(), 15_000);
  service.kill('SIGTERM');
  expect((await service.exited).code).toBe(0);
  const { violations, seen } = rig.check();
  console.log(`SIGTERM under load: ${JSON.stringify(seen)}`);
  expect(violations.slice(0, 20)).toEqual([]);
  expect(seen).toMatchObject({ takenOver: 0, repeated: 0 });
  expect(seen.executions).toBeGreaterThan(20);
});

test('executions that run after the grace period are interrupted, and resume at the next start', async () => {
  rig = await createCrashFixture();
  let service = await rig.startReady();
  await rig.deploy(await rig.login(), [createHangingWorkflow(rig.upstream)]);
  const id = await hang(rig, service);
  service.kill('SIGTERM');
  expect((await service.exited).code, service.output()).toBe(0);
  const put = readStored(rig.dataDir).executions.find((one) => one.id === id)!;
  expect(put.events.at(-1)?.e).toBe('release');
  expect(put.worker).toBe(null);

  service = await rig.startReady();
  await waitUntil(
    () => Promise.resolve(rig!.calls()),
    (calls) => calls.length === 2,
  );
  const [first, again] = rig.calls();
  expect(again!.key).toBe(first!.key);
  const stopped = await (await rig.login())('POST', `/executions/${id}/stop`);
  expect(stopped.status).toBe(200);
  rig.promised({ t: 'stopped', id, at: Date.now() });

  const second = await hang(rig, service);
  service.kill('SIGTERM');
  await service.printed(/is stopping/);
  // An immediate repetition would count as the same signal, as a process group receives it.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const since = performance.now();
  service.kill('SIGTERM');
  expect((await service.exited).code).toBe(143);
  expect(performance.now() - since).toBeLessThan(6_000);

  service = await rig.startReady();
  await waitUntil(
    () => Promise.resolve(rig!.calls()),
    (calls) => calls.length === 4,
  );
  await (
    await rig.login()
  )('POST', `/executions/${second}/stop`);
  service.kill('SIGTERM');
  expect((await service.exited).code).toBe(0);
  expect(rig.check().violations).toEqual([]);
});

test('a hanging node is not blamed for external kills', { timeout: 120_000 }, async () => {
  rig = await createCrashFixture();
  let service = await rig.startReady();
  await rig.deploy(await rig.login(), [createHangingWorkflow(rig.upstream)]);
  const id = await hang(rig, service);
  const isCalled = (times: number): Promise<number> =>
    waitUntil(
      () => Promise.resolve(rig!.calls().length),
      (n) => n === times,
      30_000,
    );
  for (let kills = 1; kills <= 6; kills++) {
    // After a crash in which it was alone, it runs again only in a process that has run for a while.
    await isCalled(Math.min(kills, 2));
    service.kill();
    expect((await service.exited).signal).toBe('SIGKILL');
    service = await rig.startReady();
  }
  await isCalled(3);
  const call = await rig.login();
  expect((await call('GET', `/executions/${id}`)).body).toMatchObject({ status: 'running', error: null });
  expect((await call('POST', `/executions/${id}/stop`)).status).toBe(200);
  service.kill('SIGTERM');
  await service.exited;
  expect(rig.calls()).toHaveLength(3);
  expect(new Set(rig.calls().map((one) => one.key)).size).toBe(1);
  expect(rig.check().violations).toEqual([]);
});
