import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parsePackManifest } from '../../contract/packs/pack-schema.ts';
import type { OpenApiManifest, OpenApiOperation } from '../../contract/packs/packs.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { readManifest, toName, toVersion } from './manifest.ts';

function readFixture(name: string, url: string | null = null): OpenApiManifest {
  const manifest = readManifest(readFileSync(`${import.meta.dirname}/fixtures/${name}`, 'utf8'), url);
  expect(parsePackManifest(JSON.parse(JSON.stringify(manifest)) as Json)).toEqual({ manifest });
  return manifest;
}

function findOperation({ operations }: OpenApiManifest, id: string): OpenApiOperation {
  const found = operations.find((one) => one.id === id);
  if (found === undefined)
    throw new Error(`${id} is not among ${operations.map((one) => one.id).join(', ')}`);
  return found;
}

/** A document with one operation that has the given body schema and components. */
function documentWith(schema: Json, rest: JsonObject = {}): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: { '/x': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
    ...rest,
  });
}

const createParameter = (name: string): JsonObject => ({ name, in: 'query', schema: { type: 'string' } });
const createParameters = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, i) => createParameter(`p${i}`));

function readBodySchema(schema: Json, rest: JsonObject = {}): JsonObject | undefined {
  return readManifest(documentWith(schema, rest), null).operations[0]?.body?.schema;
}

describe('OpenAPI 3.1', () => {
  const manifest = readFixture('petstore-3.1.yaml');

  test('general fields, servers and security schemes', () => {
    const { operations: _operations, ...rest } = manifest;
    expect(rest).toEqual({
      kind: 'openapi',
      name: 'pets_store_api',
      version: '2.1.0',
      documentVersion: 'v2.1',
      title: 'Pets: Store API',
      description: 'Sells pets.',
      servers: [{ url: 'https://eu.example.com/v2', description: 'Production' }],
      securitySchemes: [
        { id: 'key', description: '', kind: 'api_key', in: 'header', name: 'X-Api-Key' },
        { id: 'digest', description: '', kind: 'other', scheme: 'digest' },
        { id: 'login', description: '', kind: 'basic' },
        {
          id: 'oauth',
          description: '',
          kind: 'oauth2',
          grants: [
            {
              grant: 'authorization_code',
              authorizationUrl: 'https://auth.example.com/authorize',
              tokenUrl: null,
              scopes: { 'pets.read': 'Read pets' },
            },
            {
              grant: 'client_credentials',
              authorizationUrl: null,
              tokenUrl: 'https://auth.example.com/token',
              scopes: {},
            },
          ],
        },
      ],
      warnings: ['The security scheme digest (digest) is not supported'],
    });
  });

  test('the parameters of an operation override those of its path', () => {
    const { parameters, response, ...rest } = findOperation(manifest, 'getPet');
    expect(rest).toEqual({
      id: 'getPet',
      method: 'GET',
      path: '/pets/{petId}',
      title: 'Find a pet',
      description: '',
      tags: ['pets'],
      deprecated: false,
      body: null,
      security: [{ key: [] }, { oauth: ['pets.read'] }],
      servers: null,
    });
    const common = { deprecated: false, contentType: null, allowReserved: false };
    expect(parameters).toEqual([
      {
        ...common,
        name: 'petId',
        in: 'path',
        required: true,
        style: 'simple',
        explode: false,
        schema: { type: 'integer', minimum: 1 },
      },
      {
        ...common,
        name: 'trace',
        in: 'header',
        required: true,
        style: 'simple',
        explode: false,
        schema: { type: 'string' },
      },
      {
        ...common,
        name: 'fields',
        in: 'query',
        required: false,
        style: 'pipeDelimited',
        explode: false,
        schema: {
          type: 'array',
          items: { type: 'string', enum: ['name', 'tag'] },
          default: ['name'],
          description: 'The fields to return.',
          examples: [['name', 'tag']],
        },
      },
    ]);
    // Write-only fields are missing, and a pet in a pet is any JSON.
    expect(response).toEqual({
      contentType: 'application/json',
      schema: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          name: { type: 'string' },
          born: { type: 'string' },
          kind: { type: ['string', 'null'] },
          parent: {},
          friends: { type: 'array', items: {} },
          size: { type: 'object', properties: { cm: { type: 'number' } } },
        },
      },
    });
  });

  test('a body without read-only fields; a name for an operation without an id', () => {
    const { body, deprecated, security, title } = findOperation(manifest, 'post /pets');
    expect({ deprecated, security, title }).toEqual({ deprecated: true, security: [], title: 'post /pets' });
    expect(body).toEqual({
      required: true,
      contentType: 'application/json',
      encoding: {},
      schema: {
        type: 'object',
        description: 'The pet to add.',
        examples: [{ name: 'Rex' }],
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 20, description: 'How to call it. Pattern: ^[a-z]+$' },
          password: { type: ['string', 'null'] },
          born: { type: 'string', description: 'A date such as 2026-01-31.' },
          kind: { type: ['string', 'null'], enum: ['cat', 'dog', null] },
          parent: {},
          friends: { type: 'array', items: {} },
          size: { type: 'object', properties: { cm: { type: 'number' } }, required: ['cm'] },
        },
      },
    });
  });

  test('a form with files and encodings, on a server of its own', () => {
    const { body, servers } = findOperation(manifest, 'addPhoto');
    expect(servers).toEqual([{ url: 'https://upload.example.com', description: '' }]);
    expect(body?.contentType).toBe('multipart/form-data');
    expect(body?.schema['properties']).toMatchObject({
      photo: { contentMediaType: 'application/octet-stream' },
    });
    expect(body?.encoding).toEqual({
      photo: { style: 'form', explode: true, allowReserved: false, contentType: 'image/png, image/jpeg' },
      tags: { style: 'spaceDelimited', explode: false, allowReserved: false, contentType: null },
    });
  });
});

