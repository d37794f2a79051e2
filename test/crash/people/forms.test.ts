import { afterEach, expect, test } from 'vitest';
import { createFormWorkflow, submitForm } from '../../support/forms/submit-form.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../../support/seeded-random.ts';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../../support/service.ts';
import { freePort } from '../../support/servers/free-port.ts';

/*
 * People submit forms with files while the service is killed. A person who saw the final page has an
 * execution with the file; one who saw none submits the same page again, and has exactly one.
 */
const KILLS = readNumber('CRASH_KILLS', 5);
const PEOPLE = 6;
const folder = createTempFolder();
let service: SpawnedService | null = null;
let isOver = false;

afterEach(async () => {
  isOver = true;
  await service?.kill9();
  folder.remove();
});

test(`${KILLS} times kill -9 while people submit forms`, { timeout: 120_000 + KILLS * 20_000 }, async () => {
  const seed = chooseSeed('CRASH_SEED');
  const random = createSeededRandom(seed).next;
  const env = {
    PORT: String(await freePort()),
    WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
    WEFT_WEBHOOK_RATE_LIMIT: 'unlimited',
  };
  service = await spawnService({ dataDir: folder.path, env });
  const workflow = await createFormWorkflow(await service.login(), {
    endpoint: 'intake',
    title: 'Intake',
    fields: [
      { type: 'text', name: 'who', label: 'Who', required: true },
      { type: 'file', name: 'scan', label: 'Scan', required: true },
    ],
  });
  const url = `${service.url}/forms/intake`;
  const acknowledged: string[] = [];
  /** Submissions that got no response and were sent again. */
  let repeated = 0;

  async function fillIn(person: number): Promise<void> {
    for (let i = 0; !isOver; i++) {
      const who = `person ${person}, form ${i}`;
      const html = await retry(async () => (await fetch(url)).text());
      if (html === null) return;
      const scan = new File([`scan of ${who}`], 'scan.txt', { type: 'text/plain' });
      const sent = await retry(
        async () => {
          const response = await submitForm(url, { who, scan }, { html });
          // The service is ending or starting.
          return response.status === 200 ? response : null;
        },
        () => repeated++,
      );
      if (sent === null) return;
      expect(sent.html).toContain('Thank you');
      acknowledged.push(who);
    }
  }
  async function retry<T>(ask: () => Promise<T | null>, failed = (): void => {}): Promise<T | null> {
    while (!isOver) {
      // A broken connection: the service was killed.
      const got = await ask().catch(() => null);
      if (got !== null) return got;
      failed();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return null;
  }

  const people = Array.from({ length: PEOPLE }, (_, i) => fillIn(i));
  for (let killed = 0; killed < KILLS; killed++) {
    const before = acknowledged.length;
    await waitUntil(
      () => Promise.resolve(acknowledged.length),
      (now) => now > before + 3,
      60_000,
    );
    await new Promise((resolve) => setTimeout(resolve, random() * 300));
    await service.kill9();
    service = await spawnService({ dataDir: folder.path, env });
  }
  isOver = true;
  await Promise.all(people);
  expect(repeated).toBeGreaterThan(0);

  const call = await service.login();
  const found = new Map<string, number>();
  for (let page = 1; ; page++) {
    const { body } = await call('GET', `/executions?workflow_id=${workflow}&limit=100&page=${page}`);
    const { executions } = body as { executions: { id: string }[] };
    for (const { id } of executions) {
      const execution = await waitUntil(
        async () =>
          (await call('GET', `/executions/${id}`)).body as {
            status: string;
            input: { fields: { who: string; scan: { $file: { id: string } } } };
          },
        ({ status }) => status === 'completed',
      );
      const { who, scan } = execution.input.fields;
      found.set(who, (found.get(who) ?? 0) + 1);
      expect((await call('GET', `/files/${scan.$file.id}`)).text).toBe(`scan of ${who}`);
    }
    if (executions.length < 100) break;
  }
  expect(acknowledged.filter((who) => found.get(who) !== 1)).toEqual([]);
  expect([...found].filter(([, times]) => times !== 1)).toEqual([]);
  console.log(`forms: ${KILLS} kills, ${acknowledged.length} submissions acknowledged, ${repeated} repeated`);
});
