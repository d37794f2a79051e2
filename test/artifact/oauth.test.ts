import { beforeAll, describe, expect, test } from 'vitest';
import { adminEmail, adminPassword } from '../support/service.ts';
import { startArtifactService } from './artifact.ts';
import { AuditedOperations } from './audited-operations.ts';
import { DocumentedApi, type Input } from './documented-api.ts';
import {
  CALLBACK,
  OAuthUser,
  VERIFIER,
  createAuthorizationQuery,
  readAuthorizationCode,
  hasLogin,
} from './oauth-user.ts';

/* Every endpoint, grant and page of OAuth against the built program without its sources. */
const service = startArtifactService();
let api: DocumentedApi;
let audited: AuditedOperations;
let metadata: Record<string, string | string[]>;

type Client = { client_id: string; client_secret: string };
type Tokens = { access_token: string; refresh_token: string };
/** How a client proves itself at an endpoint: fields of the form, or a header. */
type Proof = { form: Record<string, string>; headers?: Record<string, string> };

const used = { grants: new Set<string>(), methods: new Set<string>() };
const SECRETS: Record<string, (client: Client) => Proof> = {
  none: ({ client_id }) => ({ form: { client_id } }),
  client_secret_post: ({ client_id, client_secret }) => ({ form: { client_id, client_secret } }),
  client_secret_basic: ({ client_id, client_secret }) => ({
    form: {},
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
  }),
};

beforeAll(async () => {
  api = await DocumentedApi.open(service.weft.url);
  const body = { email: adminEmail, password: adminPassword };
  api.authorization = `Bearer ${(await api.call<{ token: string }>('login', { body })).body.token}`;
  const { body: resource } = await api.call<{ authorization_servers: string[] }>('getResourceMetadata');
  metadata = (await api.call<typeof metadata>('getOAuthMetadata')).body;
  expect(resource.authorization_servers).toEqual([metadata.issuer]);
  audited = await AuditedOperations.watch(api, service.weft.url);
});

function getProof(client: Client, method: string): Proof {
  used.methods.add(method);
  return SECRETS[method]!(client);
}

async function tokens(grant: string, fields: Record<string, string>, proof: Proof): Promise<Tokens> {
  used.grants.add(grant);
  const input: Input = { ...proof, form: { ...proof.form, grant_type: grant, ...fields } };
  return (await api.call<Tokens>('oauthToken', input)).body;
}

/** Whether a token is good, as the introspection endpoint and the API itself have it. */
async function isActive(token: string, proof: Proof): Promise<boolean> {
  const input: Input = { ...proof, form: { ...proof.form, token } };
  const { active } = (await api.call<{ active: boolean }>('oauthIntrospect', input)).body;
  const headers = { authorization: `Bearer ${token}` };
  await api.call('listWorkflows', { headers, isRefused: !active });
  return active;
}

async function revoke(token: string, proof: Proof): Promise<void> {
  await api.call('oauthRevoke', { ...proof, form: { ...proof.form, token } });
}

const byCode = (code: string): Record<string, string> => ({
  code,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
});