describe('Swagger 2', () => {
  const manifest = readFixture('orders-swagger-2.json');

  test('servers, versions and security', () => {
    expect(manifest.servers).toEqual([{ url: 'https://orders.example.com/api', description: '' }]);
    expect(manifest.version).toBe('2024.3.1');
    expect(manifest.securitySchemes).toMatchObject([
      { id: 'token', kind: 'api_key', in: 'query', name: 'api_token' },
      {
        id: 'code',
        kind: 'oauth2',
        grants: [{ grant: 'authorization_code', tokenUrl: 'https://auth.example.com/token' }],
      },
    ]);
    expect(findOperation(manifest, 'createOrder').security).toEqual([{ code: ['orders'] }]);
  });

  test('collection formats become styles', () => {
    const { parameters } = findOperation(manifest, 'readOrder');
    expect(parameters.map(({ name, style, explode }) => [name, style, explode])).toEqual([
      ['id', 'simple', false],
      ['tags', 'form', true],
      ['ids', 'pipeDelimited', false],
      ['parts', 'form', false],
    ]);
  });

  test('bodies and files', () => {
    const { body } = findOperation(manifest, 'createOrder');
    expect(body?.required).toBe(true);
    expect(body?.schema).toMatchObject({
      required: ['total'],
      properties: { total: { type: 'number', exclusiveMinimum: 0 } },
    });
    const upload = findOperation(manifest, 'upload').body;
    expect(upload?.contentType).toBe('multipart/form-data');
    expect(upload?.schema['properties']).toMatchObject({
      file: { contentMediaType: 'application/octet-stream' },
      title: { type: 'string' },
    });
  });
});

