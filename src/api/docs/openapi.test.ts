import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { oauthPaths } from '../../auth/oauth/paths.ts';
import { formatErrorReference } from '../../contract/errors-reference.ts';
import { errorCatalog } from '../../contract/errors.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { formatRestReference } from '../rest/reference.ts';
import { routeGroups } from '../rest/routes.ts';
import { createComponents } from './components.ts';
import { bodyExamples } from './example-bodies.ts';
import { formatJson } from './json-text.ts';
import { createOpenapiDocument } from './openapi.ts';

const groups = routeGroups({} as never);
const routes = groups.flatMap((group) => group.routes);
const document = createOpenapiDocument({ version: '0.1.0', baseUrl: 'http://127.0.0.1:8080/v1', groups });
const paths = document['paths'] as Record<string, Record<string, JsonObject>>;
const { schemas } = document['components'] as { schemas: Record<string, JsonObject> };
/** Keys of a path that are not operations. */
const isOperation = ([key]: [string, unknown]) => key !== 'servers';
const listOperations = (item: Record<string, JsonObject>) => Object.entries(item).filter(isOperation);
const operations = Object.values(paths).flatMap((item) => listOperations(item).map(([, one]) => one));

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'doc', ...document } as object);

/** The errors of a value according to the schema at a pointer of the document. */
function errors(pointer: readonly string[], value: Json): unknown {
  const escaped = pointer.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = ajv.getSchema(`doc#/${escaped.join('/')}`);
  if (validate === undefined) throw new Error(`Nothing is at ${pointer.join(' ')}.`);
  return validate(value) === true ? [] : validate.errors;
}

/** `npx vitest run src/api/docs/openapi.test.ts -u` updates the document. */
it('docs/reference/openapi.json is up to date; regenerate it with: npm test -- src/api/docs/openapi.test.ts -u', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    '../../../docs/reference/openapi.json',
  );
});

it('is a valid OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate(structuredClone(document));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
});

it('has every route with its operation id and scope', () => {
  for (const route of routes) {
    const operation = paths[route.path]?.[route.method.toLowerCase()];
    expect(operation, `${route.method} ${route.path}`).toBeDefined();
    expect(operation!['operationId']).toBe(route.operation);
    expect(operation!['x-scope']).toBe(route.scope);
  }
  const names = operations.map((operation) => operation['operationId']);
  expect(new Set(names).size).toBe(names.length);
});

it('every operation has a description', () => {
  const without = operations.filter(
    ({ description }) => typeof description !== 'string' || description === '',
  );
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
});

it('every reference has a target, and every component is used', () => {
  const text = JSON.stringify(document);
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((m) => m[1]!));
  expect([...used].filter((name) => !(name in schemas))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => !used.has(name))).toEqual([]);
  for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
});

it('two schemas cannot have the same title', () => {
  const components = createComponents();
  components.use(Type.Object({ a: Type.String() }, { title: 'Thing' }));
  components.use(Type.Object({ a: Type.String() }, { title: 'Thing' }));
  expect(() => components.use(Type.Object({ b: Type.String() }, { title: 'Thing' }))).toThrow(
    'Two different schemas have the title Thing.',
  );
});

it('every object with fields in a response has a name', () => {
  const unnamed: string[] = [];
  const open: [string, Json][] = Object.entries(schemas);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [where, schema] = next;
    if (!isObject(schema) && !Array.isArray(schema)) continue;
    for (const [key, below] of Object.entries(schema)) {
      const at = `${where}.${key}`;
      if (key === 'default' || key === 'examples' || key === 'const') continue;
      if (isObject(below) && isObject(below['properties']) && key !== 'properties') unnamed.push(at);
      else open.push([at, below as Json]);
    }
  }
  expect(unnamed).toEqual([]);
});

