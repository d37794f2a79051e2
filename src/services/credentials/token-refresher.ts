import type { AuditedChange } from '../../ports/store/audit.ts';
import type { SecretBox } from '../../auth/secret-box.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import { onAbort } from '../../lib/async/abort.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NewNotification } from '../../ports/notifier.ts';
import type {
  ConnectionRow,
  ConnectionState,
  ConnectionStore,
  TokenSlot,
} from '../../ports/store/connections.ts';
import type {
  RequestToken,
  OAuthTokens,
  ConnectionAccess,
  TokenAccess,
  TokenResponse,
  TokenGrant,
} from '../../ports/oauth-tokens.ts';
import {
  readEndpointError,
  createRefusedState,
  createConnectionState,
  createTokens,
  computeUsableUntil,
} from './token-expiry.ts';
import {
  toConnectionAccess,
  createCredentialLoaders,
  describeCredential,
  refuseUnusable,
  listSecrets,
  toSlot,
  createTokenFailure,
  type CredentialLoader,
  type StoredCredential,
} from './token-slot.ts';

/** In ms. Longer than a token request may take with both methods of client authentication. */
const LEASE_DURATION_MS = 30_000;
const LEASE_POLL_INTERVAL_MS = 100;
/**
 * If a token that replaced a rejected one is rejected within this time (ms), the token is not the cause: a
 * new one would be rejected as well.
 */
const MIN_RENEWAL_INTERVAL_MS = 10_000;
/**
 * Maximum number of waits for another process; more would mean that tokens expire as soon as they are issued.
 */
const MAX_ROUNDS = 4;

export type TokenRefresherDeps = {
  connections: ConnectionStore;
  box: SecretBox;
  requestToken: RequestToken;
  /** The id of this process among those that share the store. */
  worker: string;
  clock: Clock;
  /** Called when the values to redact for this owner have changed. */
  changed(ownerId: string): void;
  notify(notification: NewNotification): void;
};

export type TokenRefresher = OAuthTokens & {
  /**
   * Stores the tokens that were issued for a code, replacing all others. Returns false when the connection
   * was deleted.
   */
  store(row: ConnectionRow, tokenResponse: TokenResponse, event: AuditedChange): Promise<boolean>;
  /** Gets a new token even if the current one is valid. */
  renew(ownerId: string, name: string): Promise<void>;
  /** Returns the values to redact for an owner. */
  listSecrets(ownerId: string): Promise<string[]>;
  clientSecret(row: ConnectionRow): string | null;
  sealClientSecret(ownerId: string, name: string, secret: string): string;
  /** Returns the decrypted values of a connection of fields. */
  fieldValues(row: ConnectionRow): Record<string, string>;
  sealFieldValue(ownerId: string, name: string, field: string, value: string): string;
  /** Waits for pending requests for at most `ms`, then aborts them. */
  close(ms: number): Promise<void>;
};

/**
 * Provides access tokens, and renews them before they expire or when they are rejected. A lease on the slot
 * ensures that one execution in one process renews a token at a time, so a rotated refresh token is used
 * once. The response is on disk before the token is used. A token request is independent of the attempt that
 * caused it: stopping the attempt does not abort the request, which would lose the response.
 */
