import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSocket, endSocketClients, type SocketClient } from '../support/websocket/websocket-client.ts';
import { startRecordingMailboxes, type RecordingMailboxes } from './recording-mailboxes.ts';
import { writeLoopbackCertificate } from '../support/servers/tls-certificates.ts';
import { startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import {
  findPostgresPrograms,
  startPostgres,
  type PostgresServer,
} from '../support/servers/postgres-wire-server.ts';
import { listMcpUses, respondAsMcp } from './mcp-uses.ts';
import { isModelPath, listAllModelUses, modelResponse } from './model-uses.ts';
import { use, listPostgresUses, listQuestionUses, listServerUses, type SecretUse } from './server-secrets.ts';
import { mysqlProgram, startMysql, type MysqlServer } from '../support/servers/mysql-server.ts';
import { redisProgram, startRedis, type RedisServer } from '../support/servers/redis-server.ts';
import {
  adminEmail,
  adminPassword,
  caller,
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * Sets a secret in each field where a node accepts one, and runs the node with every success and failure.
 * Afterwards the secret must not appear in any encoding: not in the output of the process, not in any API,
 * not in a file.
 */

/** ASCII with whatever an encoding treats in its own way; a header, a URL and a password accept it. */
const canary = `kAn-${randomBytes(6).toString('hex')}/+&="%~Zz`;

const forms: Record<string, string> = {
  plain: canary,
  'in lower case': canary.toLowerCase(),
  'in JSON': JSON.stringify(canary).slice(1, -1),
  'URL-encoded': encodeURIComponent(canary),
  'of a form': new URLSearchParams({ x: canary }).toString().slice(2),
  hex: Buffer.from(canary).toString('hex'),
  'capital hex': Buffer.from(canary).toString('hex').toUpperCase(),
  // The middle of it, whose base64 does not depend on the text before and after it.
  ...Object.fromEntries(
    [0, 1, 2].flatMap((offset) => {
      const text = Buffer.from(canary).subarray((3 - offset) % 3);
      const whole = text.subarray(0, text.length - (text.length % 3));
      return [
        [`base64 at ${offset}`, whole.toString('base64')],
        [`base64url at ${offset}`, whole.toString('base64url')],
      ];
    }),
  ),
};
// The part that is random is enough to be found by.
const marks: [string, string][] = [...Object.entries(forms), ['its random part', canary.slice(4, 16)]];

function found(text: string): string[] {
  return marks.filter(([, form]) => text.includes(form)).map(([name]) => name);
}

const folder = createTempFolder();
const programs = findPostgresPrograms();
let weft: SpawnedService;
let api: Call;
let token: string;
let upstream: Server;
let up: string;
let closed: string;
let mails: TestMailServer;
let refusing: TestMailServer;
let mailboxes: RecordingMailboxes;
let postgres: PostgresServer | null = null;
let mysql: MysqlServer | null = null;
let redis: RedisServer | null = null;
let socket: SocketClient;
let arrived = ''; // Everything that upstreams got: it has to arrive there.

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const all = `${request.method} ${request.url}\n${JSON.stringify(request.headers)}\n${body}`;
      arrived += `${all}\n`;
      const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      arrived += `${Buffer.from(basic, 'base64').toString()}\n`;
      const respond = (status: number, value: unknown, headers = {}): void => {
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(value));
      };
      const where = request.url ?? '';
      if (where.includes('/token')) return respond(200, { access_token: 'at-1', expires_in: 60 });
      // A failure tells all that it got, as debug pages do: what of it is kept has to be redacted.
      if (where.includes('/fail')) return respond(500, { message: `cannot: ${all}`, errors: [all] });
      if (where.includes('/denied')) return respond(401, { message: all, error: all });
      if (where.includes('/away'))
        return respond(302, {}, { location: `http://10.1.2.3/?leak=${encodeURIComponent(canary)}` });
      if (where.includes('/slow')) return void setTimeout(() => respond(200, {}), 3_000).unref();
      if (where.includes('/mcp')) return respondAsMcp(request, body, all, respond);
      if (where.includes('/feed'))
        return respond(200, { version: 'https://jsonfeed.org/version/1.1', title: 'News', items: [] });
      if (isModelPath(where)) return respond(200, modelResponse);
      if (where.includes('/list')) return respond(200, [{ id: 1 }]);
      respond(200, { ok: true, id: '1', ts: '1.2' });
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  up = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  closed = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => gone.close(() => resolve()));
  mails = await startMailServer({
    onAuth(auth, _session, done) {
      arrived += `${auth.password}\n`;
      done(null, { user: auth.username ?? '' });
    },
  });
  refusing = await startMailServer({
    onAuth(auth, _session, done) {
      done(new Error(`535 no user with ${auth.password}`));
    },
  });
  mailboxes = await startRecordingMailboxes((credentials) => (arrived += `${credentials}\n`));
  if (programs !== null) postgres = await startPostgres(programs);
  if (mysqlProgram !== null) {
    mysql = await startMysql(mysqlProgram);
    await mysql.sql('CREATE TABLE numbered (id int)');
  }
  if (redisProgram !== null) redis = await startRedis();
  const logged = { WEFT_LOG_LEVEL: 'trace', NODE_EXTRA_CA_CERTS: writeLoopbackCertificate(folder.path) };
  const env = { ...logged, WEFT_METRICS: 'on', WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' };
  weft = await spawnService({ dataDir: folder.path, env });
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  ({ token } = login.body as { token: string });
  api = caller(weft.url, { authorization: `Bearer ${token}` });
  socket = await connectSocket(weft.url);
  await socket.auth(token);
});
afterAll(async () => {
  endSocketClients();
  await weft.kill9();
  upstream.closeAllConnections();
  upstream.close();
  await Promise.all([mails.close(), mailboxes.close()]);
  await refusing.close();
  await postgres?.close();
  await mysql?.close();
  await redis?.remove();
  folder.remove();
});

