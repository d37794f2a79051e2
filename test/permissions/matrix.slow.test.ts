import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeGroups } from '../../src/api/rest/routes.ts';
import type { GuardedRoute } from '../../src/api/rest/route.ts';
import { adminScopes, isScope, scopes, type Scope } from '../../src/contract/scopes.ts';
import type { ApiResponse } from '../support/service.ts';
import { callField, callRow, hasResourceId, fillPath } from './rest-call.ts';
import { createResources, missingIds, type ResourceIds } from './resource-ids.ts';
import {
  startServiceWithAccounts,
  type Headers,
  type Account,
  type ServiceWithAccounts,
} from '../support/service-with-accounts.ts';
import { listScopesWithout } from './scopes-without.ts';

/*
 * Every guarded row of the REST table × every type of credential. The rows are read from the table, so a new
 * one is included automatically. Rows are called with unknown ids and an empty body: an allowed caller gets
 * another error.
 */
const rows = routeGroups({} as never)
  .flatMap((group) => group.routes)
  .filter((row): row is GuardedRoute => row.scope !== 'public');
const named = rows.map((row) => [`${row.method} ${row.path}`, row] as const);

let fixture: ServiceWithAccounts;
let things: ResourceIds;
let bad: Record<string, Headers>;

beforeAll(async () => {
  fixture = await startServiceWithAccounts();
  const { member, admin } = fixture;
  things = { ...(await createResources(fixture.as(await fixture.session(member)))), users: member.id };
  const ended = await fixture.session(member);
  await fixture.as(ended)('POST', '/auth/logout');
  const soon = await fixture.apiKey(member, null, new Date(Date.now() + 1_000).toISOString());
  const { id, ...removed } = await fixture.apiKey(member, null);
  await fixture.as(await fixture.session(member))('DELETE', `/api-keys/${id}`);
  const right = await fixture.session(admin);
  const wrongSignature = right['authorization']!.slice(0, -4) + 'AAAA';
  const revoked = await fixture.oauthToken(member, ['workflows:read']);
  await revoked.revoke();
  const orphan = await fixture.oauthToken(member, ['workflows:read']);
  await orphan.removeClient();
  bad = {
    'no credential': {},
    'no token': { authorization: 'Bearer ' },
    'text that is no token': { authorization: 'Bearer nonsense' },
    'another scheme': { authorization: 'Basic YTpi' },
    'a token with a wrong signature': { authorization: wrongSignature },
    'an expired token': await fixture.expiredSession(member),
    'a token of a session that ended': ended,
    'a key that never was': { 'x-api-key': `weft_${randomBytes(32).toString('base64url')}` },
    'a removed key': removed,
    'an expired key': { 'x-api-key': soon['x-api-key']! },
    'a revoked OAuth token': revoked.headers,
    'an OAuth token of a client that is gone': orphan.headers,
    'a wrong token before a right key': {
      authorization: 'Bearer nonsense',
      ...pickApiKey(await fixture.apiKey(member, null)),
    },
  };
  await new Promise((resolve) => setTimeout(resolve, 1_100));
});
afterAll(() => fixture.close());

function pickApiKey({ 'x-api-key': key }: Headers): Headers {
  return { 'x-api-key': key! };
}

function readError(response: ApiResponse): { code?: string; details?: { scope?: string; role?: string } } {
  return (response.body as { error?: object } | null)?.error ?? {};
}

function expectAllowed(response: ApiResponse): void {
  expect([401, 403], response.text).not.toContain(response.status);
  expect(response.status, response.text).toBeLessThan(500);
}

function expectAllowedOr(denied: object | null, response: ApiResponse): void {
  if (denied === null) return expectAllowed(response);
  expect(response.status, response.text).toBe(403);
  expect(readError(response)).toMatchObject({ code: 'FORBIDDEN', details: denied });
}

/** Expects both APIs to allow the call, or to deny it with the details `denied`. */
async function expectBoth(headers: Headers, row: GuardedRoute, denied: object | null): Promise<void> {
  const response = await callRow(fixture.as(headers), row, missingIds);
  const field = await callField(fixture.weft.url, headers, row, missingIds);
  if (denied === null) {
    expectAllowed(response);
    expect(['UNAUTHORIZED', 'FORBIDDEN']).not.toContain(field?.error?.code);
    return;
  }
  expect(response.status, response.text).toBe(403);
  expect(readError(response)).toMatchObject({ code: 'FORBIDDEN', details: denied });
  if (field !== null) expect(field.error).toMatchObject({ code: 'FORBIDDEN', details: denied });
}

test('the table has rows of every kind', () => {
  expect(rows.length).toBeGreaterThan(40);
  const used = new Set(rows.map((row) => row.scope));
  // `secrets:use` extends workflows:write and has no row: test/permissions/secrets-use.test.ts.
  for (const scope of [...listScopesWithout('secrets:use'), 'session', 'any'])
    expect(used, scope).toContain(scope);
});

describe('without a valid credential', () => {
  test.each(named)('%s', async (_, row) => {
    const bodies = new Map<string, string>();
    for (const [kind, headers] of Object.entries(bad)) {
      const response = await callRow(fixture.as(headers), row, things);
      expect(response.status, `${kind}: ${response.text}`).toBe(401);
      expect(readError(response).code).toBe('UNAUTHORIZED');
      expect(response.headers.get('www-authenticate'), kind).toMatch(/^Bearer/);
      bodies.set(kind, response.text);
      const field = await callField(fixture.weft.url, headers, row, things);
      if (field !== null) expect([field.status, field.error?.code], kind).toEqual([401, 'UNAUTHORIZED']);
    }
    // The response does not reveal that a key existed.
    expect(bodies.get('a removed key')).toBe(bodies.get('a key that never was'));
    expect(bodies.get('an expired key')).toBe(bodies.get('a key that never was'));
  });
});

