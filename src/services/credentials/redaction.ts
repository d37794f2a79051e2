import { createRedactor } from '../../lib/text/redact.ts';
import { redactJson } from '../../lib/text/redact-json.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';

/** Redacts secrets in a JSON value. `maxLength` is that of the longest text that is redacted. */
export type JsonRedactor = (<T>(value: T) => T) & { readonly maxLength: number };

/** Maximum number of owners whose redactors are cached, and the lifetime of an entry, ms. */
const MAX_CACHED_OWNERS = 1_000;
const CACHE_LIFETIME_MS = 5_000;
const PAGE_SIZE = 100;

const identity: JsonRedactor = Object.assign(<T>(value: T) => value, { maxLength: 0 });

export function createJsonRedactor(secrets: Iterable<string>): JsonRedactor {
  const redact = createRedactor(secrets);
  return Object.assign(<T>(value: T) => redactJson(value, redact), { maxLength: redact.maxLength });
}

/**
 * Redacts the values of an owner's secrets and tokens in API responses. `forget` must be called when one of
 * them changes; a change by another process takes effect within five seconds.
 */
export function createSecretRedaction(deps: {
  accounts: Pick<AccountStore, 'listSecrets'>;
  listValues(ownerId: string, names: readonly string[]): Promise<Iterable<string>>;
  /** Previous values of secrets: older executions may contain them. */
  listFormerValues(ownerId: string): Promise<readonly string[]>;
  /** Tokens of connected accounts and the secrets of their OAuth clients. */
  listTokens(ownerId: string): Promise<readonly string[]>;
  now(): number;
}) {
  const cached = new Map<string, { redactor: Promise<JsonRedactor>; at: number }>();

  async function createForOwner(ownerId: string): Promise<JsonRedactor> {
    const names: string[] = [];
    for (let total = 1; names.length < total;) {
      const page = await deps.accounts.listSecrets(ownerId, names.length, PAGE_SIZE);
      if (page.rows.length === 0) break;
      names.push(...page.rows.map((row) => row.name));
      total = page.total;
    }
    const others = [...(await deps.listTokens(ownerId)), ...(await deps.listFormerValues(ownerId))];
    if (names.length === 0 && others.length === 0) return identity;
    return createJsonRedactor([...(await deps.listValues(ownerId, names)), ...others]);
  }

  return {
    loadRedactor(ownerId: string): Promise<JsonRedactor> {
      const now = deps.now();
      const found = cached.get(ownerId);
      if (found !== undefined && Math.abs(now - found.at) < CACHE_LIFETIME_MS) return found.redactor;
      const redactor = createForOwner(ownerId);
      cached.delete(ownerId);
      cached.set(ownerId, { redactor, at: now });
      if (cached.size > MAX_CACHED_OWNERS) cached.delete(cached.keys().next().value ?? '');
      redactor.catch(() => cached.delete(ownerId));
      return redactor;
    },
    forget(ownerId: string): void {
      cached.delete(ownerId);
    },
  };
}
