import { gzipSync } from 'node:zlib';
import { isObject, type JsonObject } from '../../src/lib/json/json.ts';
import { mutate, oddValues, serialize } from './malformed-json.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { FuzzRequest } from './http-client.ts';
import { generateValue } from './json-of-schema.ts';
import { credentialNames, type CredentialName, type FuzzService } from './fuzz-service.ts';

type Parameter = { name: string; in: string; schema: JsonObject };
type Operation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly prefix: string;
  readonly query: readonly Parameter[];
  readonly body: {
    readonly schema: JsonObject;
    readonly examples: readonly unknown[];
    readonly isForm: boolean;
  } | null;
  /** Frequency: lower for operations that are slow or end sessions. */
  readonly weight: number;
};

/** Credentials with permissions are more frequent. */
const callers: readonly CredentialName[] = [...credentialNames, 'member', 'member', 'full_key', 'admin'];

export type Fuzzed = FuzzRequest & { readonly operation: string; readonly credential: CredentialName };

/** Generates requests from the OpenAPI document of a running service. */
export function createRestRequests(
  document: JsonObject,
  catalog: readonly JsonObject[],
  service: FuzzService,
) {
  const operations = listOperations(document);
  const weighted = operations.flatMap((one) => Array.from({ length: one.weight }, () => one));
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

  function generateBody({ body }: Operation, random: SeededRandom): unknown {
    if (body === null) return random.pick<unknown>([{}, [], 'x', { a: 1 }]);
    if (body.examples.length > 0 && random.is(0.3))
      return replaceUrls(structuredClone(random.pick(body.examples)));
    return generateValue(body.schema, document, random, (name) => hints(name, random));
  }

  function hints(name: string, random: SeededRandom): readonly unknown[] | undefined {
    const known: Record<string, readonly unknown[]> = {
      // No request changes a user's password, which ends sessions, or waits long for an execution.
      email: [...service.emails, `new${random.int(1e9)}@example.com`],
      password: ['a wrong password'],
      current_password: ['a wrong password'],
      wait: ['0s', '5ms', '20ms'],
      expires_at: ['2099-01-01T00:00:00.000Z', null],
      workflow_id: [...service.own['workflows']!, ...service.victims['workflows']!],
      nodeType: [...service.own['nodes']!, 'http_request', `node_${random.int(1e6)}`],
      templateName: [...service.own['templates']!, `template ${random.int(1e6)}`],
      handler: ['export default async (inputs) => ({ out: 1 })'],
      hosts: [['api.example.com'], null],
      version: [1, '1.0.0', `1.0.${random.int(1e6)}`],
      definition: [generateDefinition(random)],
      workflow: [{ name: 'made', definition: generateDefinition(random) }],
      redirect_uris: [['https://app.example.com/cb'], []],
    };
    return known[name];
  }

  function generateDefinition(random: SeededRandom): unknown {
    const nodes = Array.from({ length: 1 + random.int(4) }, (_, index) => {
      const type = random.pick(catalog);
      const schema = isObject(type['config_schema']) ? type['config_schema'] : {};
      const config = generateValue(schema, document, random, (name) =>
        name === 'url' || name === 'token_url'
          ? ['http://127.0.0.1:9/', '{{ input.url }}', 'http://[::ffff:127.0.0.1]:9/']
          : name === 'secret' || name === 'credentials'
            ? ['OWN', 'VICTIMS', '{{ secrets.OWN }}']
            : name === 'workflow_id'
              ? [...service.own['workflows']!, ...service.victims['workflows']!]
              : undefined,
      );
      return { id: `n${index}`, type: type['id'], config };
    });
    const ids = [...nodes.map(({ id }) => id), 'missing'];
    const connections = Array.from({ length: random.int(4) }, () => ({
      from: random.pick(ids),
      to: random.pick(ids),
    }));
    return { nodes, connections };
  }

  function generatePath({ path, prefix }: Operation, random: SeededRandom): string {
    const kind = path.split('/')[1] ?? '';
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (random.is(0.15)) return random.pick(oddSegments);
      if (name === 'version') return random.pick(['1', '2', '0', '-1', '1.0', '99999999999999999999', '1e1']);
      const ids = (random.is(0.7) ? service.own : service.victims)[kind] ?? [];
      if (ids.length === 0 || random.is(0.05)) return `${kind.slice(0, 2)}_00000000000000000000000000`;
      const id = random.pick(ids);
      return kind === 'webhooks' ? id : encodeURIComponent(id);
    });
    return `${prefix}${random.is(0.02) ? random.pick([`/${filled}`, `${filled}/`, `${filled}//`, filled.toUpperCase(), `/.${filled}`, `/x/..${filled}`]) : filled}`;
  }

  function generateQuery({ query }: Operation, random: SeededRandom): string {
    const parts: string[] = [];
    for (const { name, schema } of query) {
      if (!random.is(0.4)) continue;
      const value = random.is(0.5)
        ? generateValue(schema, document, random, () => undefined)
        : random.pick(oddValues.filter((one) => typeof one === 'string' || typeof one === 'number'));
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      parts.push(`${name}=${encodeURIComponent(text.toWellFormed())}`);
      if (random.is(0.1)) parts.push(parts.at(-1)!);
    }
    if (random.is(0.15)) parts.push(random.pick(oddQueries));
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  return {
    names: operations.map(({ id }) => id),
    operations: operations.length,
    next(random: SeededRandom): Fuzzed {
      const operation = random.pick(weighted);
      const credential = random.pick(callers);
      const headers: Record<string, string | string[]> = { ...service.getHeaders(credential) };
      // Each from another address, because limits for an address are not tested here.
      headers['x-forwarded-for'] = `10.${random.int(256)}.${random.int(256)}.${random.int(256)}`;
      if (random.is(0.1)) Object.assign(headers, random.pick(oddHeaders));
      let body: Uint8Array | null = null;
      if (operation.body !== null ? random.is(0.95) : random.is(0.1)) {
        const whole = generateBody(operation, random);
        const sent = random.is(0.5) ? mutate(whole, random) : whole;
        const isForm = operation.body?.isForm === true && random.is(0.95);
        const text = isForm && isObject(sent) ? encodeForm(sent) : serialize(sent);
        const bytes = corruptBody(Buffer.from(text), random, bomb);
        body = bytes.body;
        const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
        headers['content-type'] = random.is(0.93) ? type : random.pick(oddTypes);
        Object.assign(headers, bytes.headers);
        if (headers['transfer-encoding'] === undefined) headers['content-length'] = String(body.length);
      }
      const method = random.is(0.03)
        ? random.pick(['PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE', 'DELETE', 'PUT', 'POST', 'GET'])
        : operation.method;
      const path = `${generatePath(operation, random)}${generateQuery(operation, random)}`;
      return { operation: operation.id, credential, method, path, headers, body };
    },
  };
}

