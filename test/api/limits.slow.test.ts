import { afterEach, expect, test } from 'vitest';
import { adminEmail, spawnService, createTempFolder, type SpawnedService } from '../support/service.ts';

const folder = createTempFolder();
let running: SpawnedService | null = null;
afterEach(async () => {
  await running?.kill9();
  folder.remove();
});

const env = { WEFT_RATE_LIMIT_ENTERPRISE: '10' };
const open = async (): Promise<SpawnedService> =>
  (running = await spawnService({ dataDir: folder.path, env }));

test('limits and failed logins survive a stop, and a kill except for the last seconds', async () => {
  let weft = await open();
  let api = await weft.login();
  const first = await api('GET', '/users/me');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('9');
  const reset = first.headers.get('x-ratelimit-reset');
  const fail = (): Promise<{ status: number }> =>
    weft.call('POST', '/auth/login', { body: { email: 'nobody@example.com', password: 'wrong' } });
  for (let i = 0; i < 6; i++) expect((await fail()).status).toBe(401);
  expect(await weft.stop()).toBe(0);

  weft = await open();
  api = await weft.login();
  const second = await api('GET', '/users/me');
  expect([second.headers.get('x-ratelimit-remaining'), second.headers.get('x-ratelimit-reset')]).toEqual([
    '8',
    reset,
  ]);
  const began = performance.now();
  expect((await fail()).status).toBe(401);
  expect(performance.now() - began).toBeGreaterThan(900);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await weft.kill9();

  weft = await open();
  api = await weft.login();
  const third = await api('GET', '/users/me');
  expect([third.headers.get('x-ratelimit-remaining'), third.headers.get('x-ratelimit-reset')]).toEqual([
    '7',
    reset,
  ]);
  const again = performance.now();
  const slowed = fail();
  // A login of another user is answered before the one that is slowed.
  const other = weft.call('POST', '/auth/login', { body: { email: adminEmail, password: 'wrong' } });
  expect(await Promise.race([slowed.then(() => 'slowed'), other.then(() => 'other')])).toBe('other');
  expect((await slowed).status).toBe(401);
  expect(performance.now() - again).toBeGreaterThan(1_900);
});
