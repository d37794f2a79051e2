import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packFixture, readPackSource } from '../../support/packs/npm-pack.ts';
import { createRegistryKey, openRegistry } from '../../support/servers/npm-registry.ts';
import { loopbackCertificate, loopbackKey } from '../../support/servers/tls-certificates.ts';
import {
  caller,
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { manual } from '../definitions.ts';

const folder = createTempFolder();
const [key, other, expired] = [
  createRegistryKey('SHA256:current'),
  createRegistryKey('SHA256:current'),
  createRegistryKey('SHA256:expired', '2026-01-01T00:00:00.000Z'),
];
const registry = await openRegistry([key, expired]);
const received: { method: string; url: string; authorization: string | undefined; body: string }[] = [];
let upstream: Server;
let address = '';
let service: SpawnedService;
let api: Call;
const env = {
  WEFT_NPM_REGISTRY: registry.url,
  NODE_EXTRA_CA_CERTS: path.join(folder.path, 'authority.pem'),
};

beforeAll(async () => {
  writeFileSync(env.NODE_EXTRA_CA_CERTS, loopbackCertificate);
  upstream = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, authorization: headers.authorization, body });
      response.writeHead(url.includes('missing') ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ url, echo: headers.authorization ?? null }));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  service = await spawnService({ dataDir: folder.path, env });
  api = await service.login();
});
afterAll(async () => {
  await service.stop();
  registry.close();
  upstream.closeAllConnections();
  upstream.close();
  folder.remove();
});

const install = (body: object, call = api): Promise<ApiResponse> => call('POST', '/packs', { body });
const readError = ({ body }: ApiResponse) =>
  (body as { error: { code: string; message: string; details: { errors?: unknown } } }).error;
