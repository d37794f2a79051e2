import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeGroups } from '../../src/api/rest/routes.ts';
import type { GuardedRoute } from '../../src/api/rest/route.ts';
import { isScope, scopes } from '../../src/contract/scopes.ts';
import type { Answer } from '../harness/service.ts';
import { callRow, isOfAThing, pathOf } from './rest-call.ts';
import { createThings, missing, type Things } from './things.ts';
import { createWorld, without, type Headers, type World } from './world.ts';

/*
 * Every guarded row of the REST table × every kind of credential. The rows come from the table, so a new one is in here
 * by itself. Rows are called with ids that nobody has and with an empty body: whoever may call gets some other error.
 */
const rows = routeGroups({} as never)
  .flatMap((group) => group.routes)
  .filter((row): row is GuardedRoute => row.scope !== 'public');
const named = rows.map((row) => [`${row.method} ${row.path}`, row] as const);

let world: World;
let things: Things;
let bad: Record<string, Headers>;

beforeAll(async () => {
  world = await createWorld();
  const { member, admin } = world;
  things = { ...(await createThings(world.as(await world.session(member)))), users: member.id };
  const ended = await world.session(member);
  await world.as(ended)('POST', '/auth/logout');
  const soon = await world.apiKey(member, null, new Date(Date.now() + 1_000).toISOString());
  const { id, ...removed } = await world.apiKey(member, null);
  await world.as(await world.session(member))('DELETE', `/api-keys/${id}`);
  const right = await world.session(admin);
  const wrongSignature = right['authorization']!.slice(0, -4) + 'AAAA';
  bad = {
    'no credential': {},
    'no token': { authorization: 'Bearer ' },
    'text that is no token': { authorization: 'Bearer nonsense' },
    'another scheme': { authorization: 'Basic YTpi' },
    'a token with a wrong signature': { authorization: wrongSignature },
    'an expired token': await world.expiredSession(member),
    'a token of a session that ended': ended,
    'a key that never was': { 'x-api-key': `weft_${randomBytes(32).toString('base64url')}` },
    'a removed key': removed,
    'an expired key': { 'x-api-key': soon['x-api-key']! },
    'a wrong token before a right key': {
      authorization: 'Bearer nonsense',
      ...keyOf(await world.apiKey(member, null)),
    },
  };
  await new Promise((resolve) => setTimeout(resolve, 1_100));
}, 60_000);
afterAll(() => world.close());

function keyOf({ 'x-api-key': key }: Headers): Headers {
  return { 'x-api-key': key! };
}

function errorOf(answer: Answer): { code?: string; details?: { scope?: string; role?: string } } {
  return (answer.body as { error?: object } | null)?.error ?? {};
}

function expectAllowed(answer: Answer): void {
  expect([401, 403], answer.text).not.toContain(answer.status);
  expect(answer.status, answer.text).toBeLessThan(500);
}

test('the table has rows of every kind', () => {
  expect(rows.length).toBeGreaterThan(40);
  const used = new Set(rows.map((row) => row.scope));
  for (const scope of [...scopes, 'session', 'any']) expect(used, scope).toContain(scope);
});

describe('without a valid credential', () => {
  test.each(named)('%s', async (_, row) => {
    const bodies = new Map<string, string>();
    for (const [kind, headers] of Object.entries(bad)) {
      const answer = await callRow(world.as(headers), row, things);
      expect(answer.status, `${kind}: ${answer.text}`).toBe(401);
      expect(errorOf(answer).code).toBe('UNAUTHORIZED');
      expect(answer.headers.get('www-authenticate'), kind).toMatch(/^Bearer/);
      bodies.set(kind, answer.text);
    }
    // Nobody learns from the answer that a key was one once.
    expect(bodies.get('a removed key')).toBe(bodies.get('a key that never was'));
    expect(bodies.get('an expired key')).toBe(bodies.get('a key that never was'));
  });
});

describe('by session', () => {
  test.each(named)('%s', async (_, row) => {
    const member = await callRow(world.as(await world.session(world.member)), row, missing);
    if (row.scope === 'admin') {
      expect(member.status, member.text).toBe(403);
      expect(errorOf(member)).toMatchObject({ code: 'FORBIDDEN', details: { role: 'admin' } });
    } else expectAllowed(member);
    expectAllowed(await callRow(world.as(await world.session(world.admin)), row, missing));
  });
});

describe('by API key', () => {
  test.each(named)('%s', async (_, row) => {
    const { scope } = row;
    const full = await callRow(world.as(keyOf(await world.apiKey(world.admin, null))), row, missing);
    if (scope === 'session') {
      expect(full.status, full.text).toBe(403);
      expect(errorOf(full).code).toBe('FORBIDDEN');
      return;
    }
    expectAllowed(full);
    if (!isScope(scope)) return;
    const lacking = await callRow(
      world.as(keyOf(await world.apiKey(world.admin, without(scope)))),
      row,
      things,
    );
    expect(lacking.status, lacking.text).toBe(403);
    expect(errorOf(lacking)).toMatchObject({ code: 'FORBIDDEN', details: { scope } });
    expectAllowed(await callRow(world.as(keyOf(await world.apiKey(world.admin, [scope]))), row, missing));
    if (scope !== 'admin') return;
    const member = await callRow(world.as(keyOf(await world.apiKey(world.member, ['admin']))), row, missing);
    expect(member.status, member.text).toBe(403);
  });
});

describe("another user's thing answers as a missing one", () => {
  const owned = rows.filter(
    (row) => isOfAThing(row) && row.scope !== 'admin' && !row.path.startsWith('/nodes'),
  );

  test.each(owned.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', async (_, row) => {
    const call = world.as(await world.session(world.other));
    const foreign = await callRow(call, row, things);
    const absent = await callRow(call, row, missing);
    const mask = (answer: Answer, of: Things): string =>
      answer.text.replaceAll(decodeURIComponent(pathOf(row, of).split('/').at(2) ?? ''), '…');
    expect([foreign.status, mask(foreign, things)]).toEqual([absent.status, mask(absent, missing)]);
    expect(foreign.status).toBeGreaterThanOrEqual(400);
  });

  test('and is as it was', async () => {
    const call = world.as(await world.session(world.member));
    expect((await call('GET', `/workflows/${things['workflows']}`)).body).toMatchObject({ version: 1 });
    expect((await call('GET', `/executions/${things['executions']}`)).body).toMatchObject({
      status: 'completed',
    });
    expect((await call('GET', '/secrets')).body).toMatchObject({ pagination: { total: 1 } });
  });
});