const enc = encodeURIComponent(canary);
const json = (value: () => object) => () => JSON.stringify(value());

/** The outcomes of an upstream call: success, an error that echoes the request, refused, forbidden, slow. */
const targets = (): string[] => [
  `${up}/ok`,
  `${up}/fail`,
  `${up}/denied`,
  `${up}/away`,
  closed,
  'http://10.9.8.7/x',
];

function listHttpUses(): SecretUse[] {
  const requests: ((url: string, value: string) => object)[] = [
    (url, value) => ({ url: `${url}/${value}` }),
    (url, value) => ({ url: `${url}?q=${value}` }),
    (url, value) => ({ url, query: { key: value } }),
    (url, value) => ({ url, headers: { 'x-key': value } }),
    (url, value) => ({ url, method: 'POST', body: { key: value, deep: [value] } }),
    (url, value) => ({ url, method: 'POST', body: `text ${value}` }),
    (url, value) => ({ url, method: 'POST', body_type: 'form-urlencoded', body: { key: value } }),
    (url, value) => ({
      url,
      method: 'POST',
      body_type: 'form-data',
      body: { key: value },
      files: { f: { filename: 'f', content: value } },
    }),
    (url, value) => ({ url, authentication: { type: 'bearer', token: value } }),
    (url, value) => ({ url, authentication: { type: 'basic', username: 'u', password: value } }),
    (url, value) => ({ url, authentication: { type: 'basic', username: value, password: 'p' } }),
    (url, value) => ({ url, authentication: { type: 'header', name: 'x-api-key', value } }),
    (url, value) => ({
      url,
      authentication: { type: 'oauth2', token_url: `${up}/token`, client_id: 'c', client_secret: value },
    }),
    (url, value) => ({
      url,
      authentication: { type: 'oauth2', token_url: `${up}/denied`, client_id: value, client_secret: value },
    }),
    (url, value) => ({
      url,
      authentication: { type: 'oauth2', token_url: `${closed}/${value}`, client_id: 'c', client_secret: 's' },
    }),
    (url, value) => ({
      url,
      authentication: {
        type: 'oauth2',
        token_url: `${up}/fail`,
        client_id: 'c',
        client_secret: 's',
        refresh_token: value,
      },
    }),
  ];
  return [
    ...targets().flatMap((url) => requests.map((request) => use((value) => request(url, value)))),
    use((value) => ({ url: `${up}/slow`, headers: { 'x-key': value }, timeout: '300ms' })),
    use((value) => ({
      url: `${up}/fail`,
      headers: { 'x-key': value },
      retryPolicy: { maxAttempts: 2, initialDelay: '10ms' },
    })),
    // In the wrong position, or of the wrong type: the error must not quote it.
    use((value) => ({ url: value })),
    use((value) => ({ url: `${up}/ok`, headers: { 'x-key': `{{ secrets.CANARY + 1 }}${value}` } })),
    use((value) => ({ url: `${up}/ok`, query: { a: `{{ secrets.CANARY | parse_json }}`, b: value } })),
    use((value) => ({ url: `${up}/ok`, query: { a: `{{ secrets.CANARY | date: "%Y" }}`, b: value } })),
    use(
      (value) => ({ url: value }),
      () => `${up}/ok?key=${enc}`,
    ),
    use(
      (value) => ({ url: value }),
      () => `ftp://u:${enc}@127.0.0.1/`,
    ),
    use(
      (value) => ({ url: value }),
      () => `http://u:${enc}@127.0.0.1/`,
    ),
  ];
}

