import { LLMock } from '@copilotkit/aimock';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startModelLists, type ModelLists } from '../support/ai/model-lists.ts';
import { caller, type ApiResponse } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/* The models that providers list. The service is a process of its own. */

const KEY = 'key-of-the-provider-17';
const service = useService({
  WEFT_MODEL_PRICES: JSON.stringify({ 'openai/gpt-5*': { input: 1, output: 2 } }),
});
let lists: ModelLists;
beforeAll(async () => {
  lists = await startModelLists({
    '/v1/models': {
      object: 'list',
      data: [{ id: 'gpt-10' }, { id: 'gpt-5-mini' }, { id: 'gpt-5-mini' }, { id: '' }, { id: 7 }, null],
    },
    '/anthropic/models?limit=1000': {
      data: [{ id: 'claude-b', display_name: 'Claude B' }],
      has_more: true,
      last_id: 'claude-b',
    },
    '/anthropic/models?limit=1000&after_id=claude-b': { data: [{ id: 'claude-a' }], has_more: false },
    '/google/models?pageSize=1000': {
      models: [{ name: 'models/gemini-b', displayName: 'Gemini B' }],
      nextPageToken: 'two',
    },
    '/google/models?pageSize=1000&pageToken=two': { models: [{ name: 'models/gemini-a' }] },
    '/loop/models?limit=1000': { data: [{ id: 'a' }], has_more: true, last_id: 'a' },
    '/loop/models?limit=1000&after_id=a': { data: [{ id: 'b' }], has_more: true, last_id: 'a' },
    '/text/models': '<html>',
    '/echo/models': { data: [{ id: `with ${KEY}` }] },
    '/many/models': { data: Array.from({ length: 5_001 }, (_, i) => ({ id: `m${i}` })) },
  });
  const put = await service.api('PUT', '/secrets/MODEL', { body: { value: KEY, hosts: ['127.0.0.1'] } });
  expect(put.status, put.text).toBe(200);
  return () => lists.close();
});
beforeEach(() => void lists.requests.splice(0));

const credentials = '{{ secrets.MODEL }}';
const list = (body: object, call = service.api): Promise<ApiResponse> =>
  call('POST', '/provider-models', { body });
const readModels = ({ body, status, text }: ApiResponse) => {
  expect(status, text).toBe(200);
  return (body as { models: { id: string; name: string | null; priced: boolean }[] }).models;
};
const readError = ({ body }: ApiResponse) =>
  (body as { error: { code: string; details: Record<string, unknown> } }).error;

describe('the models of', () => {
  test('OpenAI, with their prices', async () => {
    const models = readModels(await list({ provider: 'openai', base_url: `${lists.url}/v1`, credentials }));
    expect(models).toEqual([
      { id: 'gpt-5-mini', name: null, priced: true },
      { id: 'gpt-10', name: null, priced: false },
    ]);
    expect(lists.requests).toMatchObject([{ headers: { authorization: `Bearer ${KEY}` } }]);
  });

  test('Anthropic, from all pages', async () => {
    const models = readModels(
      await list({ provider: 'anthropic', base_url: `${lists.url}/anthropic`, credentials }),
    );
    expect(models.map(({ id, name }) => [id, name])).toEqual([
      ['claude-a', null],
      ['claude-b', 'Claude B'],
    ]);
    expect(lists.requests).toHaveLength(2);
    expect(lists.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
  });

  test('Google, from all pages', async () => {
    const models = readModels(
      await list({ provider: 'google', base_url: `${lists.url}/google/`, credentials }),
    );
    expect(models.map(({ id, name }) => [id, name])).toEqual([
      ['gemini-a', null],
      ['gemini-b', 'Gemini B'],
    ]);
    expect(lists.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': KEY });
  });

  test('an OpenAI-compatible address without a key, as the fake of another author lists them', async () => {
    const mock = new LLMock({ port: 0 });
    await mock.start();
    mock.onMessage('Hello', { content: 'Hello' });
    const models = readModels(await list({ provider: 'openai_compatible', base_url: `${mock.url}/v1` }));
    expect(models.length).toBeGreaterThan(0);
    await mock.stop();
  });
});

test('a list is cached by its credentials, and requested again on demand', async () => {
  const openai = { provider: 'openai', base_url: `${lists.url}/v1`, credentials };
  await list({ ...openai, refresh: true });
  await Promise.all([list(openai), list(openai)]);
  expect(lists.requests).toHaveLength(1);
  await list({ provider: 'openai_compatible', base_url: `${lists.url}/v1` });
  await list({ ...openai, refresh: true });
  expect(lists.requests).toHaveLength(3);
});

test('the price of a model is not cached', async () => {
  const local = { provider: 'openai_compatible', base_url: `${lists.url}/v1` };
  expect(readModels(await list(local)).map(({ priced }) => priced)).toEqual([false, false]);
  const prices = [{ model: 'openai_compatible/*', input: 0, cached_input: null, output: 0 }];
  await service.api('PUT', '/model-prices', { body: { prices } });
  expect(readModels(await list(local)).map(({ priced }) => priced)).toEqual([true, true]);
  await service.api('PUT', '/model-prices', { body: { prices: [] } });
});

test.each([
  [{ provider: 'openai' }, 'credentials', 'is required unless connection is set'],
  [{ provider: 'openai_compatible' }, 'base_url', 'is required for openai_compatible'],
  [{ provider: 'openai_compatible', base_url: 'models' }, 'base_url', 'must be an http or https URL'],
  [{ provider: 'other' }, 'provider', 'openai_compatible'],
  [{ provider: 'openai_compatible', base_url: '/none' }, 'base_url', 'responded with 404: none here'],
  [{ provider: 'openai_compatible', base_url: '/text' }, 'base_url', 'did not respond with a list of models'],
  [{ provider: 'openai_compatible', base_url: '/many' }, 'base_url', 'at most 5000 models'],
  [{ provider: 'google', credentials: 'a key' }, 'credentials', 'must be a stored secret'],
] as const)('%j is refused with the field', async (body, field, issue) => {
  const base = 'base_url' in body && body.base_url.startsWith('/') ? `${lists.url}${body.base_url}` : null;
  const response = await list({ ...body, ...(base === null ? {} : { base_url: base }) });
  expect(response.status, response.text).toBe(400);
  const { details } = readError(response);
  expect(details['field']).toBe(field);
  expect(details['issue']).toContain(issue);
});

test('pages that repeat end the list', async () => {
  const models = readModels(
    await list({ provider: 'anthropic', base_url: `${lists.url}/loop`, credentials }),
  );
  expect(models.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('the key is sent only to its hosts, with its scope, and is redacted', async () => {
  const elsewhere = await list({ provider: 'openai', base_url: 'http://localhost:1/v1', credentials });
  expect(readError(elsewhere).details['issue']).toMatch(/MODEL|localhost/);
  const echo = readModels(await list({ provider: 'openai', base_url: `${lists.url}/echo`, credentials }));
  expect(JSON.stringify(echo)).not.toContain(KEY);
  const made = await service.api('POST', '/api-keys', { body: { name: 'k', scopes: ['workflows:write'] } });
  const limited = await list(
    { provider: 'openai', base_url: `${lists.url}/v1`, credentials },
    caller(service.weft.url, { 'x-api-key': (made.body as { key: string }).key }),
  );
  expect(limited.status).toBe(403);
  expect(readError(limited).details).toMatchObject({ scope: 'secrets:use', field: 'credentials' });
});