describe('OpenAPI 3.0', () => {
  test('a relative server is resolved against the URL of the document; without a URL it is ignored', () => {
    expect(readFixture('tasks-3.0.yaml').servers).toEqual([]);
    const { servers } = readFixture('tasks-3.0.yaml', 'https://tasks.example.com/docs/openapi.yaml');
    expect(servers).toEqual([{ url: 'https://tasks.example.com/api/v1', description: '' }]);
  });

  test('a form body; an id that occurs twice', () => {
    const manifest = readFixture('tasks-3.0.yaml');
    expect(manifest.operations.map(({ id, method }) => [id, method])).toEqual([
      ['get /tasks/{id}', 'GET'],
      ['put /tasks/{id}', 'PUT'],
    ]);
    // The path has a parameter that the document does not describe.
    expect(manifest.operations[0]?.parameters).toMatchObject([{ name: 'id', in: 'path', required: true }]);
    expect(manifest.operations[1]?.body).toMatchObject({
      contentType: 'application/x-www-form-urlencoded',
      encoding: { labels: { style: 'deepObject', explode: true } },
      schema: {
        properties: {
          due: { type: ['string', 'null'], examples: ['2026-01-31T12:00:00Z'] },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          rank: { type: 'integer', exclusiveMinimum: 1, default: 5 },
          owner: { anyOf: [{ type: 'integer' }, { type: 'object' }] },
        },
      },
    });
  });
});

describe('schemas', () => {
  test.each<[string, Json, JsonObject]>([
    ['any', true, {}],
    ['unknown keywords', { 'x-a': 1, $comment: 'c', title: 'T', if: {}, not: {}, format: 'int32' }, {}],
    ['an invalid limit', { type: 'string', minLength: -1, maxLength: 'x', minimum: 5 }, { type: 'string' }],
    ['an unknown type', { type: 'file' }, {}],
    ['numbers quoted in an enumeration', { type: 'integer', enum: ['1', '2'] }, { type: 'integer' }],
    ['the same option twice', { type: 'string', enum: ['a', 'a'] }, { type: 'string', enum: ['a'] }],
    ['a tuple', { type: 'array', prefixItems: [{}], items: false }, { type: 'array' }],
    ['one alternative', { oneOf: [{ type: 'string', maxLength: 3 }] }, { type: 'string', maxLength: 3 }],
    [
      'scalar alternatives',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { type: ['string', 'integer'] },
    ],
    [
      'alternatives that restrict the fields of an object',
      { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { type: 'object', properties: { a: {} } },
    ],
    [
      'parts of an object',
      {
        allOf: [
          {
            type: 'object',
            required: ['a'],
            properties: { a: { type: 'string' } },
            additionalProperties: false,
          },
          { properties: { a: { description: 'A' }, b: { type: 'number' } }, required: ['b'] },
        ],
      },
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'string', description: 'A' }, b: { type: 'number' } },
      },
    ],
    ['a reference that does not exist', { $ref: '#/components/schemas/None' }, {}],
  ])('%s', (_title, schema, expected) => {
    expect(readBodySchema(schema)).toEqual(expected);
  });

  test('a recursion through two schemas is any JSON where it starts again', () => {
    const schemas = {
      A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
      B: { type: 'object', properties: { a: { $ref: '#/components/schemas/A', description: 'Back' } } },
    };
    expect(readBodySchema({ $ref: '#/components/schemas/A' }, { components: { schemas } })).toEqual({
      type: 'object',
      properties: { b: { type: 'object', properties: { a: { description: 'Back' } } } },
    });
  });

  test('a schema that grows with its depth is cut, with a warning', () => {
    const level = (n: number): Json => ({
      type: 'object',
      properties: Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((key) => [key, { $ref: `#/components/schemas/L${n}` }]),
      ),
    });
    const schemas = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`L${n}`, level(n + 1)]));
    const manifest = readManifest(documentWith(level(0), { components: { schemas } }), null);
    expect(JSON.stringify(manifest).length).toBeLessThan(200_000);
    expect(manifest.warnings).toContainEqual(expect.stringContaining('is large'));
  });
});

