import { errorPage } from '../api/oauth/error-page.ts';
import { createAuthenticator } from '../auth/authenticate.ts';
import { apiKeyKind, oauthKind, sessionKind } from '../auth/credential-kinds.ts';
import { createCredentialWatch } from '../auth/credential-watch.ts';
import { createLoginThrottle } from '../auth/login-throttle.ts';
import { createOAuthProvider } from '../auth/oauth/lazy-provider.ts';
import { createPasswords } from '../auth/passwords.ts';
import { createPrincipalCache, type PrincipalCache } from '../auth/principal-cache.ts';
import { createSecretBox } from '../auth/secret-box.ts';
import { createSessionTokens } from '../auth/session-token.ts';
import type { Config } from '../config.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import type { PeopleStore } from '../ports/store/people.ts';
import { createApiKeysService } from '../services/people/api-keys.service.ts';
import { createAuthService } from '../services/people/auth.service.ts';
import { createOAuthClientsService } from '../services/people/oauth-clients.service.ts';
import { createOAuthGrantsService } from '../services/people/oauth-grants.service.ts';
import { createSecretMasks } from '../services/credentials/secret-masks.ts';
import { createSecretsService } from '../services/credentials/secrets.service.ts';
import { createNodeTypes } from '../nodes/catalogue.ts';
import { builtinNodes } from '../nodes/registry.ts';
import { MIN_TRIGGER_SECRET_LENGTH, workflowGuardedBy } from '../services/webhooks/trigger-secret.ts';
import { createUsersService, ensureFirstAdmin } from '../services/people/users.service.ts';
import { loadKeys } from './load-keys.ts';

/** ms after which no request that was under way is still served. */
const LONGEST_REQUEST = 150_000;

/** Wires what knows who is calling and what is theirs alone: keys, users, sessions, API keys, OAuth, secrets. */
export async function createAuth(options: {
  readonly config: Pick<Config, 'secretKey' | 'dataDir' | 'admin' | 'role'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Other processes. */
  readonly bus: Bus;
  report(message: string, error: unknown): void;
  /** Where callers see the service; known once it listens. */
  origin(): string;
  /** What connected accounts of this user must not show. */
  tokensOf(ownerId: string): Promise<readonly string[]>;
  /** Lets go of the workflows of a user who is deleted. */
  releaseWorkflows(userId: string): Promise<void>;
}) {
  const { config, store, clock, ids, bus } = options;
  const now = (): number => clock.now();
  const report = (message: string, error: unknown): void => options.report(message, error);

  const keys = await loadKeys(config, store.people);
  const box = createSecretBox(keys.secrets);
  const passwords = createPasswords();
  const cache = createPrincipalCache();
  const tokens = createSessionTokens(keys.tokens);
  const masks = createSecretMasks({
    people: store.people,
    now,
    tokensOf: (ownerId) => options.tokensOf(ownerId),
    valuesOf: async (ownerId, names) =>
      [...(await secrets.secretsFor(ownerId, names)).values()].map((one) => one.value),
    formerOf: (ownerId) => secrets.formerValues(ownerId),
  });
  const people = noticing(store.people, (ownerId) => {
    masks.forget(ownerId);
    bus.tell('secrets', { ownerId });
  });
  bus.hear('secrets', ({ ownerId }) => {
    masks.forget(ownerId);
    secrets.changed(ownerId);
  });
  shareForgetting(cache, bus);
  const secrets = createSecretsService({
    people,
    box,
    now,
    valueIssue: async (ownerId, name, value) => {
      if (value.length >= MIN_TRIGGER_SECRET_LENGTH) return null;
      const workflow = await workflowGuardedBy(store.workflows, createNodeTypes(builtinNodes), ownerId, name);
      return workflow === null
        ? null
        : `must have at least ${MIN_TRIGGER_SECRET_LENGTH} characters: the webhook of the active workflow ${JSON.stringify(workflow)} checks its callers with it`;
    },
  });
  const users = createUsersService({
    afterRequests: (run) =>
      void clock.after(LONGEST_REQUEST, () =>
        run().catch((error: unknown) => report('what a deleted user left could not be removed', error)),
      ),
    people,
    passwords,
    cache,
    ids,
    now,
    beforeRemove: (userId) => options.releaseWorkflows(userId),
  });
  const { authenticate, authenticateToken } = createAuthenticator({
    people,
    oauth: store.oauth,
    tokens,
    cache,
    now,
    onTouchFailed: (error) => report('the use of an API key could not be noted', error),
  });
  const credentials = createCredentialWatch({
    kinds: {
      session: sessionKind(people, now),
      api_key: apiKeyKind(people, now),
      oauth: oauthKind(store.oauth, now),
    },
    cache,
    clock,
    onFault: (error) => report('a credential could not be read', error),
  });
  const throttle = createLoginThrottle({ store: store.throttling, clock, key: keys.logins, bus, report });
  let firstUserIsThere = (): void => {};
  const firstUser = new Promise<void>((resolve) => {
    firstUserIsThere = resolve;
  });
  const auth = createAuthService({ people, passwords, tokens, cache, throttle, ids, now, firstUser });
  const provider = createOAuthProvider({
    issuer: () => options.origin(),
    oauth: store.oauth,
    people,
    keys,
    cache,
    ids,
    now,
    errorPage,
    report,
  });

  return {
    keys,
    box,
    masks,
    secrets,
    /**
     * Makes the first administrator, when there is no user; logins wait for it. A worker's log is no place for a password that somebody
     * has to find.
     */
    async firstAdmin() {
      const made =
        config.role === 'worker'
          ? null
          : await ensureFirstAdmin({ people, passwords, ids, now }, config.admin);
      firstUserIsThere();
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
      oauthClients: createOAuthClientsService({ oauth: store.oauth, cache, ids, now }),
      oauthGrants: createOAuthGrantsService({ oauth: store.oauth, cache, now }),
      apiKeys: createApiKeysService({ people, cache, ids, now }),
      secrets,
    },
  };
}

export type Auth = Awaited<ReturnType<typeof createAuth>>;

/** What one process forgets all forget: a credential that ended is refused at once everywhere. */
function shareForgetting(cache: PrincipalCache, bus: Bus): void {
  let isHeard = false;
  cache.onForget((what) => {
    if (!isHeard) bus.tell('forgotten', what);
  });
  bus.hear('forgotten', (what) => {
    isHeard = true;
    try {
      cache.forget(what);
    } finally {
      isHeard = false;
    }
  });
}

/** The same store, which tells when an owner's secrets change. */
function noticing(people: PeopleStore, secretsChanged: (ownerId: string) => void): PeopleStore {
  return {
    ...people,
    async putSecret(secret) {
      const result = await people.putSecret(secret);
      secretsChanged(secret.ownerId);
      return result;
    },
    async removeSecret(ownerId, name, at) {
      const result = await people.removeSecret(ownerId, name, at);
      secretsChanged(ownerId);
      return result;
    },
  };
}
