import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../src/auth/secret-box.ts';
import type { ConnectionRow, ConnectionStore } from '../../src/ports/store/connections.ts';
import type { NewNotification } from '../../src/ports/notifier.ts';
import type { TokenResponse } from '../../src/ports/oauth-tokens.ts';
import { HttpFailure } from '../../src/contract/node-type.ts';
import { createTokenRefresher } from '../../src/services/credentials/token-refresher.ts';
import { realClock } from '../support/servers/http-server.ts';
import type { PostgresStore } from '../../src/store/postgres/open-store.ts';
import { openForTest } from '../support/open-postgres-store.ts';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import { createTempStore } from '../support/temporary-store.ts';
import type { StoreUnderTest } from '../../src/store/conformance/samples.ts';

/*
 * Several processes on one store: each has a keeper of its own, with a name of its own and nothing in common
 * but the rows.
 */
const programs = needPostgres();
const box = createSecretBox(randomBytes(32));
const never = new AbortController().signal;
const notes: NewNotification[] = [];
/** One for each process, where processes can share a database; else the same for all. */
let stores: ConnectionStore[] = [];

/** A token endpoint that rotates: each refresh token is good once. */
function endpoint(lifetime: number | null, wait = 30) {
  let good = 'r0';
  const used: string[] = [];
  let n = 0;
  return {
    used,
    ask: async (grant: { type: string; refreshToken?: string }): Promise<TokenResponse> => {
      const given = grant.refreshToken ?? '';
      used.push(given);
      const isGood = given === good;
      if (isGood) good = `r${++n}`;
      const response = { accessToken: `a${n}`, refreshToken: good };
      await sleep(wait);
      if (!isGood)
        throw new HttpFailure({
          type: 'client_error',
          message: `responded with 400: invalid_grant ${given}`,
          data: { error: 'invalid_grant' },
        });
      return { ...response, expiresIn: lifetime, scopes: null, apiUrl: null };
    },
  };
}

let made = 0;
function createRefresher(worker: string, ask: ReturnType<typeof endpoint>['ask']) {
  return createTokenRefresher({
    connections: stores[made++ % stores.length]!,
    box,
    requestToken: ask as never,
    worker,
    clock: realClock,
    changed() {},
    notify: (note) => void notes.push(note),
  });
}

const row: ConnectionRow = {
  ownerId: 'usr_a',
  name: 'C',
  description: '',
  settings: {
    provider: null,
    providerFields: {},
    grantType: 'authorization_code',
    authorizationUrl: 'https://p.example/a',
    tokenUrl: 'https://p.example/t',
    clientId: 'app',
    scopes: [],
    clientAuthentication: null,
    pkce: true,
    authorizationParams: {},
    baseUrl: null,
    testUrl: null,
    testMethod: 'GET',
    testStatus: null,
    hosts: null,
    authentication: null,
  },
  clientSecret: null,
  fields: null,
  state: {
    status: 'pending',
    error: null,
    grantedScopes: null,
    refreshable: false,
    expiresAt: null,
    authorizedAt: null,
    refreshedAt: null,
  },
  createdAt: 1,
  updatedAt: 1,
};

async function connected(
  lifetime: number | null,
  keepers: ReturnType<typeof createRefresher>[],
): Promise<void> {
  await stores[0]!.create(row, 10);
  const first = { accessToken: 'a0', refreshToken: 'r0', expiresIn: lifetime, scopes: null, apiUrl: null };
  expect(await keepers[0]!.store(row, first, null)).toBe(true);
}