async function run(config: object, more: object = {}) {
  const definition = {
    nodes: [manual, { id: 'call', type: 'npm.demo', config, ...more }],
    connections: [{ from: 'start', to: 'call' }],
  };
  const made = await api('POST', '/workflows', { body: { name: 'W', definition } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const response = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
  return response.body as {
    id: string;
    status: string;
    output: unknown;
    error: { type: string; message: string; data?: unknown } | null;
  };
}
const withSecret = { type: 'secret_text', secret: '{{ secrets.DEMO }}' };

test('an administrator installs an exact version, whose hash and signature are checked', async () => {
  registry.publishSigned('@weft/piece-demo', '1.0.0', packFixture('demo'));
  const response = await install({ package: '@weft/piece-demo', version: '1.0.0' });
  expect(response.status, response.text).toBe(201);
  expect(response.body).toMatchObject({
    outcome: 'installed',
    pack: {
      name: 'demo',
      version: '1.0.0',
      kind: 'npm',
      node_type: 'npm.demo',
      title: 'Demo',
      operations: 6,
      package: { name: '@weft/piece-demo', signed_by: 'SHA256:current', license: 'MIT' },
      authentication: [
        { kind: 'secret_text', field: 'authentication' },
        { kind: 'basic' },
        {
          kind: 'fields',
          fields: [
            { name: 'base_url', required: true, secret: false },
            { name: 'key', required: true, secret: true },
            { name: 'region', required: false, secret: false },
          ],
        },
        {
          kind: 'oauth2',
          grants: [
            {
              authorization_url: 'https://auth.example.com/authorize',
              authorization_params: { audience: 'demo', prompt: 'consent' },
              pkce: true,
            },
          ],
        },
      ],
      triggers: [
        { id: 'new_item', node_type: 'npm.demo.trigger' },
        { id: 'item_changed', node_type: 'npm.demo.trigger' },
        { id: 'subscription', node_type: 'npm.demo.trigger' },
        { id: 'unknown_event', strategy: null, node_type: null },
        { id: 'account_changed', strategy: 'app_webhook', node_type: 'npm.demo.trigger' },
      ],
    },
  });
  const again = await install({ package: '@weft/piece-demo', version: '1.0.0' });
  expect([again.status, (again.body as { outcome: string }).outcome]).toEqual([200, 'unchanged']);

  const { body } = await api('GET', '/packs/demo/operations/create_item');
  expect(body).toMatchObject({
    method: null,
    path: null,
    idempotent: false,
    config_schema: { required: expect.arrayContaining(['operation', 'address', 'name']) as unknown },
  });
  const person = { email: 'member@example.com', password: 'another good password' };
  await api('POST', '/users', { body: person });
  const login = await service.call('POST', '/auth/login', { body: person });
  const member = caller(service.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
  expect((await install({ package: '@weft/piece-demo', version: '1.0.0' }, member)).status).toBe(403);
  expect((await member('GET', '/packs')).body).toMatchObject({ packs: [{ name: 'demo', kind: 'npm' }] });
});

test.each([
  ['a range', { package: '@weft/piece-demo', version: '^1.0.0' }, 'version', 'major.minor.patch'],
  ['no version', { package: '@weft/piece-demo' }, 'version', 'is required for a package'],
  ['a tag', { package: '@weft/piece-demo', version: 'latest' }, 'version', 'major.minor.patch'],
  ['two sources', { package: 'a', document: 'x' }, 'document', 'not allowed together with package'],
  ['no source', {}, 'document', 'is required'],
  ['an unknown package', { package: '@weft/nothing', version: '1.0.0' }, 'package', 'is not in the registry'],
  [
    'an unknown version',
    { package: '@weft/piece-demo', version: '9.0.0' },
    'version',
    'is not in the registry',
  ],
  [
    'another integrity',
    { package: '@weft/piece-demo', version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==` },
    'integrity',
    'must be that of the version in the registry',
  ],
  ['no archive', { archive: '!' }, 'archive', 'must be base64'],
  ['something else than an archive', { archive: 'AAAA' }, 'archive', 'gzipped tar archive'],
])('%s is refused with the field', async (_title, body, field, issue) => {
  const response = await install(body);
  expect(response.status).toBe(400);
  expect(JSON.stringify(readError(response).details)).toContain(`"${field}"`);
  expect(JSON.stringify(readError(response).details)).toContain(issue);
});

test('a changed archive and a signature of another key are refused', async () => {
  const publish = (version: string, ...more: [Parameters<typeof registry.publishSigned>[3]?]) =>
    registry.publishSigned('@weft/piece-demo', version, packFixture('demo', version), ...more);
  const refuse = async (version: string) =>
    JSON.stringify(readError(await install({ package: '@weft/piece-demo', version })).details);
  publish('1.1.0');
  const bytes = packFixture('demo', '1.1.0');
  bytes[bytes.length - 20]! ^= 1;
  registry.replaceArchive('@weft/piece-demo', '1.1.0', bytes);
  expect(await refuse('1.1.0')).toContain('must match its integrity');
  publish('1.2.0', other);
  expect(await refuse('1.2.0')).toContain('has a signature that is not that of the registry');
  publish('1.3.0', null);
  expect(await refuse('1.3.0')).toContain('has no signature with a key of the registry');
  publish('1.4.0', expired);
  expect(await refuse('1.4.0')).toContain('had expired');
  expect((await api('GET', '/packs/demo')).body).toMatchObject({ versions: ['1.0.0'] });
});

test('an action calls the service through the egress policy, with the hosts of its secret', async () => {
  const secret = { value: 'demo-secret-value', hosts: ['127.0.0.1'] };
  expect((await api('PUT', '/secrets/DEMO', { body: secret })).status).toBeLessThan(300);
  const config = { operation: 'get_item', address, id: '7', authentication: withSecret };
  const ended = await run(config);
  expect(ended).toMatchObject({ status: 'completed', output: { url: '/items/7' } });
  expect(received.at(-1)).toMatchObject({ method: 'GET', authorization: 'Bearer demo-secret-value' });
  const shown = await api('GET', `/executions/${ended.id}`);
  expect(shown.text).not.toContain('demo-secret-value');

  const count = received.length;
  const elsewhere = await run({ ...config, address: address.replace('127.0.0.1', 'localhost') });
  expect(elsewhere).toMatchObject({ status: 'failed', error: { type: 'forbidden' } });
  expect(elsewhere.error?.message).toContain('may not be sent to localhost');
  const internal = await run({
    ...config,
    address: '169.254.169.254:443',
    authentication: { type: 'token', token: 'x' },
  });
  expect(internal).toMatchObject({ status: 'failed', error: { type: 'forbidden' } });
  expect(received).toHaveLength(count);
});

test('an error of the service has its status; an action that may not run twice is not retried', async () => {
  const retryPolicy = { maxAttempts: 3, initialDelay: '1ms', retryConditions: ['any'] };
  const authentication = { type: 'token', token: 'x' };
  const config = { operation: 'get_item', address, id: 'missing', authentication, retryPolicy };
  let count = received.length;
  expect(await run(config)).toMatchObject({ status: 'failed', error: { type: 'client_error', status: 404 } });
  expect(received.length - count).toBe(3);

  const source = readPackSource('demo').replace("'/items'), method", "'/missing'), method");
  const archive = packFixture('demo', '1.5.0', { source }).toString('base64');
  const uploaded = await install({ archive });
  expect(uploaded.status, uploaded.text).toBe(201);
  expect(uploaded.body).toMatchObject({ pack: { version: '1.5.0', package: { signed_by: null } } });
  count = received.length;
  const create = { operation: 'create_item', address, name: 'x', authentication, retryPolicy };
  expect(await run(create)).toMatchObject({ status: 'failed', error: { type: 'client_error' } });
  expect(received.length - count).toBe(1);
});

test('fields have the defaults of the package, and are checked when a workflow is saved', async () => {
  const echo = { operation: 'echo_fields', short: 'a', rows: [{ row_name: 'b' }], sizes: [1] };
  const { output } = await run(echo);
  expect(output).toEqual({
    values: { short: 'a', count: 5, rows: [{ 'row name': 'b' }], sizes: [1] },
  });
  const connections = [{ from: 'start', to: 'call' }];
  const nodes = [
    manual,
    { id: 'call', type: 'npm.demo', config: { operation: 'echo_fields', color: 'x', other: 1 } },
  ];
  const body = { name: 'W', definition: { nodes, connections } };
  const { text } = await api('POST', '/workflows', { body });
  for (const field of ['config.short', 'config.color', 'config.other']) expect(text).toContain(field);
});

test('a package may have triggers only', async () => {
  const build = (source: string) =>
    packFixture('demo', '1.0.0', { source, manifest: { name: '@weft/piece-events' } }).toString('base64');
  const source = readPackSource('demo').replace(/  actions: \(\) => .*,/, '  actions: () => ({}),');
  const installed = await install({ archive: build(source) });
  expect(installed.status, installed.text).toBe(201);
  expect(installed.body).toMatchObject({ pack: { operations: 0, node_type: 'npm.events.trigger' } });
  const { body } = await api('GET', '/nodes?search=events');
  const types = (body as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
  expect(types).toContain('npm.events.trigger');
  expect(types).not.toContain('npm.events');
  const authentication = { type: 'token', token: 'x' };
  const config = { event: 'new_item', address, authentication, interval: '1h' };
  const nodes = [{ id: 'found', type: 'npm.events.trigger', config }];
  const made = await api('POST', '/workflows', {
    body: { name: 'W', definition: { nodes, connections: [] } },
  });
  expect(made.body, made.text).toMatchObject({ issues: [] });
  expect(readError(await api('DELETE', '/packs/events')).code).toBe('CONFLICT');
  const empty = source.replace(/  triggers: \(\) => /, '  triggers: () => ({}), unused: () => ');
  expect(JSON.stringify(readError(await install({ archive: build(empty) })))).toContain(
    'declares no actions and no triggers',
  );
});

test.each([
  [
    'a bearer token',
    { authentication: { type: 'bearer' }, fields: { token: 'secret-of-connection' } },
    { type: 'SECRET_TEXT' },
  ],
  [
    'a user name and a password',
    { authentication: { type: 'basic' }, fields: { username: 'ann', password: 'secret-of-connection' } },
    { type: 'BASIC_AUTH' },
  ],
])('a connection with %s authenticates', async (_title, settings, auth) => {
  const name = `C${Object.keys(settings.fields).length}`;
  const body = { name, grant_type: 'fields', hosts: ['127.0.0.1'], ...settings };
  const made = await api('POST', '/connections', { body });
  expect(made.status, made.text).toBe(201);
  const authentication = { type: 'connection', connection: name };
  const { output } = await run({ operation: 'echo_fields', short: 'a', authentication });
  expect(JSON.stringify(output)).toContain(`"type":"${auth.type}"`);
});

test('a name belongs to one package; a used version is not removed', async () => {
  const foreign = packFixture('demo', '2.0.0', { manifest: { name: '@other/piece-demo' } }).toString(
    'base64',
  );
  const response = await install({ archive: foreign });
  expect(readError(response).code, response.text).toBe('CONFLICT');
  expect(readError(response).message).toContain(
    'The name demo belongs to a pack from the package @weft/piece-demo',
  );
  expect((await install({ archive: foreign, name: 'demo_other', dry_run: true })).status).toBe(200);
  expect(readError(await api('DELETE', '/packs/demo')).code).toBe('CONFLICT');
});

test('a restart runs an installed pack without the registry', async () => {
  await service.stop();
  registry.close();
  service = await spawnService({ dataDir: folder.path, env });
  api = await service.login();
  expect(await run({ operation: 'echo_fields', short: 'again' })).toMatchObject({ status: 'completed' });
});
