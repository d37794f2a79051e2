import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as oidc from 'openid-client';
import { afterAll, expect, test } from 'vitest';
import { Browser } from '../oauth/browser.ts';
import { caller, type Call } from '../support/service.ts';
import { installBeforeAll, Installation, type Weft } from './installation.ts';

const EMAIL = 'admin@localhost';
const CALLBACK = 'https://app.example.com/cb';

const installation = new Installation();
let tarball: string;
let service: Awaited<ReturnType<Weft['start']>>;
let origin: string;
let api: Call;

installBeforeAll(async () => {
  tarball = await installation.pack();
  service = await (await installation.installGlobally(tarball)).start();
  ({ origin } = new URL(service.url));
  const body = { email: EMAIL, password: service.password };
  const login = await caller(service.url)('POST', '/auth/login', { body });
  expect(login.status, login.text).toBe(200);
  api = caller(service.url, { authorization: `Bearer ${(login.body as { token: string }).token}` });
});
afterAll(async () => {
  // There is none where nothing could be installed.
  if (service !== undefined) expect(await service.stop()).toBe(0);
  installation.remove();
});

/** The status that a token gets. */
async function requestStatus(token: string): Promise<number> {
  const call = caller(service.url, { authorization: `Bearer ${token}` });
  return (await call('GET', '/workflows')).status;
}

test('the package has the built program, and neither sources nor tests', () => {
  const { stdout } = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  const names = stdout.trim().split('\n');
  expect(names).toEqual(
    expect.arrayContaining(
      ['dist/weft.js', 'dist/web/index.html', 'dist/THIRD-PARTY-LICENSES.txt', 'README.md', 'LICENSE'].map(
        (name) => `package/${name}`,
      ),
    ),
  );
  const isSource = (name: string) =>
    /(?<!\.d)\.tsx?$/.test(name) || /\.(test|map)\b|package\/(src|test|web|sdk)\//.test(name);
  expect(names.filter(isSource)).toEqual([]);
});

test('the editor and the templates are there', async () => {
  const page = await fetch(origin);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
  const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, asset]) => asset!,
  );
  expect(assets.length).toBeGreaterThan(3);
  for (const asset of assets) expect((await fetch(`${origin}${asset}`)).status, asset).toBe(200);
  const { body } = await api('GET', '/templates');
  expect((body as { pagination: { total: number } }).pagination.total).toBe(
    readdirSync(path.resolve(import.meta.dirname, '../../templates')).length,
  );
});

test('a client of another make gets, renews, inspects and revokes tokens of a person', async () => {
  const config = await oidc.dynamicClientRegistration(
    new URL(origin),
    { client_name: 'Another make', redirect_uris: [CALLBACK] },
    oidc.None(),
    { execute: [oidc.allowInsecureRequests] },
  );
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid workflows:read',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const browser = new Browser(origin);
  const login = await browser.open(url.href);
  const consent = await browser.press(login, 'login', { email: EMAIL, password: service.password });
  expect(consent.text).toContain('Another make');
  const { left } = await browser.press(consent, 'allow');
  const tokens = await oidc.authorizationCodeGrant(config, left!, {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
  expect(await requestStatus(tokens.access_token)).toBe(200);

  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect(await requestStatus(renewed.access_token)).toBe(200);
  await oidc.tokenRevocation(config, renewed.refresh_token!);
  expect(await requestStatus(renewed.access_token)).toBe(401);
  await expect(oidc.refreshTokenGrant(config, renewed.refresh_token!)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

test('a job gets, inspects and revokes tokens by client credentials', async () => {
  const made = await api('POST', '/oauth/clients', {
    body: { name: 'CI', grant_types: ['client_credentials'], scopes: ['workflows:read'] },
  });
  expect(made.status, made.text).toBe(201);
  const client = made.body as { client_id: string; client_secret: string };
  const config = await oidc.discovery(
    new URL(origin),
    client.client_id,
    undefined,
    oidc.ClientSecretBasic(client.client_secret),
    { execute: [oidc.allowInsecureRequests], algorithm: 'oauth2' },
  );
  const { access_token } = await oidc.clientCredentialsGrant(config);
  expect(await requestStatus(access_token)).toBe(200);
  expect(await oidc.tokenIntrospection(config, access_token)).toMatchObject({
    active: true,
    client_id: client.client_id,
    scope: 'workflows:read',
  });
  await oidc.tokenRevocation(config, access_token);
  expect(await requestStatus(access_token)).toBe(401);
  expect(await oidc.tokenIntrospection(config, access_token)).toEqual({ active: false });
});

test('the types of weft/node-kit hold without the sources', async () => {
  const app = path.join(installation.folder, 'app');
  mkdirSync(app);
  writeFileSync(path.join(app, 'package.json'), '{"type":"module"}');
  await installation.npm(['install', '--prefix', app, tarball], app);
  const node = (type: string) => `import { Type, closed, defineNode, done } from 'weft/node-kit';
    export default defineNode({ type: 'one', version: '1.0.0', name: 'One', category: 'data', description: 'Is one.',
      icon: 'dot', config: closed({ of: Type.${type}() }), outputs: [{ name: 'out', type: 'number', description: 'One.' }],
      effects: 'none', run: async (_ctx, config) => done(config.of.length), examples: [] });`;
  const root = path.resolve(import.meta.dirname, '../..');
  const args = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--types', 'node'];
  const compile = (type: string) => {
    writeFileSync(path.join(app, 'one.node.ts'), node(type));
    const roots = ['--typeRoots', path.join(root, 'node_modules/@types')];
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [tsc, ...args, ...roots, 'one.node.ts'], {
      cwd: app,
      encoding: 'utf8',
    });
  };
  const good = compile('String');
  expect(good.status, good.stdout).toBe(0);
  expect(compile('Number').stdout).toContain("Property 'length' does not exist on type 'number'");
});

test('the trusted node of the documentation compiles with its tsconfig.json, installed as documented', async () => {
  const app = path.join(installation.folder, 'nodes');
  mkdirSync(app);
  writeFileSync(path.join(app, 'package.json'), '{"type":"module"}');
  await installation.npm(['install', '--prefix', app, tarball, '@types/node@24'], app);
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/custom-nodes.md'), 'utf8');
  const findCodeBlock = (language: string, text: string): string =>
    [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
      (block) => block[1] === language && block[2]!.includes(text),
    )![2]!;
  writeFileSync(path.join(app, 'exchange-rate.node.ts'), findCodeBlock('ts', "from 'weft/node-kit'"));
  writeFileSync(path.join(app, 'tsconfig.json'), findCodeBlock('json', 'compilerOptions'));
  const tsc = path.resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', app], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});

test('the client is a package of its own, for Node 20 and newer', async () => {
  const client = await installation.pack('sdk');
  const app = path.join(installation.folder, 'client');
  mkdirSync(app);
  writeFileSync(path.join(app, 'package.json'), '{"type":"module"}');
  await installation.npm(['install', '--prefix', app, client], app);
  writeFileSync(
    path.join(app, 'program.js'),
    `import { createClient } from 'weft-client';
     const client = createClient({ baseUrl: process.argv[2] });
     await client.auth.login({ email: process.argv[3], password: process.argv[4] });
     const { id } = await client.workflows.create({ name: 'by the client' });
     console.log((await client.workflows.delete(id)).deleted);`,
  );
  for (const node of [await installation.installNode('20.20.2'), process.execPath]) {
    const args = ['program.js', service.url, EMAIL, service.password];
    const { stdout, stderr } = spawnSync(node, args, { cwd: app, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['true\n', '']);
  }
});
