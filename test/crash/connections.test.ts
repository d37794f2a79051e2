import { afterAll, beforeAll, expect, test } from 'vitest';
import { Provider, type ProviderBehavior } from '../connections/provider.ts';
import {
  asAccount,
  connect,
  readBody,
  createWorkflow,
  type ExecutionBody,
} from '../connections/oauth-accounts.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/* One process is killed while three connections are in three states; the next process handles each. */

const folder = createTempFolder();
let service: SpawnedService | null = null;
let call: Call;
const providers: Provider[] = [];

type Cut = { provider: Provider; executionId: string };
let rotates: Cut;
let keeps: Cut;
let renewed: Provider;

async function open(quirks: ProviderBehavior): Promise<Provider> {
  const provider = await new Provider(quirks).open();
  providers.push(provider);
  return provider;
}

beforeAll(async () => {
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
  renewed = await open({ expiresIn: 3600 });
  await connect(call, renewed, { name: 'RENEWED' });
  readBody(await call('POST', '/connections/RENEWED/refresh'));
  /** The provider returns new tokens, which are not stored here. */
  const begin = async (name: string, refreshTokens: 'rotate' | 'keep'): Promise<Cut> => {
    const provider = await open({ expiresIn: 1, refreshTokens });
    await connect(call, provider, { name });
    const authentication = { type: 'oauth2', credential: name };
    const id = await createWorkflow(call, asAccount(provider.url, { authentication }));
    await new Promise((resolve) => setTimeout(resolve, 600));
    provider.quirks = { expiresIn: 3600, refreshTokens, wait: 60_000 };
    const started = readBody<ExecutionBody>(await call('POST', `/workflows/${id}/execute`, { body: {} }));
    await waitUntil(
      () => Promise.resolve(provider.refreshes.length),
      (n) => n === 1,
    );
    return { provider, executionId: started.id };
  };
  [rotates, keeps] = await Promise.all([begin('ROTATES', 'rotate'), begin('KEEPS', 'keep')]);
  await service.kill9();
  for (const { provider } of [rotates, keeps]) provider.quirks = { ...provider.quirks, wait: 0 };
  service = await spawnService({ dataDir: folder.path });
  call = await service.login();
});

afterAll(async () => {
  await service?.kill9();
  await Promise.all(providers.map((provider) => provider.close()));
  folder.remove();
});

const ended = ({ executionId }: Cut): Promise<ExecutionBody> =>
  waitUntil(
    async () => readBody<ExecutionBody>(await call('GET', `/executions/${executionId}`)),
    ({ status }) => status === 'completed' || status === 'failed',
    20_000,
  );

test('killed between the response and the disk, with a server that rotates tokens: the error states that the response may be lost', async () => {
  const ran = await ended(rotates);
  expect(ran).toMatchObject({ status: 'failed', error: { type: 'client_error' } });
  expect(ran.error?.message).toMatch(
    /must be authorized again: .*invalid_grant.* was interrupted, so its response/,
  );
  const shown = readBody(await call('GET', '/connections/ROTATES'));
  expect(shown.status).toBe('needs_reauthorization');
  expect(shown.error).toContain('may have been lost');
  // Once before the kill, once after it, and never again.
  expect(rotates.provider.refreshes.length).toBe(2);
});

test('the same with a server that keeps tokens: the connection still works', async () => {
  const ran = await ended(keeps);
  expect(ran.error).toBeNull();
  expect(ran.status).toBe('completed');
  expect(readBody(await call('GET', '/connections/KEEPS'))).toMatchObject({
    status: 'connected',
    error: null,
  });
  expect(keeps.provider.refreshes.length).toBe(2);
});

test('renewed tokens survive kill -9: the next process uses them', async () => {
  readBody(await call('POST', '/connections/RENEWED/refresh'));
  expect([renewed.refreshes.length, renewed.reused]).toEqual([2, 0]);
});