function listFeedUses(): SecretUse[] {
  const requests: ((url: string, value: string) => object)[] = [
    (url, value) => ({ url: `${url}/${value}` }),
    (url, value) => ({ url, query: { key: value } }),
    (url, value) => ({ url, headers: { 'x-key': value } }),
    (url, value) => ({ url, authentication: { type: 'bearer', token: value } }),
    (url, value) => ({ url, authentication: { type: 'basic', username: value, password: value } }),
  ];
  return [`${up}/feed`, ...targets()].flatMap((url) =>
    requests.map((request) => use((value) => request(url, value))),
  );
}

const customers = (service: string, operation: string, data: object, secret: () => object): SecretUse =>
  use((value) => ({ service, operation, credentials: value, data }), json(secret));

function listConnectorUses(): Record<string, SecretUse[]> {
  const template = { from: 'a@example.com', to: 'b@example.com', subject: 'Hello', text: 'Hello' };
  const mail = (port: number, value = 'template'): SecretUse[] => [
    use(
      (credentials) => ({ service: 'smtp', operation: 'send', credentials, [value]: template }),
      () => `smtp://ada:${enc}@127.0.0.1:${port}`,
    ),
  ];
  return {
    email: [
      ...mail(mails.port),
      ...mail(refusing.port),
      ...mail(Number(new URL(closed).port)),
      use((credentials) => ({ service: 'smtp', operation: 'send', credentials, template })),
      use((value) => ({
        service: 'smtp',
        operation: 'send',
        credentials: `smtp://127.0.0.1:${mails.port}`,
        template: { ...template, subject: value, text: value },
      })),
      use((value) => ({
        service: 'smtp',
        operation: 'send',
        credentials: `smtp://127.0.0.1:${mails.port}`,
        template: { ...template, to: value },
      })),
    ],
    ...listQuestionUses([mails.port, refusing.port, Number(new URL(closed).port)], enc),
    imap: mailboxes.ports.map((port) =>
      use((value) => ({ operation: 'search', host: '127.0.0.1', port, user: value, password: value })),
    ),
    customer_records: [
      ...targets().flatMap((url) => [
        customers('rest', 'create', { name: 'x' }, () => ({ base_url: url, token: canary })),
        customers('hubspot', 'create', { email: 'a@example.com' }, () => ({ base_url: url, token: canary })),
        customers('salesforce', 'create', { LastName: 'x' }, () => ({ instance_url: url, token: canary })),
      ]),
      use((credentials) => ({ service: 'rest', operation: 'create', credentials, data: { name: 'x' } })),
      customers('rest', 'create', { name: 'x' }, () => ({ base_url: `ftp://${enc}`, token: canary })),
    ],
    slack: [
      ...targets().flatMap((url) => [
        use(
          (credentials) => ({ operation: 'post_message', credentials, channel: '#a', text: 'x' }),
          json(() => ({ token: canary, base_url: url })),
        ),
        use(
          (credentials) => ({ operation: 'post_message', credentials, text: 'x' }),
          () => `${url}/services/${enc}`,
        ),
      ]),
      use((credentials) => ({ operation: 'post_message', credentials, channel: '#a', text: 'x' })),
    ],
    postgres: [
      use(
        (credentials) => ({ operation: 'query', credentials, query: 'SELECT 1' }),
        () => `postgres://u:${enc}@127.0.0.1:${new URL(closed).port}/db`,
      ),
      use((credentials) => ({ operation: 'query', credentials, query: 'SELECT 1' })),
      ...(postgres === null ? [] : listPostgresUses(postgres.url, enc)),
    ],
    ...listServerUses({ canary, closed, up, mysql, redis }),
  };
}

