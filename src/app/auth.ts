import { renderErrorPage } from '../api/oauth/error-page.ts';
import { createResourceReader } from '../auth/oauth/token-resource.ts';
import { createAuthenticator } from '../auth/authenticate.ts';
import { createApiKeyKind, createOAuthKind, createSessionKind } from '../auth/credential-kinds.ts';
import { createCredentialExpiryWatcher } from '../auth/credential-expiry-watcher.ts';
import { createLoginThrottle } from '../auth/login-throttle.ts';
import type { ClientDocumentsOptions } from '../auth/oauth/client-documents.ts';
import { createOAuthProvider } from '../auth/oauth/lazy-provider.ts';
import { createPasswords } from '../auth/passwords.ts';
import { createPrincipalCache, type PrincipalCache } from '../auth/principal-cache.ts';
import { createSecretBox } from '../auth/secret-box.ts';
import { createSessionTokens } from '../auth/session-token.ts';
import type { Bus } from '../ports/bus.ts';
import type { AccountStore } from '../ports/store/accounts/accounts.ts';
import type { RequestOrigin } from '../contract/principal.ts';
import { createAuditLog, type AuditActor } from '../services/audit/audit-log.ts';
import { createApiKeysService } from '../services/accounts/api-keys.service.ts';
import { createAuthService } from '../services/accounts/auth.service.ts';
import { createOAuthClientsService } from '../services/accounts/oauth-clients.service.ts';
import { createOAuthGrantsService } from '../services/accounts/oauth-grants.service.ts';
import { createSecretRedaction } from '../services/credentials/redaction.ts';
import { createSecretsService } from '../services/credentials/secrets.service.ts';
import { createNodeTypes } from '../nodes/catalog.ts';
import { builtinNodes } from '../nodes/registry.ts';
import { MIN_TRIGGER_SECRET_LENGTH, findWorkflowGuardedBy } from '../services/webhooks/trigger-secret.ts';
import { createUsersService, ensureFirstAdmin } from '../services/accounts/users.service.ts';
import type { AppBase } from './app-base.ts';
import type { AppStorage } from './storage/create-storage.ts';
import { loadKeys } from './load-keys.ts';

/** Upper limit of the duration of a request. */
const MAX_REQUEST_DURATION_MS = 150_000;

/** Bound later: these parts are created after this step. */
type LateBindings = {
  /** Values to redact that belong to connected accounts of this user. */
  listTokens(ownerId: string): Promise<readonly string[]>;
  /** Sends a request through the egress policy. */
  send: ClientDocumentsOptions['send'];
  /** Releases the workflows of a user who is being deleted. */
  releaseWorkflows(userId: string): Promise<void>;
};

