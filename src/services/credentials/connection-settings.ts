import { connectionProviders } from '../../contract/connection-providers.ts';
import { validationError, type FieldError } from '../../contract/errors.ts';
import type { ConnectionSettings } from '../../contract/requests/connection.ts';
import type { StoredConnectionSettings } from '../../ports/store/connections.ts';

/** A path that a browser does not resolve to another host. */
const LOCAL_PATH = /^\/(?![/\\])/;

/** Parameters that Weft sets itself. */
const RESERVED_PARAMS = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'client_secret',
]);

/**
 * Merges the given settings over the stored ones, with the provider's values as defaults.
 * @throws {WeftError} VALIDATION_ERROR with all errors.
 */
export function completeSettings(
  given: Partial<ConnectionSettings>,
  before: StoredConnectionSettings | null,
): StoredConnectionSettings {
  const provider = given.provider ?? before?.provider ?? null;
  // A different provider makes it a different connection: the stored settings do not apply.
  const old = provider === (before?.provider ?? null) ? before : null;
  const known = provider === null ? null : connectionProviders[provider];
  const grantType = given.grant_type ?? old?.grantType ?? 'authorization_code';
  const isByPerson = grantType === 'authorization_code';
  const settings: StoredConnectionSettings = {
    provider,
    grantType,
    authorizationUrl: isByPerson
      ? (given.authorization_url ?? old?.authorizationUrl ?? known?.authorizationUrl ?? null)
      : null,
    tokenUrl: given.token_url ?? old?.tokenUrl ?? known?.tokenUrl ?? '',
    clientId: given.client_id ?? old?.clientId ?? '',
    scopes: given.scopes ?? old?.scopes ?? [],
    clientAuthentication:
      given.client_authentication ?? old?.clientAuthentication ?? known?.clientAuthentication ?? null,
    pkce: given.pkce ?? old?.pkce ?? known?.pkce ?? true,
    authorizationParams: given.authorization_params ?? old?.authorizationParams ?? {},
    baseUrl: given.base_url === undefined ? (old?.baseUrl ?? null) : given.base_url,
    testUrl: given.test_url === undefined ? (old?.testUrl ?? null) : given.test_url,
    hosts: given.hosts === undefined ? (old?.hosts ?? null) : given.hosts,
  };
  const errors = validateSettings(settings, given);
  if (errors.length > 0) throw validationError(errors);
  return settings;
}

/**
 * Whether the change selects another account or sends the credentials to another host: the tokens must be
 * deleted then.
 */
export function isAnotherAccount(a: StoredConnectionSettings, b: StoredConnectionSettings): boolean {
  const identity = (one: StoredConnectionSettings): string =>
    JSON.stringify([
      one.provider,
      one.grantType,
      one.authorizationUrl,
      one.tokenUrl,
      one.clientId,
      one.baseUrl,
      one.testUrl,
      one.hosts,
    ]);
  return identity(a) !== identity(b);
}

/**
 * Returns the base URL for connector nodes: from the settings, from the token response (`given`), or from the
 * provider.
 */
export function resolveApiUrl(
  { baseUrl, provider }: StoredConnectionSettings,
  given: string | null,
): string | null {
  return baseUrl ?? given ?? (provider === null ? null : connectionProviders[provider].baseUrl);
}

/** Returns the URL of a connection test; a path is relative to the account's API. Null without one. */
export function resolveTestUrl(
  { testUrl, provider }: StoredConnectionSettings,
  apiUrl: string | null,
): string | null {
  const given = testUrl ?? (provider === null ? null : connectionProviders[provider].testUrl);
  if (given === null || !LOCAL_PATH.test(given)) return given;
  return apiUrl === null || !URL.canParse(apiUrl) ? null : new URL(given, apiUrl).href;
}

/** Returns the URL to which the user is redirected for consent. */
export function authorizationAddress(
  settings: StoredConnectionSettings,
  way: { redirectUri: string; state: string; challenge: string | null },
): string {
  const url = new URL(settings.authorizationUrl ?? '');
  const known = settings.provider === null ? null : connectionProviders[settings.provider];
  const params: Record<string, string> = {
    ...known?.authorizationParams,
    ...settings.authorizationParams,
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: way.redirectUri,
    ...(settings.scopes.length === 0 ? {} : { scope: settings.scopes.join(known?.scopeSeparator ?? ' ') }),
    state: way.state,
    ...(way.challenge === null ? {} : { code_challenge: way.challenge, code_challenge_method: 'S256' }),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

function validateSettings(
  settings: StoredConnectionSettings,
  given: Partial<ConnectionSettings>,
): FieldError[] {
  const { grantType, authorizationUrl, tokenUrl, clientId, hosts } = settings;
  const errors: FieldError[] = [];
  const add = (field: string, issue: string): void => void errors.push({ field, issue });
  if (grantType === 'client_credentials') {
    for (const field of ['authorization_url', 'authorization_params'] as const)
      if (Object.keys(given[field] ?? {}).length > 0) add(field, 'is only for authorization_code');
  } else if (authorizationUrl === null) add('authorization_url', 'is required without a provider');
  else addUrlError(errors, 'authorization_url', authorizationUrl);
  if (tokenUrl === '') add('token_url', 'is required without a provider');
  else addUrlError(errors, 'token_url', tokenUrl);
  if (clientId === '') add('client_id', 'is required');
  for (const name of Object.keys(settings.authorizationParams))
    if (RESERVED_PARAMS.has(name.toLowerCase())) add(`authorization_params.${name}`, 'is set by Weft');
  for (const [field, url] of [
    ['base_url', settings.baseUrl],
    ['test_url', settings.testUrl],
  ] as const) {
    if (url === null || (field === 'test_url' && LOCAL_PATH.test(url))) continue;
    if (addUrlError(errors, field, url) && hosts !== null && !isAmong(url, hosts))
      add(field, 'must have a host from hosts');
  }
  return errors;
}

/** Adds an error for an invalid URL; returns whether the URL is valid. */
function addUrlError(errors: FieldError[], field: string, text: string): boolean {
  const url = URL.parse(text);
  const isGood =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '';
  if (!isGood) errors.push({ field, issue: 'must be an http or https URL without credentials and fragment' });
  return isGood;
}

/** Whether the URL's host is one of these, with or without its port. */
export function isAmong(text: string, hosts: readonly string[]): boolean {
  const { hostname, host, port, protocol } = new URL(text);
  const whole = port === '' ? `${hostname}:${protocol === 'https:' ? 443 : 80}` : host;
  return hosts.some((one) => [hostname, host, whole].includes(one.toLowerCase()));
}