function listOperations(document: JsonObject): Operation[] {
  const found: Operation[] = [];
  for (const [path, item] of Object.entries(document['paths'] as Record<string, JsonObject>)) {
    for (const method of ['get', 'post', 'put', 'delete', 'patch']) {
      const operation = item[method];
      if (!isObject(operation) || path === '/graphql') continue;
      type Content = { schema: JsonObject; examples?: Record<string, { value: unknown }> };
      const content = (operation['requestBody'] as { content?: Record<string, Content> } | undefined)
        ?.content;
      const json =
        content?.['application/json'] ?? (content === undefined ? undefined : Object.values(content)[0]);
      const parameters = (operation['parameters'] as Parameter[] | undefined) ?? [];
      const id = `${method.toUpperCase()} ${path}`;
      found.push({
        id,
        method: method.toUpperCase(),
        path,
        prefix: item['servers'] === undefined ? '/v1' : '',
        query: parameters.filter((one) => one.in === 'query'),
        body:
          json === undefined
            ? null
            : {
                schema: json.schema,
                examples: Object.values(json.examples ?? {}).map(({ value }) => value),
                isForm: content?.['application/json'] === undefined,
              },
        weight: rare.has(id) ? 1 : method === 'get' ? 4 : 12,
      });
    }
  }
  return found;
}

/** These compute a password hash, end a session, or are the same for all users. */
const rare = new Set([
  'POST /auth/login',
  'POST /auth/logout',
  'POST /users',
  'PUT /users/me/password',
  'PUT /users/{id}',
  'GET /openapi.json',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /schema.graphql',
]);

/** Examples call other services. This replaces their URLs. */
function replaceUrls(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/https?:\/\/[\w.:-]+/g, 'http://127.0.0.1:9');
  const copy = JSON.parse(text) as unknown;
  // The example's password is that of the test's administrator.
  if (isObject(copy) && 'current_password' in copy) copy['current_password'] = 'a wrong password';
  if (isObject(copy) && 'wait' in copy) copy['wait'] = '20ms';
  return copy;
}

