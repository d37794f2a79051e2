import { readFieldAuthentication } from '../../contract/connections/connection-fields.ts';
import {
  fillProviderUrl,
  findProvider,
  type ConnectionProvider,
} from '../../contract/connections/connection-providers.ts';
import { createValidationError, type FieldError } from '../../contract/errors.ts';
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
 * Merges the given settings over the stored ones, with the provider's values as defaults. `provider` is the
 * one of the result. The checks of fields are in field-values.ts.
 * @throws {WeftError} VALIDATION_ERROR with all errors.
 */
export function completeSettings(
  given: Partial<ConnectionSettings>,
  before: StoredConnectionSettings | null,
  provider: ConnectionProvider | null,
): StoredConnectionSettings {
  const id = given.provider ?? before?.provider ?? null;
  // A different provider makes it a different connection: the stored settings do not apply.
  const old = id === (before?.provider ?? null) ? before : null;
  const grantType = given.grant_type ?? old?.grantType ?? 'authorization_code';
  const isOfFields = grantType === 'fields';
  const isByPerson = grantType === 'authorization_code';
  const providerFields = given.provider_fields ?? old?.providerFields ?? {};
  const isElsewhere =
    old !== null && JSON.stringify(providerFields) !== JSON.stringify(old.providerFields ?? {});
  // Other values of the provider's fields make other URLs.
  const urls = isElsewhere ? null : old;
  const completed = { ...getDefaults(provider), ...providerFields };
  const ofProvider = (url: string | undefined): string | null =>
    url === undefined ? null : fillProviderUrl(url, completed);
  const read = given.authentication == null ? null : readFieldAuthentication(given.authentication);
  const settings: StoredConnectionSettings = {
    provider: id,
    providerFields,
    grantType,
    authorizationUrl: isByPerson
      ? (given.authorization_url ?? urls?.authorizationUrl ?? ofProvider(provider?.authorizationUrl))
      : null,
    tokenUrl: given.token_url ?? urls?.tokenUrl ?? ofProvider(provider?.tokenUrl) ?? '',
    clientId: given.client_id ?? old?.clientId ?? '',
    scopes: given.scopes ?? old?.scopes ?? [],
    clientAuthentication:
      given.client_authentication ?? old?.clientAuthentication ?? provider?.clientAuthentication ?? null,
    pkce: given.pkce ?? old?.pkce ?? (isOfFields ? false : (provider?.pkce ?? true)),
    authorizationParams: given.authorization_params ?? old?.authorizationParams ?? {},
    baseUrl: given.base_url === undefined ? (old?.baseUrl ?? null) : given.base_url,
    testUrl: given.test_url === undefined ? (old?.testUrl ?? null) : given.test_url,
    testMethod: given.test_method ?? old?.testMethod ?? 'GET',
    testStatus: given.test_status === undefined ? (old?.testStatus ?? null) : given.test_status,
    hosts: given.hosts === undefined ? (old?.hosts ?? null) : given.hosts,
    authentication: read?.authentication ?? old?.authentication ?? null,
  };
  const errors = [
    ...(before === null || isOfFields === (before.grantType === 'fields')
      ? []
      : [{ field: 'grant_type', issue: 'cannot be changed to or from fields; create another connection' }]),
    ...(read?.errors ?? []),
    ...(isOfFields ? validateFieldsSettings(settings, given) : validateSettings(settings, given, provider)),
  ];
  if (errors.length > 0) throw createValidationError(errors);
  return settings;
}

function getDefaults(provider: ConnectionProvider | null): Record<string, string> {
  return Object.fromEntries(
    (provider?.fields ?? []).flatMap((field) =>
      field.default === null ? [] : [[field.name, field.default]],
    ),
  );
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
      one.providerFields,
    ]);
  return identity(a) !== identity(b);
}

/**
 * Returns the base URL for connector nodes: from the settings, from the token response (`given`), or from the
 * provider.
 */
export async function resolveApiUrl(
  { baseUrl, provider, providerFields }: StoredConnectionSettings,
  given: string | null,
): Promise<string | null> {
  if (baseUrl !== null || given !== null) return baseUrl ?? given;
  const found = await findProvider(provider);
  return found?.baseUrl == null
    ? null
    : fillProviderUrl(found.baseUrl, { ...getDefaults(found), ...providerFields });
}

/** Returns the URL of a connection test; a path is relative to the account's API. Null without one. */
export async function resolveTestUrl(
  { testUrl, provider, providerFields }: StoredConnectionSettings,
  apiUrl: string | null,
): Promise<string | null> {
  const found = testUrl === null ? await findProvider(provider) : null;
  const given =
    testUrl ??
    (found?.testUrl == null
      ? null
      : fillProviderUrl(found.testUrl, { ...getDefaults(found), ...providerFields }));
  if (given === null || !LOCAL_PATH.test(given)) return given;
  return apiUrl === null || !URL.canParse(apiUrl) ? null : new URL(given, apiUrl).href;
}

