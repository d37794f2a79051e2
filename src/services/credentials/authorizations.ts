import { createHash, randomBytes } from 'node:crypto';
import type { SecretBox } from '../../auth/secret-box.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { Principal, RequestOrigin } from '../../contract/principal.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NewNotification } from '../../ports/notifier.ts';
import type { RequestToken, TokenResponse } from '../../ports/oauth-tokens.ts';
import type { ConnectionRow, ConnectionStore } from '../../ports/store/connections.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { createAuthorizationUrl } from './connection-settings.ts';
import type { TokenRefresher } from './token-refresher.ts';

/** How long an authorization URL is valid, ms. */
const AUTHORIZATION_TIMEOUT_MS = 600_000;
/** Maximum number of pending authorizations per connection. */
const MAX_PENDING_AUTHORIZATIONS = 5;
const MAX_WORDS = 300;

export type AuthorizationUrl = { readonly connectUrl: string; readonly expiresAt: number };
/**
 * The result of a redirect from a provider. `returnTo` is a path; a null `name` means that `state` is
 * unknown.
 */
export type AuthorizationResult = {
  readonly name: string | null;
  readonly returnTo: string | null;
  readonly error: string | null;
};
export type AuthorizationCallback = Readonly<
  Partial<Record<'state' | 'code' | 'error' | 'error_description', string>>
>;

type PendingAuthorization = {
  verifier: string | null;
  returnTo: string | null;
  sessionId: string | null;
  /** Absent in authorizations that began before version 0025 of the database. */
  email?: string | null;
  redirectUri: string;
};

export type AuthorizationsDeps = {
  readonly connections: ConnectionStore;
  readonly tokens: TokenRefresher;
  readonly box: SecretBox;
  readonly requestToken: RequestToken;
  /**
   * Whether the user exists and the session that began the authorization is active; a null session was no
   * session.
   */
  readonly isLive: (userId: string, sessionId: string | null) => Promise<boolean>;
  readonly notify: (notification: NewNotification) => void;
  readonly redirectUri: () => string;
  readonly audit: Pick<AuditLog, 'describe'>;
  readonly clock: Clock;
};

/** The authorization flow: the URL at which a user authorizes a connection, and the redirect back. */
export function createAuthorizations(deps: AuthorizationsDeps) {
  const { connections, tokens, box, clock, redirectUri } = deps;

  return {
    /** Returns a new authorization URL; `given` is the path to return to. */
    async begin(
      principal: Principal,
      row: ConnectionRow,
      given: string | undefined,
    ): Promise<AuthorizationUrl> {
      const { ownerId, name, settings } = row;
      const state = randomBytes(32).toString('base64url');
      const verifier = settings.pkce ? randomBytes(32).toString('base64url') : null;
      const id = hash(state, 'hex');
      const now = clock.now();
      const way: PendingAuthorization = {
        verifier,
        returnTo: given ?? null,
        sessionId: principal.sessionId ?? null,
        email: principal.email ?? null,
        redirectUri: redirectUri(),
      };
      const expiresAt = now + AUTHORIZATION_TIMEOUT_MS;
      const sealed = box.seal(ownerId, `authorization:${id}`, JSON.stringify(way));
      await connections.beginAuthorization(
        { id, ownerId, name, sealed, createdAt: now, expiresAt },
        MAX_PENDING_AUTHORIZATIONS,
      );
      const challenge = verifier === null ? null : hash(verifier, 'base64url');
      return {
        connectUrl: await createAuthorizationUrl(settings, {
          redirectUri: way.redirectUri,
          state,
          challenge,
        }),
        expiresAt,
      };
    },

    /**
     * Handles the redirect back from a provider. Its `state` belongs to one connection of one user and is
     * consumed in any case.
     */
    async handleCallback(
      { state = '', code, error, error_description: described }: AuthorizationCallback,
      origin: RequestOrigin,
    ): Promise<AuthorizationResult> {
      const id = hash(state, 'hex');
      const begun = state === '' ? null : await connections.takeAuthorization(id, clock.now());
      if (begun === null) return { name: null, returnTo: null, error: null };
      const { ownerId, name } = begun;
      const way = JSON.parse(box.open(ownerId, `authorization:${id}`, begun.sealed)) as PendingAuthorization;
      const fail = async (words: string): Promise<AuthorizationResult> => {
        await connections.noteError(ownerId, name, words);
        return { name, returnTo: way.returnTo, error: words };
      };
      const row = await connections.get(ownerId, name);
      if (row === null || !(await deps.isLive(ownerId, way.sessionId)))
        return { name: null, returnTo: null, error: null };
      if (error !== undefined) {
        const words = described === undefined ? error : `${error}: ${described}`;
        return fail(`The provider denied access: ${plain(words)}`);
      }
      if (code === undefined || code === '') return fail('The provider redirected back without a valid code');
      const secret = tokens.clientSecret(row);
      const { tokenUrl, clientId, clientAuthentication } = row.settings;
      let tokenResponse: TokenResponse;
      try {
        tokenResponse = await deps.requestToken(
          {
            type: 'authorization_code',
            tokenUrl,
            clientId,
            clientSecret: secret,
            clientAuthentication,
            scope: '',
            code,
            redirectUri: way.redirectUri,
            codeVerifier: way.verifier,
          },
          new AbortController().signal,
        );
      } catch (thrown) {
        if (!(thrown instanceof HttpFailure)) throw thrown;
        const redact = createRedactor([code, secret ?? '', way.verifier ?? '']);
        return fail(redact(thrown.failure.message));
      }
      const credential = way.sessionId === null ? 'none' : 'session';
      const email = way.email ?? null;
      const actor = { userId: ownerId, email, credential, credentialId: way.sessionId, origin } as const;
      const event = deps.audit.describe(actor, 'connection.connected', { id: name, name });
      if (!(await tokens.store(row, tokenResponse, event)))
        return { name: null, returnTo: null, error: null };
      deps.notify({
        ownerId,
        level: 'success',
        message: `The connection ${name} is connected.`,
        data: { connection: name, status: 'connected' },
      });
      return { name, returnTo: way.returnTo, error: null };
    },
  };
}

function hash(text: string, encoding: 'hex' | 'base64url'): string {
  return createHash('sha256').update(text).digest(encoding);
}

function plain(words: string): string {
  return words
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS)
    .toWellFormed();
}
