import { WebSocket } from 'ws';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  adminEmail,
  adminPassword,
  spawnService,
  temporaryFolder,
  type SpawnedService,
} from '../../test/support/service.ts';
import type { CookieSession, CookieSessionStore } from './cookie-credentials.ts';
import { createClient, type Client } from './index.ts';

/** A browser, as far as sessions by cookie need one: a jar for cookies, and a store and locks that all tabs share. */
const folder = temporaryFolder();
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
  const answer = await fetch(url, { ...init, headers });
  const set = answer.headers.get('set-cookie');
  if (set !== null) cookie = /; Max-Age=0;/.test(set) ? '' : set.split(';', 1)[0]!;
  return answer;
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
/** As if the token were about to end. */
function age(): void {
  known = { ...known!, expiresAt: Date.now() + 1_000 };
}
const renewals = (): number => requests.filter((one) => one.endsWith('/session/refresh')).length;

test('a login is kept, and is that of all tabs', async () => {
  const [first, second] = [openTab(), openTab()];
  const login = await first.auth.session.open(administrator);
  expect(Object.keys(login).sort()).toEqual(['expires_in', 'user']);
  expect(known).toEqual({ expiresAt: expect.any(Number), user: login.user });
  expect(await second.users.me()).toMatchObject({ email: adminEmail });
  expect(await second.graphql('{ me { email } }')).toEqual({ me: { email: adminEmail } });
});

test('one tab renews it for all, however many requests there are', async () => {
  const [first, second] = [openTab(), openTab()];
  await first.auth.session.open(administrator);
  const before = cookie;
  age();
  await Promise.all([first, second, first, second].map((tab) => tab.users.me()));
  expect(renewals()).toBe(1);
  expect(cookie).not.toBe(before);
  expect(known!.expiresAt).toBeGreaterThan(Date.now() + 3_000_000);
});

test('a token that the service no longer takes is renewed, and the request is sent again', async () => {
  const tab = openTab();
  await tab.auth.session.open(administrator);
  const spent = cookie;
  await tab.auth.session.refresh();
  cookie = spent;
  requests = [];
  expect(await tab.users.me()).toMatchObject({ email: adminEmail });
  expect(requests).toEqual(['GET /users/me', 'POST /auth/session/refresh', 'GET /users/me']);
});

test('without a store the cookie counts all the same after a reload', async () => {
  await openTab(true).auth.session.open(administrator);
  expect(await openTab(true).users.me()).toMatchObject({ email: adminEmail });
});

test('its end elsewhere is told once, and ends the tries', async () => {
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

test('closed, it is forgotten with the cookie, and another tab does not take it up again', async () => {
  const [first, second] = [openTab(), openTab()];
  await first.auth.session.open(administrator);
  await first.auth.session.close();
  expect([known, cookie]).toEqual([null, '']);
  await expect(second.users.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(ends).toBe(1);
});

test('live updates and subscriptions use it', async () => {
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
  // The stream may listen only later: what runs until then is not told.
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

test('is for a client of its own: no other credential, and no token', async () => {
  expect(() => createClient({ baseUrl: weft.url, cookie: true, apiKey: 'x' })).toThrow(TypeError);
  const tab = openTab();
  for (const call of [() => tab.auth.login(administrator), () => tab.auth.refresh(), () => tab.auth.logout()])
    await expect(call()).rejects.toThrow('use auth.session');
  const other = createClient({ baseUrl: weft.url });
  await expect(other.auth.session.open(administrator)).rejects.toThrow('option cookie');
  expect(requests).toEqual([]);
});
