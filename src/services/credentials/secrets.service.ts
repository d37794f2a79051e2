import type { SecretBox } from '../../auth/secret-box.ts';
import { validate } from '../../contract/validate.ts';
import {
  WeftError,
  createConflictError,
  createNotFoundError,
  createValidationError,
} from '../../contract/errors.ts';
import { PageQuery, toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { PutSecretInput, SECRET_MAX_BYTES, SECRET_NAME_PATTERN } from '../../contract/requests/accounts.ts';
import { isForbiddenKey } from '../../lib/json/json-path.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import type { SecretRow } from '../../ports/store/secrets.ts';
import { listChangedFields, type AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';

/** Maximum number of secrets per user. */
const MAX_SECRETS = 1000;
/** Up to this number, names are looked up individually; beyond it, all secrets are read. */
const MAX_SINGLE_LOOKUPS = 20;
const NAMES_PAGE_SIZE = 100;
const MAX_CACHED = 2_000;
/**
 * Lifetime of a cached row, ms. A change in this process takes effect immediately, one in another process
 * within this time.
 */
const CACHE_LIFETIME_MS = 5_000;
const NAME_PATTERN = new RegExp(SECRET_NAME_PATTERN);

/** A secret as the APIs return it, without its value. */
export type SecretInfo = Omit<SecretRow, 'value'>;
/** A null `hosts` means that it may be sent to any host. */
export type OpenSecret = { readonly value: string; readonly hosts: readonly string[] | null };

export type SecretsService = {
  /**
   * Creates or replaces a secret. A replaced secret keeps its hosts and description unless they are given.
   */
  put(principal: Principal, name: string, input: unknown): Promise<SecretInfo>;
  list(principal: Principal, query: unknown): Promise<{ rows: SecretInfo[]; total: number; page: Page }>;
  remove(principal: Principal, name: string): Promise<void>;
  /** Returns which of the names exist, for validating a definition. */
  known(ownerId: string, names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the names of stored secrets that are shorter than `characters`. */
  listShorterThan(
    ownerId: string,
    names: readonly string[],
    characters: number,
  ): Promise<ReadonlySet<string>>;
  /** Returns the values at the time of use, for the runner and webhooks. Missing secrets are omitted. */
  secretsFor(ownerId: string, names: readonly string[]): Promise<ReadonlyMap<string, OpenSecret>>;
  /** Returns the previous values of changed and deleted secrets, for redaction. */
  formerValues(ownerId: string): Promise<string[]>;
  /** Called when another process changed secrets of this owner. */
  changed(ownerId: string): void;
};

export function createSecretsService(options: {
  readonly accounts: AccountStore;
  readonly box: SecretBox;
  readonly audit: Pick<AuditLog, 'describe'>;
  readonly now: () => number;
  /** Returns why a secret must not have this value; null when it may. */
  readonly valueIssue?: (ownerId: string, name: string, value: string) => Promise<string | null>;
}): SecretsService {
  const { accounts, box, audit, now } = options;
  const rows = createRowCache(accounts, now);

  /**
   * Returns null when the secret key has changed: the old value cannot be decrypted, which must not cause an
   * error.
   */
  function opened(ownerId: string, { name, value }: { name: string; value: string }): string | null {
    try {
      return box.open(ownerId, name, value);
    } catch {
      return null;
    }
  }

  /** An unchanged value is not recorded as a previous one. */
  const isValue = (row: SecretRow, value: string): boolean => opened(row.ownerId, row) === value;

  return {
    async put(principal, name, input) {
      requireScope(principal, 'secrets:write');
      if (!NAME_PATTERN.test(name) || isForbiddenKey(name)) {
        throw createValidationError([
          {
            field: 'name',
            issue:
              'must be 1 to 64 letters, digits and _, must not begin with a digit, and must not be __proto__, constructor or prototype',
          },
        ]);
      }
      const fields = validate(PutSecretInput, input);
      if (Buffer.byteLength(fields.value) > SECRET_MAX_BYTES) {
        throw new WeftError('PAYLOAD_TOO_LARGE', `The value is larger than ${SECRET_MAX_BYTES} bytes.`, {
          field: 'value',
          limit: SECRET_MAX_BYTES,
        });
      }
      const ownerId = principal.userId;
      const before = await accounts.secret(ownerId, name);
      if (before === null) await requireSecretQuota(accounts, ownerId);
      // An unchanged value is not written again.
      if (before === null || !isValue(before, fields.value)) {
        const issue = (await options.valueIssue?.(ownerId, name, fields.value)) ?? null;
        if (issue !== null) throw createValidationError([{ field: 'value', issue }]);
      }
      const at = now();
      const row: SecretRow = {
        ownerId,
        name,
        value:
          before !== null && isValue(before, fields.value)
            ? before.value
            : box.seal(ownerId, name, fields.value),
        hosts: fields.hosts === undefined ? (before?.hosts ?? null) : fields.hosts,
        description: fields.description ?? before?.description ?? '',
        createdAt: before?.createdAt ?? at,
        updatedAt: at,
      };
      const event = audit.describe(
        principal,
        before === null ? 'secret.created' : 'secret.updated',
        { id: name, name },
        before === null ? { hosts: row.hosts } : { fields: listChangedSecretFields(before, row) },
      );
      await accounts.putSecret(row, event);
      rows.forget(ownerId, name);
      const { value: _value, ...info } = row;
      return info;
    },

    async list(principal, query) {
      requireScope(principal, 'secrets:read');
      const page = toPage(validate(PageQuery, query));
      return { ...(await accounts.listSecrets(principal.userId, page.offset, page.limit)), page };
    },

    async remove(principal, name) {
      requireScope(principal, 'secrets:write');
      const event = audit.describe(principal, 'secret.deleted', { id: name, name });
      if (!(await accounts.removeSecret(principal.userId, name, now(), event)))
        throw createNotFoundError('secret');
      rows.forget(principal.userId, name);
    },

    async known(ownerId, names) {
      const stored = new Set<string>();
      const wanted = new Set(names);
      if (wanted.size > MAX_SINGLE_LOOKUPS) {
        for (let offset = 0; ; offset += NAMES_PAGE_SIZE) {
          const { rows: page } = await accounts.listSecrets(ownerId, offset, NAMES_PAGE_SIZE);
          for (const { name } of page) if (wanted.has(name)) stored.add(name);
          if (page.length < NAMES_PAGE_SIZE) return stored;
        }
      }
      for (const name of wanted) if ((await rows.get(ownerId, name)) !== null) stored.add(name);
      return stored;
    },

    async secretsFor(ownerId, names) {
      const open = new Map<string, OpenSecret>();
      for (const name of new Set(names)) {
        const row = await rows.get(ownerId, name);
        if (row !== null) open.set(name, { value: box.open(ownerId, name, row.value), hosts: row.hosts });
      }
      return open;
    },

    async listShorterThan(ownerId, names, characters) {
      const short = new Set<string>();
      for (const name of new Set(names)) {
        const row = await rows.get(ownerId, name);
        const value = row === null ? null : opened(ownerId, row);
        if (value !== null && value.length < characters) short.add(name);
      }
      return short;
    },

    async formerValues(ownerId) {
      return (await accounts.formerSecrets(ownerId))
        .map((one) => opened(ownerId, one))
        .filter((value) => value !== null);
    },

    changed: (ownerId) => rows.forgetAll(ownerId),
  };
}

/** A value that stays the same keeps its ciphertext. */
function listChangedSecretFields(before: SecretRow, { value, hosts, description }: SecretRow) {
  return listChangedFields(before, { value, hosts, description });
}

async function requireSecretQuota(accounts: AccountStore, ownerId: string): Promise<void> {
  const { total } = await accounts.listSecrets(ownerId, 0, 1);
  if (total >= MAX_SECRETS)
    throw createConflictError(`A user has at most ${MAX_SECRETS} secrets.`, { limit: MAX_SECRETS });
}

type Cached = { row: SecretRow | null; readAt: number };

/** Caches rows as stored, still encrypted, so that no plaintext stays in memory after use. */
function createRowCache(accounts: AccountStore, now: () => number) {
  const rows = new Map<string, Cached>();
  let forgotten = 0;
  const formatKey = (ownerId: string, name: string): string => `${ownerId} ${name}`;
  return {
    async get(ownerId: string, name: string): Promise<SecretRow | null> {
      const key = formatKey(ownerId, name);
      const cached = rows.get(key);
      const time = now();
      if (cached !== undefined && Math.abs(time - cached.readAt) < CACHE_LIFETIME_MS) return cached.row;
      const mark = forgotten;
      const row = NAME_PATTERN.test(name) ? await accounts.secret(ownerId, name) : null;
      // A row that was read during a change may be stale.
      if (mark !== forgotten) return row;
      rows.delete(key);
      rows.set(key, { row, readAt: time });
      const oldest = rows.keys().next().value;
      if (rows.size > MAX_CACHED && oldest !== undefined) rows.delete(oldest);
      return row;
    },
    forgetAll(ownerId: string): void {
      forgotten++;
      for (const key of rows.keys()) if (key.startsWith(`${ownerId} `)) rows.delete(key);
    },
    forget(ownerId: string, name: string): void {
      forgotten++;
      rows.delete(formatKey(ownerId, name));
    },
  };
}
