import { isDocumentUrl } from '../../auth/oauth/document-url.ts';
import { isScope } from '../../contract/scopes.ts';
import type { OAuthClientRow, OAuthGrantRow } from '../../ports/store/accounts/oauth.ts';
import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';

/** Omits the secret, which is returned only when the client is registered. */
export function presentOAuthClient(client: OAuthClientRow) {
  const { grant_types: grantTypes, redirect_uris: redirectUris, scope } = client.metadata;
  return {
    client_id: client.id,
    name: client.name,
    grant_types: grantTypes as string[],
    redirect_uris: redirectUris as string[],
    scopes: (typeof scope === 'string' ? scope : '').split(' ').filter(isScope),
    created_at: formatIsoTime(client.createdAt),
    last_used_at: formatIsoTimeOrNull(client.lastUsedAt),
  };
}

export function presentOAuthGrant(grant: OAuthGrantRow) {
  return {
    id: grant.id,
    client_id: grant.clientId,
    client_name: grant.clientName === '' ? grant.clientId : grant.clientName,
    registered_by: isDocumentUrl(grant.clientId)
      ? 'document'
      : grant.clientOwnerId === null
        ? 'itself'
        : 'user',
    scopes: (grant.scope ?? '').split(' ').filter(isScope),
    created_at: formatIsoTime(grant.createdAt),
    expires_at: formatIsoTime(grant.expiresAt),
  };
}
