import type { SecretBox } from '../../auth/secret-box.ts';
import { validate } from '../../contract/validate.ts';
import { findProvider, type ConnectionProvider } from '../../contract/connections/connection-providers.ts';
import { createConflictError, createNotFoundError, createValidationError } from '../../contract/errors.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import { PageQuery, toPage, type Page } from '../../contract/paging.ts';
import type { Principal, RequestOrigin } from '../../contract/principal.ts';
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
import type { RequestToken } from '../../ports/oauth-tokens.ts';
import {
  createAuthorizations,
  type AuthorizationUrl,
  type AuthorizationResult,
  type AuthorizationCallback,
} from './authorizations.ts';
import { completeSettings, isAnotherAccount } from './connection-settings.ts';
import { completeFields } from './field-values.ts';
import { testConnection, type ConnectionTest } from './connection-test.ts';
import { listConnectionUses } from './connection-uses.ts';
import type { TokenRefresher } from './token-refresher.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';

/** Names that conflict with paths of the API. */
const RESERVED_NAMES = new Set(['callback']);
const NAME_PATTERN = new RegExp(CONNECTION_NAME_PATTERN);

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
export type ConnectionView = Omit<ConnectionRow, 'clientSecret' | 'fields'> & {
  readonly hasClientSecret: boolean;
  /** Null for OAuth. */
  readonly fieldNames: readonly string[] | null;
  readonly redirectUri: string;
};
export type ConnectionsDeps = {
  readonly box: SecretBox;
  readonly connections: ConnectionStore;
  readonly workflows: Pick<WorkflowStore, 'list' | 'getManyVersions'>;
  readonly getNodeTypes: (ownerId: string) => Promise<NodeTypes>;
  readonly tokens: TokenRefresher;
  readonly requestToken: RequestToken;
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
  readonly audit: Pick<AuditLog, 'describe'>;
  readonly clock: Clock;
};

export type Connections = ReturnType<typeof createConnections>;