describe('documents that are refused, with the place', () => {
  test.each<[string, string, string]>([
    ['nothing', ' ', 'must not be empty'],
    ['JSON with a mistake', '{"openapi": "3.1.0", ', 'is not JSON'],
    ['YAML with a mistake', 'openapi: 3.1.0\n  paths: [', 'is neither JSON nor YAML'],
    ['a list', '[]', 'must be an object'],
    ['something else', '{"a": 1}', 'must have the field openapi or swagger'],
    ['another version', 'openapi: 4.0.0\npaths: {}', 'not 4.0.0'],
    ['Swagger 1', '{"swagger": "1.2"}', 'not 1.2'],
    ['no paths', 'openapi: 3.1.0', 'must have the field paths'],
    ['no operations', 'openapi: 3.1.0\npaths: { /a: {} }', 'must have at least one operation (at #/paths)'],
    ['__proto__', '{"openapi":"3.1.0","paths":{"/a":{"__proto__":{"x":1}}}}', '(at #/paths/~1a)'],
    [
      'a file',
      documentWith({ $ref: 'file:///etc/passwd#/x' }),
      'must not refer to other documents; bundle "file:///etc/passwd#/x" into it (at #/paths/~1x/post/requestBody',
    ],
    [
      'a URL',
      documentWith({ properties: { a: { $ref: 'http://169.254.169.254/a' } } }),
      'must not refer to other documents',
    ],
    [
      'a reference to itself',
      documentWith({}, { paths: { '/x': { $ref: '#/paths/~1x' } } }),
      'leads back to itself (at #/paths/~1x)',
    ],
    ['nesting', documentWith(JSON.parse(`${'{"items":'.repeat(200)}{}${'}'.repeat(200)}`) as Json), 'nested'],
    [
      'an operation with more parameters than a form may have',
      documentWith({}, { paths: { '/x': { get: { parameters: createParameters(50_000) } } } }),
      'must have at most 500 parameters (at #/paths/~1x/get)',
    ],
    [
      'more security schemes than a form may have',
      documentWith(
        {},
        { components: { securitySchemes: Object.fromEntries(createParameters(201).entries()) } },
      ),
      'must have at most 200 security schemes (at #/components/securitySchemes)',
    ],
    [
      'a parameter with an endless name',
      documentWith({}, { paths: { '/x': { get: { parameters: [createParameter('n'.repeat(5_000))] } } } }),
      'must have a name of at most 1000 characters (at #/paths/~1x/get/parameters/0)',
    ],
    [
      'an endless path',
      documentWith({}, { paths: { [`/${'p'.repeat(5_000)}`]: { get: {} } } }),
      'must have paths of at most 4000 characters (at #/paths)',
    ],
    [
      'parts of another form than the converter expects',
      JSON.stringify({ swagger: '2.0', paths: { '/x': { post: { parameters: [null] } } } }),
      'cannot be converted to OpenAPI 3.1: a part of it has an invalid form',
    ],
    ['deep YAML', `openapi: 3.1.0\npaths: ${'['.repeat(50_000)}`, 'must not be nested deeper'],
    ['a YAML alias in itself', 'openapi: 3.1.0\npaths: &a { /x: { get: *a } }', 'must not be nested deeper'],
  ])('%s', (_title, text, issue) => {
    expect(() => readManifest(text, null)).toThrow(issue);
  });

  test('an alias bomb', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `b${i + 1}: &b${i + 1} [${Array(10).fill(`*b${i}`).join(', ')}]`,
    );
    const text = ['openapi: 3.1.0', 'paths: { /a: { get: {} } }', 'b0: &b0 [x]', ...levels].join('\n');
    expect(() => readManifest(text, null)).toThrow(/Excessive alias count|with every alias expanded/);
  });
});

test.each([
  ['Ärzte & Co. (v2)', 'arzte_co_v2'],
  ['日本', 'api'],
  ['a'.repeat(100), 'a'.repeat(64)],
])('the name of %s is %s', (title, name) => {
  expect(toName(title)).toBe(name);
});

test.each([
  ['1.2.3', '1.2.3'],
  ['v3', '3.0.0'],
  ['2024-01-31', '2024.1.31'],
  ['beta', '1.0.0'],
  ['99999999999.1', '999999999.1.0'],
])('the version of %s is %s', (text, version) => {
  expect(toVersion(text)).toBe(version);
});
