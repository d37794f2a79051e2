import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow, mapNode } from '../definitions.ts';

const folder = createTempFolder();
const key = 'a key of sixteen or more';
let weft: SpawnedService;
let api: Call;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  await api('PUT', '/secrets/HOOK_KEY', { body: { value: key } });
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

/** Answers show the value of a stored secret redacted. */
const REDACTED = '•••';
const sent = {
  authorization: 'Bearer of-the-caller',
  'proxy-authorization': 'Basic of-the-proxy',
  'x-api-key': key,
  cookie:
    '__Host-weft_session=s; theme=dark; weft_session=s; weft_session_8080=s; weft_login=l; cart=7; __Secure-weft_resume=r',
  'x-gitlab-token': key,
  'x-other': 'data',
};

let endpoints = 0;
function create(config: object): Promise<ApiResponse> {
  const definition = createEchoWorkflow(`credentials/${++endpoints}`, config);
  definition.nodes[1] = mapNode('all', 'headers', 'headers');
  return api('POST', '/workflows', { body: { name: 'x', status: 'active', definition } });
}
async function received(config: object): Promise<Record<string, string>> {
  const created = await create(config);
  expect(created.status, created.text).toBe(201);
  const response = await weft.call('POST', `/webhooks/credentials/${endpoints}`, { body: {}, headers: sent });
  expect(response.status, response.text).toBe(200);
  const { headers } = response.body as { headers: Record<string, string> };
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name in sent));
}

test('a workflow receives no credential header unless its trigger names it', async () => {
  const token = { 'x-gitlab-token': REDACTED };
  expect(await received({})).toEqual({ 'x-other': 'data', ...token });
  expect(await received({ authentication: 'api_key', secret: 'HOOK_KEY' })).toEqual({
    'x-other': 'data',
    ...token,
  });
  expect(await received({ authentication: 'sender', preset: 'gitlab', secret: 'HOOK_KEY' })).toEqual({
    'x-other': 'data',
  });
  expect(await received({ credentialHeaders: ['Authorization', 'x-api-key'] })).toEqual({
    'x-other': 'data',
    ...token,
    authorization: sent.authorization,
    'x-api-key': REDACTED,
  });
  expect(
    await received({
      authentication: 'sender',
      preset: 'gitlab',
      secret: 'HOOK_KEY',
      credentialHeaders: ['x-gitlab-token', 'proxy-authorization'],
    }),
  ).toEqual({ 'x-other': 'data', ...token, 'proxy-authorization': sent['proxy-authorization'] });
});

test('named cookies are passed without the cookies of Weft', async () => {
  expect((await received({ credentialHeaders: ['cookie'] }))['cookie']).toBe('theme=dark; cart=7');
});

test('other names are refused', async () => {
  for (const [names, field] of [
    [['x-other'], 'credentialHeaders[0]'],
    [['cookie', 'Cookie'], 'credentialHeaders[1]'],
  ] as const) {
    const response = await create({ credentialHeaders: names });
    const { error } = response.body as { error: { code: string; details: { field: string; issue: string } } };
    expect([response.status, error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(error.details.field).toMatch(new RegExp(`${field.replaceAll(/[[\]]/g, String.raw`\$&`)}$`));
  }
});