/** Types that declare no field for a secret. */
const typesWithoutSecrets = builtinNodes.filter(({ secrets = {} }) => Object.keys(secrets).length === 0);

/**
 * For each type of node the places where it takes a secret. `none`: it takes none, in whichever field; that
 * is refused when the workflow is saved. A new type needs a row.
 */
function table(): Record<string, SecretUse[] | 'none'> {
  return {
    ...Object.fromEntries(typesWithoutSecrets.map(({ type }) => [type, 'none' as const])),
    http_request: listHttpUses(),
    rss: listFeedUses(),
    ...listAllModelUses(targets()),
    mcp_tool: listMcpUses([`${up}/mcp`, `${up}/mcp-error`, ...targets()]),
    ...listConnectorUses(),
    crypto: [
      use((key) => ({ operation: 'hmac', value: 'x', key, output: 'sum' })),
      use((key) => ({ operation: 'hmac', value: '{{ input.missing }}', key, output: 'sum' })),
      use((value) => ({ operation: 'encode', value, output: 'x' })),
    ],
    // It has tests of its own below.
    trigger: [],
  };
}

const executions: string[] = [];
const workflows: string[] = [];
let count = 0;

async function save(name: string, nodes: object[], connections: object[], status = 'draft') {
  const reply = await api('POST', '/workflows', {
    body: { name, status, definition: { nodes, connections } },
  });
  const { id } = reply.body as { id: string };
  if (reply.status === 201) workflows.push(id);
  return { answer: reply, id };
}

async function createSecret(value: string): Promise<string> {
  const name = `SECRET_${++count}`;
  const reply = await api('PUT', `/secrets/${name}`, { body: { value } });
  expect(reply.status, reply.text).toBe(200);
  return name;
}

/** How it ended; refused: it never began. */
async function run(type: string, { config, secret }: SecretUse): Promise<string> {
  const name = secret === undefined ? 'CANARY' : await createSecret(secret());
  const node = { id: 'node', type, config: config(`{{ secrets.${name} }}`) };
  const start = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
  const made = await save(type, [start, node], [{ from: 'start', to: 'node' }]);
  expect(made.answer.status, made.answer.text).toBe(201);
  expect(found(made.answer.text)).toEqual([]);
  const started = await api('POST', `/workflows/${made.id}/execute`, {
    body: { input: { a: 1 }, wait: '20s' },
  });
  expect(found(started.text), JSON.stringify(node)).toEqual([]);
  // What cannot be right is refused before it starts, which is an end as good as any.
  if (started.status === 400) return 'refused';
  expect(started.status, started.text).toBe(201);
  const { id, status } = started.body as { id: string; status: string };
  expect(['completed', 'failed'], JSON.stringify(node)).toContain(status);
  executions.push(id);
  return status;
}

test('every type of node has a row', () => {
  expect(
    Object.keys(table()).toSorted(),
    'Change test/security/secret-leak.slow.test.ts: list the fields of the new type that take a secret',
  ).toEqual(builtinNodes.map((node) => node.type).toSorted());
});