/** Step 2 of 5: keys, users, sessions, API keys, OAuth and secrets. */
export async function createAuth(base: AppBase, { store, coordination }: AppStorage, late: LateBindings) {
  const { config, clock, ids } = base;
  const { bus } = coordination;
  const now = (): number => clock.now();
  const report = (message: string, error: unknown): void => base.report(message, error);

  const audit = createAuditLog({ store: store.audit, ids, clock, report });
  const keys = await loadKeys(config, store.accounts);
  const box = createSecretBox(keys.secrets);
  const passwords = createPasswords();
  const cache = createPrincipalCache();
  const tokens = createSessionTokens(keys.tokens);
  const secretRedaction = createSecretRedaction({
    accounts: store.accounts,
    now,
    listTokens: (ownerId) => late.listTokens(ownerId),
    listValues: async (ownerId, names) =>
      [...(await secrets.secretsFor(ownerId, names)).values()].map((one) => one.value),
    listFormerValues: (ownerId) => secrets.formerValues(ownerId),
  });
  const accounts = withSecretChanges(store.accounts, (ownerId) => {
    secretRedaction.forget(ownerId);
    bus.publish('secrets', { ownerId });
  });
  bus.subscribe('secrets', ({ ownerId }) => {
    secretRedaction.forget(ownerId);
    secrets.changed(ownerId);
  });
  shareRevocations(cache, bus);
  const secrets = createSecretsService({
    accounts: accounts,
    box,
    audit,
    now,
    valueIssue: async (ownerId, name, value) => {
      if (value.length >= MIN_TRIGGER_SECRET_LENGTH) return null;
      const workflow = await findWorkflowGuardedBy(
        store.workflows,
        createNodeTypes(builtinNodes),
        ownerId,
        name,
      );
      return workflow === null
        ? null
        : `must have at least ${MIN_TRIGGER_SECRET_LENGTH} characters: the webhook of the active workflow ${JSON.stringify(workflow)} checks its callers with it`;
    },
  });
  const users = createUsersService({
    afterRequests: (run) =>
      void clock.after(MAX_REQUEST_DURATION_MS, () =>
        run().catch((error: unknown) => report('failed to remove the data of a deleted user', error)),
      ),
    accounts: accounts,
    passwords,
    cache,
    audit,
    ids,
    now,
    beforeRemove: (userId) => late.releaseWorkflows(userId),
  });
  const { authenticate, authenticateToken } = createAuthenticator({
    accounts,
    oauth: store.oauth,
    readResource: createResourceReader(keys.oauthRecords),
    tokens,
    cache,
    now,
    onTouchFailed: (error) => report('failed to record the use of an API key', error),
  });
  const credentials = createCredentialExpiryWatcher({
    kinds: {
      session: createSessionKind(accounts, now),
      api_key: createApiKeyKind(accounts, now),
      oauth: createOAuthKind(store.oauth, now),
    },
    cache,
    clock,
    onError: (error) => report('failed to read a credential', error),
  });
  const throttle = createLoginThrottle({ store: store.throttling, clock, key: keys.logins, bus, report });
  let resolveFirstUser = (): void => {};
  const firstUser = new Promise<void>((resolve) => {
    resolveFirstUser = resolve;
  });
  const auth = createAuthService({
    accounts: accounts,
    passwords,
    tokens,
    cache,
    throttle,
    audit,
    ids,
    now,
    firstUser,
  });
  const provider = createOAuthProvider({
    issuer: () => new URL(base.baseUrl()).origin,
    oauth: store.oauth,
    accounts: accounts,
    keys,
    cache,
    ids,
    now,
    errorPage: renderErrorPage,
    sendForDocument: config.clientDocuments ? (request, signal) => late.send(request, signal) : null,
    clientTokenIssued: (client, scope, origin) =>
      audit.record(
        audit.describe(toClientActor(client.id, origin), 'oauth_token.created', client, { scope }),
      ),
    clientRefused: (clientId, origin) =>
      audit.recordFailure(
        toClientActor(null, origin),
        'oauth_token.created',
        clientId === null ? null : { id: clientId },
      ),
    clientRegistered: (client, origin) =>
      audit.record(audit.describe(toClientActor(null, origin), 'oauth_client.created', client)),
    report,
  });

  return {
    keys,
    audit,
    box,
    secretRedaction,
    secrets,
    /**
     * Creates the first administrator when there is no user; logins wait for it. A worker must not print a
     * password.
     */
    async firstAdmin() {
      const made =
        config.role === 'worker'
          ? null
          : await ensureFirstAdmin({ accounts: accounts, passwords, audit, ids, now }, config.admin);
      resolveFirstUser();
      return made;
    },
    authenticate,
    authenticateToken,
    credentials,
    throttle,
    provider,
    services: {
      auth,
      users,
      oauthClients: createOAuthClientsService({ oauth: store.oauth, cache, audit, ids, now }),
      oauthGrants: createOAuthGrantsService({ oauth: store.oauth, cache, audit, now }),
      apiKeys: createApiKeysService({ accounts: accounts, cache, audit, ids, now }),
      secrets,
    },
  };
}

export type Auth = Awaited<ReturnType<typeof createAuth>>;

/** A null `clientId` is a caller that was not authenticated. */
function toClientActor(clientId: string | null, origin: RequestOrigin): AuditActor {
  const credential = clientId === null ? 'none' : 'client_secret';
  return { userId: null, email: null, credential, credentialId: clientId, origin };
}

/** Shares revoked credentials, so that all processes reject them at once. */
function shareRevocations(cache: PrincipalCache, bus: Bus): void {
  let isReceived = false;
  cache.onForget((what) => {
    if (!isReceived) bus.publish('forgotten', what);
  });
  bus.subscribe('forgotten', (what) => {
    isReceived = true;
    try {
      cache.forget(what);
    } finally {
      isReceived = false;
    }
  });
}

/** Wraps the store with a callback for changes of secrets. */
function withSecretChanges(accounts: AccountStore, secretsChanged: (ownerId: string) => void): AccountStore {
  return {
    ...accounts,
    async putSecret(secret, event) {
      const result = await accounts.putSecret(secret, event);
      secretsChanged(secret.ownerId);
      return result;
    },
    async removeSecret(ownerId, name, at, event) {
      const result = await accounts.removeSecret(ownerId, name, at, event);
      secretsChanged(ownerId);
      return result;
    },
  };
}
