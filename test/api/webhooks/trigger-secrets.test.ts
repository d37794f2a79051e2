import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

const SHORT = 'fifteen letters';
const LONG = 'sixteen letters!';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
});
afterAll(async () => {
  await weft?.kill9();
  folder.remove();
});

const put = (name: string, value: string): Promise<ApiResponse> =>
  api('PUT', `/secrets/${name}`, { body: { value } });
const activate = (endpoint: string, config: object): Promise<ApiResponse> =>
  api('POST', '/workflows', {
    body: { name: endpoint, status: 'active', definition: createEchoWorkflow(endpoint, config) },
  });
const readErrorDetails = (response: ApiResponse) =>
  (response.body as { error: { details: object } }).error.details;

describe('a secret that alone lets callers in has at least 16 characters', () => {
  test.each(['bearer', 'api_key', 'hmac'])('%s', async (authentication) => {
    const name = `KEY_${authentication}`;
    expect((await put(name, SHORT)).status).toBe(200);
    const refused = await activate(name, { authentication, secret: name });
    expect(refused.status, refused.text).toBe(400);
    expect(readErrorDetails(refused)).toMatchObject({
      field: 'definition.nodes[0].config.secret',
      issue: `needs a secret of at least 16 characters for authentication ${authentication}; ${name} is shorter`,
    });
    expect((await put(name, LONG)).status).toBe(200);
    const taken = await activate(name, { authentication, secret: name });
    expect(taken.status, taken.text).toBe(201);

    const shortened = await put(name, SHORT);
    expect(shortened.status).toBe(400);
    expect(readErrorDetails(shortened)).toMatchObject({
      field: 'value',
      issue: expect.stringContaining('must have at least 16 characters'),
    });
    // The old value still counts.
    expect((await put(name, LONG)).status).toBe(200);
    const { id } = taken.body as { id: string };
    await api('PUT', `/workflows/${id}`, { body: { status: 'inactive' } });
    expect((await put(name, SHORT)).status).toBe(200);
  });

  test('not of basic authentication, whose secret begins with a user name', async () => {
    await put('USER', 'a:b');
    expect((await activate('basic', { authentication: 'basic', secret: 'USER' })).status).toBe(201);
  });
});

test.each(['__proto__', 'constructor', 'prototype'])('a secret cannot be named %s', async (name) => {
  const response = await put(name, LONG);
  expect([response.status, (readErrorDetails(response) as { field: string }).field]).toEqual([400, 'name']);
});

test('csv escapes formulas; a workflow saved with version 1.0.0 does not', async () => {
  const output = async (version: object): Promise<unknown> => {
    const made = await api('POST', '/workflows', {
      body: {
        name: 'csv',
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            {
              id: 'build',
              type: 'csv',
              ...version,
              config: { operation: 'build', items: 'rows', header: false },
            },
          ],
          connections: [{ from: 'start', to: 'build' }],
        },
      },
    });
    expect(made.status, made.text).toBe(201);
    const { id } = made.body as { id: string };
    const body = { input: { rows: [{ a: '=1+1' }] }, wait: '20s' };
    return ((await api('POST', `/workflows/${id}/execute`, { body })).body as { output: unknown }).output;
  };
  expect(await output({})).toBe("'=1+1\n");
  expect(await output({ version: '1.0.0' })).toBe('=1+1\n');
});