function runTogether(): void {
  it('five processes with twenty nodes each and an expired token: one request', async () => {
    const server = endpoint(3_600_000);
    const keepers = Array.from({ length: 5 }, (_, i) => createRefresher(`w${i}`, server.ask));
    await connected(1, keepers);
    await sleep(5);
    const received = await Promise.all(
      keepers.flatMap((one) => Array.from({ length: 20 }, () => one.ofConnection('usr_a', 'C', null, never))),
    );
    expect(new Set(received.map(({ token }) => token))).toEqual(new Set(['a1']));
    expect(server.used).toEqual(['r0']);
  });

  it('the same with a 401 for all of them', async () => {
    const server = endpoint(3_600_000);
    const keepers = Array.from({ length: 3 }, (_, i) => createRefresher(`w${i}`, server.ask));
    await connected(null, keepers);
    await Promise.all(keepers.map((one) => one.ofConnection('usr_a', 'C', 'a0', never)));
    expect(server.used).toEqual(['r0']);
  });

  it('three processes, and tokens that end all the time: no refresh token is used twice', async () => {
    const server = endpoint(40, 5);
    const keepers = Array.from({ length: 3 }, (_, i) => createRefresher(`w${i}`, server.ask));
    await connected(1, keepers);
    const end = performance.now() + 800;
    await Promise.all(
      keepers.map(async (one) => {
        while (performance.now() < end) {
          await one.ofConnection('usr_a', 'C', null, never).catch((error: unknown) => {
            // A token of 40 ms may end before anybody had it.
            if (!(error instanceof HttpFailure && /no token that could be used/.test(error.message)))
              throw error;
          });
          await sleep(1);
        }
      }),
    );
    expect(server.used.length).toBeGreaterThan(5);
    expect(new Set(server.used).size).toBe(server.used.length);
  });

  it('a process that dies with the lease: the next waits for its end, and reports what may be lost', async () => {
    const server = endpoint(3_600_000);
    const [first, second] = [
      createRefresher('w1', () => new Promise(() => {})),
      createRefresher('w2', server.ask),
    ];
    await connected(1, [first]);
    await sleep(5);
    first.ofConnection('usr_a', 'C', null, never).catch(() => {});
    await sleep(20);
    const waiting = second.ofConnection('usr_a', 'C', null, never);
    await sleep(300);
    expect(server.used).toEqual([]);
    // What 30 s would do.
    await stores[0]!.releaseLease({ ownerId: 'usr_a', slot: 'connection:C' }, 'w1', false, null);
    expect((await waiting).token).toBe('a1');
    await server.ask({ type: 'refresh_token', refreshToken: 'r1' });
    const refused = await second.renew('usr_a', 'C').catch((error: unknown) => error);
    expect(String(refused)).toContain('must be authorized again');
    expect(notes).toMatchObject([
      { level: 'error', data: { connection: 'C', status: 'needs_reauthorization' } },
    ]);
  });

  it('a response that cannot be stored is not lost while the process lives', async () => {
    const server = endpoint(3_600_000);
    const connections = stores[0]!;
    let isFull = true;
    const full: typeof connections = {
      ...connections,
      putTokens: (...args) =>
        isFull ? Promise.reject(new Error('the disk is full')) : connections.putTokens(...args),
    };
    const one = createTokenRefresher({
      connections: full,
      box,
      requestToken: server.ask as never,
      worker: 'w1',
      clock: realClock,
      changed() {},
      notify() {},
    });
    isFull = false;
    await connected(1, [one]);
    isFull = true;
    await sleep(5);
    await expect(one.ofConnection('usr_a', 'C', null, never)).rejects.toThrow('the disk is full');
    isFull = false;
    expect((await one.ofConnection('usr_a', 'C', null, never)).token).toBe('a1');
    expect(server.used).toEqual(['r0']);
  });

  it('an aborted caller leaves immediately; a drain waits for requests in flight', async () => {
    const server = endpoint(3_600_000, 200);
    const one = createRefresher('w1', server.ask);
    await connected(1, [one]);
    await sleep(5);
    const leaving = new AbortController();
    const left = one.ofConnection('usr_a', 'C', null, leaving.signal);
    await sleep(20);
    leaving.abort();
    await expect(left).rejects.toThrow('Timed out waiting');
    await one.close(5_000);
    expect((await createRefresher('w2', server.ask).ofConnection('usr_a', 'C', null, never)).token).toBe(
      'a1',
    );
    expect(server.used).toEqual(['r0']);
  });
}

describe('on SQLite', () => {
  let tested: StoreUnderTest;
  beforeEach(async () => {
    tested = await createTempStore();
    stores = [tested.store.connections];
    notes.length = 0;
  });
  afterEach(() => tested.close());
  runTogether();
});

describe.skipIf(programs === null)('on PostgreSQL, each with connections of its own', () => {
  let server: TestServer;
  let opened: PostgresStore[] = [];
  beforeAll(async () => {
    server = await startServer(programs!);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    const url = await server.database();
    opened = [];
    for (let i = 0; i < 3; i++) opened.push(await openForTest(url, { shares: true, connections: 3 }));
    stores = opened.map(({ store }) => store.connections);
    notes.length = 0;
  });
  afterEach(async () => {
    for (const one of opened) await one.store.close();
  });
  runTogether();
});
