import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { scopes } from '../../contract/scopes.ts';
import { checkClientName } from './client-name.ts';
import { isDocumentUrl } from './document-url.ts';
import { MAX_REDIRECT_URIS, checkRedirectUri } from './redirect-uri.ts';

/** Metadata that a dynamically registered client may set; other fields are dropped (RFC 7591). */
const KNOWN_FIELDS = new Set([
  'application_type',
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_uri',
  'grant_types',
  'id_token_signed_response_alg',
  'redirect_uris',
  'registered_by',
  'response_types',
  'scope',
  'subject_type',
  'token_endpoint_auth_method',
]);
/** Metadata that is read from the document of a client whose ID is a URL. */
const DOCUMENT_FIELDS = new Set([
  'application_type',
  'client_id',
  'client_name',
  'client_uri',
  'grant_types',
  'redirect_uris',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
]);
const GRANT_TYPES: readonly unknown[] = ['authorization_code', 'refresh_token'];
const REQUESTABLE_SCOPES = new Set<string>(['openid', ...scopes]);
const MAX_URI_LENGTH = 2_000;
const MAX_SCOPE_LENGTH = 500;

/** The field with who registered a client: `user`, `itself` or `document`. The consent page shows it. */
export const REGISTERED_BY = 'registered_by';
/** The field with all methods that a client of a document can use; `token_endpoint_auth_method` is one. */
export const AUTH_METHODS = 'token_endpoint_auth_methods_supported';

/**
 * Validates dynamic registration and metadata documents: only public clients for the code flow. Called for
 * every client that the library creates; a stored client was validated before.
 */
export function checkRegistration(
  ctx: KoaContextWithOIDC | undefined,
  key: string,
  _value: unknown,
  metadata: Record<string, unknown>,
): void {
  if (key !== REGISTERED_BY) return;
  const { client_id: id } = metadata;
  if (typeof id === 'string' && isDocumentUrl(id)) adaptDocument(metadata);
  else if (ctx?.oidc.route === 'registration') adaptRegistration(metadata);
  else return;
  checkMetadata(metadata);
}

function adaptRegistration(metadata: Record<string, unknown>): void {
  keepFields(metadata, KNOWN_FIELDS);
  metadata[REGISTERED_BY] = 'itself';
}

/**
 * A document is written for all authorization servers, so what this one does not support is left out instead
 * of refused.
 */
function adaptDocument(metadata: Record<string, unknown>): void {
  const { [AUTH_METHODS]: methods } = metadata;
  keepFields(metadata, DOCUMENT_FIELDS);
  metadata[REGISTERED_BY] = 'document';
  if (Array.isArray(methods) && methods.includes('none')) metadata['token_endpoint_auth_method'] = 'none';
  const { grant_types: grantTypes, response_types: responseTypes, redirect_uris: uris, scope } = metadata;
  if (Array.isArray(grantTypes))
    metadata['grant_types'] = grantTypes.filter((type) => GRANT_TYPES.includes(type));
  if (Array.isArray(responseTypes))
    metadata['response_types'] = responseTypes.filter((type) => type === 'code');
  // It would restrict the client to the scopes that the servers have in common.
  if (typeof scope === 'string' && !scope.split(' ').every((name) => REQUESTABLE_SCOPES.has(name)))
    delete metadata['scope'];
  // Native apps publish loopback addresses without the port that they will use (RFC 8252 §7.3), and few of
  // them state their type.
  if (Array.isArray(uris) && uris.some((uri) => typeof uri === 'string' && !uri.startsWith('https:')))
    metadata['application_type'] = 'native';
}

function keepFields(metadata: Record<string, unknown>, names: ReadonlySet<string>): void {
  for (const name of Object.keys(metadata)) if (!names.has(name)) delete metadata[name];
}

function checkMetadata(metadata: Record<string, unknown>): void {
  if (metadata['token_endpoint_auth_method'] !== 'none') {
    refuse(
      'token_endpoint_auth_method must be none: a client with a secret is registered by a user who is logged in',
    );
  }
  checkRedirectUris(metadata['redirect_uris']);
  const grantTypes = requireList('grant_types', metadata['grant_types'], 10);
  if (!grantTypes.every((type) => GRANT_TYPES.includes(type)) || !grantTypes.includes('authorization_code')) {
    refuse('grant_types must be authorization_code, with or without refresh_token');
  }
  const responseTypes = requireList('response_types', metadata['response_types'], 10);
  if (responseTypes.length !== 1 || responseTypes[0] !== 'code') refuse('response_types must be code');
  const { client_name: name, client_uri: uri, scope } = metadata;
  const error = name === undefined ? null : checkClientName(name);
  if (error !== null) refuse(`client_name ${error}`);
  if (uri !== undefined && (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH)) {
    refuse(`client_uri must be a string of at most ${MAX_URI_LENGTH} characters`);
  }
  if (scope !== undefined && (typeof scope !== 'string' || scope.length > MAX_SCOPE_LENGTH)) {
    refuse(`scope must be a string with some of: openid ${scopes.join(' ')}`);
  }
}

function checkRedirectUris(value: unknown): void {
  const uris = requireList('redirect_uris', value, MAX_REDIRECT_URIS);
  if (uris.length === 0) refuse('redirect_uris must have at least one address');
  for (const uri of uris) {
    if (typeof uri !== 'string') return refuse('redirect_uris must contain only strings');
    const error = checkRedirectUri(uri);
    if (error !== null) refuse(`redirect_uris: each ${error}`);
  }
}

function requireList(name: string, value: unknown, max: number): readonly unknown[] {
  if (!Array.isArray(value)) return refuse(`${name} must be an array`);
  if (value.length > max) refuse(`${name} must have at most ${max} entries`);
  return value;
}

function refuse(description: string): never {
  throw new errors.InvalidClientMetadata(description);
}