/** Connected accounts: their settings, the authorization flow, and the tokens it yields. */
export function createConnections(deps: ConnectionsDeps) {
  const { connections, tokens, audit, clock } = deps;
  const redirectUri = (): string => `${deps.baseUrl()}/connections/callback`;
  const authorizations = createAuthorizations({ ...deps, redirectUri });

  async function load(ownerId: string, name: string): Promise<ConnectionRow> {
    const row = NAME_PATTERN.test(name) ? await connections.get(ownerId, name) : null;
    if (row === null) throw createNotFoundError('connection');
    return row;
  }

  function view({ clientSecret, fields, ...row }: ConnectionRow): ConnectionView {
    return {
      ...row,
      hasClientSecret: clientSecret !== null,
      fieldNames: fields === null ? null : Object.keys(fields),
      redirectUri: redirectUri(),
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
      if (RESERVED_NAMES.has(name))
        throw createValidationError([{ field: 'name', issue: `${name} is reserved` }]);
      const returnTo = normalizeReturnTo(givenPath);
      const given = settable(fields);
      const settings = completeSettings(given, null, await resolveProvider(given, null));
      if (settings.grantType === 'client_credentials' && given.client_secret == null)
        throw createValidationError([
          { field: 'client_secret', issue: 'is required for client_credentials' },
        ]);
      const ownerId = principal.userId;
      const now = clock.now();
      const fieldValues = completeFields(tokens, { ownerId, name, settings }, given.fields, null);
      const row: ConnectionRow = {
        ownerId,
        name,
        description: given.description ?? '',
        settings,
        clientSecret:
          given.client_secret == null ? null : tokens.sealClientSecret(ownerId, name, given.client_secret),
        fields: fieldValues,
        state: fieldValues === null ? PENDING : { ...PENDING, status: 'connected', refreshedAt: now },
        createdAt: now,
        updatedAt: now,
      };
      const event = audit.describe(
        principal,
        'connection.created',
        { id: name, name },
        { provider: settings.provider ?? null, grant_type: settings.grantType },
      );
      const result = await connections.create(row, limits.connectedAccounts, event);
      if (result === 'exists') throw createConflictError(`There is a connection ${name}.`, { field: 'name' });
      if (result === 'full')
        throw createConflictError(`A user has at most ${limits.connectedAccounts} connections.`, {
          limit: limits.connectedAccounts,
        });
      deps.changed(ownerId);
      const isByPerson = settings.grantType === 'authorization_code';
      const connectUrl = isByPerson
        ? (await authorizations.begin(principal, row, returnTo)).connectUrl
        : null;
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
      const settings = completeSettings(given, before.settings, await resolveProvider(given, before));
      const fieldValues = completeFields(tokens, { ownerId, name, settings }, given.fields, before);
      const secret = given.client_secret;
      const isElsewhere = settings.tokenUrl !== before.settings.tokenUrl;
      if (isElsewhere && before.clientSecret !== null && secret === undefined)
        throw createValidationError([
          { field: 'client_secret', issue: 'must be given again when the token endpoint changes' },
        ]);
      if (settings.grantType === 'client_credentials' && (secret ?? before.clientSecret) === null)
        throw createValidationError([
          { field: 'client_secret', issue: 'is required for client_credentials' },
        ]);
      const now = clock.now();
      const row: ConnectionRow = {
        ...before,
        description: given.description ?? before.description,
        settings,
        fields: fieldValues,
        clientSecret:
          secret === undefined
            ? before.clientSecret
            : secret === null
              ? null
              : tokens.sealClientSecret(ownerId, name, secret),
        updatedAt: now,
      };
      const isAnother =
        isAnotherAccount(settings, before.settings) ||
        JSON.stringify(fieldValues) !== JSON.stringify(before.fields);
      const next: ConnectionState =
        fieldValues === null ? PENDING : { ...PENDING, status: 'connected', refreshedAt: now };
      const state = isAnother ? next : before.state;
      const event = audit.describe(
        principal,
        'connection.updated',
        { id: name, name },
        { fields: Object.keys(fields), disconnected: isAnother },
      );
      if (!(await connections.update({ ...row, state }, isAnother, event)))
        throw createNotFoundError('connection');
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
        const uses = await listConnectionUses(deps, ownerId, name);
        if (uses.length > 0)
          throw createConflictError(
            `The connection ${name} is used by ${uses.length === 1 ? 'an active workflow' : 'active workflows'}: ${uses.map((one) => `"${one.name}"`).join(', ')}.`,
            { workflows: uses.map(({ id }) => id) },
          );
      }
      const event = audit.describe(principal, 'connection.deleted', { id: name, name }, { force });
      if (!(await connections.remove(ownerId, name, clock.now(), event)))
        throw createNotFoundError('connection');
      deps.changed(ownerId);
    },

    /**
     * Returns a new authorization URL; the current tokens stay valid until the new authorization completes.
     */
    async authorize(principal: Principal, name: string, input: unknown): Promise<AuthorizationUrl> {
      requireScope(principal, 'secrets:write');
      const { return_to: givenPath } = validate(AuthorizeConnectionInput, input);
      const returnTo = normalizeReturnTo(givenPath);
      const row = await load(principal.userId, name);
      if (row.settings.grantType !== 'authorization_code')
        throw createConflictError(
          `The connection ${name} needs no authorization: its grant type is ${row.settings.grantType}.`,
        );
      return authorizations.begin(principal, row, returnTo);
    },

    /** Gets a new token now. @throws {WeftError} CONFLICT with the reason when that fails. */
    async refresh(principal: Principal, name: string): Promise<ConnectionView> {
      requireScope(principal, 'secrets:write');
      const { ownerId, settings } = await load(principal.userId, name);
      if (settings.grantType === 'fields')
        throw createConflictError(
          `The connection ${name} has no token to refresh: its grant type is fields.`,
        );
      try {
        await tokens.renew(ownerId, name);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        throw createConflictError(error.failure.message, { reason: error.failure.type });
      }
      return view(await load(ownerId, name));
    },

    /** Never throws for an error of the provider, which is part of the result. */
    async test(
      principal: Principal,
      name: string,
    ): Promise<ConnectionTest & Pick<ConnectionState, 'status'>> {
      requireScope(principal, 'secrets:write');
      const { ownerId, settings, updatedAt, state: before } = await load(principal.userId, name);
      const result = await testConnection(settings, {
        access: (refused, signal) => tokens.ofConnection(ownerId, name, refused, signal),
        send: deps.send,
      });
      // Fields are not validated by a token request, so the test validates them. An unreachable service
      // proves nothing.
      if (settings.grantType === 'fields' && (result.ok || result.httpStatus !== null))
        await connections.setState(ownerId, name, updatedAt, {
          ...before,
          status: result.ok ? 'connected' : 'failing',
          error: result.ok ? null : result.message,
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

    handleCallback: (query: AuthorizationCallback, origin: RequestOrigin): Promise<AuthorizationResult> =>
      authorizations.handleCallback(query, origin),
  };
}

/** Returns the provider that the result of the change has. @throws {WeftError} for an unknown one. */
async function resolveProvider(
  given: Partial<ConnectionSettings>,
  before: ConnectionRow | null,
): Promise<ConnectionProvider | null> {
  const id = given.provider ?? before?.settings.provider ?? null;
  const found = await findProvider(id);
  // A stored connection keeps its settings when its provider leaves the catalog.
  if (found === null && given.provider != null && given.provider !== before?.settings.provider)
    throw createValidationError([
      { field: 'provider', issue: 'is not in the catalog; GET /connection-providers lists it' },
    ]);
  return found;
}

function settable(fields: Record<string, unknown>): Partial<ConnectionSettings> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !shownOfConnection.includes(name)),
  ) as Partial<ConnectionSettings>;
}

/** Returns a path of this origin; a path that resolves to another host is rejected. */
function normalizeReturnTo(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const base = 'http://weft.invalid';
  const url = URL.parse(path, base);
  const isPath = /^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(path);
  // Resolving dot segments can yield a path that begins with two slashes, which a browser resolves to another
  // host.
  if (!isPath || url === null || url.origin !== base || url.pathname.startsWith('//'))
    throw createValidationError([
      { field: 'return_to', issue: 'must be a path of this Weft, such as /connections' },
    ]);
  return `${url.pathname}${url.search}${url.hash}`;
}
