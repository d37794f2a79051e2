import { isScope } from '../../contract/scopes.ts';
import type { OAuthClientRow } from '../../ports/store.ts';
import { presentTime, presentTimeOrNull } from './people.ts';

/** Without the secret: that is shown once, when the client is registered. */
export function presentOAuthClient(client: OAuthClientRow) {
  const { grant_types: grantTypes, redirect_uris: redirectUris, scope } = client.metadata;
  return {
    client_id: client.id,
    name: client.name,
    grant_types: grantTypes as string[],
    redirect_uris: redirectUris as string[],
    scopes: (typeof scope === 'string' ? scope : '').split(' ').filter(isScope),
    created_at: presentTime(client.createdAt),
    last_used_at: presentTimeOrNull(client.lastUsedAt),
  };
}
