import { Type } from 'typebox';
import { ELLIPSIS } from '../../lib/text/truncate.ts';
import { parseUpstreamJson } from '../../contract/json-input.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import type { HttpHead, HttpResponse, NodeContext, NodeFailure, Outcome } from '../../contract/node-type.ts';
import { readDispositionName } from '../../lib/text/file-name.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { classifyMediaType, parseMediaType } from '../../lib/network/media-type.ts';
import type { RequestConfig } from './request-config.ts';
import { withoutQuery } from './url.ts';

/** The result of a request: header names are in lower case. */
export const httpResult = Type.Object({
  status: Type.Integer({ examples: [200] }),
  headers: Type.Object({ 'content-type': Type.String({ examples: ['application/json'] }) }),
  body: Type.Unknown(),
});

/** Maximum length of a response body in an error, in characters. */
const MAX_ERROR_BODY_BYTES = 16_384;

/**
 * The node's result: JSON is parsed, text is a string, anything else is saved as a file; an empty body is
 * null.
 */
export function readResponse(
  ctx: NodeContext,
  response: HttpResponse,
  as: 'auto' | 'file' = 'auto',
): JsonObject | Promise<JsonObject> {
  const body = response.file ?? (as === 'file' ? saveBody(ctx, response) : readBody(ctx, response));
  return body instanceof Promise
    ? body.then((file) => createResult(response, file))
    : createResult(response, body);
}

function createResult({ status, headers }: HttpResponse, body: Json): JsonObject {
  return { status, headers: { ...headers }, body };
}

/**
 * The file for a response that is saved because of its type or the configuration; null if it is returned as a
 * value.
 */
export function readFileInfo(
  head: HttpHead,
  as: 'auto' | 'file',
): { name: string; contentType: string } | null {
  const type = parseMediaType(head.headers['content-type']);
  const isEmpty = head.status === 204 || head.status === 304 || head.headers['content-length'] === '0';
  if (as !== 'file' && (isEmpty || type === '' || classifyMediaType(type) !== 'binary')) return null;
  return { name: readFileName(head), contentType: type === '' ? 'application/octet-stream' : type };
}

/** The failure for a status, or null if the response is a result. */
export function toStatusFailure(
  ctx: Pick<NodeContext, 'now'>,
  config: RequestConfig,
  response: HttpResponse,
): Outcome | null {
  const type = readFailureType(config, response.status);
  return type === null ? null : failed(ctx, config, response, type);
}

export function readFailureType(
  { responses = {} }: RequestConfig,
  status: number,
): NodeFailure['type'] | null {
  if (status < 300 || status === 304) return null;
  if (status < 400) return responses['3xx'] === 'error' ? 'client_error' : null;
  const treatment = status < 500 ? responses['4xx'] : responses['5xx'];
  if (treatment === 'return') return null;
  if (status === 429) return 'rate_limited';
  return status < 500 ? 'client_error' : 'server_error';
}

function failed(
  ctx: Pick<NodeContext, 'now'>,
  config: RequestConfig,
  response: HttpResponse,
  type: NodeFailure['type'],
): Outcome {
  const { status, headers } = response;
  const retryAfter = parseRetryAfter(headers['retry-after'], ctx.now());
  return {
    kind: 'failed',
    error: {
      type,
      message: `${config.method ?? 'GET'} ${withoutQuery(response.url)} responded with ${status}`,
      status,
      ...(retryAfter === null ? {} : { retryAfter }),
      data: { status, headers: { ...headers }, body: excerpt(response) },
    },
  };
}

/** Parses Retry-After (RFC 9110 §10.2.3), seconds or a date, to milliseconds. */
function parseRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // An HTTP date starts with a weekday. Date.parse accepts many other strings.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function readBody(ctx: NodeContext, response: HttpResponse): Json | Promise<FileReference> {
  const { body, headers } = response;
  if (body.byteLength === 0) return null;
  const type = parseMediaType(headers['content-type']);
  const kind = classifyMediaType(type);
  if (kind === 'json') return readJson(decode(body, headers));
  if (kind === 'text') return decode(body, headers);
  const text = type === '' ? decodeStrictly(body) : null;
  if (text !== null) return text;
  return saveBody(ctx, response);
}

function saveBody(ctx: NodeContext, response: HttpResponse): Promise<FileReference> {
  const type = parseMediaType(response.headers['content-type']);
  return ctx.files.save({
    name: readFileName(response),
    contentType: type === '' ? 'application/octet-stream' : type,
    bytes: response.body,
  });
}

/** A body declared as JSON that cannot be parsed is returned as a string. */
function readJson(text: string): Json {
  return parseUpstreamJson(text) ?? text;
}

function excerpt(response: HttpResponse): Json {
  const { body, headers } = response;
  const type = parseMediaType(headers['content-type']);
  const kind = classifyMediaType(type);
  if (body.byteLength === 0) return null;
  if (kind === 'binary' && type !== '') return `${body.byteLength} bytes of ${type}`;
  const text = decode(body.subarray(0, MAX_ERROR_BODY_BYTES), headers);
  if (body.byteLength > MAX_ERROR_BODY_BYTES) return text + ELLIPSIS;
  return kind === 'json' ? readJson(text) : text;
}

/** Decodes with the charset of the response, UTF-8 by default. Invalid bytes become U+FFFD. */
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

/** Uses Content-Disposition, or the last path segment. */
function readFileName(response: HttpHead): string {
  const given = readDispositionName(response.headers['content-disposition'] ?? '');
  if (given !== null) return given;
  const last = URL.canParse(response.url) ? (new URL(response.url).pathname.split('/').at(-1) ?? '') : '';
  try {
    return decodeURIComponent(last) || 'download';
  } catch {
    return last || 'download';
  }
}
