import { randomBytes } from 'node:crypto';
import { hashApiKey } from '../../auth/api-key.ts';
import { checkClientName } from '../../auth/oauth/client-name.ts';
import { checkRedirectUri } from '../../auth/oauth/redirect-uri.ts';
import type { PrincipalCache } from '../../auth/principal-cache.ts';
import { validate } from '../../contract/validate.ts';
import {
  createConflictError,
  createNotFoundError,
  createValidationError,
  type FieldError,
} from '../../contract/errors.ts';
import { PageQuery, toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { CreateOAuthClientInput } from '../../contract/requests/oauth.ts';
import type { Ids } from '../../ports/ids.ts';
import type { OAuthClientRow, OAuthStore } from '../../ports/store/accounts/oauth.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireSession } from '../authorize.ts';

/** Maximum number of clients per user. */
const MAX_CLIENTS = 100;

export type OAuthClientsService = {
  /** The secret is returned only here. */
  create(principal: Principal, input: unknown): Promise<{ row: OAuthClientRow; secret: string }>;
  list(principal: Principal, query: unknown): Promise<{ rows: OAuthClientRow[]; total: number; page: Page }>;
  /** Its tokens stop working immediately. */
  remove(principal: Principal, id: string): Promise<void>;
};

/**
 * Confidential clients. Only a session may list and create them: a leaked token cannot create a client. A
 * `client_credentials` client acts as the user who registered it; an `authorization_code` client as the user
 * who consents.
 */
export function createOAuthClientsService(options: {
  readonly oauth: OAuthStore;
  readonly cache: PrincipalCache;
  readonly audit: Pick<AuditLog, 'describe'>;
  readonly ids: Ids;
  readonly now: () => number;
}): OAuthClientsService {
  const { oauth, cache, audit, ids, now } = options;
  return {
    async create(principal, input) {
      requireSession(principal);
      const fields = validate(CreateOAuthClientInput, input);
      const redirectUris = fields.redirect_uris ?? [];
      const grantTypes = withRefreshToken(
        fields.grant_types ?? [redirectUris.length > 0 ? 'authorization_code' : 'client_credentials'],
      );
      const errors = validateClient(fields.name, grantTypes, redirectUris);
      if (errors.length > 0) throw createValidationError(errors);
      const { total } = await oauth.listClients(principal.userId, 0, 1);
      if (total >= MAX_CLIENTS)
        throw createConflictError(`A user has at most ${MAX_CLIENTS} OAuth clients.`, { limit: MAX_CLIENTS });
      const secret = `weftcs_${randomBytes(32).toString('base64url')}`;
      const row: OAuthClientRow = {
        id: ids.next('oauthClient'),
        ownerId: principal.userId,
        name: fields.name,
        secretHash: hashApiKey(secret),
        metadata: {
          client_name: fields.name,
          grant_types: grantTypes,
          redirect_uris: redirectUris,
          response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
          scope: formatScope(grantTypes, fields.scopes),
          token_endpoint_auth_method: 'client_secret_basic',
        },
        createdAt: now(),
        lastUsedAt: null,
      };
      const details = { scopes: fields.scopes, grant_types: grantTypes, redirect_uris: redirectUris };
      await oauth.createClient(
        row,
        undefined,
        audit.describe(principal, 'oauth_client.created', { id: row.id, name: row.name }, details),
      );
      return { row, secret };
    },

    async list(principal, query) {
      requireSession(principal);
      const page = toPage(validate(PageQuery, query));
      return { ...(await oauth.listClients(principal.userId, page.offset, page.limit)), page };
    },

    async remove(principal, id) {
      requireSession(principal);
      const client = await oauth.client(id);
      const name = client?.ownerId === principal.userId ? client.name : null;
      const event = audit.describe(principal, 'oauth_client.deleted', { id, name });
      if (!(await oauth.removeClient(principal.userId, id, event))) throw createNotFoundError('OAuth client');
      cache.forget({ clientId: id });
    },
  };
}

/** Adds refresh_token to the code flow, so that the user does not have to consent again. */
function withRefreshToken(grantTypes: readonly string[]): string[] {
  return grantTypes.includes('authorization_code') && !grantTypes.includes('refresh_token')
    ? [...grantTypes, 'refresh_token']
    : [...grantTypes];
}

/** A client that logs users in may also request their identity. */
function formatScope(grantTypes: readonly string[], scopes: readonly string[]): string {
  return [...(grantTypes.includes('authorization_code') ? ['openid'] : []), ...scopes].join(' ');
}

function validateClient(
  name: string,
  grantTypes: readonly string[],
  redirectUris: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  const nameError = checkClientName(name);
  if (nameError !== null) errors.push({ field: 'name', issue: nameError });
  const isForPeople = grantTypes.includes('authorization_code');
  if (grantTypes.includes('refresh_token') && !isForPeople)
    errors.push({ field: 'grant_types', issue: 'must have authorization_code where it has refresh_token' });
  if (isForPeople && redirectUris.length === 0)
    errors.push({ field: 'redirect_uris', issue: 'must have at least one address for authorization_code' });
  if (!isForPeople && redirectUris.length > 0)
    errors.push({ field: 'redirect_uris', issue: 'must be empty without authorization_code' });
  for (const [i, uri] of redirectUris.entries()) {
    const issue = checkRedirectUri(uri);
    if (issue !== null) errors.push({ field: `redirect_uris[${i}]`, issue });
  }
  return errors;
}
