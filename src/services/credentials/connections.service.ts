import { createHash, randomBytes } from 'node:crypto';
import type { SecretBox } from '../../auth/secret-box.ts';
import { validate } from '../../contract/validate.ts';
import { conflict, notFound, validationError } from '../../contract/errors.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import { PageQuery, toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import {
  AuthorizeConnectionInput,
  CONNECTION_NAME_PATTERN,
  CreateConnectionInput,
  RemoveConnectionQuery,
  UpdateConnectionInput,
  shownOfConnection,
  type ConnectionSettings,
} from '../../contract/requests/connection.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { NewNotification } from '../../ports/notifier.ts';
import type { ConnectionRow, ConnectionState, ConnectionStore } from '../../ports/store/connections.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import type { RequestToken, TokenResponse } from '../../ports/oauth-tokens.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import { authorizationAddress, completeSettings, isAnotherAccount } from './connection-settings.ts';
import { tryConnection, type ConnectionTest } from './connection-test.ts';
import { connectionUses } from './connection-uses.ts';
import type { TokenRefresher } from './token-refresher.ts';
import { requireScope } from '../authorize.ts';

/** How long an authorization URL is valid, ms. */
const AUTHORIZATION_TIMEOUT_MS = 600_000;
/** Maximum number of pending authorizations per connection. */
const MAX_PENDING_AUTHORIZATIONS = 5;
/** Names that conflict with paths of the API. */
const RESERVED_NAMES = new Set(['callback']);
const NAME_PATTERN = new RegExp(CONNECTION_NAME_PATTERN);
const MAX_WORDS = 300;

const PENDING: ConnectionState = {
  status: 'pending',
  error: null,
  grantedScopes: null,
  refreshable: false,
  expiresAt: null,
  authorizedAt: null,
  refreshedAt: null,
};

/** A connection as the APIs return it, without secrets. */
export type ConnectionView = Omit<ConnectionRow, 'clientSecret'> & {
  readonly hasClientSecret: boolean;
  readonly redirectUri: string;
};
export type Invitation = { readonly connectUrl: string; readonly expiresAt: number };
/**
 * The result of a redirect from a provider. `returnTo` is a path; a null `name` means that `state` is
 * unknown.
 */
export type Return = {
  readonly name: string | null;
  readonly returnTo: string | null;
  readonly error: string | null;
};
export type Returned = Readonly<Partial<Record<'state' | 'code' | 'error' | 'error_description', string>>>;

type Way = {
  verifier: string | null;
  returnTo: string | null;
  sessionId: string | null;
  redirectUri: string;
};

export type ConnectionsDeps = {
  readonly connections: ConnectionStore;
  readonly workflows: Pick<WorkflowStore, 'list' | 'manyVersions'>;
  readonly getNodeTypes: (ownerId: string) => Promise<NodeTypes>;
  readonly tokens: TokenRefresher;
  readonly box: SecretBox;
  readonly ask: RequestToken;
  /** Sends through the egress policy. */
  readonly send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;
  /**
   * Whether the user exists and the session that began the authorization is active; a null session was no
   * session.
   */
  readonly isLive: (userId: string, sessionId: string | null) => Promise<boolean>;
  /** Called when the values to redact for this owner have changed. */
  readonly changed: (ownerId: string) => void;
  readonly notify: (notification: NewNotification) => void;
  /** Ends with /v1. */
  readonly baseUrl: () => string;
  readonly clock: Clock;
};

export type Connections = ReturnType<typeof createConnections>;

