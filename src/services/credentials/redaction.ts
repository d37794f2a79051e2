import { createRedactor } from '../../lib/text/redact.ts';
import { redactJson } from '../../lib/text/redact-json.ts';
import type { PeopleStore } from '../../ports/store/accounts/accounts.ts';

/** Redacts secrets in a JSON value. */
export type JsonRedactor = <T>(value: T) => T;

/** Maximum number of owners whose redactors are cached, and the lifetime of an entry, ms. */
const MAX_CACHED_OWNERS = 1_000;
const CACHE_LIFETIME_MS = 5_000;
const PAGE_SIZE = 100;

const asItIs: JsonRedactor = (value) => value;

/**
 * Redacts the values of an owner's secrets and tokens in API responses. `forget` must be called when one of
 * them changes; a change by another process takes effect within five seconds.
 */
export function createSecretRedaction(deps: {
  people: Pick<PeopleStore, 'listSecrets'>;
  listValues(ownerId: string, names: readonly string[]): Promise<Iterable<string>>;
  /** Previous values of secrets: older executions may contain them. */
  listFormerValues(ownerId: string): Promise<readonly string[]>;
  /** Tokens of connected accounts and the secrets of their OAuth clients. */
  listTokens(ownerId: string): Promise<readonly string[]>;
  now(): number;
}) {
  const kept = new Map<string, { mask: Promise<JsonRedactor>; at: number }>();

  async function make(ownerId: string): Promise<JsonRedactor> {
    const names: string[] = [];
    for (let total = 1; names.length < total;) {
      const page = await deps.people.listSecrets(ownerId, names.length, PAGE_SIZE);
      if (page.rows.length === 0) break;
      names.push(...page.rows.map((row) => row.name));
      total = page.total;
    }
    const others = [...(await deps.listTokens(ownerId)), ...(await deps.listFormerValues(ownerId))];
    if (names.length === 0 && others.length === 0) return asItIs;
    const mask = createRedactor([...(await deps.listValues(ownerId, names)), ...others]);
    return (value) => redactJson(value, mask);
  }

  return {
    masker(ownerId: string): Promise<JsonRedactor> {
      const now = deps.now();
      const found = kept.get(ownerId);
      if (found !== undefined && Math.abs(now - found.at) < CACHE_LIFETIME_MS) return found.mask;
      const mask = make(ownerId);
      kept.delete(ownerId);
      kept.set(ownerId, { mask, at: now });
      if (kept.size > MAX_CACHED_OWNERS) kept.delete(kept.keys().next().value ?? '');
      mask.catch(() => kept.delete(ownerId));
      return mask;
    },
    forget(ownerId: string): void {
      kept.delete(ownerId);
    },
  };
}
