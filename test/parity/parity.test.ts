import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeGroups } from '../../src/api/rest/routes.ts';
import type { Route } from '../../src/api/rest/route.ts';
import {
  spawnService,
  type SpawnedService,
  caller,
  createTempFolder,
  type Call,
} from '../support/service.ts';
import type { Case, ApiName } from './cases/case.ts';
import { cases } from './cases.ts';
import { toContractNames, sdl, maskVolatileValues, type CallResult } from './clients.ts';
import { callGraphql, callRest } from './request.ts';
import { alternativeFields, onlyGraphql, onlyRest, operations, type OperationCall } from './operations.ts';

/*
 * One table of calls, each made through REST and GraphQL, by two users with equal resources. Responses must
 * be equal except for ids and times. Errors must be equal in code, field and message.
 */
const rows = new Map<string, Route>(
  routeGroups({} as never).flatMap((group) =>
    group.routes.map((row): [string, Route] => [row.operation, row]),
  ),
);
const folder = createTempFolder();
let weft: SpawnedService;
const headers: Record<ApiName, Record<'member' | 'admin' | 'nobody', Record<string, string>>> = {
  rest: { member: {}, admin: {}, nobody: {} },
  graphql: { member: {}, admin: {}, nobody: {} },
};

beforeAll(async () => {
  weft = await spawnService({
    dataDir: folder.path,
    env: { WEFT_RATE_LIMIT_STANDARD: 'unlimited', WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' },
  });
  const first = await weft.login();
  for (const api of ['rest', 'graphql'] as const) {
    for (const role of ['member', 'admin'] as const) {
      const person = { email: `${role}-${api}@example.com`, password: 'a password of twenty' };
      const response = await first('POST', '/users', { body: { ...person, name: role, role } });
      expect(response.status, response.text).toBe(201);
      const login = await weft.call('POST', '/auth/login', { body: person });
      headers[api][role] = { authorization: `Bearer ${(login.body as { token: string }).token}` };
    }
  }
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

/** A GraphQL response in the shape of REST's response. */
function toRestShape(row: Route, asked: OperationCall, message: CallResult, rest: CallResult): CallResult {
  if ('error' in message) return message;
  if (asked.differs?.includes('true') === true) {
    expect(message.value).toBe(true);
    return rest;
  }
  if (asked.differs?.includes('null') === true && message.value === null) {
    expect(rest).toMatchObject({ error: { code: 'NOT_FOUND' } });
    return rest;
  }
  if (asked.differs?.includes('list') === true) {
    const [name] = Object.keys((row.response as unknown as { properties: object }).properties);
    return { value: toContractNames({ [name!]: message.value }, row.response as never) };
  }
  return { value: toContractNames(message.value, row.response as never) };
}

function removeStatus(message: CallResult): CallResult {
  return 'error' in message ? { error: message.error } : { value: message.value };
}

function normalizeResult(message: CallResult): unknown {
  return JSON.parse(JSON.stringify(maskVolatileValues(message)).replaceAll(/-(rest|graphql)\b/gi, ''));
}

describe.each([...Map.groupBy(cases, (one) => one.operation)])('%s', (operation, group: Case[]) => {
  const row = rows.get(operation)!;
  const asked = operations[operation]!;
  test.each(group.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    const responses: Partial<Record<ApiName, CallResult>> = {};
    for (const api of ['rest', 'graphql'] as const) {
      const who = headers[api][one.as ?? 'member'];
      const call: Call = caller(weft.url, who);
      const input = one.say((await one.prepare?.(call, api)) ?? {}, api);
      responses[api] =
        api === 'rest'
          ? await callRest(weft.url, row, input, who)
          : removeStatus(await callGraphql(weft.url, row, asked, input, who));
    }
    const rest = responses.rest!;
    const graphql = toRestShape(row, asked, responses.graphql!, rest);
    if (one.typed === true && 'error' in rest && 'error' in graphql) {
      const of = (message: typeof rest) => [
        message.error.code,
        (message.error.details as { field?: string }).field,
      ];
      expect(of(graphql)).toEqual(of(rest));
    } else expect(normalizeResult(graphql)).toEqual(normalizeResult(rest));
  });
});

describe('the table is complete', () => {
  test('every operation of REST is in GraphQL, or has a reason', () => {
    const message = [...Object.keys(operations), ...Object.keys(alternativeFields), ...Object.keys(onlyRest)];
    expect([...rows.keys()].sort(), 'Change test/parity/operations.ts').toEqual(message.sort());
  });

  test('every root field of GraphQL is an operation of REST', () => {
    const fields = [
      ...Object.keys(sdl.getQueryType()!.getFields()),
      ...Object.keys(sdl.getMutationType()!.getFields()),
    ];
    expect(fields.sort(), 'Change test/parity/operations.ts').toEqual(
      [...Object.values(operations).map(({ field }) => field), ...onlyGraphql]
        .filter((name, i, all) => all.indexOf(name) === i)
        .sort(),
    );
  });

  test('every operation that both have is called', () => {
    const called = Map.groupBy(cases, (one) => one.operation);
    for (const operation of Object.keys(operations))
      expect(
        called.get(operation)?.length ?? 0,
        `${operation}: add a case to test/parity/cases/`,
      ).toBeGreaterThan(0);
  });
});
