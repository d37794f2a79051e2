import { afterEach, expect, test } from 'vitest';
import { chooseSeed, createSeededRandom, readNumber } from '../../support/seeded-random.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { freePort } from '../../support/servers/free-port.ts';

/*
 * People store, replace and delete secrets while the service is killed. Every change that is in the store has
 * its audit event, and every event has its change.
 */
const KILLS = readNumber('CRASH_KILLS', 5);
const PEOPLE = 4;
const folder = createTempFolder();
let service: SpawnedService | null = null;
let isOver = false;

afterEach(async () => {
  isOver = true;
  await service?.kill9();
  folder.remove();
});

type Event = { action: string; target: { id: string; name: string } };

test(
  `${KILLS} times kill -9 while people change secrets`,
  { timeout: 120_000 + KILLS * 20_000 },
  async () => {
    const seed = chooseSeed('CRASH_SEED');
    const random = createSeededRandom(seed).next;
    const env = { PORT: String(await freePort()), WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' };
    service = await spawnService({ dataDir: folder.path, env });
    let call: Call = await service.login();
    let changes = 0;
    let broken = 0;

    async function work(person: number): Promise<void> {
      for (let i = 0; !isOver; i++) {
        const path = `/secrets/S_${person}_${i}`;
        const steps = [
          () => call('PUT', path, { body: { value: `value ${person} ${i}` } }),
          () => call('PUT', path, { body: { value: `other ${person} ${i}` } }),
          ...(i % 2 === 0 ? [() => call('DELETE', path)] : []),
        ];
        for (const step of steps) {
          const response = await step().catch(() => null);
          if (response === null || response.status >= 500) {
            broken++;
            await new Promise((resolve) => setTimeout(resolve, 20));
            break;
          }
          changes++;
        }
      }
    }

    const people = Array.from({ length: PEOPLE }, (_, i) => work(i));
    for (let killed = 0; killed < KILLS; killed++) {
      const before = changes;
      await waitUntil(
        () => Promise.resolve(changes),
        (now) => now > before + 20,
        60_000,
      );
      await new Promise((resolve) => setTimeout(resolve, random() * 300));
      await service.kill9();
      service = await spawnService({ dataDir: folder.path, env });
      call = await service.login();
    }
    isOver = true;
    await Promise.all(people);
    expect(broken).toBeGreaterThan(0);

    const stored = new Set<string>();
    for (let page = 1; ; page++) {
      const { body } = await call('GET', `/secrets?limit=100&page=${page}`);
      const { secrets } = body as { secrets: { name: string }[] };
      for (const { name } of secrets) stored.add(name);
      if (secrets.length < 100) break;
    }
    const { text } = await call('GET', '/audit-events/export?target_type=secret');
    const lives = new Map<string, string[]>();
    for (const line of text.trimEnd().split('\n')) {
      const { action, target } = JSON.parse(line) as Event;
      lives.set(target.id, [...(lives.get(target.id) ?? []), action]);
    }
    const violations = [...lives]
      .filter(([name, actions]) => {
        const isGone = actions.at(-1) === 'secret.deleted';
        const created = actions.filter((action) => action === 'secret.created').length;
        return stored.has(name) === isGone || actions[0] !== 'secret.created' || created !== 1;
      })
      .map(([name, actions]) => `${name}: ${actions.join(', ')}`);
    expect(violations).toEqual([]);
    expect([...stored].filter((name) => !lives.has(name))).toEqual([]);
    console.log(`audit: ${KILLS} kills, ${changes} changes acknowledged, ${broken} broken off`);
  },
);