/** Returns the URL to which the user is redirected for consent. */
export async function createAuthorizationUrl(
  settings: StoredConnectionSettings,
  way: { redirectUri: string; state: string; challenge: string | null },
): Promise<string> {
  const url = new URL(settings.authorizationUrl ?? '');
  const known = await findProvider(settings.provider);
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

/** Settings of OAuth, which a connection of fields must not have. */
const OAUTH_ONLY = [
  'provider',
  'provider_fields',
  'authorization_url',
  'token_url',
  'client_id',
  'client_secret',
  'scopes',
  'client_authentication',
  'authorization_params',
] as const;

function validateFieldsSettings(
  settings: StoredConnectionSettings,
  given: Partial<ConnectionSettings>,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of OAUTH_ONLY) {
    const value = given[field];
    // What GET returns for the field is accepted.
    const isEmpty =
      value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
    if (!isEmpty) errors.push({ field, issue: 'must not be set for fields' });
  }
  if (given.pkce === true) errors.push({ field: 'pkce', issue: 'must not be set for fields' });
  if (settings.authentication === null)
    errors.push({ field: 'authentication', issue: 'is required for fields' });
  if (settings.hosts === null)
    errors.push({ field: 'hosts', issue: 'is required for fields: the hosts that they may be sent to' });
  return [...errors, ...validateUrls(settings)];
}

function validateSettings(
  settings: StoredConnectionSettings,
  given: Partial<ConnectionSettings>,
  provider: ConnectionProvider | null,
): FieldError[] {
  const { grantType, authorizationUrl, tokenUrl, clientId } = settings;
  const errors: FieldError[] = validateProviderFields(settings, given, provider);
  // Missing fields leave URLs incomplete, which need no error of their own.
  const isIncomplete = errors.length > 0;
  const add = (field: string, issue: string): void => void errors.push({ field, issue });
  if (grantType === 'client_credentials') {
    for (const field of ['authorization_url', 'authorization_params'] as const)
      if (Object.keys(given[field] ?? {}).length > 0) add(field, 'is only for authorization_code');
  } else if (authorizationUrl === null) add('authorization_url', 'is required without a provider');
  else if (!isIncomplete) addUrlError(errors, 'authorization_url', authorizationUrl);
  if (tokenUrl === '') add('token_url', 'is required without a provider');
  else if (!isIncomplete) addUrlError(errors, 'token_url', tokenUrl);
  if (clientId === '') add('client_id', 'is required');
  for (const name of Object.keys(settings.authorizationParams))
    if (RESERVED_PARAMS.has(name.toLowerCase())) add(`authorization_params.${name}`, 'is set by Weft');
  for (const field of ['authentication', 'fields'] as const)
    if (given[field] !== undefined && given[field] !== null) add(field, 'is only for grant type fields');
  return [...errors, ...validateUrls(settings)];
}

function validateProviderFields(
  { providerFields, authorizationUrl, tokenUrl }: StoredConnectionSettings,
  given: Partial<ConnectionSettings>,
  provider: ConnectionProvider | null,
): FieldError[] {
  const errors: FieldError[] = [];
  const add = (name: string, issue: string): void =>
    void errors.push({ field: `provider_fields.${name}`, issue });
  const fields = provider?.fields ?? [];
  for (const name of Object.keys(providerFields))
    if (!fields.some((field) => field.name === name))
      add(
        name,
        fields.length === 0
          ? 'is not a field: the provider has none'
          : `must be one of ${fields.map((field) => field.name).join(', ')}`,
      );
  for (const { name, pattern, example, default: byDefault } of fields) {
    const value = providerFields[name];
    const isUsed = [authorizationUrl ?? '', tokenUrl].some((url) => url.includes(`{${name}}`));
    if (value === undefined) {
      if (byDefault === null && isUsed) add(name, `is required, such as ${example}`);
    } else if (given.provider_fields !== undefined && !new RegExp(pattern).test(value))
      add(name, `must be a value such as ${example}`);
  }
  return errors;
}

function validateUrls({ baseUrl, testUrl, hosts }: StoredConnectionSettings): FieldError[] {
  const errors: FieldError[] = [];
  const add = (field: string, issue: string): void => void errors.push({ field, issue });
  for (const [field, url] of [
    ['base_url', baseUrl],
    ['test_url', testUrl],
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