describe('examples', () => {
  it('every required body has one, and every example is used', () => {
    const needed = routes.filter((route) => route.body !== undefined).map((route) => route.operation);
    expect(needed.filter((name) => bodyExamples[name] === undefined)).toEqual([]);
    expect(Object.keys(bodyExamples).filter((name) => !needed.includes(name))).toEqual([]);
  });

  const cases: [string, string[], Json][] = [];
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of listOperations(item)) {
      const places: [string[], unknown][] = [
        [['requestBody'], operation['requestBody']],
        ...Object.entries(operation['responses'] as JsonObject).map(
          ([status, response]): [string[], unknown] => [['responses', status], response],
        ),
      ];
      for (const [location, holder] of places)
        for (const [type, media] of Object.entries(
          (holder as { content?: JsonObject } | undefined)?.content ?? {},
        )) {
          const { example, examples = {} } = media as { example?: Json; examples?: JsonObject };
          const values = Object.values(examples).map((entry) => (entry as { value: Json }).value);
          if (example !== undefined) values.push(example);
          const pointer = ['paths', path, method, ...location, 'content', type, 'schema'];
          for (const value of values)
            cases.push([`${formatJson(operation['operationId'])} ${location.join(' ')}`, pointer, value]);
        }
    }

  it('each matches its schema', () => {
    expect(cases.length).toBeGreaterThan(100);
    const wrong = cases.flatMap(([name, pointer, value]) => {
      const found = errors(pointer, value);
      return Array.isArray(found) && found.length === 0 ? [] : [{ name, found }];
    });
    expect(wrong).toEqual([]);
  });

  it('every response of a route has one', () => {
    const without = routes.filter((route) => {
      const responses = paths[route.path]![route.method.toLowerCase()]!['responses'] as JsonObject;
      const { content } = responses[String(route.status)] as { content: Record<string, JsonObject> };
      return typeof route.response !== 'string' && content['application/json']?.['example'] === undefined;
    });
    expect(without.map((route) => route.operation)).toEqual([]);
  });
});

it('the error responses match the catalog, each with its status', () => {
  const seen = new Set<string>();
  // The authorization server returns the errors of RFC 6749.
  for (const operation of operations.filter((one) => one['x-api'] !== 'oauth'))
    for (const [status, response] of Object.entries(operation['responses'] as JsonObject)) {
      const codes = (response as { 'x-codes'?: string[] })['x-codes'] ?? [];
      for (const code of codes) {
        expect(String(errorCatalog[code as keyof typeof errorCatalog].status)).toBe(status);
        seen.add(code);
      }
      expect(
        // Readiness returns 503 with its own resource.
        codes.length > 0 || status.startsWith('2') || status === '405' || status === '503',
        `${formatJson(operation['operationId'])} ${status}`,
      ).toBe(true);
    }
  expect([...seen].sort()).toEqual(Object.keys(errorCatalog).sort());
});

it('the authorization server has the documented paths', () => {
  const described = Object.keys(paths).filter(
    (path) => path.startsWith('/oauth/') && 'servers' in paths[path]!,
  );
  const { authorization, token, registration, revocation, introspection } = oauthPaths;
  expect(described.sort()).toEqual([authorization, token, registration, revocation, introspection].sort());
});

it('the catalog, this document and both reference pages list the same errors', () => {
  const errorPage = formatErrorReference();
  for (const [code, { status }] of Object.entries(errorCatalog))
    expect(errorPage).toMatch(new RegExp(String.raw`^\| \`${code}\` +\| ${status} `, 'm'));
  const restPage = formatRestReference(groups);
  for (const { method, path, operation } of routes) {
    const [, part = ''] = restPage.split(`\n### ${method} ${path}\n`);
    const line = /^Errors: (.*)\.$/m.exec(part)?.[1] ?? '';
    const onPage = line.split(', ').sort();
    const responses = paths[path]![method.toLowerCase()]!['responses'] as JsonObject;
    const inDocument = Object.entries(responses).flatMap(([status, response]) =>
      ((response as { 'x-codes'?: string[] })['x-codes'] ?? []).map((code) => `${status} \`${code}\``),
    );
    expect(onPage, operation).toEqual(inDocument.sort());
  }
});
