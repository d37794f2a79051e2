import { createRedactor, REDACTED, MIN_REDACTED_LENGTH, type Redactor } from '../../lib/text/redact.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
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

/** Returns a copy with every string and every key masked. Iterative, so that depth uses no stack. */
export function redactJson<T>(value: T, mask: Redactor): T {
  if (typeof value === 'string') return mask(value) as T;
  if (typeof value === 'number') return maskNumber(value, mask) as T;
  if (typeof value !== 'object' || value === null) return value;
  const whole = value as Container;
  const root = emptyLike(whole);
  const open: { from: Container; to: Container }[] = [{ from: whole, to: root }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    for (const [key, inner] of Object.entries(top.from)) {
      let shown: Json = inner;
      if (typeof inner === 'string') shown = mask(inner);
      else if (typeof inner === 'number') shown = maskNumber(inner, mask);
      else if (typeof inner === 'object' && inner !== null) {
        const copy = emptyLike(inner);
        open.push({ from: inner, to: copy });
        shown = copy;
      }
      if (Array.isArray(top.to)) top.to.push(shown);
      else
        Object.defineProperty(top.to, mask(key), {
          value: shown,
          enumerable: true,
          writable: true,
          configurable: true,
        });
    }
  }
  return root as T;
}

/**
 * A secret of digits may be returned as a number. Only an exact match is masked: a partial match is a
 * coincidence.
 */
function maskNumber(value: number, mask: Redactor): number | string {
  const text = String(value);
  return text.length >= MIN_REDACTED_LENGTH && mask(text) === REDACTED ? REDACTED : value;
}

type Container = Json[] | JsonObject;

function emptyLike(value: Container): Container {
  return Array.isArray(value) ? [] : {};
}
