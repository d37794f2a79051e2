import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endChildren } from './children.ts';
import { createRig, type Rig } from './rig.ts';
import { runScenario } from './scenario.ts';
import { countCalls, failAt, mostCalls, straceOrSkip } from './strace.ts';
import { testWorkflows } from './workflows.ts';

let rig: Rig | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  rig = null;
});

test(
  'when a sync fails the process ends, and the next one has all that was acknowledged',
  { timeout: 60_000 },
  async ({ skip }) => {
    straceOrSkip(skip);
    rig = await createRig();
    let service = await rig.startReady();
    const ids = await rig.deploy(await rig.login(), testWorkflows(rig.upstream));
    service.kill('SIGTERM');
    await service.exited;

    // How often it syncs in a start alone, so that the fault meets the work after it.
    const log = path.join(rig.folder, 'trace.log');
    service = await rig.startReady(countCalls('fsync,fdatasync', log));
    service.kill();
    await service.exited;
    const starting = Math.max(...mostCalls(readFileSync(log, 'utf8')).values());

    service = await rig.startReady(failAt('fsync,fdatasync', 'EIO', `${starting + 6}+`, log));
    const failing = service;
    const outcome = await runScenario(rig, ids, 'failing').catch((error: unknown) => String(error));
    const { code } = await failing.exited;
    expect(readFileSync(log, 'utf8')).toMatch(/EIO.*INJECTED/);
    expect(code, `${String(outcome)}\n${failing.output()}`).toBe(1);
    expect(failing.output()).toMatch(/Weft ends: The disk failed/);
    // A sync that failed is not tried again on the same file: nobody knows what the second success would mean.
    const promisedBefore = rig.acknowledged().length;
    expect(promisedBefore).toBeGreaterThan(0);

    service = await rig.startReady();
    expect(await runScenario(rig, ids, 'failing')).toBe('done');
    service.kill('SIGTERM');
    expect((await service.exited).code).toBe(0);
    expect(rig.check().violations).toEqual([]);
  },
);