describe('each place', () => {
  beforeAll(async () => {
    expect((await api('PUT', '/secrets/CANARY', { body: { value: canary } })).status).toBe(200);
    if (mysql !== null)
      expect((await api('PUT', '/secrets/MYSQL', { body: { value: mysql.url } })).status).toBe(200);
    if (postgres !== null)
      expect((await api('PUT', '/secrets/DB', { body: { value: postgres.url } })).status).toBe(200);
  });

  test.each(typesWithoutSecrets.map((node) => [node.type, node] as const))(
    '%s takes no secret',
    async (type, node) => {
      // In each text of its first example that has one.
      const example = node.examples.find((one) => JSON.stringify(one.config) !== '{}');
      const config = JSON.parse(
        JSON.stringify(example?.config, (_key, value: string | number | object) =>
          typeof value === 'object' ? value : `${value}{{ secrets.CANARY }}`,
        ),
      ) as object;
      const { answer, id } = await save(type, [{ id: 'node', type, config }], []);
      expect([200, 201, 400]).toContain(answer.status);
      expect(found(answer.text)).toEqual([]);
      if (answer.status === 400) return;
      const started = await api('POST', `/workflows/${id}/execute`, { body: { input: {} } });
      expect([type, started.status]).toEqual([type, 400]);
      expect(found(started.text)).toEqual([]);
    },
  );

  const missing = new Set([
    ...(programs === null ? ['postgres'] : []),
    ...(mysqlProgram === null ? ['mysql'] : []),
    ...(redisProgram === null ? ['redis'] : []),
    // Without a response, its deadline passes.
    'approval',
    'form',
  ]);
  const types =
    'http_request rss mcp_tool llm extract classify summarise embed email approval form imap customer_records slack postgres mysql redis s3 crypto';
  test.each(types.split(' '))('%s, when it succeeds and when it fails', async (type) => {
    const places = table()[type] as SecretUse[];
    expect(places.length).toBeGreaterThan(0);
    const ends = new Set<string>();
    for (let i = 0; i < places.length; i += 30)
      for (const end of await Promise.all(places.slice(i, i + 30).map((location) => run(type, location))))
        ends.add(end);
    // Without its server on the machine nothing can go well there.
    if (!missing.has(type)) expect(ends).toContain('completed');
    expect(ends).toContain('failed');
  });

  test('trigger: webhooks by each way to prove it', async () => {
    const kinds = [
      {
        authentication: 'basic',
        header: { authorization: `Basic ${Buffer.from(`u:${canary}`).toString('base64')}` },
      },
      { authentication: 'bearer', header: { authorization: `Bearer ${canary}` } },
      { authentication: 'api_key', header: { 'x-api-key': canary } },
      { authentication: 'hmac', header: { 'x-weft-signature': `t=1,v1=${forms['hex']}` } },
    ];
    for (const { authentication, header } of kinds) {
      const secret = await createSecret(authentication === 'basic' ? `u:${canary}` : canary);
      const config = { triggerType: 'webhook', endpoint: `canary-${authentication}`, authentication, secret };
      const { answer } = await save(authentication, [{ id: 'hook', type: 'trigger', config }], [], 'active');
      expect(answer.status, answer.text).toBe(201);
      for (const headers of [header, { ...header, 'x-api-key': 'no', authorization: 'Bearer no' }, {}]) {
        const sent = await weft.call('POST', `/webhooks/canary-${authentication}`, {
          body: { a: 1 },
          headers: headers as Record<string, string>,
        });
        expect([200, 401]).toContain(sent.status);
        expect(found(sent.text)).toEqual([]);
        const id = sent.headers.get('x-weft-execution-id');
        if (id !== null) executions.push(id);
      }
    }
  });

  test('trigger: polling, with the secret in each part of the request', async () => {
    const value = '{{ secrets.CANARY }}';
    const requests = ['/list', '/fail', '/denied', '/away'].flatMap((where) => [
      { url: `${up}${where}/${value}` },
      { url: `${up}${where}`, query: { q: value } },
      { url: `${up}${where}`, headers: { 'x-key': value } },
      { url: `${up}${where}`, authentication: { type: 'basic', username: 'u', password: value } },
      { url: `${up}${where}`, method: 'POST', body: { key: value } },
    ]);
    requests.push({ url: `${closed}/${value}` }, { url: value }, { url: `http://10.9.8.7/${value}` });
    for (const [i, request] of requests.entries()) {
      const config = { triggerType: 'polling', interval: '1h', first: 'take', ...request };
      const { answer, id } = await save(`poll ${i}`, [{ id: 'poll', type: 'trigger', config }], [], 'active');
      expect(answer.status, answer.text).toBe(201);
      const shown = await waitUntil(
        () => api('GET', `/workflows/${id}`),
        ({ body }) => {
          const { triggers } = body as { triggers: { next_run_at: string; last_error: string | null }[] };
          return triggers.some(
            (one) => one.last_error !== null || Date.parse(one.next_run_at) > Date.now() + 60_000,
          );
        },
      );
      expect(found(shown.text)).toEqual([]);
    }
  });
});

