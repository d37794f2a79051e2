import { expect, it } from 'vitest';
import type { Call } from '../support/service.ts';
import { manual } from '../api/definitions.ts';
import type { Provider } from './provider.ts';
import { useConnections, run, readBody, createWorkflow, type ExecutionBody } from './oauth-accounts.ts';

/*
 * Connections of named fields: how each kind authenticates a request, which hosts get the values, and that
 * they are shown nowhere. The service runs in this process; the API is a server of its own.
 */

const fixture = useConnections();

const using = (url: string, more: object = {}) => ({
  nodes: [
    manual,
    {
      id: 'call',
      type: 'http_request',
      config: { url, authentication: { type: 'connection', connection: 'KEY' }, ...more },
    },
  ],
  connections: [{ from: 'start', to: 'call' }],
});
const getHost = (provider: Provider): string => new URL(provider.url).host;
const create = (call: Call, provider: Provider, body: object) =>
  call('POST', '/connections', {
    body: { name: 'KEY', grant_type: 'fields', hosts: [getHost(provider)], ...body },
  });
const key = { authentication: { type: 'header', name: 'X-Key' }, fields: { value: 'canary-value-1' } };
const runWith = async (call: Call, definition: object): Promise<ExecutionBody> =>
  run(call, await createWorkflow(call, definition));

it.each([
  [
    'header',
    {
      authentication: { type: 'header', name: 'X-Key', prefix: 'Token ' },
      fields: { value: 'canary-value' },
    },
  ],
  ['query', { authentication: { type: 'query', name: 'a key' }, fields: { value: 'canary-value&' } }],
  ['bearer', { authentication: { type: 'bearer' }, fields: { token: 'canary-value' } }],
  ['basic', { authentication: { type: 'basic' }, fields: { username: 'ada', password: 'canary-value' } }],
  [
    'custom',
    {
      authentication: {
        type: 'custom',
        placements: [
          { in: 'header', name: 'X-Key', field: 'app' },
          { in: 'query', name: 'k', field: 'key', prefix: '' },
        ],
      },
      fields: { app: 'canary-app', key: 'canary-key' },
    },
  ],
])('%s: a request and a test send the values, and no response shows them', async (type, body) => {
  const provider = await fixture.provider();
  provider.accepts = () => true;
  const made = await create(fixture.call, provider, { ...body, test_url: `${provider.url}/me` });
  expect(made.status, made.text).toBe(201);
  expect(made.body).toMatchObject({
    status: 'connected',
    connect_url: null,
    token_url: null,
    client_id: null,
    field_names: Object.keys(body.fields),
  });
  const { output, status } = await runWith(fixture.call, using(`${provider.url}/orders?page=1`));
  expect(status).toBe('completed');
  expect(JSON.stringify(output)).not.toContain('canary');
  const tested = readBody<{ ok: boolean }>(await fixture.call('POST', '/connections/KEY/test'));
  expect(tested).toMatchObject({ ok: true, http_status: 200, status: 'connected' });
  const expected: Record<string, object> = {
    header: { key: 'Token canary-value', path: '/orders?page=1' },
    query: { path: '/orders?page=1&a+key=canary-value%26' },
    bearer: { authorization: 'Bearer canary-value' },
    basic: { authorization: `Basic ${Buffer.from('ada:canary-value').toString('base64')}` },
    custom: { key: 'canary-app', path: '/orders?page=1&k=canary-key' },
  };
  expect(provider.apiCalls[0]).toMatchObject(expected[type]!);
  expect(provider.apiCalls[1]!.path).toContain('/me');
  const shown = await fixture.call('GET', '/connections/KEY');
  expect(made.text + shown.text + JSON.stringify(tested)).not.toContain('canary');
  // What GET returns can be sent with PUT.
  const same = await fixture.call('PUT', '/connections/KEY', { body: shown.body as object });
  expect(same.status, same.text).toBe(200);
});

