import type { AuditAction, AuditCredential, AuditEvent } from '../../contract/audit/audit-event.ts';
import type { Principal, RequestOrigin } from '../../contract/principal.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import type { Json } from '../../lib/json/json.ts';
import { normalizeAddress } from '../../lib/network/client-network.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { AuditStore } from '../../ports/store/audit.ts';

/**
 * Failures recorded individually per window and process; further ones are counted in one event per action.
 */
const MAX_FAILURES_PER_WINDOW = 30;
const FAILURE_WINDOW_MS = 60_000;
const MAX_USER_AGENT_LENGTH = 256;
const MAX_NAME_LENGTH = 200;

/** Who acted, for callers without a principal. */
export type AuditActor = {
  readonly userId: string | null;
  readonly email: string | null;
  readonly credential: AuditCredential;
  readonly credentialId?: string | null;
  readonly origin?: RequestOrigin | null;
};
export type AuditTarget = { readonly id: string; readonly name?: string | null };
type Details = AuditEvent['details'];

/** The actor of an event that no request caused. */
export const systemActor: AuditActor = { userId: null, email: null, credential: 'system' };

export type AuditLog = {
  /** Returns the event of a change; the store writes it with the change. */
  describe(
    actor: Principal | AuditActor,
    action: AuditAction,
    target: AuditTarget | null,
    details?: Details,
  ): AuditEvent;
  /** Writes an event that belongs to no write of the store. */
  record(event: AuditEvent): Promise<void>;
  /**
   * Records a refused attempt. Attackers can cause many, so only some per minute have an event of their own;
   * see `MAX_FAILURES_PER_WINDOW`. An error of the store is reported and does not change the response.
   */
  recordFailure(
    actor: AuditActor,
    action: AuditAction,
    target: AuditTarget | null,
    details?: Details,
  ): Promise<void>;
};

/** Returns the function that makes all audit events. */
export function createEventDescriber(deps: {
  readonly ids: Ids;
  readonly now: () => number;
}): AuditLog['describe'] {
  return (given, action, target, details = {}) => {
    const actor = 'via' in given ? toActor(given) : given;
    const { userId, email, credential, credentialId = null, origin = null } = actor;
    return {
      id: deps.ids.next('auditEvent'),
      at: deps.now(),
      action,
      outcome: 'success',
      actorId: userId,
      actorEmail: truncate(email, MAX_NAME_LENGTH),
      credential,
      credentialId,
      targetId: truncate(target?.id ?? null, MAX_NAME_LENGTH),
      targetName: truncate(target?.name ?? null, MAX_NAME_LENGTH),
      address: origin === null ? null : normalizeAddress(origin.address) || origin.address,
      userAgent: truncate(origin?.userAgent ?? null, MAX_USER_AGENT_LENGTH),
      details,
    };
  };
}

/** Makes audit events, and writes those that belong to no change. */
export function createAuditLog(deps: {
  readonly store: Pick<AuditStore, 'record'>;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly report: (message: string, error: unknown) => void;
}): AuditLog {
  const { store, clock } = deps;
  const describe = createEventDescriber({ ids: deps.ids, now: () => clock.now() });
  const suppressed = new Map<AuditAction, number>();
  let failures = 0;
  let isWindowOpen = false;

  async function recordFailure(...args: Parameters<AuditLog['recordFailure']>): Promise<void> {
    openWindow();
    if (++failures > MAX_FAILURES_PER_WINDOW) {
      suppressed.set(args[1], (suppressed.get(args[1]) ?? 0) + 1);
      return;
    }
    await write({ ...describe(...args), outcome: 'failure' });
  }

  function openWindow(): void {
    if (isWindowOpen) return;
    isWindowOpen = true;
    clock.after(FAILURE_WINDOW_MS, closeWindow);
  }

  function closeWindow(): void {
    isWindowOpen = false;
    failures = 0;
    const counts = [...suppressed];
    suppressed.clear();
    for (const [action, count] of counts)
      void write({ ...describe(systemActor, action, null, { count }), outcome: 'failure' });
  }

  async function write(event: AuditEvent): Promise<void> {
    await store
      .record(event)
      .catch((error: unknown) => deps.report('an audit event could not be stored', error));
  }

  return { describe, record: (event) => store.record(event), recordFailure };
}

function toActor(principal: Principal): AuditActor {
  const { userId, email = null, via, sessionId, keyId, clientId, origin = null } = principal;
  return { userId, email, credential: via, credentialId: sessionId ?? keyId ?? clientId ?? null, origin };
}

function truncate(text: string | null, most: number): string | null {
  return text === null ? null : text.replaceAll('\0', '').slice(0, most).toWellFormed();
}

/** The names of the fields that differ, for the details of an event. */
export function listChangedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Json[] {
  const read = (from: typeof before, name: string): Json => (from[name] ?? null) as Json;
  return Object.keys(after).filter((name) => !isJsonEqual(read(before, name), read(after, name)));
}