describe('the pages', () => {
  let client: Client;
  let user: OAuthUser;
  const start = async (fields: Record<string, string> = {}): Promise<string> => {
    const query = { ...createAuthorizationQuery(client.client_id, 'workflows:read'), ...fields };
    const { headers } = await api.call('oauthAuthorize', { query });
    expect(headers.get('location')).toMatch(/^\/oauth\/interaction\/|^http.*\/oauth\/interaction\//);
    // Cookies make the step one of this browser, so the browser asks anew.
    return `/oauth/authorize?${new URLSearchParams(query).toString()}`;
  };

  beforeAll(async () => {
    const body = { client_name: 'Some app', redirect_uris: [CALLBACK] };
    client = (await api.call<Client>('oauthRegister', { body })).body;
    user = new OAuthUser(service.weft.url);
  });

  test('login with a wrong and the right password, and another account', async () => {
    const login = await user.open(await start());
    expect(login.text).toContain('Some app');
    const refused = await user.logIn(login, 'a wrong password');
    expect([refused.status, hasLogin(refused)]).toEqual([400, true]);
    const consent = await user.logIn(refused);
    expect(consent.text).toContain(adminEmail);
    const again = await user.press(consent, 'switch');
    expect([again.status, hasLogin(again)]).toEqual([200, true]);
  });

  test('consent and refusal', async () => {
    const login = await user.open(await start());
    const consent = hasLogin(login) ? await user.logIn(login) : login;
    const { left } = await user.press(consent, 'deny');
    expect(left?.searchParams.get('error')).toBe('access_denied');
    const next = await user.open(await start());
    const allowed = await user.press(hasLogin(next) ? await user.logIn(next) : next, 'allow');
    expect(readAuthorizationCode(allowed)).not.toBe('');
    expect(allowed.left?.searchParams.get('state')).toBe('st');
  });

  test('a page of a problem', async () => {
    const query = { ...createAuthorizationQuery(client.client_id, 'workflows:read'), client_id: 'cli_none' };
    await api.call('oauthAuthorize', { query, isRefused: true });
    const page = await user.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect((await user.open('/oauth/interaction/none')).status).toBe(400);
  });

  test('every button was pressed', () => {
    expect(user.unpressed()).toEqual([]);
  });
});

test('a registered client gets a code, renews its tokens and revokes them', async () => {
  const body = { client_name: 'Desktop', redirect_uris: [CALLBACK] };
  const client = (await api.call<Client>('oauthRegister', { body })).body;
  const user = new OAuthUser(service.weft.url);
  const code = await user.allow({ clientId: client.client_id, scope: 'openid workflows:read' });
  const proof = getProof(client, 'none');
  const first = await tokens('authorization_code', byCode(code), proof);
  await api.call('listWorkflows', { headers: { authorization: `Bearer ${first.access_token}` } });
  const next = await tokens('refresh_token', { refresh_token: first.refresh_token }, proof);
  const { grants } = (await api.call<{ grants: { id: string }[] }>('listOAuthGrants')).body;
  expect(grants).toHaveLength(1);
  await revoke(next.refresh_token, proof);
  const headers = { authorization: `Bearer ${next.access_token}` };
  await api.call('listWorkflows', { headers, isRefused: true });
});

test('a client with a secret acts for its owner, and inspects its tokens', async () => {
  const body = { name: 'CI', grant_types: ['client_credentials'], scopes: ['workflows:read'] };
  const client = (await api.call<Client>('createOAuthClient', { body })).body;
  await api.call('listOAuthClients');
  for (const method of ['client_secret_basic', 'client_secret_post']) {
    const proof = getProof(client, method);
    const { access_token } = await tokens('client_credentials', {}, proof);
    expect(await isActive(access_token, proof)).toBe(true);
    await revoke(access_token, proof);
    expect(await isActive(access_token, proof)).toBe(false);
  }
  await api.call('deleteOAuthClient', { params: { id: client.client_id } });
});

test('a user revokes a grant', async () => {
  const body = { name: 'App', redirect_uris: [CALLBACK], scopes: ['workflows:read'] };
  const client = (await api.call<Client>('createOAuthClient', { body })).body;
  const user = new OAuthUser(service.weft.url);
  const code = await user.allow({ clientId: client.client_id, scope: 'workflows:read' });
  const proof = getProof(client, 'client_secret_basic');
  const { access_token } = await tokens('authorization_code', byCode(code), proof);
  const { grants } = (await api.call<{ grants: { id: string; client_id: string }[] }>('listOAuthGrants'))
    .body;
  const grant = grants.find((one) => one.client_id === client.client_id)!;
  await api.call('deleteOAuthGrant', { params: { id: grant.id } });
  expect(await isActive(access_token, proof)).toBe(false);
});

test('every grant, client authentication and endpoint of the metadata was used', async () => {
  const endpoints = Object.entries(metadata).filter(([name]) => name.endsWith('_endpoint'));
  const documented = await (await fetch(`${service.weft.url}/openapi.json`)).json();
  const { paths } = documented as { paths: Record<string, object> };
  for (const [name, url] of endpoints)
    expect(Object.keys(paths), name).toContain(new URL(String(url)).pathname);
  expect((await fetch(String(metadata['jwks_uri']))).status).toBe(200);
  expect(used.grants).toEqual(new Set(metadata['grant_types_supported']));
  expect(used.methods).toEqual(new Set(metadata['token_endpoint_auth_methods_supported']));
});

test('every operation that changes something writes an audit event', () => {
  expect(audited.findMissing(api.changes((path) => /^\/(oauth|\.well-known)\//.test(path)))).toEqual([]);
});

test('every documented response of success was seen', () => {
  expect(api.unseen((path) => /^\/(oauth|\.well-known)\//.test(path))).toEqual([]);
});