function encodeForm(value: JsonObject): string {
  const pairs = Object.entries(value).map(([name, one]): [string, string] => [
    name,
    typeof one === 'string' ? one : serialize(one),
  ]);
  return new URLSearchParams(pairs).toString();
}

function corruptBody(
  bytes: Buffer,
  random: SeededRandom,
  bomb: Uint8Array,
): { body: Uint8Array; headers?: Record<string, string> } {
  if (random.is(0.9)) return { body: bytes };
  const at = random.int(bytes.length + 1);
  switch (random.int(11)) {
    case 0:
      return { body: bytes.subarray(0, at) };
    case 1:
      return {
        body: Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x80]), bytes.subarray(at)]),
      };
    case 2:
      return { body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) };
    case 3:
      return { body: Buffer.from(bytes.toString(), 'utf16le') };
    case 4:
      return { body: Buffer.concat([bytes, Buffer.from(random.pick(['}', ' {}', '\u0000', '//', ',']))]) };
    case 5:
      return { body: new Uint8Array() };
    case 6:
      return { body: gzipSync(bytes), headers: { 'content-encoding': 'gzip' } };
    case 7:
      return {
        body: bomb,
        headers: { 'content-encoding': random.pick(['gzip', 'gzip, gzip', 'br', 'GZIP']) },
      };
    case 8:
      return {
        body: bytes,
        headers: { 'content-encoding': random.pick(['', 'identity', 'deflate', 'x', 'identity, gzip']) },
      };
    case 9:
      return { body: bytes, headers: { 'transfer-encoding': 'chunked' } };
    default: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = flipped[at]! ^ (1 << random.int(8));
      return { body: flipped };
    }
  }
}

const oddSegments = [
  '%00',
  '%2F',
  '%2e%2e',
  '..%2f..%2f..%2fetc%2fpasswd',
  '..;',
  '%252e%252e%252f',
  '%2500',
  '%ff',
  '%',
  '%zz',
  '%E4',
  '%ED%A0%80',
  '%F0%9F%92%A9',
  "'%20OR%201=1%20--",
  '*',
  'null',
  'undefined',
  '0',
  '-1',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  ';x=1',
  'a;b',
  ':id',
  '{id}',
  '%7Bid%7D',
  '%0d%0aX-Injected:%201',
  'x'.repeat(2_001),
  '%61'.repeat(700),
  'wf_',
  'me',
];

const oddQueries = [
  'page',
  'page=',
  '=',
  '&&&',
  'page[]=1',
  'page=1&page=2',
  'PAGE=1',
  '__proto__[x]=1',
  '__proto__=1',
  'constructor=1',
  'page=%00',
  'page=%ff',
  'page=%',
  'page=+1',
  'page=1e3',
  'page=0x10',
  'page=99999999999999999999',
  'limit=0',
  'limit=101',
  'limit=-1',
  'limit=1.0',
  'search=%25',
  'search=%ED%A0%80',
  'unknown=1',
  `search=${'x'.repeat(5_000)}`,
  Array.from({ length: 500 }, (_, index) => `a${index}=1`).join('&'),
  'access_token=x',
  'api_key=x',
  '_method=DELETE',
];

const oddHeaders: readonly Record<string, string | string[]>[] = [
  { accept: 'text/event-stream' },
  { accept: 'text/html' },
  { accept: 'application/xml;q=1' },
  { 'idempotency-key': 'k' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'idempotency-key': 'é\u00ff' },
  { 'idempotency-key': ['a', 'b'] },
  { 'last-event-id': '99999999999999999999' },
  { 'last-event-id': '-1' },
  { 'x-http-method-override': 'DELETE' },
  {
    'x-forwarded-for': '127.0.0.1, evil',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'javascript',
  },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { cookie: 'token=x; session=y; weft=z' },
  { 'x-api-key': '' },
  { 'x-api-key': 'weft_x' },
  { authorization: '' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer' },
  { authorization: `Bearer ${'x'.repeat(8_000)}` },
  { 'x-request-id': '<script>' },
  { range: 'bytes=0-1' },
  { 'if-none-match': '*' },
  { te: 'trailers' },
  { expect: '100-continue' },
  { expect: 'x' },
  { upgrade: 'h2c', connection: 'upgrade' },
];

const oddTypes = [
  '',
  ';',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/json; charset=utf-16',
  'application/json;charset=utf-8;charset=latin1',
  'application/vnd.api+json',
  'application/json, text/plain',
  'APPLICATION/JSON',
  'application/jsonx',
  'application/xml',
  'text/json',
  'application/octet-stream',
];
