import { afterEach, expect, test } from 'vitest';
import { isSettled, type ExecutionStatus } from '../../src/contract/execution.ts';
import { endChildren, readyLine, type Child } from './support/children.ts';
import { createCrashFixture, type CrashFixture } from './support/harness.ts';
import { chooseSeed, readNumber, createSeededRandom } from '../support/seeded-random.ts';
import { waitUntil } from '../support/service.ts';
import { createLongWorkflow, testWorkflows } from './support/workflows.ts';

/*
 * kill -9 at random moments under load, with clients and an upstream that survive. CRASH_KILLS=200 is the
 * long version, CRASH_SEED the seed of an earlier run (it determines the moments of the kills; the
 * interrupted work depends on the machine).
 */
const kills = readNumber('CRASH_KILLS', 40);
let rig: CrashFixture | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  rig = null;
});

/** Kills the service at a random moment: during its start, or up to 1.6 s after it is ready. */
async function runUntilKilled(service: Child, random: () => number): Promise<void> {
  if (random() < 0.15) await pause(random() * 500);
  else {
    await service.printed(readyLine);
    await pause(50 + random() * 1_550);
  }
  service.kill();
  const { signal } = await service.exited;
  expect(signal, service.output()).toBe('SIGKILL');
}

test(
  `${kills} times kill -9 under load: no execution fails`,
  { timeout: 180_000 + kills * 8_000 },
  async () => {
    const seed = chooseSeed('CRASH_SEED');
    const random = createSeededRandom(seed).next;
    rig = await createCrashFixture();
    let service = await rig.startReady();
    await rig.deploy(await rig.login(), [...testWorkflows(rig.upstream), createLongWorkflow(rig.upstream)]);
    const clients = await rig.startClients(seed, 6);
    for (let killed = 0; killed < kills; killed++) {
      // On a slow machine, the clients may not have got to their rarest action before.
      if (killed === kills - 1)
        await waitUntil(() => Promise.resolve(rig!.acknowledged()), hasSavedWorkflow, 60_000);
      await runUntilKilled(service, random);
      service = rig.start();
    }
    await service.printed(readyLine);
    clients.kill('SIGTERM');
    expect((await clients.exited).code, clients.output()).toBe(0);
    const call = await rig.login();
    // Executions that were alone in a crash run one at a time: at most one per kill, for the duration of its
    // call.
    await rig.settled(call, 60_000 + kills * 4_000);

    const ids = [...new Set(rig.acknowledged().flatMap((one) => (one.t === 'execution' ? [one.id] : [])))];
    const shown = new Map<string, string>();
    const wrong: string[] = [];
    for (const id of ids) {
      const response = await call('GET', `/executions/${id}`);
      if (response.status !== 200) wrong.push(`${id} is answered with ${response.status} ${response.text}`);
      const { status, nodes } = response.body as {
        status: ExecutionStatus;
        nodes: { path: string; status: string }[];
      };
      shown.set(id, status);
      const open = nodes.find((node) => ['running', 'waiting', 'pending'].includes(node.status));
      if (!isSettled(status) || open !== undefined)
        wrong.push(`${id} is shown as ${status}, ${open?.path} as ${open?.status}`);
    }
    service.kill('SIGTERM');
    expect((await service.exited).code, service.output()).toBe(0);
    const { violations, seen } = rig.check();
    console.log(`kill loop: ${kills} kills, ${JSON.stringify(seen)}`);
    expect([...wrong, ...violations].slice(0, 20)).toEqual([]);
    // A run without interrupted work would prove nothing.
    expect(seen.executions).toBeGreaterThan(kills);
    expect(seen.acknowledged).toBeGreaterThan(kills);
    expect(seen.takenOver).toBeGreaterThan(0);
    expect(seen.workflows).toBeGreaterThan(0);
  },
);

function hasSavedWorkflow(acknowledged: ReturnType<CrashFixture['acknowledged']>): boolean {
  return acknowledged.some(({ t }) => t === 'workflow');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
