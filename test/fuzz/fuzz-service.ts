import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Scope } from '../../src/contract/scopes.ts';
import type { Call } from '../support/service.ts';
import {
  startServiceWithAccounts,
  type Headers,
  type ServiceWithAccounts,
} from '../support/service-with-accounts.ts';
import { greeting, longWait, createEchoWorkflow } from '../api/definitions.ts';

export const credentialNames = ['none', 'member', 'admin', 'narrow_key', 'full_key', 'wrong'] as const;
export type CredentialName = (typeof credentialNames)[number];

/**
 * A service as a separate process, with a victim whose data must never be disclosed, and callers that attack
 * it.
 */
export type FuzzService = {
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  /** Part of every text of the victim. */
  readonly canary: string;
  /** The value of a secret of the member, which must not be disclosed either. */
  readonly secretCanary: string;
  /** Ids of the victim's resources, by the first segment of their paths. */
  readonly victims: Readonly<Record<string, string[]>>;
  /** Ids of the callers' resources. Created ones are added. */
  readonly own: Record<string, string[]>;
  readonly emails: readonly string[];
  getHeaders(name: CredentialName): Headers;
  /** Stores the token of a refreshed session. */
  adopt(name: CredentialName, token: string): void;
  /** Logs in again when the credential no longer works. */
  revive(): Promise<void>;
  callAs(name: CredentialName): Call;
  asVictim: Call;
  isAlive(): boolean;
  /** Memory of the process in bytes. */
  memory(): number;
  /** All mutable state as text, for comparison. */
  state(): string;
  logs(): string;
  stop(): Promise<void>;
};

export async function startFuzzService(canary: string): Promise<FuzzService> {
  const accounts = await startServiceWithAccounts({
    WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
    WEFT_LOG_LEVEL: 'error',
    WEFT_TRUST_PROXY: 'loopback',
  });
  try {
    return await createFilledService(accounts, canary);
  } catch (error) {
    await accounts.close();
    throw error;
  }
}

async function createFilledService(accounts: ServiceWithAccounts, canary: string): Promise<FuzzService> {
  const { weft, admin, member, other: victim, as } = accounts;
  const pid = weft.child.pid!;
  const sessions = { admin: await accounts.session(admin), member: await accounts.session(member) };
  const asAdmin = as(sessions.admin);
  const asMember = as(sessions.member);
  const asVictim = as(await accounts.session(victim));
  const secretCanary = `own-${canary}-own`;
  const createKeyHeaders = async (scopes: readonly Scope[] | null): Promise<Headers> => ({
    'x-api-key': (await accounts.apiKey(member, scopes))['x-api-key']!,
  });
  const keys = {
    narrow_key: await createKeyHeaders(['workflows:read', 'executions:read']),
    full_key: await createKeyHeaders(null),
  };
  await made(asMember, 'PUT', '/secrets/OWN', { value: secretCanary });

  const victims = await createResources(asVictim, canary, 'victims');
  const own = await createResources(asMember, 'plain', 'own');
  const scratch = await made(asAdmin, 'POST', '/users', {
    email: 'scratch@example.com',
    password: victim.password,
  });
  own['users'] = [scratch['id']!];
  const db = new Database(path.join(weft.dataDir, 'weft.db'), { readonly: true });

  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const getHeaders = (name: CredentialName): Headers => {
    if (name === 'none') return {};
    if (name === 'wrong') return bearer('eyJhbGciOiJub25lIn0.e30.');
    if (name === 'narrow_key' || name === 'full_key') return keys[name];
    return sessions[name];
  };
  const origin = new URL(weft.url).origin;
  return {
    url: weft.url,
    origin,
    port: Number(new URL(weft.url).port),
    pid,
    version: (await weft.call('GET', '/health')).headers.get('weft-version') ?? '',
    canary,
    secretCanary,
    victims,
    own,
    emails: [member.email, victim.email, admin.email, 'nobody@example.com'],
    getHeaders,
    adopt(name, fresh) {
      if (name === 'member' || name === 'admin') sessions[name] = bearer(fresh);
    },
    async revive() {
      for (const name of ['member', 'admin'] as const) {
        const { status } = await fetch(`${weft.url}/users/me`, { headers: getHeaders(name) });
        if (status !== 401) continue;
        sessions[name] = await accounts.session(accounts[name]);
      }
    },
    callAs: (name) => as(getHeaders(name)),
    asVictim,
    isAlive: () => weft.child.exitCode === null && weft.child.signalCode === null,
    memory: () =>
      Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    state: () => JSON.stringify(db.prepare(stateQuery).all()),
    logs: () => weft.logs(),
    async stop() {
      db.close();
      await accounts.close();
    },
  };
}

