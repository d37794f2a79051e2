import type { HttpResponse, NodeContext, NodeFailure, Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { HttpRequestConfig } from './request-config.ts';
import { shownUrl } from './url.ts';

/** How much of an answer's body an error holds, in characters. */
const MAX_ERROR_BODY = 16_384;
const JSON_TYPE = /^(?:application|text)\/(?:[\w.+-]+\+)?json$/;
const TEXT_TYPE =
  /^(?:text\/.+|application\/(?:(?:[\w.-]+\+)?xml|javascript|x-www-form-urlencoded|graphql|x-ndjson|yaml|x-yaml|toml|sql)|image\/svg\+xml)$/;

/** The node's result: JSON read, text as text, anything else as a file; an empty body is null. */
export async function answerOf(ctx: NodeContext, response: HttpResponse): Promise<JsonObject> {
  const { status, headers } = response;
  return { status, headers: { ...headers }, body: await bodyOf(ctx, response) };
}

/** The failure that a status comes to, or null when it is a result. */
export function failureOfStatus(
  ctx: NodeContext,
  config: HttpRequestConfig,
  response: HttpResponse,
): Outcome | null {
  const { status } = response;
  const { responses = {} } = config;
  if (status < 300 || status === 304) return null;
  if (status < 400)
    return (responses['3xx'] ?? 'follow') === 'error' ? failed(ctx, config, response, 'client_error') : null;
  const treatment = status < 500 ? responses['4xx'] : responses['5xx'];
  if (treatment === 'return') return null;
  if (status === 429) return failed(ctx, config, response, 'rate_limited');
  return failed(ctx, config, response, status < 500 ? 'client_error' : 'server_error');
}

function failed(
  ctx: NodeContext,
  config: HttpRequestConfig,
  response: HttpResponse,
  type: NodeFailure['type'],
): Outcome {
  const { status, headers } = response;
  const retryAfter = waitOf(headers['retry-after'], ctx.now());
  return {
    kind: 'failed',
    error: {
      type,
      message: `${config.method ?? 'GET'} ${shownUrl(response.url)} answered ${status}`,
      status,
      ...(retryAfter === null ? {} : { retryAfter }),
      data: { status, headers: { ...headers }, body: excerpt(response) },
    },
  };
}

/** Retry-After (RFC 9110 §10.2.3) in ms: seconds, or a date. */
function waitOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

async function bodyOf(ctx: NodeContext, response: HttpResponse): Promise<Json> {
  const { body, headers } = response;
  if (body.byteLength === 0) return null;
  const type = mediaType(headers);
  if (JSON_TYPE.test(type)) return readJson(decode(body, headers));
  if (TEXT_TYPE.test(type)) return decode(body, headers);
  const text = type === '' ? decodeStrictly(body) : null;
  if (text !== null) return text;
  return ctx.files.save({
    name: fileName(response),
    contentType: type === '' ? 'application/octet-stream' : type,
    bytes: body,
  });
}

/** A body that says it is JSON and is not stays a text: nothing of an answer is lost. */
function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function excerpt(response: HttpResponse): Json {
  const { body, headers } = response;
  const type = mediaType(headers);
  if (body.byteLength === 0) return null;
  if (!JSON_TYPE.test(type) && !TEXT_TYPE.test(type) && type !== '')
    return `${body.byteLength} bytes of ${type}`;
  const text = decode(body.subarray(0, MAX_ERROR_BODY), headers);
  return JSON_TYPE.test(type) && body.byteLength <= MAX_ERROR_BODY ? readJson(text) : text;
}

function mediaType(headers: Record<string, string>): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** In the charset that the answer names, else UTF-8; what does not fit becomes U+FFFD. */
function decode(bytes: Uint8Array, headers: Record<string, string>): string {
  const charset = /charset="?([\w.:-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** From Content-Disposition (RFC 6266), else the last part of the path. */
function fileName(response: HttpResponse): string {
  const disposition = response.headers['content-disposition'] ?? '';
  const extended = /filename\*=(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /filename="([^"]+)"|filename=([^;\s]+)/i.exec(disposition);
  const last = URL.canParse(response.url) ? (new URL(response.url).pathname.split('/').at(-1) ?? '') : '';
  const name = extended ?? last;
  const given = plain?.[1] ?? plain?.[2];
  if (extended === undefined && given !== undefined) return given;
  try {
    return decodeURIComponent(name) || 'download';
  } catch {
    return name || 'download';
  }
}
