import { makeApiKey } from '../../auth/api-key.ts';
import type { PrincipalCache } from '../../auth/principal-cache.ts';
import { validate } from '../../contract/validate.ts';
import { createConflictError, createNotFoundError, createValidationError } from '../../contract/errors.ts';
import { PageQuery, toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { CreateApiKeyInput } from '../../contract/requests/accounts.ts';
import { formatIsoTimeOrNull } from '../../lib/time/iso-time.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ApiKeyRow } from '../../ports/store/accounts/api-keys.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import { requireSession } from '../authorize.ts';
import type { AuditLog } from '../audit/audit-log.ts';

/** Maximum number of keys per user. */
const MAX_KEYS = 1000;

export type ApiKeysService = {
  /** The key is returned only here. */
  create(principal: Principal, input: unknown): Promise<{ row: ApiKeyRow; key: string }>;
  list(principal: Principal, query: unknown): Promise<{ rows: ApiKeyRow[]; total: number; page: Page }>;
  /** The key stops working immediately. */
  remove(principal: Principal, id: string): Promise<void>;
};

/** Only a session may list and create keys: a leaked key cannot create another one. */
export function createApiKeysService(options: {
  readonly accounts: AccountStore;
  readonly cache: PrincipalCache;
  readonly audit: Pick<AuditLog, 'describe'>;
  readonly ids: Ids;
  readonly now: () => number;
}): ApiKeysService {
  const { accounts, cache, audit, ids, now } = options;
  return {
    async create(principal, input) {
      requireSession(principal);
      const fields = validate(CreateApiKeyInput, input);
      const expiresAt = readExpiry(fields.expires_at ?? null, now());
      const { total } = await accounts.listApiKeys(principal.userId, 0, 1);
      if (total >= MAX_KEYS)
        throw createConflictError(`A user has at most ${MAX_KEYS} API keys.`, { limit: MAX_KEYS });
      const { key, hash, prefix } = makeApiKey();
      const row: ApiKeyRow = {
        id: ids.next('apiKey'),
        ownerId: principal.userId,
        name: fields.name,
        hash,
        prefix,
        scopes: fields.scopes ?? null,
        expiresAt,
        createdAt: now(),
        lastUsedAt: null,
      };
      const { id, name, scopes } = row;
      await accounts.createApiKey(
        row,
        audit.describe(
          principal,
          'api_key.created',
          { id, name },
          { scopes, expires_at: formatIsoTimeOrNull(expiresAt) },
        ),
      );
      return { row, key };
    },

    async list(principal, query) {
      requireSession(principal);
      const page = toPage(validate(PageQuery, query));
      return { ...(await accounts.listApiKeys(principal.userId, page.offset, page.limit)), page };
    },

    async remove(principal, id) {
      requireSession(principal);
      const key = await accounts.apiKey(principal.userId, id);
      const event = audit.describe(principal, 'api_key.deleted', { id, name: key?.name ?? null });
      if (!(await accounts.removeApiKey(principal.userId, id, event))) throw createNotFoundError('API key');
      cache.forget({ keyId: id });
    },
  };
}

function readExpiry(text: string | null, now: number): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw createValidationError([{ field: 'expires_at', issue: 'must be a valid time' }]);
  if (at <= now) throw createValidationError([{ field: 'expires_at', issue: 'must be in the future' }]);
  return at;
}
