import type { FieldError } from '../../contract/errors.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { readProxyUrl } from '../../lib/network/proxy-url.ts';
import { headerFaults } from '../http-header.ts';
import { isTemplated } from '../template-mode.ts';

/** Written by Weft: they decide where a request ends and who answers it. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a connected account brings itself. */
const OWN_OAUTH = ['grant_type', 'token_url', 'client_id', 'client_secret', 'scope', 'refresh_token'];

/** Faults of a request that its schema cannot say. */
export function requestFaults(config: JsonObject): FieldError[] {
  return [
    ...urlFaults('url', config['url']),
    ...headerFaults('headers', config['headers'], RESERVED),
    ...bodyFaults(config),
    ...authenticationFaults(config['authentication']),
    ...doubleFaults(config),
    ...paginationFaults(config),
    ...proxyFaults(config['proxy']),
  ];
}

function urlFaults(field: string, url: Json | undefined): FieldError[] {
  if (typeof url !== 'string') return [];
  // A template may be the whole start of it; what stands before one can be told.
  if (isTemplated(url))
    return /^\s*\{\{|^https?:\/\//i.test(url) ? [] : [{ field, issue: 'takes an http or https URL' }];
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    return [{ field, issue: 'takes an http or https URL' }];
  return parsed.username === '' && parsed.password === ''
    ? []
    : [{ field, issue: 'must not hold credentials; they belong in authentication' }];
}

function bodyFaults(config: JsonObject): FieldError[] {
  const { body, body_type: type, files } = config;
  if (files !== undefined && type !== undefined && type !== 'form-data')
    return [{ field: 'files', issue: `is only for body_type form-data, not ${print(type)}` }];
  if (type !== undefined && type !== 'form-data' && body === undefined)
    return [{ field: 'body', issue: `is required by body_type ${print(type)}` }];
  if (type === 'form-data' && body === undefined && files === undefined)
    return [{ field: 'body', issue: 'is required by body_type form-data, or files' }];
  const fields = type === 'form-data' || type === 'form-urlencoded' || files !== undefined;
  if (fields && body !== undefined && !isTemplated(body) && !isObject(body))
    return [{ field: 'body', issue: 'takes an object of fields' }];
  return [];
}

function paginationFaults(config: JsonObject): FieldError[] {
  return config['pagination'] !== undefined && config['responseType'] === 'file'
    ? [{ field: 'pagination', issue: 'must not stand beside responseType file: its pages hold lists' }]
    : [];
}

function proxyFaults(proxy: Json | undefined): FieldError[] {
  if (typeof proxy !== 'string' || isTemplated(proxy)) return [];
  const read = readProxyUrl(proxy);
  if (read === null)
    return [{ field: 'proxy', issue: 'takes http:// or https:// and a host, nothing behind' }];
  return read.credentials === null
    ? []
    : [{ field: 'proxy', issue: 'must not hold credentials; the whole URL belongs in a secret' }];
}

/** Of two credentials one would be dropped. */
function doubleFaults({ headers, authentication }: JsonObject): FieldError[] {
  if (!isObject(headers) || !isObject(authentication)) return [];
  const own = authentication['type'] === 'header' ? print(authentication['name']) : 'Authorization';
  return Object.keys(headers)
    .filter((name) => name.toLowerCase() === own.toLowerCase())
    .map((name) => ({
      field: appendKey('headers', name),
      issue: 'must not stand beside authentication, which sends it',
    }));
}

function authenticationFaults(authentication: Json | undefined): FieldError[] {
  if (!isObject(authentication)) return [];
  const at = (name: string, issue: string): FieldError => ({ field: `authentication.${name}`, issue });
  if (authentication['type'] === 'header' && isTemplated(authentication['name'])) return [];
  if (authentication['type'] === 'header')
    return headerFaults('authentication', { [print(authentication['name'])]: '' }, RESERVED).map(
      ({ issue }) => at('name', issue),
    );
  if (authentication['type'] === 'basic')
    return print(authentication['username']).includes(':') && !isTemplated(authentication['username'])
      ? [at('username', 'must not hold a colon: the password would begin there (RFC 7617)')]
      : [];
  if (authentication['type'] !== 'oauth2') return [];
  if (authentication['credential'] !== undefined)
    return OWN_OAUTH.filter((name) => authentication[name] !== undefined).map((name) =>
      at(name, 'must not stand beside credential: the connection has its own'),
    );
  const refreshes =
    authentication['grant_type'] === 'refresh_token' ||
    (authentication['grant_type'] === undefined && authentication['refresh_token'] !== undefined);
  const required = ['token_url', 'client_id', refreshes ? 'refresh_token' : 'client_secret'];
  return [
    ...required.filter((name) => authentication[name] === undefined).map((name) => at(name, 'is required')),
    ...urlFaults('authentication.token_url', authentication['token_url']),
  ];
}

function print(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
