import { WebSocket } from 'ws';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  adminEmail,
  adminPassword,
  spawnService,
  createTempFolder,
  type SpawnedService,
} from '../../test/support/service.ts';
import type { CookieSession, CookieSessionStore } from './cookie-credentials.ts';
import { createClient, type Client } from './index.ts';

/** A browser's parts for cookie sessions: a cookie jar, and a store and locks shared by all tabs. */
const folder = createTempFolder();
const administrator = { email: adminEmail, password: adminPassword };
let weft: SpawnedService;
let cookie: string;
let known: CookieSession | null;
let requests: string[];
let ends: number;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});
beforeEach(() => {
  cookie = '';
  known = null;
  requests = [];
  ends = 0;
});

const origin = (): string => new URL(weft.url).origin;

async function fetchAsBrowser(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const headers = { ...(init?.headers as Record<string, string>), origin: origin(), cookie };
  expect(headers).not.toHaveProperty('authorization');
  requests.push(`${init?.method} ${new URL(url as string).pathname.replace(/^\/v1/, '')}`);
  const response = await fetch(url, { ...init, headers });
  const set = response.headers.get('set-cookie');
  if (set !== null) cookie = /; Max-Age=0;/.test(set) ? '' : set.split(';', 1)[0]!;
  return response;
}
class BrowserSocket extends WebSocket {
  constructor(url: string) {
    super(url, { headers: { cookie, origin: origin() } });
  }
}
let lock: Promise<unknown> = Promise.resolve();
const store: CookieSessionStore = {
  get: () => known,
  set(session) {
    known = session;
    if (session === null) ends++;
  },
  lock(work) {
    const result = lock.then(work);
    lock = result.catch(() => {});
    return result;
  },
};
function openTab(kept: CookieSessionStore | true = store): Client {
  return createClient({
    baseUrl: weft.url,
    cookie: kept,
    fetch: fetchAsBrowser,
    WebSocket: BrowserSocket,
    retries: 0,
  });
}
/** Makes the token look as if it were about to expire. */
function age(): void {
  known = { ...known!, expiresAt: Date.now() + 1_000 };
}
const renewals = (): number => requests.filter((one) => one.endsWith('/session/refresh')).length;

test('a login is stored and shared by all tabs', async () => {
  const [first, second] = [openTab(), openTab()];
  const login = await first.auth.session.open(administrator);
  expect(Object.keys(login).sort()).toEqual(['expires_in', 'user']);
  expect(known).toEqual({ expiresAt: expect.any(Number), user: login.user });
  expect(await second.users.me()).toMatchObject({ email: adminEmail });
  expect(await second.graphql('{ me { email } }')).toEqual({ me: { email: adminEmail } });
});

test('one tab renews the session once for all concurrent requests', async () => {
  const [first, second] = [openTab(), openTab()];
  await first.auth.session.open(administrator);
  const before = cookie;
  age();
  await Promise.all([first, second, first, second].map((tab) => tab.users.me()));
  expect(renewals()).toBe(1);
  expect(cookie).not.toBe(before);
  expect(known!.expiresAt).toBeGreaterThan(Date.now() + 3_000_000);
});

test('a rejected token is renewed and the request is repeated', async () => {
  const tab = openTab();
  await tab.auth.session.open(administrator);
  const spent = cookie;
  await tab.auth.session.refresh();
  cookie = spent;
  requests = [];
  expect(await tab.users.me()).toMatchObject({ email: adminEmail });
  expect(requests).toEqual(['GET /users/me', 'POST /auth/session/refresh', 'GET /users/me']);
});

test('without a store the cookie still works after a reload', async () => {
  await openTab(true).auth.session.open(administrator);
  expect(await openTab(true).users.me()).toMatchObject({ email: adminEmail });
});

test('a logout in another tab is reported once and stops retries', async () => {
  const tab = openTab();
  await tab.auth.session.open(administrator);
  const api = createClient({ baseUrl: weft.url, fetch: fetchAsBrowser, cookie: true });
  const kept = cookie;
  await api.auth.session.close();
  cookie = kept;
  for (let round = 0; round < 3; round++) await expect(tab.users.me()).rejects.toThrow('no longer valid');
  expect([known, ends, renewals()]).toEqual([null, 1, 1]);
  await tab.auth.session.open(administrator);
  expect(await tab.users.me()).toMatchObject({ email: adminEmail });
});

test('a logout removes the state and the cookie, and another tab does not restore them', async () => {
  const [first, second] = [openTab(), openTab()];
  await first.auth.session.open(administrator);
  await first.auth.session.close();
  expect([known, cookie]).toEqual([null, '']);
  await expect(second.users.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(ends).toBe(1);
});

test('live updates and subscriptions use the cookie', async () => {
  const tab = openTab();
  await tab.auth.session.open(administrator);
  const { id } = await tab.workflows.create({
    name: 'x',
    definition: {
      nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }],
      connections: [],
    },
  });
  const leaving = new AbortController();
  const updates = tab.live.executions({ workflowId: id, signal: leaving.signal });
  const first = updates.next();
  // The stream may subscribe later; events before that are not delivered.
  let isTold = false;
  void first.then(() => (isTold = true));
  while (!isTold) await tab.executions.run(id);
  expect((await first).value).toMatchObject({ workflow_id: id });
  leaving.abort();
  for await (const health of tab.subscribe('subscription { systemHealth { status } }')) {
    expect(health).toEqual({ systemHealth: { status: 'ok' } });
    break;
  }
});

test('cookie sessions exclude other credentials and tokens', async () => {
  expect(() => createClient({ baseUrl: weft.url, cookie: true, apiKey: 'x' })).toThrow(TypeError);
  const tab = openTab();
  for (const call of [() => tab.auth.login(administrator), () => tab.auth.refresh(), () => tab.auth.logout()])
    await expect(call()).rejects.toThrow('use auth.session');
  const other = createClient({ baseUrl: weft.url });
  await expect(other.auth.session.open(administrator)).rejects.toThrow('option cookie');
  expect(requests).toEqual([]);
});
