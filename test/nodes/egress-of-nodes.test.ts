import { createServer, type AddressInfo, type Server } from 'node:net';
import type { QuestionResult } from '../../src/contract/node-orchestration.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NodeFailure, NodeType } from '../../src/contract/node-type.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { pollMailbox } from '../../src/nodes/triggers/poll-mailbox.ts';
import { pollRequest } from '../../src/nodes/triggers/poll-request.ts';
import type { Attempt } from '../../src/ports/runner.ts';
import type { TokenGrant } from '../../src/ports/oauth-tokens.ts';
import { resolveBySystem, type Resolve } from '../../src/runner/dns-resolver.ts';
import { modelCallers } from './model-callers.ts';
import { createAttempt, closeRunners, makeRunner } from '../support/node-runner.ts';
import { realClock, serve, type TestServer } from '../support/servers/http-server.ts';

/*
 * Every type of node that calls out, at every spelling of an address that it must not call; a server there
 * would notice.
 */

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
const before = PROXIES.map((name) => process.env[name]);

const fields = [{ type: 'text', name: 'a', label: 'A' }];

/** On every address of this machine, of both families. */
let listener: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  ({ port } = listener.address() as AddressInfo);
  for (const name of PROXIES) process.env[name] = `http://127.0.0.1:${port}`;
});
afterEach(closeRunners);
afterAll(async () => {
  for (const [i, name] of PROXIES.entries()) {
    const value = before[i];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await new Promise((resolve) => listener.close(resolve));
});

const names: Record<string, string[]> = {
  'private.example': ['127.0.0.1'],
  'private6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  '6to4.example': ['2002:7f00:1::'],
  'teredo.example': ['2001:0:7f00:1::'],
  'both.example': ['8.8.8.8', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'metadata6.example': ['fd00:ec2::254'],
};
const resolve: Resolve = async (host) => {
  const known = names[host];
  if (known === undefined) return resolveBySystem(host);
  return known.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

/** What goes out for a host, by type of node. */
type Caller = {
  what: string;
  type: NodeType;
  config: (to: string) => JsonObject;
  isHttp: boolean;
  /** What the connected account ACCOUNT is. */
  account?: (to: string) => Account;
};
/** `grant`: requests a new token, as after expiry or after a user returns from the provider. */
type Account = { grant?: TokenGrant; apiUrl?: string };
const findNodeType = (type: string): NodeType => builtinNodes.find((node) => node.type === type)!;
const http = findNodeType('http_request');
const bounds = { etag: null, lastModified: null, maxBytes: 1_000_000, maxListed: 100 };
const customers = (service: string, name: string): Caller => ({
  what: `customer_records of ${service}`,
  type: findNodeType('customer_records'),
  config: (to) => ({
    service,
    operation: 'get',
    credentials: JSON.stringify({ [name]: `http://${to}`, token: 'token-17' }),
    data: { id: '1' },
  }),
  isHttp: true,
});
const s3Object: JsonObject = {
  operation: 'delete',
  credentials: JSON.stringify({ access_key_id: 'id-17', secret_access_key: 'key-17' }),
  bucket: 'reports',
  key: 'a',
};
const oauth2 = (more: JsonObject): JsonObject => ({ authentication: { type: 'oauth2', ...more } });
const asAccount = oauth2({ credential: 'ACCOUNT' });
const client = { clientId: 'c', clientSecret: 'secret', scope: '' };
const renewal = (tokenUrl: string): TokenGrant => ({
  ...client,
  type: 'refresh_token',
  tokenUrl,
  refreshToken: 'refresh-17',
});
const renewedAt = (to: string): Account => ({ grant: renewal(`http://${to}/token`) });
const mail = {
  service: 'smtp',
  operation: 'send',
  template: { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' },
};
/** Host and port of an address, without the brackets of IPv6. */
function splitAddress(to: string): { host: string; port?: number } {
  const at = to.lastIndexOf(':');
  if (at <= to.lastIndexOf(']')) return { host: to.replaceAll(/[[\]]/g, '') };
  return { host: to.slice(0, at).replaceAll(/[[\]]/g, ''), port: Number(to.slice(at + 1)) };
}
const post = { operation: 'post_message', channel: '#a', text: 'x' };
const createAccountCaller = (service: string): Caller => ({
  what: `customer_records of ${service} at the address of a connected account`,
  type: findNodeType('customer_records'),
  config: () => ({ service, operation: 'get', connection: 'ACCOUNT', data: { id: '1' } }),
  account: (to) => ({ apiUrl: `http://${to}` }),
  isHttp: true,
});
const callers: Caller[] = [
  { what: 'http_request', type: http, config: (to) => ({ url: `http://${to}/` }), isHttp: true },
  { what: 'http_request over TLS', type: http, config: (to) => ({ url: `https://${to}/` }), isHttp: true },
  {
    what: 'http_request for a token',
    type: http,
    config: (to) => ({
      url: 'http://8.8.8.8/',
      authentication: {
        type: 'oauth2',
        token_url: `http://${to}/token`,
        client_id: 'c',
        client_secret: 'secret',
      },
    }),
    isHttp: true,
  },
  {
    what: 'http_request through a proxy of its own',
    type: http,
    config: (to) => ({ url: 'http://8.8.8.8/', proxy: `http://${to}` }),
    isHttp: false,
  },
  { what: 'rss', type: findNodeType('rss'), config: (to) => ({ url: `http://${to}/` }), isHttp: true },
  {
    what: 'mcp_tool',
    type: findNodeType('mcp_tool'),
    config: (to) => ({ url: `http://${to}/`, tool: 'x' }),
    isHttp: true,
  },
  ...modelCallers.map(({ type, ...caller }) => ({ ...caller, type: findNodeType(type) })),
  { what: 'polling', type: pollRequest, config: (to) => ({ url: `http://${to}/`, ...bounds }), isHttp: true },
  customers('rest', 'base_url'),
  customers('hubspot', 'base_url'),
  customers('salesforce', 'instance_url'),
  {
    what: 'slack',
    type: findNodeType('slack'),
    config: (to) => ({
      operation: 'post_message',
      credentials: JSON.stringify({ token: 'token-17', base_url: `http://${to}` }),
      channel: '#a',
      text: 'x',
    }),
    isHttp: true,
  },
  {
    what: 'slack by a webhook',
    type: findNodeType('slack'),
    config: (to) => ({
      operation: 'post_message',
      credentials: `http://${to}/services/x`,
      text: 'x',
    }),
    isHttp: true,
  },
  {
    what: 'email',
    type: findNodeType('email'),
    config: (to) => ({
      service: 'smtp',
      operation: 'send',
      credentials: `smtp://${to}`,
      template: { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' },
    }),
    isHttp: false,
  },
  {
    what: 'approval',
    type: findNodeType('approval'),
    config: (to) => ({ title: 'x', email: { credentials: `smtp://${to}`, from: 'a@example.com' } }),
    isHttp: false,
  },
  {
    what: 'form',
    type: findNodeType('form'),
    config: (to) => ({ title: 'x', fields, email: { credentials: `smtp://${to}`, from: 'a@example.com' } }),
    isHttp: false,
  },
  {
    what: 'email over TLS',
    type: findNodeType('email'),
    config: (to) => ({
      service: 'smtp',
      operation: 'send',
      credentials: `smtps://${to}`,
      template: { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' },
    }),
    isHttp: false,
  },
  {
    what: 'imap',
    type: findNodeType('imap'),
    config: (to) => ({ operation: 'search', user: 'a', password: 'p', ...splitAddress(to) }),
    isHttp: false,
  },
  {
    what: 'email trigger',
    type: pollMailbox,
    config: (to) => ({
      user: 'a',
      password: 'p',
      task: { kind: 'list', cursor: null, isFirst: false },
      ...splitAddress(to),
    }),
    isHttp: false,
  },
  {
    what: 'postgres',
    type: findNodeType('postgres'),
    config: (to) => ({ operation: 'query', credentials: `postgres://u:p@${to}/db`, query: 'SELECT 1' }),
    isHttp: false,
  },
  {
    what: 'mysql',
    type: findNodeType('mysql'),
    config: (to) => ({ operation: 'query', credentials: `mysql://u:p@${to}/db`, query: 'SELECT 1' }),
    isHttp: false,
  },
  {
    what: 'redis',
    type: findNodeType('redis'),
    config: (to) => ({ operation: 'get', credentials: `redis://u:p@${to}/0`, key: 'a' }),
    isHttp: false,
  },
  {
    what: 's3',
    type: findNodeType('s3'),
    config: (to) => ({ ...s3Object, endpoint: `http://${to}` }),
    isHttp: true,
  },
  {
    what: 'http_request with a refresh token of its own',
    type: http,
    config: (to) => ({
      url: 'http://8.8.8.8/',
      ...oauth2({
        token_url: `http://${to}/token`,
        client_id: 'c',
        client_secret: 'secret',
        refresh_token: 'refresh-17',
      }),
    }),
    isHttp: true,
  },
  {
    what: 'http_request as a connected account',
    type: http,
    config: (to) => ({ url: `http://${to}/`, ...asAccount }),
    account: () => ({}),
    isHttp: true,
  },
  {
    what: 'http_request, renewing a connected account',
    type: http,
    config: () => ({ url: 'http://8.8.8.8/', ...asAccount }),
    account: renewedAt,
    isHttp: true,
  },
  {
    what: 'http_request, renewing a connected account over TLS',
    type: http,
    config: () => ({ url: 'http://8.8.8.8/', ...asAccount }),
    account: (to) => ({ grant: renewal(`https://${to}/token`) }),
    isHttp: false,
  },
  {
    what: 'the account of an app itself',
    type: http,
    config: () => ({ url: 'http://8.8.8.8/', ...asAccount }),
    account: (to) => ({ grant: { ...client, type: 'client_credentials', tokenUrl: `http://${to}/token` } }),
    isHttp: true,
  },
  {
    what: 'the code that a person came back with',
    type: http,
    config: () => ({ url: 'http://8.8.8.8/', ...asAccount }),
    account: (to) => ({
      grant: {
        ...client,
        type: 'authorization_code',
        tokenUrl: `http://${to}/token`,
        code: 'code-17',
        redirectUri: 'https://weft.example/back',
        codeVerifier: 'verifier-17',
      },
    }),
    isHttp: true,
  },
  {
    what: 'polling as a connected account',
    type: pollRequest,
    config: (to) => ({ url: `http://${to}/`, ...bounds, ...asAccount }),
    account: () => ({}),
    isHttp: true,
  },
  {
    what: 'polling, renewing a connected account',
    type: pollRequest,
    config: () => ({ url: 'http://8.8.8.8/', ...bounds, ...asAccount }),
    account: renewedAt,
    isHttp: true,
  },
  {
    what: 'polling with a refresh token of its own',
    type: pollRequest,
    config: (to) => ({
      url: 'http://8.8.8.8/',
      ...bounds,
      ...oauth2({ token_url: `http://${to}/token`, client_id: 'c', refresh_token: 'refresh-17' }),
    }),
    isHttp: true,
  },
  createAccountCaller('rest'),
  createAccountCaller('hubspot'),
  createAccountCaller('salesforce'),
  {
    what: 'slack at the address of a connected account',
    type: findNodeType('slack'),
    config: () => ({ ...post, connection: 'ACCOUNT' }),
    account: (to) => ({ apiUrl: `http://${to}` }),
    isHttp: true,
  },
  {
    what: 'slack, renewing a connected account',
    type: findNodeType('slack'),
    config: () => ({ ...post, connection: 'ACCOUNT' }),
    account: renewedAt,
    isHttp: true,
  },
  {
    what: 'email by XOAUTH2',
    type: findNodeType('email'),
    config: (to) => ({ ...mail, credentials: `smtp://a%40example.com@${to}`, connection: 'ACCOUNT' }),
    account: () => ({}),
    isHttp: false,
  },
  {
    what: 'imap by XOAUTH2',
    type: findNodeType('imap'),
    config: (to) => ({ operation: 'search', user: 'a', connection: 'ACCOUNT', ...splitAddress(to) }),
    account: () => ({}),
    isHttp: false,
  },
  {
    what: 'email, renewing a connected account',
    type: findNodeType('email'),
    config: () => ({ ...mail, credentials: 'smtp://a%40example.com@8.8.8.8', connection: 'ACCOUNT' }),
    account: renewedAt,
    isHttp: true,
  },
];

/** A question whose e-mail has not been sent. */
const asked: QuestionResult = {
  kind: 'asked',
  decisionId: 'dec_1',
  askedAt: 0,
  deadline: Date.parse('2090-01-01T00:00:00Z'),
  attachments: [],
  people: [{ assignee: 'u', email: 'b@a.co', hasAccount: true, hasResponded: false, url: '', notices: 0 }],
};

/** Accounts without what keeps their tokens: each use asks for a new one when there is a way to. */
function createRunnerFor(caller: Caller, options: Parameters<typeof makeRunner>[0]) {
  let account: Account = {};
  const signal = new AbortController().signal;
  const made = makeRunner({
    ...options,
    orchestration: { signal: () => Promise.resolve(undefined), ask: () => Promise.resolve(asked) },
    tokens: {
      async ofConnection() {
        const { grant, apiUrl = null } = account;
        const token = grant === undefined ? 'token-17' : (await ask(grant)).accessToken;
        const credentials = { headers: { authorization: `Bearer ${token}` }, query: {} };
        return { token, apiUrl, hosts: null, secrets: [token], credentials, fields: null };
      },
      async ofGrant(_ownerId, grant) {
        const token = (await ask(grant)).accessToken;
        return { token, apiUrl: null, hosts: null, secrets: [token] };
      },
    },
  });
  const ask = (grant: TokenGrant) => made.runner.askForToken(grant, signal);
  return {
    errors: made.errors,
    failureAt: (to: string, more: Partial<Attempt> = {}): Promise<NodeFailure> => {
      account = caller.account?.(to) ?? {};
      return runToFailure(made.runner, createAttempt(caller.type, caller.config(to), more));
    },
  };
}

const hosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.255.255.254',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '１２７.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ip6-localhost',
  ...Object.keys(names),
];
/** No server listens there; only the refusal is visible. */
const far = [
  '169.254.169.254',
  '[fd00:ec2::254]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
];

async function runToFailure(
  runner: { run(attempt: Attempt): unknown },
  attempt: Attempt,
): Promise<NodeFailure> {
  const outcome = (await runner.run(attempt)) as { kind: string; error?: NodeFailure };
  if (outcome.kind !== 'failed' || outcome.error === undefined)
    throw new Error(`it went through: ${JSON.stringify(outcome)}`);
  return outcome.error;
}

test('every type of node that calls out is here', () => {
  const here = new Set(callers.map((caller) => caller.type.type));
  const outside = builtinNodes.filter((node) => node.effects === 'external').map((node) => node.type);
  // These make no connection.
  const inside = ['crypto', 'error_handler', 'notify', 'spreadsheet', 'sub_workflow', 'vector_store', 'zip'];
  expect(outside.filter((type) => !inside.includes(type) && !here.has(type))).toEqual([]);
});

describe.each(callers.map((caller) => [caller.what, caller] as const))('%s', (_what, caller) => {
  const { type, config, isHttp } = caller;
  test('refuses every spelling of an address that it must not call', async () => {
    const { failureAt, errors } = createRunnerFor(caller, { allowedHosts: '', resolve });
    const seen = connections;
    const wrong: string[] = [];
    for (const host of [
      ...hosts.map((one) => `${one}:${port}`),
      ...far,
      ...far.map((one) => `${one}:${port}`),
    ]) {
      const failure = await failureAt(host);
      // A spelling that is not a valid host is a validation error, which is as good.
      const isRefused = failure.type === 'forbidden' && /may not be called/.test(failure.message);
      const isFault = failure.type === 'validation' && failure.message.length > 10;
      const isNobody = failure.type === 'network' && /could not be resolved/.test(failure.message);
      if (!isRefused && !isFault && !isNobody) wrong.push(`${host}: ${failure.type}: ${failure.message}`);
      if (
        /^(?:127\.0\.0\.1|localhost|\[::1\]|private\.example|nat64\.example|10\.0\.0\.1)(?::|$)/.test(host) &&
        !isRefused
      )
        wrong.push(`${host} is not refused: ${failure.type}: ${failure.message}`);
    }
    expect(wrong).toEqual([]);
    expect(connections).toBe(seen);
    expect(errors).toEqual([]);
  });

  test('a name that leads elsewhere at the second look is refused, or its first address is called', async () => {
    // Only 127.0.0.3 may be called, where no server listens.
    const responses = [['127.0.0.3'], ['127.0.0.1'], ['127.0.0.3', '127.0.0.1']];
    const seen = connections;
    let asked = 0;
    let now = 1_700_000_000_000;
    const { failureAt } = createRunnerFor(caller, {
      allowedHosts: '127.0.0.3',
      resolve: () =>
        Promise.resolve(
          (responses[asked++] ?? ['127.0.0.1']).map((address) => ({ address, family: 4 as const })),
        ),
      // Each look is an hour later: nothing is remembered.
      clock: { ...realClock, now: () => (now += 3_600_000) },
    });
    const failures: NodeFailure[] = [];
    for (let i = 0; i < 3; i++)
      failures.push(await failureAt(`rebind.example:${port}`, { ownerId: `usr_${i}` }));
    // What listens on every address listens on 127.0.0.3, too: that one may be called.
    expect(connections - seen).toBeLessThanOrEqual(asked > 0 ? 2 : 0);
    expect(failures.slice(1).map((failure) => failure.type)).toEqual(['forbidden', 'forbidden']);
  });

  test.runIf(isHttp)('follows no redirect to where it must not', async () => {
    let location = '';
    const allowed: TestServer = await serve((_q, r) => r.writeHead(302, { location }).end());
    const { failureAt } = createRunnerFor(caller, { allowedHosts: `127.0.0.1:${allowed.port}`, resolve });
    const seen = connections;
    const secure = type === http && config('x')['url'] === 'https://x/';
    for (const host of secure ? [] : hosts.filter((one) => /^[!-~]+$/.test(one))) {
      location = `http://${host}:${port}/`;
      const failure = await failureAt(`127.0.0.1:${allowed.port}`);
      expect([
        host,
        ['forbidden', 'network', 'validation', 'client_error', 'server_error'].includes(failure.type),
      ]).toEqual([host, true]);
    }
    for (const target of [
      'file:///etc/passwd',
      'gopher://127.0.0.1/',
      `ftp://127.0.0.1:${port}/`,
      'data:,x',
    ]) {
      if (secure) break;
      location = target;
      await failureAt(`127.0.0.1:${allowed.port}`);
    }
    expect(connections).toBe(seen);
    expect(secure || allowed.connections() > 0).toBe(true);
    await allowed.close();
  });
});

test.each([
  'file:///etc/passwd',
  'gopher://127.0.0.1/x',
  'ftp://127.0.0.1/',
  'ldap://127.0.0.1/',
  'dict://127.0.0.1:11211/',
  'jar:http://127.0.0.1!/',
  'data:,x',
  'unix:/var/run/docker.sock',
])('no node takes %s', async (url) => {
  const { runner } = makeRunner({ allowedHosts: '127.0.0.1' });
  const seen = connections;
  const all: [NodeType, JsonObject][] = [
    [http, { url }],
    [http, { url: 'http://8.8.8.8/', proxy: url }],
    [
      http,
      {
        url: 'http://8.8.8.8/',
        authentication: { type: 'oauth2', token_url: url, client_id: 'c', client_secret: 's' },
      },
    ],
    [pollRequest, { url, ...bounds }],
    [
      findNodeType('customer_records'),
      {
        service: 'rest',
        operation: 'get',
        credentials: JSON.stringify({ base_url: url, token: 't' }),
        data: { id: '1' },
      },
    ],
    [findNodeType('slack'), { operation: 'post_message', credentials: url, text: 'x' }],
    [
      findNodeType('email'),
      {
        service: 'smtp',
        operation: 'send',
        credentials: url,
        template: { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' },
      },
    ],
    [findNodeType('postgres'), { operation: 'query', credentials: url, query: 'SELECT 1' }],
    [findNodeType('imap'), { operation: 'search', host: url, user: 'a', password: 'p' }],
    [findNodeType('mysql'), { operation: 'query', credentials: url, query: 'SELECT 1' }],
    [findNodeType('redis'), { operation: 'get', credentials: url, key: 'a' }],
    [findNodeType('s3'), { ...s3Object, endpoint: url }],
  ];
  for (const [type, config] of all) {
    const { type: kind, message } = await runToFailure(runner, createAttempt(type, config));
    expect([type.type, ['forbidden', 'validation'].includes(kind), message]).toEqual([
      type.type,
      true,
      message,
    ]);
  }
  expect(connections).toBe(seen);
});