export function createTokenRefresher(deps: TokenRefresherDeps): TokenRefresher {
  const { connections, box, clock, worker } = deps;
  const pendingRenewals = new Map<string, Promise<void>>();
  /** Responses that could not be stored: storing is retried before the endpoint is called again. */
  const unstored = new Map<string, { revision: number; tokenResponse: TokenResponse }>();
  const closing = new AbortController();
  const subjects = createCredentialLoaders(deps);

  function isUsable({ row, tokens, grant }: StoredCredential, refused: string | null): boolean {
    if (row === null || tokens === null || computeUsableUntil(row) <= clock.now()) return false;
    if (tokens.access !== refused) return true;
    return (
      grant === null ||
      (tokens.afterRefusal && Math.abs(clock.now() - (row.storedAt ?? 0)) < MIN_RENEWAL_INTERVAL_MS)
    );
  }

  async function access(
    load: CredentialLoader,
    refused: string | null,
    signal: AbortSignal,
  ): Promise<ConnectionAccess> {
    for (let round = 0; ; round++) {
      const subject = await rejectOnAbort(load(), signal);
      if (subject.values !== null) return toConnectionAccess(subject);
      refuseUnusable(subject);
      if (subject.tokens !== null && (round === MAX_ROUNDS || isUsable(subject, refused)))
        return toConnectionAccess(subject);
      if (round === MAX_ROUNDS)
        throw createTokenFailure(`${describeCredential(subject)} got no token that could be used`);
      await rejectOnAbort(
        joinOrStartRenewal(subject.at, load, refused, (now) => isUsable(now, refused)),
        signal,
      );
    }
  }

  /** Runs one renewal per slot at a time in this process; concurrent callers share its result or error. */
  function joinOrStartRenewal(
    at: TokenSlot,
    load: CredentialLoader,
    refused: string | null,
    isDone: (subject: StoredCredential) => boolean,
  ): Promise<void> {
    const key = `${at.ownerId} ${at.slot}`;
    const found = pendingRenewals.get(key);
    if (found !== undefined) return found;
    const started = renew(key, load, refused, isDone).finally(() => pendingRenewals.delete(key));
    pendingRenewals.set(key, started);
    // All waiters may have left.
    started.catch(() => {});
    return started;
  }

  async function renew(
    key: string,
    load: CredentialLoader,
    refused: string | null,
    isDone: (subject: StoredCredential) => boolean,
  ): Promise<void> {
    for (;;) {
      const subject = await load();
      if (isDone(subject)) return;
      refuseUnusable(subject);
      if (subject.grant === null) return markExpired(subject);
      const now = clock.now();
      const revision = subject.row?.revision ?? 0;
      const lease = await connections.lease(
        subject.at,
        revision,
        { worker, now, until: now + LEASE_DURATION_MS },
        limits.tokenSlots,
      );
      if (lease.kind === 'leased') {
        const afterRefusal = refused !== null && subject.tokens?.access === refused;
        const way = { grant: subject.grant, revision, uncertainSince: lease.uncertainSince, afterRefusal };
        if (await requestAndStoreTokens(key, subject, way)) return;
      } else if (lease.kind === 'busy') await pause(Math.min(LEASE_POLL_INTERVAL_MS, lease.until - now));
    }
  }

  /** Requires the lease. Returns false when the slot was changed meanwhile. */
  async function requestAndStoreTokens(
    key: string,
    subject: StoredCredential,
    way: { grant: TokenGrant; revision: number; uncertainSince: number | null; afterRefusal: boolean },
  ): Promise<boolean> {
    const { at, connection } = subject;
    const { grant, revision, uncertainSince, afterRefusal } = way;
    const kept = unstored.get(key);
    let tokenResponse: TokenResponse;
    try {
      tokenResponse =
        kept?.revision === revision ? kept.tokenResponse : await deps.requestToken(grant, closing.signal);
    } catch (error) {
      throw await toTokenFailure(subject, grant, error, uncertainSince);
    }
    const now = clock.now();
    const tokens = { ...createTokens(tokenResponse, grant, subject.tokens, now), afterRefusal };
    const written = {
      sealed: box.seal(at.ownerId, at.slot, JSON.stringify(tokens)),
      expiresAt: tokens.expiresAt,
      storedAt: now,
    };
    const state =
      connection === null ? null : createConnectionState(connection.state, tokenResponse, tokens, now);
    unstored.set(key, { revision, tokenResponse });
    const isStored = await connections.putTokens(at, { revision, worker }, written, state);
    unstored.delete(key);
    deps.changed(at.ownerId);
    return isStored;
  }

  /** Returns the error for the node; the new state of the connection is on disk before. */
  async function toTokenFailure(
    subject: StoredCredential,
    grant: TokenGrant,
    error: unknown,
    uncertainSince: number | null,
  ): Promise<unknown> {
    const { at, connection } = subject;
    if (!(error instanceof HttpFailure)) {
      await connections.releaseLease(at, worker, false, null);
      return error;
    }
    const redact = createRedactor(listSecrets(subject, grant));
    const { data: _data, ...rest } = error.failure;
    const lost =
      uncertainSince === null
        ? ''
        : ` A request that began at ${new Date(uncertainSince).toISOString()} was interrupted, so its response, with a newer refresh token, may have been lost.`;
    const code = readEndpointError(error);
    const { type } = error.failure;
    // After a server error or without a response, it is unknown whether the server processed the request.
    const hasResponded =
      (code !== null && type !== 'server_error') || type === 'forbidden' || type === 'validation';
    const isRefusal = code !== null && type === 'client_error';
    const reason = redact(`${rest.message}.${isRefusal ? lost : ''}`);
    // Without an error code, only 400 refuses the grant: other statuses may come from a gateway.
    const isOfGrant = grant.type === 'refresh_token' && (code !== '' || rest.status === 400);
    const state =
      connection === null || !isRefusal
        ? null
        : createRefusedState(connection.state, isOfGrant ? code : null, reason);
    const isWritten = await connections.releaseLease(at, worker, hasResponded, state);
    if (state !== null && connection !== null && isWritten) notifyStateChange(connection, state);
    return new HttpFailure({
      ...rest,
      message: `${describeCredential(subject)} ${state?.status === 'needs_reauthorization' ? 'must be authorized again' : 'got no token'}: ${reason}`,
      ...(isRefusal ? { retryable: false } : {}),
    });
  }

  /** The token has expired or was rejected, and only the user can authorize again. */
  async function markExpired({ at, connection, row, tokens }: StoredCredential): Promise<void> {
    // The response that rejected the token is still valid.
    if (connection === null || (row !== null && tokens !== null && computeUsableUntil(row) > clock.now()))
      return;
    const reason = 'The access token has expired, and the provider issued no refresh token.';
    const state = createRefusedState(connection.state, 'ended', reason);
    const revision = row?.revision ?? 0;
    const now = clock.now();
    const lease = await connections.lease(at, revision, { worker, now, until: now + LEASE_DURATION_MS }, 0);
    if (lease.kind === 'leased' && (await connections.releaseLease(at, worker, true, state)))
      notifyStateChange(connection, state);
  }

  function notifyStateChange(connection: ConnectionRow, state: ConnectionState): void {
    const { ownerId, name } = connection;
    if (connection.state.status === state.status) return;
    const what =
      state.status === 'needs_reauthorization' ? 'must be authorized again' : 'can no longer obtain tokens';
    deps.notify({
      ownerId,
      level: 'error',
      message: `The connection ${name} ${what}: ${state.error ?? ''}`,
      data: { connection: name, status: state.status },
    });
  }

  async function pause(ms: number): Promise<void> {
    if (closing.signal.aborted) throw createTokenFailure('The service is stopping', 'interrupted');
    await new Promise<void>((resolve) => clock.after(Math.max(1, ms), resolve));
  }

  return {
    ofConnection: (ownerId, name, refusedToken, signal) =>
      access(subjects.ofConnection(ownerId, name), refusedToken, signal),
    ofGrant: (ownerId, grant, refusedToken, signal) =>
      toTokenAccess(access(subjects.ofGrant(ownerId, grant), refusedToken, signal)),

    async store(row, tokenResponse, event) {
      const at = toSlot(row.ownerId, row.name);
      const now = clock.now();
      const tokens = createTokens(tokenResponse, null, subjects.open(at, await connections.tokens(at)), now);
      const state = { ...createConnectionState(row.state, tokenResponse, tokens, now), authorizedAt: now };
      const sealed = box.seal(at.ownerId, at.slot, JSON.stringify(tokens));
      const written = { sealed, expiresAt: tokens.expiresAt, storedAt: now };
      const isStored = await connections.putTokens(at, null, written, state, event);
      deps.changed(row.ownerId);
      return isStored;
    },

    async renew(ownerId, name) {
      const load = subjects.ofConnection(ownerId, name);
      const first = await load();
      refuseUnusable(first);
      if (first.grant === null)
        throw createTokenFailure(`The connection ${name} has no refresh token and must be authorized again`);
      await joinOrStartRenewal(first.at, load, null, (now) => now.row?.revision !== first.row?.revision);
    },

    listSecrets: (ownerId) => subjects.listSecrets(ownerId),
    clientSecret: (row) => subjects.clientSecret(row),
    sealClientSecret: (ownerId, name, secret) => subjects.sealClientSecret(ownerId, name, secret),
    fieldValues: (row) => subjects.fieldValues(row),
    sealFieldValue: (ownerId, name, field, value) => subjects.sealFieldValue(ownerId, name, field, value),

    async close(ms) {
      const cancel = clock.after(ms, () => closing.abort(new Error('The service has stopped')));
      await Promise.allSettled(pendingRenewals.values());
      cancel();
      closing.abort(new Error('The service has stopped'));
    },
  };
}

async function toTokenAccess(access: Promise<ConnectionAccess>): Promise<TokenAccess> {
  const { token, apiUrl, hosts, secrets } = await access;
  return { token: token ?? '', apiUrl, hosts, secrets };
}

/** Rejects when the signal aborts; the work continues. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () =>
      reject(new HttpFailure({ type: 'timeout', message: 'Timed out waiting for an access token' })),
    );
    work.then(resolve, reject).finally(leave);
  });
}