/** Connected accounts: their settings, the authorization flow, and the tokens it yields. */
export function createConnections(deps: ConnectionsDeps) {
  const { connections, tokens, box, clock } = deps;
  const redirectUri = (): string => `${deps.baseUrl()}/connections/callback`;

  async function load(ownerId: string, name: string): Promise<ConnectionRow> {
    const row = NAME_PATTERN.test(name) ? await connections.get(ownerId, name) : null;
    if (row === null) throw notFound('connection');
    return row;
  }

  function view({ clientSecret, ...row }: ConnectionRow): ConnectionView {
    return { ...row, hasClientSecret: clientSecret !== null, redirectUri: redirectUri() };
  }

  async function invite(
    principal: Principal,
    row: ConnectionRow,
    given: string | undefined,
  ): Promise<Invitation> {
    const { ownerId, name, settings } = row;
    const state = randomBytes(32).toString('base64url');
    const verifier = settings.pkce ? randomBytes(32).toString('base64url') : null;
    const id = hash(state, 'hex');
    const now = clock.now();
    const way: Way = {
      verifier,
      returnTo: given ?? null,
      sessionId: principal.sessionId ?? null,
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
      connectUrl: authorizationAddress(settings, { redirectUri: way.redirectUri, state, challenge }),
      expiresAt,
    };
  }

  return {
    /** A null `connectUrl` means that no user consent is needed. */
    async create(
      principal: Principal,
      input: unknown,
    ): Promise<{ connection: ConnectionView; connectUrl: string | null }> {
      requireScope(principal, 'secrets:write');
      const { name, return_to: givenPath, ...fields } = validate(CreateConnectionInput, input);
      if (RESERVED_NAMES.has(name)) throw validationError([{ field: 'name', issue: `${name} is reserved` }]);
      const returnTo = normaliseReturnTo(givenPath);
      const given = settable(fields);
      const settings = completeSettings(given, null);
      if (settings.grantType === 'client_credentials' && given.client_secret == null)
        throw validationError([{ field: 'client_secret', issue: 'is required for client_credentials' }]);
      const ownerId = principal.userId;
      const now = clock.now();
      const row: ConnectionRow = {
        ownerId,
        name,
        description: given.description ?? '',
        settings,
        clientSecret:
          given.client_secret == null ? null : tokens.sealClientSecret(ownerId, name, given.client_secret),
        state: PENDING,
        createdAt: now,
        updatedAt: now,
      };
      const result = await connections.create(row, limits.connectedAccounts);
      if (result === 'exists') throw conflict(`There is a connection ${name}.`, { field: 'name' });
      if (result === 'full')
        throw conflict(`A user has at most ${limits.connectedAccounts} connections.`, {
          limit: limits.connectedAccounts,
        });
      deps.changed(ownerId);
      const isByPerson = settings.grantType === 'authorization_code';
      const connectUrl = isByPerson ? (await invite(principal, row, returnTo)).connectUrl : null;
      return { connection: view(row), connectUrl };
    },

    async list(
      principal: Principal,
      query: unknown,
    ): Promise<{ rows: ConnectionView[]; total: number; page: Page; redirectUri: string }> {
      requireScope(principal, 'secrets:read');
      const page = toPage(validate(PageQuery, query));
      const { rows, total } = await connections.list(principal.userId, page.offset, page.limit);
      return { rows: rows.map(view), total, page, redirectUri: redirectUri() };
    },

    async get(principal: Principal, name: string): Promise<ConnectionView> {
      requireScope(principal, 'secrets:read');
      return view(await load(principal.userId, name));
    },

    /**
     * Replaces the given fields. A change to another account, or to another host for the credentials, deletes
     * the tokens; a new token endpoint requires the client secret again.
     */
    async update(principal: Principal, name: string, input: unknown): Promise<ConnectionView> {
      requireScope(principal, 'secrets:write');
      const { name: _name, ...fields } = validate(UpdateConnectionInput, input);
      const ownerId = principal.userId;
      const before = await load(ownerId, name);
      const given = settable(fields);
      const settings = completeSettings(given, before.settings);
      const secret = given.client_secret;
      const isElsewhere = settings.tokenUrl !== before.settings.tokenUrl;
      if (isElsewhere && before.clientSecret !== null && secret === undefined)
        throw validationError([
          { field: 'client_secret', issue: 'must be given again when the token endpoint changes' },
        ]);
      if (settings.grantType === 'client_credentials' && (secret ?? before.clientSecret) === null)
        throw validationError([{ field: 'client_secret', issue: 'is required for client_credentials' }]);
      const row: ConnectionRow = {
        ...before,
        description: given.description ?? before.description,
        settings,
        clientSecret:
          secret === undefined
            ? before.clientSecret
            : secret === null
              ? null
              : tokens.sealClientSecret(ownerId, name, secret),
        updatedAt: clock.now(),
      };
      const isAnother = isAnotherAccount(settings, before.settings);
      const state = isAnother ? PENDING : before.state;
      if (!(await connections.update({ ...row, state }, isAnother))) throw notFound('connection');
      deps.changed(ownerId);
      return view(await load(ownerId, name));
    },

    /** @throws {WeftError} CONFLICT while active workflows use it, unless forced. */
    async remove(principal: Principal, name: string, query: unknown): Promise<void> {
      requireScope(principal, 'secrets:write');
      const { force = false } = validate(RemoveConnectionQuery, query);
      const ownerId = principal.userId;
      await load(ownerId, name);
      if (!force) {
        const uses = await connectionUses(deps, ownerId, name);
        if (uses.length > 0)
          throw conflict(
            `The connection ${name} is used by ${uses.length === 1 ? 'an active workflow' : 'active workflows'}: ${uses.map((one) => `"${one.name}"`).join(', ')}.`,
            { workflows: uses.map(({ id }) => id) },
          );
      }
      if (!(await connections.remove(ownerId, name))) throw notFound('connection');
      deps.changed(ownerId);
    },

    /**
     * Returns a new authorization URL; the current tokens stay valid until the new authorization completes.
     */
    async authorize(principal: Principal, name: string, input: unknown): Promise<Invitation> {
      requireScope(principal, 'secrets:write');
      const { return_to: givenPath } = validate(AuthorizeConnectionInput, input);
      const returnTo = normaliseReturnTo(givenPath);
      const row = await load(principal.userId, name);
      if (row.settings.grantType !== 'authorization_code')
        throw conflict(
          `The connection ${name} needs no authorization: its grant type is client_credentials.`,
        );
      return invite(principal, row, returnTo);
    },

    /** Gets a new token now. @throws {WeftError} CONFLICT with the reason when that fails. */
    async refresh(principal: Principal, name: string): Promise<ConnectionView> {
      requireScope(principal, 'secrets:write');
      const { ownerId } = await load(principal.userId, name);
      try {
        await tokens.renew(ownerId, name);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        throw conflict(error.failure.message, { reason: error.failure.type });
      }
      return view(await load(ownerId, name));
    },

    /** Never throws for an error of the provider, which is part of the result. */
    async test(
      principal: Principal,
      name: string,
    ): Promise<ConnectionTest & Pick<ConnectionState, 'status'>> {
      requireScope(principal, 'secrets:write');
      const { ownerId, settings } = await load(principal.userId, name);
      const result = await tryConnection(settings, {
        token: (refused, signal) => tokens.ofConnection(ownerId, name, refused, signal),
        send: deps.send,
      });
      const { state } = await load(ownerId, name);
      return { ...result, status: state.status };
    },

    /** Returns which of the names exist, for validating a definition. */
    async known(ownerId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
      const found = new Set<string>();
      for (const name of new Set(names))
        if (NAME_PATTERN.test(name) && (await connections.get(ownerId, name)) !== null) found.add(name);
      return found;
    },

    /**
     * Handles the redirect back from a provider. Its `state` belongs to one connection of one user and is
     * consumed in any case.
     */
    async returned({ state = '', code, error, error_description: described }: Returned): Promise<Return> {
      const id = hash(state, 'hex');
      const begun = state === '' ? null : await connections.takeAuthorization(id, clock.now());
      if (begun === null) return { name: null, returnTo: null, error: null };
      const { ownerId, name } = begun;
      const way = JSON.parse(box.open(ownerId, `authorization:${id}`, begun.sealed)) as Way;
      const fail = async (words: string): Promise<Return> => {
        await connections.noteError(ownerId, name, words);
        return { name, returnTo: way.returnTo, error: words };
      };
      const row = await connections.get(ownerId, name);
      if (row === null || !(await deps.isLive(ownerId, way.sessionId)))
        return { name: null, returnTo: null, error: null };
      if (error !== undefined || code === undefined || code === '') {
        const words = [error ?? 'it sent no code', described].filter((one) => one !== undefined);
        return fail(`The provider denied access: ${plain(words.join(': '))}`);
      }
      const secret = tokens.clientSecret(row);
      const { tokenUrl, clientId, clientAuthentication } = row.settings;
      let tokenResponse: TokenResponse;
      try {
        tokenResponse = await deps.ask(
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
        const mask = createRedactor([code, secret ?? '', way.verifier ?? '']);
        return fail(mask(thrown.failure.message));
      }
      if (!(await tokens.store(row, tokenResponse))) return { name: null, returnTo: null, error: null };
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

function settable(fields: Record<string, unknown>): Partial<ConnectionSettings> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !shownOfConnection.includes(name)),
  ) as Partial<ConnectionSettings>;
}

/** Returns a path of this origin; a path that resolves to another host is rejected. */
function normaliseReturnTo(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const base = 'http://weft.invalid';
  const url = URL.parse(path, base);
  const isPath = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(path);
  // Resolving dot segments can yield a path that begins with two slashes, which a browser resolves to another
  // host.
  if (!isPath || url === null || url.origin !== base || url.pathname.startsWith('//'))
    throw validationError([
      { field: 'return_to', issue: 'must be a path of this Weft, such as /connections' },
    ]);
  return `${url.pathname}${url.search}${url.hash}`;
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