it('errors name each field, and nothing is stored', async () => {
  const provider = await fixture.provider();
  const errors = async (body: object): Promise<Record<string, string>> => {
    const response = await fixture.call('POST', '/connections', {
      body: { name: 'KEY', grant_type: 'fields', ...body },
    });
    expect(response.status, response.text).toBe(400);
    const { error } = response.body as unknown as {
      error: { details: { errors: { field: string; issue: string }[] } };
    };
    return Object.fromEntries(error.details.errors.map(({ field, issue }) => [field, issue]));
  };
  const hosts = [getHost(provider)];
  expect(await errors({})).toEqual({
    authentication: 'is required for fields',
    hosts: expect.stringContaining('is required for fields'),
  });
  expect(await errors({ ...key, hosts, client_id: 'a', provider: 'github' })).toEqual({
    client_id: 'must not be set for fields',
    provider: 'must not be set for fields',
  });
  expect(await errors({ hosts, authentication: { type: 'query', prefix: 'x' } })).toEqual({
    'authentication.name': 'is required for query',
    'authentication.prefix': 'must not be set for query',
  });
  expect(await errors({ hosts, ...key, fields: { other: 'abcd' } })).toEqual({
    'fields.other': expect.stringContaining('is not a field'),
    'fields.value': 'is required',
  });
  expect(await errors({ hosts, ...key, fields: { value: 'abc' } })).toEqual({
    'fields.value': expect.stringContaining('at least 4 characters'),
  });
  expect(await errors({ hosts, ...key, fields: { value: '    ' } })).toEqual({
    'fields.value': 'must not consist of spaces only',
  });
  expect(await errors({ hosts, ...key, fields: { value: 'a\nInjected: yes' } })).toEqual({
    'fields.value': expect.stringContaining('line breaks'),
  });
  expect(
    await errors({ hosts, fields: { value: 'abcd' }, authentication: { type: 'header', name: 'Host' } }),
  ).toEqual({
    'authentication.name': 'is set by Weft and cannot be overridden',
  });
  expect(await errors({ hosts, ...key, test_url: 'https://other.example/' })).toEqual({
    test_url: 'must have a host from hosts',
  });
  expect((await fixture.call('GET', '/connections/KEY')).status).toBe(404);
});

it('another host gets nothing: not by a URL, not by a redirect, not by a test', async () => {
  const provider = await fixture.provider();
  const other = await fixture.provider();
  provider.accepts = () => true;
  readBody(await create(fixture.call, provider, { ...key, base_url: provider.url }));
  const { error } = await runWith(fixture.call, using(`${other.url}/orders`));
  expect(error).toMatchObject({
    type: 'forbidden',
    message: expect.stringContaining('The credential of the connection KEY may not be sent to'),
  });
  expect(error?.message).not.toContain('canary');
  expect(other.apiCalls).toEqual([]);
  const refused = await fixture.call('PUT', '/connections/KEY', { body: { test_url: `${other.url}/me` } });
  expect(refused.text).toContain('must have a host from hosts');
  // Who changes a connection without knowing its values cannot send them elsewhere.
  const wider = await fixture.call('PUT', '/connections/KEY', {
    body: { hosts: [getHost(provider), getHost(other)] },
  });
  expect([wider.status, wider.text]).toEqual([
    400,
    expect.stringContaining('must be given again when a host is added'),
  ]);
  readBody(
    await fixture.call('PUT', '/connections/KEY', {
      body: { hosts: [getHost(provider), getHost(other)], fields: key.fields },
    }),
  );
  readBody(await fixture.call('PUT', '/connections/KEY', { body: { hosts: [getHost(provider)] } }));
  expect((await runWith(fixture.call, using(`${other.url}/orders`))).error?.type).toBe('forbidden');
});

