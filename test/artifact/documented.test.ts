import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { DocumentedApi } from './documented-api.ts';
import { DocumentedGraphql } from './documented-graphql.ts';
import { DocumentedMessages } from './documented-messages.ts';

/* The clients of this folder detect uncalled and undocumented operations, and deviating responses. */
let upstream: Upstream;
let body: unknown = { n: 1 };
let status = 200;

beforeAll(async () => {
  upstream = await startUpstream(() => ({ status, body }));
});
afterAll(() => upstream.close());

const closed: JsonObject = {
  type: 'object',
  required: ['n'],
  properties: { n: { type: 'number' } },
  additionalProperties: false,
};
const json = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });

describe('REST', () => {
  const document = {
    components: { headers: {}, schemas: {} },
    paths: {
      '/things/{id}': {
        get: {
          operationId: 'getThing',
          parameters: [
            { name: 'id', in: 'path', required: true },
            { name: 'page', in: 'query', required: false },
          ],
          responses: { 200: json(closed), 404: json({}) },
        },
        put: {
          operationId: 'putThing',
          parameters: [{ name: 'id', in: 'path', required: true }],
          requestBody: { required: true, ...json(closed) },
          responses: { 200: json(closed), 201: {} },
        },
      },
    },
  };
  const open = (): DocumentedApi => new DocumentedApi(upstream.url, document);
  const params = { id: '1' };

  test('each documented success is unseen until it has come', async () => {
    const api = open();
    const all = [
      'getThing 200 application/json',
      'putThing 200 application/json',
      'putThing 201 without content',
    ];
    expect(api.unseen(() => true)).toEqual(all);
    expect((await api.call('getThing', { params, query: { page: '1' } })).body).toEqual({ n: 1 });
    expect(api.unseen(() => true)).toEqual(all.slice(1));
    expect(api.unseen((path) => path === '/others')).toEqual([]);
  });

  test.each([
    ['an operation', 'deleteThing', {}, 'no operation deleteThing'],
    ['a query parameter', 'getThing', { params, query: { limit: '1' } }, 'query limit is not documented'],
    ['a header', 'getThing', { params, headers: { Range: 'bytes=0-' } }, 'header Range is not documented'],
    ['a call without its parameter', 'getThing', {}, 'a call without id is not documented'],
    ['a call without its body', 'putThing', { params }, 'a call without a body is not documented'],
    ['a body', 'getThing', { params, body: {} }, 'a body of the type application/json is not documented'],
    ['a field of a body', 'putThing', { params, body: { n: 1, m: 2 } }, 'additional properties'],
  ])('%s that is not documented is not sent', async (_what, operation, input, message) => {
    const before = upstream.received.length;
    await expect(open().call(operation, input)).rejects.toThrow(message);
    expect(upstream.received.length).toBe(before);
  });

  test.each([
    ['a field', 200, { n: 1, m: 2 }, 'additional properties'],
    ['a status', 202, { n: 1 }, 'the status is not one of 200, 404'],
    ['an error where none is expected', 404, {}, 'getThing responded with 404'],
  ])('a response with %s that is not documented throws', async (_what, answered, value, message) => {
    [status, body] = [answered, value];
    try {
      await expect(open().call('getThing', { params })).rejects.toThrow(message);
    } finally {
      [status, body] = [200, { n: 1 }];
    }
  });
});

describe('GraphQL', () => {
  const schema = buildSchema(`
    type Query { thing(id: ID!): Thing other: Thing }
    type Thing { n: Int parts(limit: Int): [Part] }
    type Part { of: Thing m: Int }
  `);
  const open = (): DocumentedGraphql => new DocumentedGraphql(upstream.url, schema);

  test('everything below a field is selected, and the other fields are unseen', async () => {
    body = { data: { thing: { n: 1 } } };
    const api = open();
    await api.query('thing', { id: '1' });
    expect(upstream.received.at(-1)!.body).toEqual({
      query: 'query($id: ID!) { thing(id: $id) { n  parts(limit: 1) { m  } } }',
      variables: { id: '1' },
    });
    expect(api.unseen()).toEqual(['Query.other', 'Part.of']);
  });

  test('errors, null, and what the schema does not have throw', async () => {
    for (const response of [
      { data: { other: {} }, errors: [{}] },
      { data: { other: null } },
      { data: null },
    ]) {
      body = response;
      await expect(open().query('other')).rejects.toThrow('other responded');
    }
    await expect(open().query('none')).rejects.toThrow('no query none');
    await expect(open().mutate('other')).rejects.toThrow('no mutation other');
    await expect(open().query('other', { id: '1' })).rejects.toThrow('the argument id is not documented');
  });
});

test('messages', () => {
  const messages = new DocumentedMessages({
    channels: {
      socket: {
        messages: {
          ping: { $ref: '#/components/messages/ping' },
          pong: { $ref: '#/components/messages/ping' },
        },
      },
    },
    components: { messages: { ping: { payload: closed } } },
  });
  expect(messages.unseen()).toEqual(['socket ping', 'socket pong']);
  messages.check('socket', 'ping', { n: 1 });
  expect(messages.unseen()).toEqual(['socket pong']);
  expect(() => messages.check('socket', 'pong', { n: '1' })).toThrow('must be number');
  expect(() => messages.check('socket', 'other', {})).toThrow('no message other');
  expect(() => messages.check('log', 'ping', {})).toThrow('no message ping');
  expect(messages.unseen()).toEqual(['socket pong']);
});
