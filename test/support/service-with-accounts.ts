import { randomBytes } from 'node:crypto';
import { deriveKeys } from '../../src/auth/secret-key.ts';
import { createSessionTokens } from '../../src/auth/session-token.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  caller,
  createTempFolder,
  type Call,
} from './service.ts';

export type Headers = Record<string, string>;
export type Account = { readonly id: string; readonly email: string; readonly password: string };

export type OAuthToken = {
  readonly headers: Headers;
  revoke(): Promise<void>;
  removeClient(): Promise<void>;
};

/**
 * A service with three accounts: an administrator, a member, and another member who shares nothing with them.
 */
export type ServiceWithAccounts = {
  readonly weft: SpawnedService;
  readonly admin: Account;
  readonly member: Account;
  readonly other: Account;
  /** Creates a session at each call. */
  session(account: Account): Promise<Headers>;
  /** A session with a cookie, as a page of the service sends it. */
  cookieSession: (account: Account) => Promise<Headers>;
  /** An API key with these scopes; null: with all permissions of its owner. */
  apiKey(
    account: Account,
    scopes: readonly Scope[] | null,
    expiresAt?: string,
  ): Promise<Headers & { id: string }>;
  /** An OAuth access token with these scopes, of a client that acts for the account. */
  oauthToken(account: Account, wanted: readonly Scope[]): Promise<OAuthToken>;
  /** A token that expired an hour ago. */
  expiredSession(account: Account): Promise<Headers>;
  /** The result of `make`, which runs once for this name. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
  readonly as: (headers: Headers) => Call;
  close(): Promise<void>;
};

export async function startServiceWithAccounts(
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceWithAccounts> {
  const folder = createTempFolder();
  const secret = randomBytes(32).toString('base64');
  const weft = await spawnService({
    dataDir: folder.path,
    env: { WEFT_SECRET_KEY: secret, WEFT_RATE_LIMIT_STANDARD: 'unlimited', ...env },
  });
  const tokens = createSessionTokens(deriveKeys(Buffer.from(secret, 'base64')).tokens);
  const as = (headers: Headers): Call => caller(weft.url, headers);

  async function login(email: string, password: string): Promise<{ token: string; id: string }> {
    const response = await weft.call('POST', '/auth/login', { body: { email, password } });
    if (response.status !== 200) throw new Error(response.text);
    const { token, user } = response.body as { token: string; user: { id: string } };
    return { token, id: user.id };
  }
  const first = await login(adminEmail, adminPassword);
  const admin: Account = { id: first.id, email: adminEmail, password: adminPassword };
  const asAdmin = as({ authorization: `Bearer ${first.token}` });

  async function createMember(email: string): Promise<Account> {
    const password = 'a password of twenty';
    const response = await asAdmin('POST', '/users', { body: { email, password, name: email } });
    if (response.status !== 201) throw new Error(response.text);
    return { id: (response.body as { id: string }).id, email, password };
  }

  const session = async (account: Account): Promise<Headers> => ({
    authorization: `Bearer ${(await login(account.email, account.password)).token}`,
  });

  /** Each is created once, because an account has a limited number of them. */
  const kept = new Map<string, Promise<unknown>>();
  function once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const found = kept.get(name) ?? make();
    kept.set(name, found);
    return found as Promise<T>;
  }

  return {
    weft,
    once,
    admin,
    member: await createMember('member@example.com'),
    other: await createMember('other@example.com'),
    session,
    async cookieSession({ email, password }) {
      const proof = { 'x-weft-csrf': '1', origin: new URL(weft.url).origin };
      const response = await as(proof)('POST', '/auth/session', { body: { email, password } });
      if (response.status !== 200) throw new Error(response.text);
      return { ...proof, cookie: response.headers.get('set-cookie')!.split(';', 1)[0]! };
    },
    async apiKey(account, wanted, expiresAt) {
      const response = await as(await session(account))('POST', '/api-keys', {
        body: {
          name: 'a key',
          scopes: wanted,
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        },
      });
      if (response.status !== 201) throw new Error(response.text);
      const { id, key } = response.body as { id: string; key: string };
      return { id, 'x-api-key': key };
    },
    async oauthToken(account, wanted) {
      const call = as(await session(account));
      const made = await call('POST', '/oauth/clients', {
        body: { name: 'a client', grant_types: ['client_credentials'], scopes: wanted },
      });
      if (made.status !== 201) throw new Error(made.text);
      const { client_id: id, client_secret: password } = made.body as Record<string, string>;
      const origin = new URL(weft.url).origin;
      const post = (path: string, form: Record<string, string>): Promise<Response> =>
        fetch(`${origin}/oauth/${path}`, {
          method: 'POST',
          headers: { authorization: `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}` },
          body: new URLSearchParams(form),
        });
      const response = await post('token', { grant_type: 'client_credentials', scope: wanted.join(' ') });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`no token: ${response.status}`);
      return {
        headers: { authorization: `Bearer ${token}` },
        revoke: async () => void (await post('revoke', { token })),
        removeClient: async () => void (await call('DELETE', `/oauth/clients/${id}`)),
      };
    },
    async expiredSession(account) {
      const { token } = await login(account.email, account.password);
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
        sid: string;
        jti: string;
      };
      const signed = await tokens.sign({
        userId: account.id,
        sessionId: claims.sid,
        tokenId: claims.jti,
        issuedAt: Date.now() - 2 * 3_600_000,
      });
      return { authorization: `Bearer ${signed.token}` };
    },
    as,
    async close() {
      await weft.stop();
      folder.remove();
    },
  };
}