it('a replaced value is used at once, and both stay redacted; a wrong one fails the test and the status', async () => {
  const provider = await fixture.provider();
  provider.accepts = (request) => request.headers['x-key'] === 'canary-value-2';
  provider.api = (request) => ({ body: { echo: request.headers['x-key'], before: 'canary-value-1' } });
  readBody(await create(fixture.call, provider, { ...key, test_url: `${provider.url}/me` }));
  const test = () => fixture.call('POST', '/connections/KEY/test');
  expect(readBody(await test())).toMatchObject({ ok: false, http_status: 401, status: 'failing' });
  const failed = await runWith(fixture.call, using(`${provider.url}/orders`));
  expect(failed.error).toMatchObject({ type: 'client_error', status: 401 });
  expect(JSON.stringify(failed)).not.toContain('canary');
  readBody(await fixture.call('PUT', '/connections/KEY', { body: { fields: { value: 'canary-value-2' } } }));
  expect(readBody(await fixture.call('GET', '/connections/KEY')).status).toBe('connected');
  const { output } = await runWith(fixture.call, using(`${provider.url}/orders`));
  expect(output).toMatchObject({ body: { echo: '•••', before: '•••' } });
  expect(readBody(await test())).toMatchObject({ ok: true, status: 'connected' });
  readBody(await fixture.call('DELETE', '/connections/KEY'));
  const { executions } = readBody<{ executions: { id: string }[] }>(
    await fixture.call('GET', '/executions?limit=100'),
  );
  for (const { id } of executions) {
    const shown = await fixture.call('GET', `/executions/${id}`);
    expect(shown.text).not.toContain('canary');
  }
});

it('an expected status, and a method, decide a test; OAuth operations are refused', async () => {
  const provider = await fixture.provider();
  provider.accepts = () => false;
  readBody(
    await create(fixture.call, provider, {
      ...key,
      test_url: `${provider.url}/me`,
      test_status: 401,
      test_method: 'HEAD',
    }),
  );
  expect(readBody(await fixture.call('POST', '/connections/KEY/test'))).toMatchObject({
    ok: true,
    http_status: 401,
  });
  for (const operation of ['authorize', 'refresh']) {
    const response = await fixture.call('POST', `/connections/KEY/${operation}`);
    expect([response.status, response.text]).toEqual([
      400,
      expect.stringContaining('its grant type is fields'),
    ]);
  }
  const changed = await fixture.call('PUT', '/connections/KEY', {
    body: { grant_type: 'client_credentials' },
  });
  expect(changed.text).toContain('cannot be changed to or from fields');
  const slack = await runWith(fixture.call, {
    nodes: [
      manual,
      {
        id: 's',
        type: 'slack',
        config: { operation: 'post_message', connection: 'KEY', channel: 'C', text: 'x' },
      },
    ],
    connections: [{ from: 'start', to: 's' }],
  });
  expect(slack.error?.message).toContain('must be a connection with a token');
});

it('a query value is not part of an error, and stays out of the pages of a list', async () => {
  const provider = await fixture.provider();
  const pages: string[] = [];
  provider.accepts = (_request, url) => {
    pages.push(url.search);
    return url.searchParams.get('k') === 'canary-value';
  };
  const first = `${provider.url}/list?page=1`;
  provider.api = (request) => ({
    body:
      request.url?.includes('page=1') === true ? [{ next: `${provider.url}/list?page=2` }] : [{ next: null }],
  });
  readBody(
    await create(fixture.call, provider, {
      authentication: { type: 'query', name: 'k' },
      fields: { value: 'canary-value' },
    }),
  );
  const { output } = await runWith(
    fixture.call,
    using(first, { pagination: { next: '{{ value.body[0].next }}' } }),
  );
  expect(output).toMatchObject({ pages: 2 });
  expect(pages).toEqual(['?page=1&k=canary-value', '?page=2&k=canary-value']);
  provider.accepts = () => false;
  const { error } = await runWith(fixture.call, using(`${first}&x=1`));
  expect(JSON.stringify(error)).toContain('k=•••');
  expect(JSON.stringify(error)).not.toContain('canary');
});
