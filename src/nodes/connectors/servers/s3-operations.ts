import type { NodeContext, Outcome } from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { done } from '../../outcome.ts';
import { readObjectPage, readText } from './s3-list.ts';
import type { S3Config } from './s3-config.ts';
import { putObject, readEtag, type CallResult } from './s3-put.ts';
import { encodePart, findFailure, parseXml, createPresignedUrl, send } from './s3-request.ts';
import type { Call } from './s3-request.ts';

const PAGE_SIZE = 1_000;
const DEFAULT_OBJECTS = 1_000;
const DEFAULT_EXPIRY = '1h';
const SECOND_MS = 1_000;

/** @throws {DataError} @throws {HttpFailure} */
export function runOperation(ctx: NodeContext, config: S3Config): Promise<Outcome> {
  const { operation } = config;
  if (operation === 'list') return listObjects(ctx, config);
  if (operation === 'get') return getObject(ctx, config);
  if (operation === 'put') return putObject(ctx, config, (request) => call(ctx, config, request));
  if (operation === 'copy') return copyObject(ctx, config);
  if (operation === 'delete') return deleteObject(ctx, config);
  return presignObject(ctx, config);
}

/** Sends a request of which only success is of interest. */
async function call(ctx: NodeContext, config: S3Config, request: Call): Promise<CallResult> {
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
    const page = await readObjectPage(ctx, result.response);
    objects.push(...page.objects);
    for (const one of page.prefixes) prefixes.add(one);
    // A server that repeats a token or returns nothing would cause an endless loop.
    const isStuck: boolean = page.next === token || page.objects.length + page.prefixes.length === 0;
    token = isStuck ? null : page.next;
  } while (token !== null && objects.length + prefixes.size < most);
  return done({ objects, prefixes: [...prefixes], is_truncated: token !== null });
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
  const url = await createPresignedUrl(ctx, config, { method, key, expires });
  return done({ key, method, url, expires_at: new Date(ctx.now() + expires * SECOND_MS).toISOString() });
}
