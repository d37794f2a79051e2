import { afterEach, expect, test } from 'vitest';
import { Provider, type Quirks } from '../connections/provider.ts';
import { asAccount, connect, taken, workflowOf, type Ran } from '../connections/world.ts';
import { spawnService, temporaryFolder, until, type SpawnedService } from '../harness/service.ts';

let folder = temporaryFolder();
let service: SpawnedService | null = null;
let provider: Provider | null = null;

afterEach(async () => {
  await service?.kill9();
  await provider?.close();
  folder.remove();
  folder = temporaryFolder();
});

/** Dies when the provider has given new tokens out, and before they have reached the disk here. */
async function dieInTheMiddle(
  quirks: Quirks,
): Promise<{ call: Awaited<ReturnType<SpawnedService['login']>>; ran: Ran }> {
  provider = await new Provider({ expiresIn: 1, ...quirks }).open();
  service = await spawnService({ dataDir: folder.path });
  let call = await service.login();
  await connect(call, provider);
  const id = await workflowOf(call, asAccount(provider.url));
  await new Promise((resolve) => setTimeout(resolve, 600));
  provider.quirks = { expiresIn: 3600, ...quirks, wait: 60_000 };
  const started = taken<Ran>(await call('POST', `/workflows/${id}/execute`, { body: {} }));
  await until(
    () => Promise.resolve(provider!.refreshes.length),
    (n) => n === 1,
  );
  await service.kill9();
  provider.quirks = { ...provider.quirks, wait: 0 };
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
  const ran = await until(
    async () => taken<Ran>(await call('GET', `/executions/${started.id}`)),
    ({ status }) => status === 'completed' || status === 'failed',
    20_000,
  );
  return { call, ran };
}

test('killed between the answer and the disk, a server that rotates: it is said that the answer may be lost', async () => {
  const { call, ran } = await dieInTheMiddle({ refreshTokens: 'rotate' });
  expect(ran).toMatchObject({ status: 'failed', error: { type: 'client_error' } });
  expect(ran.error?.message).toMatch(
    /must be authorised again: .*invalid_grant.* was cut off, so that its answer/,
  );
  const shown = taken(await call('GET', '/connections/ACCOUNT'));
  expect(shown.status).toBe('needs_reauthorization');
  expect(shown.error).toContain('may have been lost');
  // Once before the end, once behind it, and never again.
  expect(provider!.refreshes.length).toBe(2);
});

test('the same with a server that does not: nobody notices', async () => {
  const { call, ran } = await dieInTheMiddle({ refreshTokens: 'keep' });
  expect(ran.error).toBeNull();
  expect(ran.status).toBe('completed');
  expect(taken(await call('GET', '/connections/ACCOUNT'))).toMatchObject({
    status: 'connected',
    error: null,
  });
  expect(provider!.refreshes.length).toBe(2);
});

test('what was renewed is there after kill -9: the next process uses it', async () => {
  provider = await new Provider({ expiresIn: 3600 }).open();
  service = await spawnService({ dataDir: folder.path });
  let call = await service.login();
  await connect(call, provider);
  taken(await call('POST', '/connections/ACCOUNT/refresh'));
  await service.kill9();
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
  taken(await call('POST', '/connections/ACCOUNT/refresh'));
  expect([provider.refreshes.length, provider.reused]).toEqual([2, 0]);
});
