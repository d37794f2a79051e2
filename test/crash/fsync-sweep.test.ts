import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endChildren, readyLine } from './support/children.ts';
import { createCrashFixture, type CrashFixture } from './support/harness.ts';
import { runScenario } from './support/scenario.ts';
import { readNumber } from '../support/seeded-random.ts';
import { countCalls, killAt, countMaxCalls, findStraceOrSkip } from './support/strace.ts';
import { testWorkflows } from './support/workflows.ts';

/*
 * kill -9 at the nth sync of a thread of the service (long version: write, sync or rename), for n = 1, 2, 3 …
 * of a reference run. CRASH_POINTS=0 is the long version: every n; otherwise this many points of each call,
 * evenly spread. CRASH_SYSCALLS names other calls.
 */
const points = readNumber('CRASH_POINTS', 4);
const syscalls = (
  process.env['CRASH_SYSCALLS'] ?? (points === 0 ? 'fsync,fdatasync,pwrite64,rename' : 'fsync,fdatasync')
).split(',');
let rig: CrashFixture | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  rig = null;
});

/** `share`: the part of the points that this test uses. */
function chosen(all: number, share = 1): number[] {
  const some = Math.ceil(points / share);
  if (points === 0 || some >= all) return Array.from({ length: all }, (_, i) => i + 1);
  return Array.from({ length: some }, (_, i) => 1 + Math.round((i * (all - 1)) / Math.max(1, some - 1)));
}

/** How often a thread makes each of the calls in a run without failures. */
async function reference(given: CrashFixture, run: () => Promise<unknown>): Promise<Map<string, number>> {
  const log = path.join(given.folder, 'reference.log');
  const service = await given.startReady(countCalls(syscalls.join(','), log));
  await run();
  service.kill('SIGTERM');
  await service.exited;
  return countMaxCalls(readFileSync(log, 'utf8'));
}

const long = { timeout: points === 0 ? 7_200_000 : 120_000 + points * 30_000 };

test(
  'killed at any sync under load, everything acknowledged is stored and every execution ends',
  long,
  async ({ skip }) => {
    findStraceOrSkip(skip);
    rig = await createCrashFixture();
    const clean = path.join(rig.folder, 'clean');
    let service = await rig.startReady();
    const ids = await rig.deploy(await rig.login(), testWorkflows(rig.upstream));
    service.kill('SIGTERM');
    await service.exited;
    cpSync(rig.dataDir, clean, { recursive: true });
    const counts = await reference(rig, () => runScenario(rig!, ids, 'reference'));
    expect(rig.check().violations).toEqual([]);

    let killed = 0;
    let tried = 0;
    const violations: string[] = [];
    for (const syscall of syscalls)
      for (const n of counts.has(syscall) ? chosen(counts.get(syscall)!) : []) {
        tried++;
        rig.renew(clean);
        service = rig.start(killAt(syscall, n, path.join(rig.folder, 'killed.log')));
        const isReady = await service.printed(readyLine).then(
          () => true,
          () => false,
        );
        // A process that was killed does not return a 500.
        const odd = isReady ? await runScenario(rig, ids, 'killed').catch(String) : '';
        if (odd.startsWith('Error')) violations.push(`${syscall} ${n}: ${odd}\n${service.output()}`);
        if (!service.isOver()) service.kill('SIGTERM');
        const { signal, code } = await service.exited;
        if (signal === 'SIGKILL' || code === 137) killed++;

        service = await rig.startReady();
        const repeated = await runScenario(rig, ids, 'killed').catch(String);
        service.kill('SIGTERM');
        const end = await service.exited;
        const where = `${syscall} ${n}`;
        if (repeated !== 'done' || end.code !== 0)
          violations.push(`${where}: ${repeated} at the start after it: ${service.output()}`);
        for (const violation of rig.check().violations) {
          violations.push(`${where}: ${violation}`);
          console.log(violations.at(-1));
        }
      }
    console.log(`sweep: ${killed} kills at ${tried} points of ${JSON.stringify([...counts])}`);
    expect(violations.slice(0, 20)).toEqual([]);
    // The last points of a run depend on the grouping of its writes.
    expect(killed).toBeGreaterThanOrEqual(Math.ceil(tried * 0.5));
  },
);

test('killed at any sync of the very first start, the next start succeeds', long, async ({ skip }) => {
  findStraceOrSkip(skip);
  rig = await createCrashFixture();
  const counts = await reference(rig, () => Promise.resolve());
  let killed = 0;
  for (const syscall of syscalls)
    for (const n of counts.has(syscall) ? chosen(counts.get(syscall)!, 2) : []) {
      rig.renew(null);
      let service = rig.start(killAt(syscall, n, path.join(rig.folder, 'killed.log')));
      await service.printed(readyLine).catch(() => undefined);
      service.kill('SIGTERM');
      const { signal, code } = await service.exited;
      if (signal === 'SIGKILL' || code === 137) killed++;
      service = await rig.startReady();
      const call = await rig.login();
      expect((await call('GET', '/workflows')).status, `${syscall} ${n}`).toBe(200);
      service.kill('SIGTERM');
      expect((await service.exited).code, service.output()).toBe(0);
    }
  console.log(`first start: ${killed} kills of ${JSON.stringify([...counts])}`);
  expect(killed).toBeGreaterThan(0);
});
