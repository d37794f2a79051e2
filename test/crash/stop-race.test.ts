import { afterEach, expect, test } from 'vitest';
import { endChildren } from './support/children.ts';
import { createCrashFixture, type CrashFixture } from './support/harness.ts';
import { chooseSeed, readNumber, createSeededRandom } from '../support/seeded-random.ts';
import { testWorkflows } from './support/workflows.ts';

/** CRASH_RACES=2000 is the long version. */
const races = readNumber('CRASH_RACES', 200);
const LANES = 8;
let rig: CrashFixture | null = null;

afterEach(async () => {
  await endChildren();
  rig?.remove();
  rig = null;
});

test(
  `${races} times stopped while it completes: one end, and no call after it`,
  { timeout: 30_000 + races * 100 },
  async () => {
    const seed = chooseSeed('CRASH_SEED');
    const random = createSeededRandom(seed).next;
    rig = await createCrashFixture();
    const given = rig;
    const service = await rig.startReady();
    const call = await rig.login();
    const workflow = (await rig.deploy(call, testWorkflows(rig.upstream))).get('by hand')!;
    const responses = { stopped: 0, late: 0 };
    /** ms, at most, from the start to the stop: as long as an execution takes on this machine. */
    let longest = 90;
    async function race(): Promise<void> {
      const started = await call('POST', `/workflows/${workflow}/execute`, { body: {} });
      const { id } = started.body as { id: string };
      given.promised({ t: 'execution', id, workflow, key: null, ended: false });
      await new Promise((resolve) => setTimeout(resolve, random() * longest));
      // Two at once: at most one of them may have stopped it.
      const both = await Promise.all([0, 1].map(() => call('POST', `/executions/${id}/stop`)));
      const won = both.filter((response) => response.status === 200).length;
      expect(won).toBeLessThanOrEqual(1);
      expect(both.every((response) => response.status === 200 || response.status === 400)).toBe(true);
      if (won === 1) given.promised({ t: 'stopped', id, at: Date.now() });
      const first = ((await call('GET', `/executions/${id}`)).body as { status: string }).status;
      expect(['completed', 'stopped']).toContain(first);
      expect(first === 'stopped').toBe(won === 1);
      responses[won === 1 ? 'stopped' : 'late']++;
      longest = Math.min(2_000, won === 1 ? longest * 1.1 : longest / 1.1);
    }
    let left = races;
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        while (left-- > 0) await race();
      }),
    );
    await rig.settled(call, 10_000);
    service.kill('SIGTERM');
    expect((await service.exited).code).toBe(0);
    console.log(`stop race: ${JSON.stringify(responses)}`);
    expect(rig.check().violations).toEqual([]);
    expect(responses.stopped).toBeGreaterThan(0);
    expect(responses.late).toBeGreaterThan(0);
  },
);
