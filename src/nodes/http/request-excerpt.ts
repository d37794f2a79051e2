import { parseUpstreamJson } from '../../contract/json-input.ts';
import type { HttpRequest } from '../../contract/node-type.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { REDACTED } from '../../lib/text/redact.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import type { Proof } from './authentication.ts';
import type { HttpRequestConfig } from './request-config.ts';
import { withoutQuery } from './url.ts';

/** Maximum length of a request body in an error, in characters. */
const MAX_BODY_LENGTH = 8_192;
/** Names of headers and query parameters that hold credentials. */
const CREDENTIAL_NAME = /auth|cookie|credential|key|pass|secret|session|sig|token/i;

/**
 * The request that a failed call sent, for its error. A field that reads a secret is left out as a whole,
 * since a filter could have changed the secret; so are credentials by the names of their headers and
 * parameters. `proof`: the headers and query parameters that authenticate the request.
 */
export function excerptRequest(
  { method, url, headers, body }: HttpRequest,
  config: Pick<HttpRequestConfig, 'headers'>,
  secretFields: readonly string[],
  proof: Proof,
): JsonObject {
  const readsSecret = (field: string): boolean =>
    secretFields.some((one) => one === field || one.startsWith(`${field}.`) || one.startsWith(`${field}[`));
  const secretHeaders = Object.keys(config.headers ?? {}).filter((name) =>
    readsSecret(appendKey('headers', name)),
  );
  const hidden = new Set([...Object.keys(proof.headers), ...secretHeaders].map((name) => name.toLowerCase()));
  const isHidden = (name: string): boolean =>
    hidden.has(name) || (name !== 'idempotency-key' && CREDENTIAL_NAME.test(name));
  return {
    method,
    url: readsSecret('url') ? REDACTED : excerptUrl(url, readsSecret('query'), Object.keys(proof.query)),
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name, isHidden(name) ? REDACTED : value]),
    ),
    ...(body === undefined
      ? {}
      : { body: readsSecret('body') || readsSecret('files') ? REDACTED : excerptBody(body) }),
  };
}

function excerptUrl(text: string, hasSecretQuery: boolean, proof: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null || url.search === '') return text;
  if (hasSecretQuery) return `${withoutQuery(text)}?${REDACTED}`;
  const query = url.search
    .slice(1)
    .split('&')
    .map((part) => {
      const [name = ''] = part.split('=', 1);
      return CREDENTIAL_NAME.test(name) || proof.some((one) => encodesName(name, one))
        ? `${name}=${REDACTED}`
        : part;
    });
  return `${withoutQuery(text)}?${query.join('&')}`;
}

function encodesName(part: string, name: string): boolean {
  return new URLSearchParams({ [name]: '' }).toString() === `${part}=`;
}

function excerptBody(body: NonNullable<HttpRequest['body']>): Json {
  if (typeof body === 'string')
    return body.length > MAX_BODY_LENGTH
      ? truncateText(body, MAX_BODY_LENGTH)
      : (parseUpstreamJson(body) ?? body);
  if (body instanceof Uint8Array) return `${body.byteLength} bytes`;
  return Array.isArray(body)
    ? `A form with the fields ${(body as readonly { name: string }[]).map(({ name }) => name).join(', ')}`
    : 'A file';
}