describe('by session', () => {
  test.each(named)('%s', async (_, row) => {
    const denied = adminScopes.has(row.scope) ? { role: 'admin' } : null;
    // A call may end the session, so each API gets a separate one.
    expectAllowedOr(
      denied,
      await callRow(fixture.as(await fixture.session(fixture.member)), row, missingIds),
    );
    expectAllowed(await callRow(fixture.as(await fixture.session(fixture.admin)), row, missingIds));
    const member = await callField(fixture.weft.url, await fixture.session(fixture.member), row, missingIds);
    const admin = await callField(fixture.weft.url, await fixture.session(fixture.admin), row, missingIds);
    if (denied === null) expect(['UNAUTHORIZED', 'FORBIDDEN']).not.toContain(member?.error?.code);
    else if (member !== null) expect(member.error).toMatchObject({ code: 'FORBIDDEN', details: denied });
    expect(['UNAUTHORIZED', 'FORBIDDEN']).not.toContain(admin?.error?.code);
  });
});

describe('by session cookie', () => {
  test.each(named)('%s', async (_, row) => {
    const denied = adminScopes.has(row.scope) ? { role: 'admin' } : null;
    expectAllowedOr(
      denied,
      await callRow(fixture.as(await fixture.cookieSession(fixture.member)), row, missingIds),
    );
    expectAllowed(await callRow(fixture.as(await fixture.cookieSession(fixture.admin)), row, missingIds));
  });
});

describe('by session cookie without a proof of the origin', () => {
  test.each(named)('%s', async (_, row) => {
    const { 'x-weft-csrf': csrf, ...rest } = await fixture.once('cookie', () =>
      fixture.cookieSession(fixture.admin),
    );
    await expectBoth(rest, row, {});
    await expectBoth({ ...rest, 'x-weft-csrf': csrf!, origin: 'https://evil.example' }, row, {});
  });
});

describe('by API key', () => {
  test.each(named)('%s', async (_, row) => {
    const { scope } = row;
    const key = async (person: Account, wanted: readonly Scope[] | null): Promise<Headers> =>
      pickApiKey(
        await fixture.once(`key ${person.id} ${wanted?.join()}`, () => fixture.apiKey(person, wanted)),
      );
    await expectBoth(await key(fixture.admin, null), row, scope === 'session' ? {} : null);
    if (!isScope(scope)) return;
    await expectBoth(await key(fixture.admin, listScopesWithout(scope)), row, { scope });
    const { additionalScope } = row;
    const least = additionalScope === undefined ? [scope] : [scope, additionalScope];
    if (additionalScope !== undefined)
      await expectBoth(await key(fixture.admin, listScopesWithout(additionalScope)), row, {
        scope: additionalScope,
      });
    await expectBoth(await key(fixture.admin, least), row, null);
    if (adminScopes.has(scope)) await expectBoth(await key(fixture.member, [scope]), row, { role: 'admin' });
  });
});

describe('by OAuth token', () => {
  test.each(named)('%s', async (_, row) => {
    const { scope } = row;
    const token = async (person: Account, wanted: readonly Scope[]): Promise<Headers> =>
      (await fixture.once(`token ${person.id} ${wanted.join()}`, () => fixture.oauthToken(person, wanted)))
        .headers;
    await expectBoth(await token(fixture.admin, scopes), row, scope === 'session' ? {} : null);
    if (!isScope(scope)) return;
    await expectBoth(await token(fixture.admin, listScopesWithout(scope)), row, { scope });
    const { additionalScope } = row;
    const least = additionalScope === undefined ? [scope] : [scope, additionalScope];
    if (additionalScope !== undefined)
      await expectBoth(await token(fixture.admin, listScopesWithout(additionalScope)), row, {
        scope: additionalScope,
      });
    await expectBoth(await token(fixture.admin, least), row, null);
    if (adminScopes.has(scope))
      await expectBoth(await token(fixture.member, [scope]), row, { role: 'admin' });
  });
});

describe("another user's resource has the same response as a missing one", () => {
  const owned = rows.filter(
    (row) =>
      hasResourceId(row) &&
      !adminScopes.has(row.scope) &&
      !/^\/(nodes|packs|connection-providers)/.test(row.path),
  );

  test.each(owned.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', async (_, row) => {
    const call = fixture.as(await fixture.session(fixture.other));
    const foreign = await callRow(call, row, things);
    const absent = await callRow(call, row, missingIds);
    const mask = (response: ApiResponse, of: ResourceIds): string =>
      response.text.replaceAll(decodeURIComponent(fillPath(row, of).split('/').at(2) ?? ''), '…');
    expect([foreign.status, mask(foreign, things)]).toEqual([absent.status, mask(absent, missingIds)]);
    expect(foreign.status).toBeGreaterThanOrEqual(400);
    const headers = await fixture.session(fixture.other);
    const field = await callField(fixture.weft.url, headers, row, things);
    const none = await callField(fixture.weft.url, headers, row, missingIds);
    expect(field).toEqual(none);
  });

  test('and is unchanged', async () => {
    const call = fixture.as(await fixture.session(fixture.member));
    expect((await call('GET', `/workflows/${things['workflows']}`)).body).toMatchObject({ version: 1 });
    expect((await call('GET', `/executions/${things['executions']}`)).body).toMatchObject({
      status: 'completed',
    });
    expect((await call('GET', '/secrets')).body).toMatchObject({ pagination: { total: 1 } });
  });
});
