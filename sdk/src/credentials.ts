import type { CookieSessionStore } from './cookie-credentials.ts';
import type { Login } from './generated/types.ts';

/** A session that can be stored and passed to `createClient` again. */
export type Session = {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly user: Login['user'];
};

/** The credential sent with a request. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'token'; readonly token: string; readonly expiresAt: number | null }
  /** The browser sends the cookie. `expiresAt` is null until it is known. */
  | { readonly kind: 'cookie'; readonly expiresAt: number | null };

/** A function is called for each request, for OAuth libraries. The client does not renew its tokens. */
export type TokenSource = string | (() => string | Promise<string>);

export type CredentialOptions = {
  readonly apiKey?: string | undefined;
  readonly token?: TokenSource | undefined;
  readonly session?: Session | undefined;
  /**
   * For pages of the service, whose session cookie scripts cannot read. `true` keeps its expiry in memory.
   */
  readonly cookie?: true | CookieSessionStore | undefined;
  /** Called after every login, renewal and logout (null), so that the session can be stored. */
  readonly onSession?: ((session: Session | null) => void | Promise<void>) | undefined;
};

/** A token that expires within this many ms is renewed before it is used. */
const EXPIRY_MARGIN_MS = 30_000;

export type Credentials = ReturnType<typeof createCredentials>;

/**
 * Holds the credential and renews it; concurrent callers share one renewal. `renew` is `POST /auth/refresh`,
 * and returns null when the token cannot be renewed.
 */
export function createCredentials(
  options: CredentialOptions,
  renew: (token: string) => Promise<Login | null>,
  now: () => number,
) {
  const source = typeof options.token === 'function' ? options.token : null;
  let held: Credential | null = initial(options);
  /** A token that the service refused to renew; the client does not retry the renewal for each request. */
  let spent: string | null = null;
  let renewing: Promise<boolean> | null = null;

  async function keep(login: Login): Promise<Session> {
    const session = { token: login.token, expiresAt: now() + login.expires_in * 1_000, user: login.user };
    held = { kind: 'token', token: session.token, expiresAt: session.expiresAt };
    await options.onSession?.(session);
    return session;
  }

  async function renewNow(token: string): Promise<boolean> {
    const login = await renew(token);
    if (login === null) {
      spent = token;
      return false;
    }
    await keep(login);
    return true;
  }

  /** True when the credential is no longer `used`. */
  async function replaced(used: Credential): Promise<boolean> {
    if (source !== null || used.kind !== 'token') return false;
    if (held?.kind === 'token' && held.token !== used.token) return true;
    if (held === null || spent === used.token) return false;
    renewing ??= renewNow(used.token).finally(() => {
      renewing = null;
    });
    return renewing;
  }

  return {
    /** The credential to send, renewed first when it is about to expire. Null: none. */
    async current(): Promise<Credential | null> {
      if (source !== null) return { kind: 'token', token: await source(), expiresAt: null };
      if (held?.kind === 'token' && held.expiresAt !== null && held.expiresAt - EXPIRY_MARGIN_MS < now()) {
        // If the renewal fails because there is no connection, the current token may still be valid.
        await replaced(held).catch(() => false);
      }
      return held;
    },
    replaced,
    keep,
    /** Removes an expired session. */
    async forget(): Promise<void> {
      held = null;
      await options.onSession?.(null);
    },
  };
}

/** @throws {TypeError} when more than one credential is given. */
export function requireOneCredential({ apiKey, token, session, cookie }: CredentialOptions): void {
  const given = [apiKey, token, session, cookie].filter((one) => one !== undefined);
  if (given.length > 1) throw new TypeError('createClient takes one of apiKey, token, session and cookie.');
}

function initial({ apiKey, token, session }: CredentialOptions): Credential | null {
  if (apiKey !== undefined) return { kind: 'key', key: apiKey };
  if (session !== undefined) return { kind: 'token', token: session.token, expiresAt: session.expiresAt };
  return typeof token === 'string' ? { kind: 'token', token, expiresAt: null } : null;
}
