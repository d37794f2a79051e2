import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { serve } from '../support/servers/http-server.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { customerRecords } from '../../src/nodes/connectors/customer-records.node.ts';
import { ConnectorFixture } from '../support/connector-fixture.ts';
import { startHubspotServer, startRestServer, startSalesforceServer } from '../support/servers/fake-crm.ts';

const bench = new ConnectorFixture(customerRecords);

function secretIs(value: JsonObject, hosts: string[] | null = null): void {
  bench.made = null;
  bench.secret = { value: JSON.stringify(value), hosts };
}

/** What an operation of a service comes to. */
const calls = (service: string) => ({
  of: (operation: string, data: JsonObject = {}) => bench.result({ service, operation, data }),
  failing: (operation: string, data: JsonObject = {}) => bench.failure({ service, operation, data }),
});
const field = (failure: { data?: Json }) => (failure.data as JsonObject)['field'];

describe('rest', () => {
  const rest = calls('rest');
  async function open() {
    const server = await bench.open(startRestServer());
    secretIs({ base_url: `${server.url}/v2/`, token: 'tok-123456' });
    return server;
  }

  it('creates, gets, updates, deletes and searches', async () => {
    const server = await open();
    const id = 'c 1/x';
    expect(await rest.of('create', { name: 'Ada', tags: ['a'], address: { city: 'X' } })).toEqual({
      id,
      name: 'Ada',
      tags: ['a'],
      address: { city: 'X' },
    });
    expect(await rest.of('get', { id })).toMatchObject({ id, name: 'Ada' });
    expect(await rest.of('update', { id, name: 'Ada L.' })).toMatchObject({
      id,
      name: 'Ada L.',
      seen: ['name'],
    });
    const query = { email: 'a+b@example.com', tag: ['x', 'y'], page: 2, none: null };
    expect(await rest.of('search', query)).toEqual({
      query: [
        ['email', 'a+b@example.com'],
        ['tag', 'x'],
        ['tag', 'y'],
        ['page', '2'],
      ],
    });
    expect(await rest.of('delete', { id })).toBeNull();
    expect(await rest.failing('get', { id })).toMatchObject({
      type: 'client_error',
      status: 404,
      message: `REST, get: 127.0.0.1:${server.port} responded with 404: no customer c 1/x`,
    });
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v2/customers',
      'GET /v2/customers/c%201%2Fx',
      'PATCH /v2/customers/c%201%2Fx',
      'GET /v2/customers?email=a%2Bb%40example.com&tag=x&tag=y&page=2',
      'DELETE /v2/customers/c%201%2Fx',
      'GET /v2/customers/c%201%2Fx',
    ]);
    expect(server.received[0]?.headers).toMatchObject({
      authorization: 'Bearer tok-123456',
      'idempotency-key': 'key-of-this-run',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(server.received[1]?.headers['content-type']).toBeUndefined();
  });

  it.each(['.', '..', '', null, 1.5, {}, 'x'.repeat(1001), '\ud800'])(
    'an id never leads to another path: %j',
    async (id) => {
      const server = await open();
      const failure = await bench.failure(
        { service: 'rest', operation: 'delete', data: { id: '{{ input.id }}' } },
        { id: id as Json },
      );
      expect([failure.type, field(failure)]).toEqual(['validation', 'data.id']);
      expect(server.connections()).toBe(0);
    },
  );

  it('an id stays one part of the path (random)', async () => {
    const server = await open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), async (id) => {
        fc.pre(id !== '.' && id !== '..' && id.isWellFormed());
        await rest.failing('get', { id });
        const path = server.received.at(-1)?.url ?? '';
        expect(decodeURIComponent(/^\/v2\/customers\/([^/?#]+)$/.exec(path)?.[1] ?? '')).toBe(id);
      }),
      { seed: 1121, numRuns: 100, examples: [['%2e%2e'], ['?x=1'], ['#'], ['../admin'], ['%2e%2e/%2e%2e']] },
    );
  });

  it('a failure keeps the class of its status, its Retry-After, and no secret', async () => {
    let status = 500;
    const server = await bench.open(
      serve((request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3' });
        response.end(JSON.stringify({ message: `it was ${request.headers.authorization}` }));
      }),
    );
    secretIs({ base_url: server.url, token: 'tok-123456' });
    for (const [code, type] of [
      [400, 'client_error'],
      [429, 'rate_limited'],
      [503, 'server_error'],
    ] as const) {
      status = code;
      const failure = await rest.failing('create', {});
      expect(failure).toMatchObject({ type, status: code, retryAfter: 3000 });
      expect(JSON.stringify(failure)).not.toContain('tok-123456');
      expect(failure.message).toContain('it was Bearer •••');
    }
  });

  it('stops with its time, keeps to the hosts of the secret and calls no private address', async () => {
    const server = await bench.open(serve(() => {}));
    secretIs({ base_url: server.url, token: 'tok-123456' });
    const slow = bench.failure({ service: 'rest', operation: 'create', data: {} }, {}, { timeout: 100 });
    expect((await slow).type).toBe('timeout');
    secretIs({ base_url: server.url, token: 'tok-123456' }, ['crm.example.com']);
    expect((await rest.failing('create')).type).toBe('forbidden');
    bench.allowedHosts = '';
    secretIs({ base_url: server.url, token: 'tok-123456' });
    expect((await rest.failing('create')).type).toBe('forbidden');
    expect(server.connections()).toBe(1);
  });
});

describe('hubspot', () => {
  const hubspot = calls('hubspot');
  async function open() {
    const server = await bench.open(startHubspotServer());
    secretIs({ base_url: server.url, token: 'tok-123456' });
    return server;
  }

  it('creates, gets, updates, searches and archives contacts', async () => {
    await open();
    const ada = { email: 'ada@example.com', first_name: 'Ada', last_name: 'L', job_title: 'Countess' };
    const properties = { email: 'ada@example.com', firstname: 'Ada', lastname: 'L', jobtitle: 'Countess' };
    expect(await hubspot.of('create', ada)).toMatchObject({ id: '101', properties });
    await hubspot.of('create', { email: 'cb@example.com', first_name: 'Charles' });
    expect(await hubspot.of('get', { id: 101, properties: ['email', 'first_name'] })).toMatchObject({
      properties: { email: 'ada@example.com', firstname: 'Ada' },
    });
    const byEmail = { id: 'ada@example.com', id_property: 'email' };
    expect(await hubspot.of('update', { ...byEmail, phone: null, company: 'Engines' })).toMatchObject({
      id: '101',
      properties: { ...properties, phone: '', company: 'Engines' },
    });
    const search = (data: JsonObject) => hubspot.of('search', data);
    expect(await search({ first_name: 'Ada', properties: ['email'] })).toMatchObject({
      total: 1,
      results: [{ id: '101', properties: { email: 'ada@example.com' } }],
    });
    expect(await search({ email: ['ada@example.com', 'cb@example.com'], limit: 1 })).toMatchObject({
      total: 2,
      results: [{ id: '101' }],
    });
    expect(await search({ company: null })).toMatchObject({ total: 1, results: [{ id: '102' }] });
    expect(await hubspot.of('delete', { id: 101 })).toBeNull();
    expect((await hubspot.failing('get', { id: 101 })).message).toContain('404: resource not found');
  });

  it('reports the error of HubSpot', async () => {
    const server = await open();
    await hubspot.of('create', { email: 'ada@example.com' });
    expect(await hubspot.failing('create', { email: 'ada@example.com' })).toMatchObject({
      type: 'client_error',
      status: 409,
      message: expect.stringContaining('Existing ID: 101'),
    });
    expect(await hubspot.failing('create', { email: 'slow@example.com' })).toMatchObject({
      type: 'rate_limited',
      retryAfter: 7000,
    });
    secretIs({ base_url: server.url, token: 'tok-other' });
    expect(await hubspot.failing('get', { id: 1 })).toMatchObject({ type: 'client_error', status: 401 });
  });
});

describe('salesforce', () => {
  const salesforce = calls('salesforce');
  async function open() {
    const server = await bench.open(startSalesforceServer());
    secretIs({ instance_url: server.url, token: 'tok-123456' });
    return server;
  }

  it('creates, gets, updates, searches and deletes contacts', async () => {
    await open();
    const created = await salesforce.of('create', {
      first_name: 'Ada',
      last_name: "O'Hara",
      email: 'ada@example.com',
      VIP__c: true,
    });
    expect(created).toMatchObject({ success: true });
    const { id } = created as { id: string };
    await salesforce.of('create', { last_name: 'Babbage' });
    expect(await salesforce.of('get', { id, properties: ['first_name', 'VIP__c'] })).toEqual({
      FirstName: 'Ada',
      VIP__c: true,
    });
    expect(await salesforce.of('update', { id, phone: '1' })).toBeNull();
    expect(await salesforce.of('search', { last_name: "O'Hara", VIP__c: true })).toMatchObject({
      totalSize: 1,
      records: [{ Id: id, FirstName: 'Ada', LastName: "O'Hara", Phone: '1', Title: null }],
    });
    expect(
      await salesforce.of('search', { last_name: ["O'Hara", 'Babbage'], properties: ['id'], limit: 1 }),
    ).toMatchObject({
      totalSize: 1,
    });
    expect(await salesforce.of('search', { first_name: null })).toMatchObject({
      records: [{ LastName: 'Babbage' }],
    });
    expect(await salesforce.of('delete', { id })).toBeNull();
  });

  it('a value never gets out of its literal (random)', async () => {
    await open();
    const unit = fc.constantFrom(
      "'",
      '\\',
      '"',
      '\n',
      '\r',
      '\t',
      ' ',
      'a',
      '%',
      '\u2028',
      ' OR ',
      'é',
      ')',
      '--',
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 12 }), async (name) => {
        const before = (await salesforce.of('search', { last_name: name })) as { totalSize: number };
        await salesforce.of('create', { last_name: name });
        const after = (await salesforce.of('search', { last_name: name })) as {
          totalSize: number;
          records: JsonObject[];
        };
        expect(after.totalSize).toBe(before.totalSize + 1);
        expect(after.records.map(({ LastName }) => LastName)).toContain(name);
      }),
      { seed: 1121, numRuns: 60, examples: [["x' OR Name != '"], ["\\' OR Id != '"], ['\\']] },
    );
  });

  it.each(["Name = 'x' OR Id", 'a b', 'a-b', '', '1a', "x'"])(
    'a name of a field never holds more: %j',
    async (name) => {
      const server = await open();
      expect((await salesforce.failing('search', { [name]: 1 })).type).toBe('validation');
      if (name !== '')
        expect((await salesforce.failing('get', { id: 1, properties: [name] })).type).toBe('validation');
      expect(server.connections()).toBe(0);
    },
  );

  it('reports the error of Salesforce; its call limit is rate_limited', async () => {
    const server = await open();
    expect(await salesforce.failing('create', { first_name: 'x' })).toMatchObject({
      type: 'client_error',
      message: expect.stringContaining('REQUIRED_FIELD_MISSING: Required fields are missing: [LastName]'),
    });
    expect(await salesforce.failing('create', { last_name: 'Busy' })).toMatchObject({
      type: 'rate_limited',
      status: 403,
    });
    secretIs({ instance_url: server.url, token: 'tok-123456', api_version: '60' });
    expect(field(await salesforce.failing('get', { id: 1 }))).toBe('credentials');
  });
});

