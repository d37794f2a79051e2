import type { HttpResponse, NodeContext, Outcome } from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { DataError } from '../../data/data-error.ts';
import { loadContent } from '../../http/file-field.ts';
import { done } from '../../outcome.ts';
import { encodePart, findFailure, parseXml, presign, send } from './s3-request.ts';
import type { Bucket, Call } from './s3-request.ts';

/** The limit of S3 for one PUT request. */
const MAX_PUT_BYTES = 5 * 1024 ** 3;
const PAGE_SIZE = 1_000;
const DEFAULT_OBJECTS = 1_000;
const DEFAULT_EXPIRY = '1h';
const SECOND_MS = 1_000;

export type S3Config = Bucket & {
  operation: 'list' | 'get' | 'put' | 'copy' | 'delete' | 'presign';
  key?: string;
  prefix?: string;
  delimiter?: string;
  max_objects?: number;
  start_after?: string;
  filename?: string;
  content?: Json;
  content_type?: string;
  metadata?: Record<string, string>;
  source_key?: string;
  source_bucket?: string;
  method?: 'GET' | 'PUT';
  expires_in?: string;
};

/** @throws {DataError} @throws {HttpFailure} */
export function runOperation(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { operation } = config;
  if (operation === 'list') return listObjects(ctx, config);
  if (operation === 'get') return getObject(ctx, config);
  if (operation === 'put') return putObject(ctx, config);
  if (operation === 'copy') return copyObject(ctx, config);
  if (operation === 'delete') return deleteObject(ctx, config);
  return presignObject(ctx, config);
}

/** Sends a request of which only success is of interest. */
async function call(
  ctx: NodeContext,
  config: S3Config,
  request: Call,
): Promise<{ response: HttpResponse } | { failed: Outcome }> {
  const response = await send(ctx, config, request);
  const failed = await findFailure(ctx, config.operation, request, response);
  return failed === null ? { response } : { failed };
}

async function listObjects(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { prefix, delimiter, start_after: startAfter, max_objects: most = DEFAULT_OBJECTS } = config;
  const objects: JsonObject[] = [];
  const prefixes = new Set<string>();
  let token: string | null = null;
  do {
    const result = await call(ctx, config, {
      method: 'GET',
      query: {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': String(Math.min(PAGE_SIZE, most - objects.length - prefixes.size)),
        ...(prefix === undefined ? {} : { prefix }),
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(startAfter === undefined ? {} : { 'start-after': startAfter }),
        ...(token === null ? {} : { 'continuation-token': token }),
      },
    });
    if ('failed' in result) return result.failed;
    const page = await readPage(ctx, result.response);
    objects.push(...page.objects);
    for (const one of page.prefixes) prefixes.add(one);
    // A server that repeats a token or returns nothing would cause an endless loop.
    const isStuck: boolean = page.next === token || page.objects.length + page.prefixes.length === 0;
    token = isStuck ? null : page.next;
  } while (token !== null && objects.length + prefixes.size < most);
  return done({ objects, prefixes: [...prefixes], is_truncated: token !== null });
}

async function readPage(
  ctx: NodeContext,
  { body, url }: HttpResponse,
): Promise<{ objects: JsonObject[]; prefixes: string[]; next: string | null }> {
  const { host } = new URL(url);
  const { ListBucketResult: page } = await parseXml(ctx, body, ['Contents', 'CommonPrefixes']);
  if (!isObject(page))
    throw new DataError('endpoint', `must be an S3 service; ${host} did not return a list`);
  const decode = (text: string): string =>
    page['EncodingType'] === 'url' ? decodeUrl(text.replaceAll('+', '%20')) : text;
  const items = (name: string): JsonObject[] => {
    const list = page[name];
    return Array.isArray(list) ? list.filter(isObject) : [];
  };
  return {
    objects: items('Contents').map((item) => ({
      key: decode(readText(item['Key'])),
      size: Number(readText(item['Size'])) || 0,
      last_modified: readText(item['LastModified']) || null,
      etag: readText(item['ETag']).replaceAll('"', '') || null,
      storage_class: readText(item['StorageClass']) || null,
    })),
    prefixes: items('CommonPrefixes').map((item) => decode(readText(item['Prefix']))),
    next: page['IsTruncated'] === 'true' ? readText(page['NextContinuationToken']) || null : null,
  };
}

async function getObject(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { key = '', filename } = config;
  const result = await call(ctx, config, {
    method: 'GET',
    key,
    toFile: ({ status, headers }) =>
      status === 200
        ? {
            name: filename ?? (key.split('/').at(-1) || 'object'),
            contentType: headers['content-type'] ?? 'application/octet-stream',
          }
        : null,
  });
  if ('failed' in result) return result.failed;
  const { file, headers } = result.response;
  const metadata = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-amz-meta-'))
    .map(([name, value]): [string, Json] => [name.slice('x-amz-meta-'.length), value]);
  return done({
    key,
    file: file === undefined ? null : { ...file },
    etag: readEtag(headers),
    last_modified: headers['last-modified'] ?? null,
    metadata: Object.fromEntries(metadata),
  });
}

async function putObject(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { key = '', content, content_type: type, metadata = {} } = config;
  const isText = typeof content === 'string';
  const loaded = await loadContent(ctx, content);
  if (typeof loaded === 'string') throw new DataError('content', loaded);
  const { content: body } = loaded;
  const size = body instanceof Uint8Array ? body.byteLength : body.size;
  if (size > MAX_PUT_BYTES)
    throw new DataError('content', `must have at most ${MAX_PUT_BYTES} bytes, not ${size}`, 'limit');
  const given = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value] as const);
  const result = await call(ctx, config, {
    method: 'PUT',
    key,
    headers: {
      'content-type':
        type ?? (isText ? 'text/plain; charset=utf-8' : (loaded.contentType ?? 'application/octet-stream')),
      ...Object.fromEntries(given),
    },
    body,
  });
  if ('failed' in result) return result.failed;
  const { headers } = result.response;
  return done({ key, size, etag: readEtag(headers), version_id: headers['x-amz-version-id'] ?? null });
}

async function copyObject(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { key = '', bucket, source_bucket: from = bucket, source_key: source = '' } = config;
  const result = await call(ctx, config, {
    method: 'PUT',
    key,
    headers: { 'x-amz-copy-source': `/${[from, ...source.split('/')].map(encodePart).join('/')}` },
  });
  if ('failed' in result) return result.failed;
  const { body, headers } = result.response;
  const { CopyObjectResult: copied } = await parseXml(ctx, body, []);
  const etag = isObject(copied) ? readText(copied['ETag']).replaceAll('"', '') : '';
  return done({ key, etag: etag || null, version_id: headers['x-amz-version-id'] ?? null });
}

async function deleteObject(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { key = '' } = config;
  const result = await call(ctx, config, { method: 'DELETE', key });
  if ('failed' in result) return result.failed;
  return done({ key, version_id: result.response.headers['x-amz-version-id'] ?? null });
}

async function presignObject(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { key = '', method = 'GET', expires_in: text = DEFAULT_EXPIRY } = config;
  const expires = Math.floor((parseDuration(text) ?? 0) / SECOND_MS);
  const url = await presign(ctx, config, { method, key, expires });
  return done({ key, method, url, expires_at: new Date(ctx.now() + expires * SECOND_MS).toISOString() });
}

function readEtag(headers: Record<string, string>): string | null {
  return headers['etag']?.replaceAll('"', '') ?? null;
}

function readText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
