import type { CookieSessionStore } from './cookie-credentials.ts';
import type { Login } from './generated/types.ts';

/** A login that can be kept and given to `createClient` again. */
export type Session = {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly user: Login['user'];
};

/** What is sent to prove who is calling. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'token'; readonly token: string; readonly expiresAt: number | null }
  /** The browser sends the cookie. `expiresAt` is null while it is not known. */
  | { readonly kind: 'cookie'; readonly expiresAt: number | null };

/** A function is asked for each request, and is where an OAuth library goes; the client does not renew what it gives. */
export type TokenSource = string | (() => string | Promise<string>);

export type CredentialOptions = {
  readonly apiKey?: string | undefined;
  readonly token?: TokenSource | undefined;
  readonly session?: Session | undefined;
  /** On pages of the service: the session is a cookie that scripts cannot read. `true` keeps what is known of it in memory. */
  readonly cookie?: true | CookieSessionStore | undefined;
  /** Told of every login, renewal and logout (null), so that it can be kept. */
  readonly onSession?: ((session: Session | null) => void | Promise<void>) | undefined;
};

/** ms before its end from which a token is renewed rather than used. */
const MARGIN = 30_000;

export type Credentials = ReturnType<typeof createCredentials>;

/**
 * Holds the credential and renews it: one renewal at a time, whoever needs it. `renew` is `POST /auth/refresh`, and gives null
 * when the token cannot be renewed.
 */
export function createCredentials(
  options: CredentialOptions,
  renew: (token: string) => Promise<Login | null>,
  now: () => number,
) {
  const source = typeof options.token === 'function' ? options.token : null;
  let held: Credential | null = initial(options);
  /** A token that the service would not renew: a try for each request would help nobody. */
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

  /** True when there is another credential than `used` now. */
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
    /** The credential to send; renewed first when its end is near. Null: none. */
    async current(): Promise<Credential | null> {
      if (source !== null) return { kind: 'token', token: await source(), expiresAt: null };
      if (held?.kind === 'token' && held.expiresAt !== null && held.expiresAt - MARGIN < now()) {
        // Should that fail for want of a connection, the token may still do.
        await replaced(held).catch(() => false);
      }
      return held;
    },
    replaced,
    keep,
    /** Forgets a session after its end. */
    async forget(): Promise<void> {
      held = null;
      await options.onSession?.(null);
    },
  };
}

/** @throws {TypeError} for more than one credential. */
export function requireOneCredential({ apiKey, token, session, cookie }: CredentialOptions): void {
  const given = [apiKey, token, session, cookie].filter((one) => one !== undefined);
  if (given.length > 1) throw new TypeError('createClient takes one of apiKey, token, session and cookie.');
}

function initial({ apiKey, token, session }: CredentialOptions): Credential | null {
  if (apiKey !== undefined) return { kind: 'key', key: apiKey };
  if (session !== undefined) return { kind: 'token', token: session.token, expiresAt: session.expiresAt };
  return typeof token === 'string' ? { kind: 'token', token, expiresAt: null } : null;
}