describe('configuration', () => {
  it.each([
    ['rest', 'secret-word'],
    ['rest', '{"token":"secret-word"}'],
    ['rest', '{"base_url":"ftp://x","token":"secret-word"}'],
    ['rest', '{"base_url":"https://u:secret-word@x","token":"t"}'],
    ['rest', '{"base_url":"https://x?a=secret-word","token":"t"}'],
    ['rest', '{"base_url":"https://x","token":["secret-word"]}'],
    ['hubspot', '{"token":"secret-word","portal":"1"}'],
    ['salesforce', '["secret-word"]'],
  ])('%s: a secret of another shape is refused without being shown: %s', async (service, value) => {
    bench.secret.value = value;
    const failure = await bench.failure({ service, operation: 'get', data: { id: 1 } });
    expect([failure.type, field(failure)]).toEqual(['validation', 'credentials']);
    expect(JSON.stringify(failure)).not.toContain('secret-word');
  });

  it.each([
    [{ service: 'sap' }, 'service'],
    [{ operation: 'merge' }, 'operation'],
    [{ operation: 'get', data: {} }, 'data.id'],
    [{ operation: 'get', data: { id: 1, name: 'x' } }, 'data.name'],
    [{ operation: 'update', data: { name: 'x' } }, 'data.id'],
    [{ operation: 'search', data: { a: { b: 1 } } }, 'data.a'],
    [{ service: 'hubspot', operation: 'search', data: { limit: 201 } }, 'data.limit'],
    [{ service: 'hubspot', operation: 'get', data: { id: 1, properties: 'email' } }, 'data.properties'],
    [{ service: 'salesforce', operation: 'create', data: { a: {} } }, 'data.a'],
    [{ credentials: '{"base_url":"https://x","token":"t"}' }, 'credentials'],
    [{ data: 'x' }, 'data'],
  ] as [JsonObject, string][])('%j is an error of %2$s', (part, name) => {
    const config = {
      service: 'rest',
      operation: 'create',
      credentials: '{{ secrets.CRM }}',
      data: {},
      ...part,
    };
    expect(validateConfig(customerRecords, config).map((error) => error.field)).toContain(name);
  });

  it('placeholders may stand for the data and its fields', () => {
    for (const data of ['{{ input }}', { id: '{{ input.id }}', properties: '{{ input.names }}' }])
      expect(
        validateConfig(customerRecords, {
          service: 'hubspot',
          operation: 'get',
          credentials: '{{ secrets.CRM }}',
          data,
        }),
      ).toEqual([]);
  });
});
