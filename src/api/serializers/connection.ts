import { presentList } from './accounts.ts';
import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';
import type { AuthorizationUrl } from '../../services/credentials/authorizations.ts';
import type { ProviderView } from '../../services/credentials/connection-providers.service.ts';
import type { ConnectionView, Connections } from '../../services/credentials/connections.service.ts';

/** Omits tokens, the client secret and the values of fields. */
export function presentConnection({ settings, state, ...connection }: ConnectionView) {
  return {
    name: connection.name,
    description: connection.description,
    provider: settings.provider,
    provider_fields: settings.providerFields,
    grant_type: settings.grantType,
    authorization_url: settings.authorizationUrl,
    token_url: settings.tokenUrl === '' ? null : settings.tokenUrl,
    client_id: settings.clientId === '' ? null : settings.clientId,
    has_client_secret: connection.hasClientSecret,
    authentication: settings.authentication,
    field_names: connection.fieldNames,
    scopes: settings.scopes,
    client_authentication: settings.clientAuthentication,
    pkce: settings.pkce,
    authorization_params: settings.authorizationParams,
    base_url: settings.baseUrl,
    test_url: settings.testUrl,
    test_method: settings.testMethod,
    test_status: settings.testStatus,
    hosts: settings.hosts,
    redirect_uri: connection.redirectUri,
    status: state.status,
    error: state.error,
    granted_scopes: state.grantedScopes,
    refreshable: state.refreshable,
    expires_at: formatIsoTimeOrNull(state.expiresAt),
    authorized_at: formatIsoTimeOrNull(state.authorizedAt),
    refreshed_at: formatIsoTimeOrNull(state.refreshedAt),
    created_at: formatIsoTime(connection.createdAt),
    updated_at: formatIsoTime(connection.updatedAt),
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

export function presentAuthorizationUrl({ connectUrl, expiresAt }: AuthorizationUrl) {
  return { connect_url: connectUrl, expires_at: formatIsoTime(expiresAt) };
}

export function presentConnectionTest(test: Awaited<ReturnType<Connections['test']>>) {
  return { ok: test.ok, message: test.message, http_status: test.httpStatus, status: test.status };
}

export function presentProvider({ id, ...provider }: ProviderView) {
  return {
    id,
    title: provider.title,
    authorization_url: provider.authorizationUrl,
    token_url: provider.tokenUrl,
    scope_separator: provider.scopeSeparator,
    client_authentication: provider.clientAuthentication,
    pkce: provider.pkce,
    authorization_params: provider.authorizationParams,
    fields: provider.fields,
    hosts: provider.hosts,
    base_url: provider.baseUrl,
    test_url: provider.testUrl,
    reviewed: provider.reviewed,
  };
}
