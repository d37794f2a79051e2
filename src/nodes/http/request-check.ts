import type { FieldError } from '../../contract/errors.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { readProxyUrl } from '../../lib/network/proxy-url.ts';
import { RESERVED_HEADERS, validateHeaders } from '../http-header.ts';
import { isTemplated } from '../template-mode.ts';

/** Fields that a connected account provides. */
const OWN_OAUTH = ['grant_type', 'token_url', 'client_id', 'client_secret', 'scope', 'refresh_token'];

/** Validation that the schema cannot express. */
export function validateRequest(config: JsonObject): FieldError[] {
  return [
    ...validateUrl('url', config['url']),
    ...validateHeaders('headers', config['headers'], RESERVED_HEADERS),
    ...validateBody(config),
    ...validateAuthentication(config['authentication']),
    ...validateDuplicateHeaders(config),
    ...validatePagination(config),
    ...validateProxy(config['proxy']),
  ];
}

function validateUrl(field: string, url: Json | undefined): FieldError[] {
  if (typeof url !== 'string') return [];
  // A template may contain the start of the URL, so only the text before it can be checked.
  if (isTemplated(url))
    return /^\s*\{\{|^https?:\/\//i.test(url) ? [] : [{ field, issue: 'must be an http or https URL' }];
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    return [{ field, issue: 'must be an http or https URL' }];
  return parsed.username === '' && parsed.password === ''
    ? []
    : [{ field, issue: 'must not contain credentials; use authentication' }];
}

function validateBody(config: JsonObject): FieldError[] {
  const { body, body_type: type, files } = config;
  if (files !== undefined && type !== undefined && type !== 'form-data')
    return [{ field: 'files', issue: `is only allowed with body_type form-data, not ${print(type)}` }];
  if (type !== undefined && type !== 'form-data' && body === undefined)
    return [{ field: 'body', issue: `is required by body_type ${print(type)}` }];
  if (type === 'form-data' && body === undefined && files === undefined)
    return [{ field: 'body', issue: 'is required by body_type form-data unless files is set' }];
  const fields = type === 'form-data' || type === 'form-urlencoded' || files !== undefined;
  if (fields && body !== undefined && !isTemplated(body) && !isObject(body))
    return [{ field: 'body', issue: 'must be an object of fields' }];
  return [];
}

function validatePagination(config: JsonObject): FieldError[] {
  return config['pagination'] !== undefined && config['responseType'] === 'file'
    ? [{ field: 'pagination', issue: 'must not be set with responseType file' }]
    : [];
}

function validateProxy(proxy: Json | undefined): FieldError[] {
  if (typeof proxy !== 'string' || isTemplated(proxy)) return [];
  const read = readProxyUrl(proxy);
  if (read === null)
    return [{ field: 'proxy', issue: 'must be http:// or https:// and a host, without a path' }];
  return read.credentials === null
    ? []
    : [{ field: 'proxy', issue: 'must not contain credentials; store the whole URL in a secret' }];
}

/** A header and authentication that set the same header: one of them would be dropped. */
function validateDuplicateHeaders({ headers, authentication }: JsonObject): FieldError[] {
  // A connection may set any header, which is known when it is used.
  if (!isObject(headers) || !isObject(authentication) || authentication['type'] === 'connection') return [];
  const own = authentication['type'] === 'header' ? print(authentication['name']) : 'Authorization';
  return Object.keys(headers)
    .filter((name) => name.toLowerCase() === own.toLowerCase())
    .map((name) => ({
      field: appendKey('headers', name),
      issue: 'must not be set with authentication, which sets this header',
    }));
}

function validateAuthentication(authentication: Json | undefined): FieldError[] {
  if (!isObject(authentication)) return [];
  const at = (name: string, issue: string): FieldError => ({ field: `authentication.${name}`, issue });
  if (authentication['type'] === 'header' && isTemplated(authentication['name'])) return [];
  if (authentication['type'] === 'header')
    return validateHeaders('authentication', { [print(authentication['name'])]: '' }, RESERVED_HEADERS).map(
      ({ issue }) => at('name', issue),
    );
  if (authentication['type'] === 'basic')
    return print(authentication['username']).includes(':') && !isTemplated(authentication['username'])
      ? [at('username', 'must not contain a colon (RFC 7617)')]
      : [];
  if (authentication['type'] !== 'oauth2') return [];
  if (authentication['credential'] !== undefined)
    return OWN_OAUTH.filter((name) => authentication[name] !== undefined).map((name) =>
      at(name, 'must not be set with credential; the connection provides it'),
    );
  const refreshes =
    authentication['grant_type'] === 'refresh_token' ||
    (authentication['grant_type'] === undefined && authentication['refresh_token'] !== undefined);
  const required = ['token_url', 'client_id', refreshes ? 'refresh_token' : 'client_secret'];
  return [
    ...required.filter((name) => authentication[name] === undefined).map((name) => at(name, 'is required')),
    ...validateUrl('authentication.token_url', authentication['token_url']),
  ];
}

function print(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
