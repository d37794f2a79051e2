import { closeSync, openSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { spawnService, createTempFolder, type SpawnedService } from '../support/service.ts';

const folder = createTempFolder();
let service: SpawnedService | null = null;
afterEach(async () => {
  await service?.kill9();
  folder.remove();
});

test('a log on a full disk blocks nothing: requests get responses, and a signal ends the service', async () => {
  const full = openSync('/dev/full', 'w');
  service = await spawnService({
    dataDir: folder.path,
    stderr: full,
    env: { WEFT_LOG_LEVEL: 'debug', WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' },
  });
  closeSync(full);
  const call = await service.login();
  // More lines than the queue holds.
  for (let i = 0; i < 1_500; i++) expect((await call('GET', `/nope-${'x'.repeat(200)}`)).status).toBe(404);
  expect((await service.call('GET', '/health/ready')).status).toBe(200);
  expect(await service.stop()).toBe(0);
});
