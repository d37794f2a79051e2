import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminEmail, spawnService, createTempFolder, type SpawnedService } from '../support/service.ts';

/** Trying many accounts from one client network, and refreshing with two different tokens. */
const folder = createTempFolder();
let weft: SpawnedService;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path, env: { WEFT_TRUST_PROXY: 'loopback' } });
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

const login = async (email: string, password: string, address: string): Promise<number> =>
  (
    await weft.call('POST', '/auth/login', {
      body: { email, password },
      headers: { 'x-forwarded-for': address },
    })
  ).status;

test('after 100 accounts were tried from one IPv6 /64, it is throttled; other networks are not', async () => {
  const statuses: number[] = [];
  for (let batch = 0; batch < 5; batch++) {
    const tries = Array.from({ length: 20 }, (_, at) =>
      login(`u${batch}-${at}@example.com`, 'a wrong password', `2001:db8::${batch}:${at}`),
    );
    statuses.push(...(await Promise.all(tries)));
  }
  expect(statuses).toEqual(Array.from({ length: 100 }, () => 401));
  expect(await login('next@example.com', 'a wrong password', '2001:db8::ffff')).toBe(429);
  expect(await login(adminEmail, weft.password, '2001:db8:0:1::1')).toBe(200);
}, 120_000);

test('a refresh with two different tokens is refused, and spends none', async () => {
  const body = { email: adminEmail, password: weft.password };
  const { token } = (await weft.call('POST', '/auth/login', { body })).body as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const refused = await weft.call('POST', '/auth/refresh', { headers, body: { token: 'another' } });
  expect([refused.status, refused.body]).toMatchObject([
    400,
    { error: { code: 'VALIDATION_ERROR', details: { field: 'token' } } },
  ]);
  expect((await weft.call('POST', '/auth/refresh', { headers, body: { token } })).status).toBe(200);
});