describe('afterwards', () => {
  test('it was there: it has reached the upstreams', () => {
    expect(executions.length).toBeGreaterThan(100);
    expect(arrived).toContain(canary);
    expect(arrived).toContain(encodeURIComponent(canary));
  });

  test('REST shows it nowhere', async () => {
    const pages = [
      '/executions?limit=100',
      '/workflows?limit=100',
      '/secrets?limit=100',
      '/nodes',
      '/health',
    ];
    for (const id of workflows) pages.push(`/workflows/${id}`, `/workflows/${id}/executions`);
    for (const id of executions)
      pages.push(`/executions/${id}`, `/executions/${id}/nodes`, `/executions/${id}/logs?limit=100`);
    for (let i = 0; i < pages.length; i += 20) {
      const responses = await Promise.all(
        pages.slice(i, i + 20).map(async (page) => [page, await api('GET', page)] as const),
      );
      for (const [page, reply] of responses) {
        expect([200, 404], page).toContain(reply.status);
        expect([page, ...found(reply.text), ...found(JSON.stringify([...reply.headers]))]).toEqual([page]);
      }
    }
  });

  test('GraphQL shows it nowhere', async () => {
    for (const id of executions) {
      const query = `query ($id: ID!) { execution(id: $id) { id status input output error trigger nodes { path status input output error } logs { logs { message data } } } }`;
      const reply = await api('POST', '/graphql', { body: { query, variables: { id } } });
      expect(reply.status, reply.text).toBe(200);
      expect(found(reply.text)).toEqual([]);
    }
    const query =
      '{ workflows(filter: {limit: 100}) { id name issues { field issue } triggers { type lastError } definition { nodes { config } } } }';
    const reply = await api('POST', '/graphql', { body: { query } });
    expect([reply.status, found(reply.text)], reply.text.slice(0, 300)).toEqual([200, []]);
  });

  test('no frame of the WebSocket has it', () => {
    expect(socket.messages.length).toBeGreaterThan(executions.length);
    expect(JSON.stringify(socket.messages)).toContain('notification');
    expect(found(JSON.stringify(socket.messages))).toEqual([]);
  });

  test('no live log has it, and no metric', async () => {
    for (const id of executions.slice(-30)) {
      const response = await fetch(`${weft.url}/executions/${id}/logs`, {
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      });
      const text = await response.text();
      expect(text).toContain('data:');
      expect(found(text)).toEqual([]);
    }
    const metrics = await (await fetch(weft.url.replace('/v1', '/metrics'))).text();
    expect(metrics).toContain('weft_');
    expect(found(metrics)).toEqual([]);
  });

  test('no printed line and no file contains a secret', async () => {
    await weft.stop();
    expect(found(weft.logs())).toEqual([]);
    let bytes = 0;
    for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(folder.path, name);
      if (!statSync(file).isFile()) continue;
      const text = readFileSync(file).toString('latin1');
      bytes += text.length;
      expect([name, ...found(text)]).toEqual([name]);
    }
    expect(bytes).toBeGreaterThan(100_000);
  });
});
