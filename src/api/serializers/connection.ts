import { presentList } from './accounts.ts';
import { isoOrNull, isoTime } from '../../lib/time/iso-time.ts';
import type {
  ConnectionView,
  Connections,
  Invitation,
} from '../../services/credentials/connections.service.ts';

/** Omits tokens and the client secret. */
export function presentConnection({ settings, state, ...connection }: ConnectionView) {
  return {
    name: connection.name,
    description: connection.description,
    provider: settings.provider,
    grant_type: settings.grantType,
    authorization_url: settings.authorizationUrl,
    token_url: settings.tokenUrl,
    client_id: settings.clientId,
    has_client_secret: connection.hasClientSecret,
    scopes: settings.scopes,
    client_authentication: settings.clientAuthentication,
    pkce: settings.pkce,
    authorization_params: settings.authorizationParams,
    base_url: settings.baseUrl,
    test_url: settings.testUrl,
    hosts: settings.hosts,
    redirect_uri: connection.redirectUri,
    status: state.status,
    error: state.error,
    granted_scopes: state.grantedScopes,
    refreshable: state.refreshable,
    expires_at: isoOrNull(state.expiresAt),
    authorized_at: isoOrNull(state.authorizedAt),
    refreshed_at: isoOrNull(state.refreshedAt),
    created_at: isoTime(connection.createdAt),
    updated_at: isoTime(connection.updatedAt),
  };
}

export function presentConnections(list: Awaited<ReturnType<Connections['list']>>) {
  return { ...presentList('connections', list, presentConnection), redirect_uri: list.redirectUri };
}

export function presentNewConnection({
  connection,
  connectUrl,
}: {
  connection: ConnectionView;
  connectUrl: string | null;
}) {
  return { ...presentConnection(connection), connect_url: connectUrl };
}

export function presentInvitation({ connectUrl, expiresAt }: Invitation) {
  return { connect_url: connectUrl, expires_at: isoTime(expiresAt) };
}

export function presentConnectionTest(test: Awaited<ReturnType<Connections['test']>>) {
  return { ok: test.ok, message: test.message, http_status: test.httpStatus, status: test.status };
}