const stateQuery = `
SELECT 'users' AS what, count(*) AS n, group_concat(id || email || role || plan || name || length(password_hash)) AS rest FROM users
UNION ALL SELECT 'keys', count(*), group_concat(id || coalesce(scopes, '')) FROM api_keys
UNION ALL SELECT 'secrets', count(*), group_concat(owner_id || name || updated_at) FROM secrets
UNION ALL SELECT 'connections', count(*), group_concat(owner_id || name || updated_at || state) FROM connections
UNION ALL SELECT 'workflows', count(*), total(version) || ',' || total(active_version) || ',' || total(updated_at) FROM workflows
UNION ALL SELECT 'versions', count(*), total(version) FROM workflow_versions
UNION ALL SELECT 'templates', count(*), total(created_at) FROM templates
UNION ALL SELECT 'nodes', count(*), total(created_at) FROM custom_nodes
UNION ALL SELECT 'clients', count(*), total(created_at) FROM oauth_clients
UNION ALL SELECT 'executions', count(*), total(created_at) FROM executions`;

async function made(
  call: Call,
  method: string,
  where: string,
  body: object,
): Promise<Record<string, string>> {
  const response = await call(method, where, { body });
  if (response.status > 201) throw new Error(`${method} ${where}: ${response.text}`);
  return response.body as Record<string, string>;
}

/** Creates one resource of each type, with this text in each. */
async function createResources(call: Call, text: string, name: string): Promise<Record<string, string[]>> {
  const workflow = async (definition: object, more: object = {}): Promise<string> =>
    (await made(call, 'POST', '/workflows', { name: text, description: text, definition, ...more }))['id']!;
  const greets = await workflow(greeting, { tags: [text] });
  const waits = await workflow(longWait);
  const responses = await workflow(createEchoWorkflow(`${name}/:id`), { status: 'active' });
  const run = async (id: string, wait: string): Promise<string> =>
    (await made(call, 'POST', `/workflows/${id}/execute`, { input: { name: text }, wait }))['id']!;
  const executions = [await run(greets, '5s'), await run(waits, '0s')];
  await made(call, 'PUT', `/secrets/${name.toUpperCase()}`, { value: text.repeat(2), description: text });
  const app = { provider: 'github', client_id: text, client_secret: text.repeat(2) };
  await made(call, 'POST', '/connections', { name: name.toUpperCase(), description: text, ...app });
  const template = { templateName: `${name} template`, description: text, workflow: { name: text } };
  await made(call, 'POST', '/templates', template);
  const implementation = { runtime: 'javascript', handler: 'export default async () => ({ text: "x" })' };
  const node = { nodeType: `${name}_node`, description: text, outputs: { text: 'string' }, implementation };
  await made(call, 'POST', '/nodes', node);
  const key = await made(call, 'POST', '/api-keys', { name: text });
  const client = await made(call, 'POST', '/oauth/clients', { name: text, scopes: ['workflows:read'] });
  return {
    workflows: [greets, waits, responses],
    executions,
    secrets: [name.toUpperCase()],
    connections: [name.toUpperCase()],
    templates: [`${name} template`],
    nodes: [`${name}_node`],
    'api-keys': [key['id']!],
    oauth: [client['client_id']!],
    webhooks: [`${name}/1`],
    users: [],
    files: [],
  };
}
