import type { FieldError } from '../../contract/errors.ts';
import type { OpenApiManifest, OpenApiOperation, PackParameter } from '../../contract/packs/packs.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { HEADER_VALUE_ISSUE, isHeaderValue, validateHeader } from '../http-header.ts';
import { listApiKeyFields, listParameterFields } from './fields.ts';
import {
  encodeStrictly,
  serializeCookie,
  serializeHeader,
  serializePath,
  serializeQuery,
} from './serialize.ts';

/** The part of a request that parameters and API keys fill in. */
export type OperationRequest = {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The fields of an http_request configuration in which the given fields of this one are written. */
  locate(field: string): string;
};

type Parts = {
  readonly path: Map<string, string>;
  readonly query: string[];
  readonly cookies: string[];
  readonly headers: Record<string, string>;
};

/** Fills in the URL and the headers of an operation from an evaluated configuration. */
export function buildOperationRequest(
  manifest: OpenApiManifest,
  operation: OpenApiOperation,
  config: JsonObject,
): OperationRequest | { fault: FieldError } {
  const base = findBaseUrl(manifest, operation, config);
  if (base === null)
    return { fault: { field: 'baseUrl', issue: 'must be an http or https URL without a query' } };
  const parts: Parts = { path: new Map(), query: [], cookies: [], headers: {} };
  /** Where each field is written. */
  const places = new Map<string, string>();
  for (const { field, parameter } of listParameterFields(operation)) {
    const value = config[field];
    if (value === undefined) continue;
    const issue = addParameter(parts, parameter, value);
    if (issue !== null) return { fault: { field, issue } };
    places.set(field, formatConfigPath(parameter.in, parameter.name));
  }
  const keys = isObject(config['apiKeys']) ? config['apiKeys'] : {};
  for (const { field, scheme } of listApiKeyFields(manifest)) {
    const value = Object.hasOwn(keys, field) ? keys[field] : undefined;
    if (typeof value !== 'string') continue;
    const path = appendKey('apiKeys', field);
    const issue = validateApiKey(scheme.in, value);
    if (issue !== null) return { fault: { field: path, issue } };
    places.set(path, formatConfigPath(scheme.in, scheme.name));
    if (scheme.in === 'query') parts.query.push(`${encodeStrictly(scheme.name)}=${encodeStrictly(value)}`);
    else if (scheme.in === 'cookie') parts.cookies.push(`${scheme.name}=${value}`);
    else parts.headers[scheme.name] = value;
  }
  if (parts.cookies.length > 0) parts.headers['cookie'] = parts.cookies.join('; ');
  for (const [name, value] of Object.entries(parts.headers)) {
    const error = validateHeader('', name, value, RESERVED_HEADERS);
    if (error !== null) return { fault: { field: name, issue: error.issue } };
  }
  return {
    url: buildUrl(base, operation.path, parts),
    headers: parts.headers,
    locate: (field) => {
      for (const [own, position] of places)
        if (field === own || field.startsWith(`${own}.`) || field.startsWith(`${own}[`)) return position;
      return field === 'baseUrl' ? 'url' : field;
    },
  };
}

/** Set by the HTTP client. */
const RESERVED_HEADERS = new Set(['connection', 'content-length', 'host', 'transfer-encoding']);

/** The value of a cookie is sent as it is, so a semicolon would begin another cookie. */
function validateApiKey(location: string, value: string): string | null {
  if (location === 'query') return null;
  if (!isHeaderValue(value)) return HEADER_VALUE_ISSUE;
  return location === 'cookie' && value.includes(';') ? 'must not contain a semicolon' : null;
}

function formatConfigPath(location: string, name: string): string {
  if (location === 'header') return appendKey('headers', name);
  return location === 'cookie' ? 'headers.cookie' : 'url';
}

function findBaseUrl(
  manifest: OpenApiManifest,
  operation: OpenApiOperation,
  config: JsonObject,
): string | null {
  const given = config['baseUrl'] ?? (operation.servers ?? manifest.servers)[0]?.url;
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Returns the issue of a value that cannot be sent. */
function addParameter(parts: Parts, parameter: PackParameter, value: Json): string | null {
  const { name } = parameter;
  switch (parameter.in) {
    case 'path': {
      const text = serializePath(parameter, value);
      // Without it, the request would be for another resource, such as the whole list.
      if (text === null || text === '') return 'must not be empty, because it is part of the path';
      if (text === '.' || text === '..') return 'must not be "." or "..", because it is part of the path';
      parts.path.set(name, text);
      return null;
    }
    case 'query':
      parts.query.push(...serializeQuery(parameter, value));
      return null;
    case 'cookie':
      parts.cookies.push(...serializeCookie(parameter, value));
      return null;
    default: {
      const text = serializeHeader(parameter, value);
      if (text !== null) parts.headers[name] = text;
      return null;
    }
  }
}

function buildUrl(base: string, path: string, { path: values, query }: Parts): string {
  // Some documents tell operations apart by a fragment, which is not sent.
  const [plain = ''] = path.split('#', 1);
  const filled = plain.replaceAll(
    /\{([^{}]+)\}/g,
    (whole, name: string) => values.get(name) ?? encodeStrictly(whole),
  );
  if (query.length === 0) return `${base}${filled}`;
  return `${base}${filled}${filled.includes('?') ? '&' : '?'}${query.join('&')}`;
}
