import type { PrincipalCache } from '../../auth/principal-cache.ts';
import { validate } from '../../contract/validate.ts';
import { createNotFoundError } from '../../contract/errors.ts';
import { PageQuery, toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import type { OAuthGrantRow, OAuthStore } from '../../ports/store/accounts/oauth.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireSession } from '../authorize.ts';

export type OAuthGrantsService = {
  list(principal: Principal, query: unknown): Promise<{ rows: OAuthGrantRow[]; total: number; page: Page }>;
  /** The client's access and refresh tokens of this grant stop working immediately. */
  remove(principal: Principal, id: string): Promise<void>;
};

/** The consents of a user, which the user can revoke. */
export function createOAuthGrantsService(options: {
  readonly oauth: Pick<OAuthStore, 'listGrants' | 'removeGrant'>;
  readonly cache: Pick<PrincipalCache, 'forget'>;
  readonly audit: Pick<AuditLog, 'describe'>;
  readonly now: () => number;
}): OAuthGrantsService {
  const { oauth, cache, audit, now } = options;
  return {
    async list(principal, query) {
      requireSession(principal);
      const page = toPage(validate(PageQuery, query));
      return { ...(await oauth.listGrants(principal.userId, now(), page.offset, page.limit)), page };
    },

    async remove(principal, id) {
      requireSession(principal);
      const event = audit.describe(principal, 'oauth_grant.deleted', { id });
      if (!(await oauth.removeGrant(principal.userId, id, event))) throw createNotFoundError('grant');
      cache.forget({ grantId: id });
    },
  };
}
