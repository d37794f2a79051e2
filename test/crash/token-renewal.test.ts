import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  asAccount,
  connect,
  grantConsent,
  readBody,
  createWorkflow,
  type ExecutionBody,
} from '../connections/oauth-accounts.ts';
import { Provider, type ProviderBehavior } from '../connections/provider.ts';
import {
  caller,
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { chooseSeed, createSeededRandom, readNumber } from '../support/seeded-random.ts';

/*
 * kill -9 at random moments while tokens that live for two seconds are renewed. CRASH_KILLS is the number of
 * kills, CRASH_SEED the seed of an earlier run.
 */
const kills = readNumber('CRASH_KILLS', 30);
/** Seconds of a token's life. It is renewed after half of them. */
const LIFE_S = 2;

type Account = { name: string; provider: Provider; workflow: string; started: string[] };

const folder = createTempFolder();
/** Each kill: the time of the signal, and a time by which the sent requests have arrived. */
const killings: { from: number; to: number }[] = [];
const accounts: Account[] = [];
let service: SpawnedService;
let call: Call;
let key: string;

async function start(): Promise<void> {
  service = await spawnService({
    dataDir: folder.path,
    env: { WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' },
  });
  if (key !== undefined) call = caller(service.url, { 'x-api-key': key });
}

async function addAccount(name: string, quirks: ProviderBehavior): Promise<void> {
  const provider = await new Provider({ expiresIn: LIFE_S, wait: 40, reuseRevokes: true, ...quirks }).open();
  await connect(call, provider, { name });
  const authentication = { type: 'oauth2', credential: name };
  const workflow = await createWorkflow(call, asAccount(provider.url, { authentication }));
  accounts.push({ name, provider, workflow, started: [] });
}

beforeAll(async () => {
  await start();
  call = await service.login();
  key = readBody<{ key: string }>(await call('POST', '/api-keys', { body: { name: 'test' } })).key;
  call = caller(service.url, { 'x-api-key': key });
  // Providers that allow for lost responses, and providers that do not.
  for (const name of ['OVERLAP_1', 'OVERLAP_2', 'OVERLAP_3'])
    await addAccount(name, { refreshTokens: 'overlap' });
  for (const name of ['STRICT_1', 'STRICT_2']) await addAccount(name, { refreshTokens: 'rotate' });
});

afterAll(async () => {
  await service.kill9();
  await Promise.all(accounts.map(({ provider }) => provider.close()));
  folder.remove();
});

/** Starts executions of an account until the service is gone. */
async function load({ workflow, started }: Account): Promise<void> {
  for (;;) {
    try {
      started.push(
        readBody<ExecutionBody>(await call('POST', `/workflows/${workflow}/execute`, { body: {} })).id,
      );
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
    await sleep(200);
  }
}

const countRenewals = (): number =>
  accounts.reduce((sum, { provider }) => sum + provider.refreshes.length, 0);

type Page = { executions: ExecutionBody[]; pagination: { total: number } };

/** Waits until all executions of an account have ended. Returns their number, and those that failed. */
async function settle({ workflow }: Account): Promise<{ ended: number; failed: ExecutionBody[] }> {
  const list = async (filter: string): Promise<Page> =>
    readBody<Page>(await call('GET', `/workflows/${workflow}/executions?limit=100${filter}`));
  // The ended ones are counted first: an execution can change between open statuses while they are counted.
  const { completed, failed } = await waitUntil(
    async () => ({
      completed: await list('&status=completed'),
      failed: await list('&status=failed'),
      all: await list(''),
    }),
    (pages) =>
      pages.completed.pagination.total + pages.failed.pagination.total === pages.all.pagination.total,
    120_000,
  );
  return { ended: completed.pagination.total + failed.pagination.total, failed: failed.executions };
}

/** The renewals of an account: a refresh token is reused only after a kill; tokens are used until expiry. */
function expectRenewedOnce({ name, provider }: Account): { renewals: number; repeats: number } {
  const uses = Map.groupBy(provider.refreshes, ({ form }) => form['refresh_token']!);
  let repeats = 0;
  let previous: number | null = null;
  for (const [token, calls] of uses) {
    for (const [i, { at }] of calls.entries()) {
      if (i === 0) continue;
      repeats++;
      const wasKilled = killings.some(({ from, to }) => calls[i - 1]!.at < to && from < at);
      expect(wasKilled, `${name} used ${token} twice without a kill in between`).toBe(true);
    }
    // Times are taken on both sides of a request, so a few ms may be missing.
    if (previous !== null) expect(calls[0]!.at - previous).toBeGreaterThan(LIFE_S * 500 - 100);
    previous = calls.at(-1)!.at;
  }
  return { renewals: uses.size, repeats };
}

test(
  `${kills} times kill -9: tokens are renewed once, and no connection is lost`,
  { timeout: 300_000 + kills * 20_000 },
  async () => {
    const random = createSeededRandom(chooseSeed('CRASH_SEED')).next;
    for (let killed = 0; killed < kills; killed++) {
      const before = countRenewals();
      const loading = Promise.all(accounts.map(load));
      await waitUntil(
        () => Promise.resolve(countRenewals()),
        (n) => n > before,
      );
      // While the provider responds, while the response is stored, or later.
      await sleep(random() * 200);
      const from = performance.now();
      await service.kill9();
      await loading;
      killings.push({ from, to: performance.now() });
      await start();
    }
    let used = 0;
    for (const account of accounts) {
      const { ended, failed } = await settle(account);
      expect(ended).toBeGreaterThanOrEqual(account.started.length);
      const { name, provider } = account;
      const { renewals, repeats } = expectRenewedOnce(account);
      used += renewals;
      const shown = readBody(await call('GET', `/connections/${name}`));
      console.log(
        `${name}: ${ended} executions, ${failed.length} failed; ${renewals} renewals, ${repeats} asked again after a kill, ${provider.reused} refused; ${shown.status}`,
      );
      if (provider.quirks.refreshTokens === 'overlap') {
        expect(failed).toEqual([]);
        expect(provider.reused).toBe(0);
        expect(shown).toMatchObject({ status: 'connected', error: null });
        continue;
      }
      // With such a provider, a response that was lost with the process is lost to every client.
      expect(provider.reused).toBe(repeats);
      if (repeats === 0) {
        expect(failed).toEqual([]);
        expect(shown).toMatchObject({ status: 'connected', error: null });
      } else {
        for (const { error } of failed) expect(error).toMatchObject({ type: 'client_error' });
        expect(shown.status).toBe('needs_reauthorization');
        expect(shown.error).toContain('may have been lost');
        const { connect_url } = readBody(await call('POST', `/connections/${name}/authorize`));
        expect((await grantConsent(String(connect_url))).status).toBe(200);
        expect(readBody(await call('GET', `/connections/${name}`))).toMatchObject({ status: 'connected' });
      }
    }
    expect(used).toBeGreaterThan(kills / 2);
  },
);
