import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { ByteSource } from '../../../contract/byte-source.ts';
import type { HttpRequest, HttpResponse, NodeContext, Outcome } from '../../../contract/node-type.ts';
import type { BucketAddress } from '../../../lib/network/bucket-url.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { truncateText } from '../../../lib/text/truncate.ts';
import { DataError } from '../../data/data-error.ts';
import { runSlices } from '../../data/time-slice.ts';
import { readXml } from '../../data/xml/xml-reader.ts';
import { toStatusFailure } from '../../http/response.ts';
import { CredentialsError, readJsonCredentials } from '../credentials.ts';

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const MAX_KEY_BYTES = 1_024;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 500;
/** Total and idle time of a request that transfers an object. */
const TRANSFER_TIMEOUT_MS = 3_600_000;
const IDLE_TIMEOUT_MS = 60_000;

/** `credentials`: JSON, or the keys in it. */
export type Bucket = BucketAddress & { credentials: string | AccessKeys };
/** The parts of a node's context that requests need. */
export type S3Context = Pick<NodeContext, 'now' | 'signal'> & { http: Pick<NodeContext['http'], 'send'> };
export type Call = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array | ByteSource;
  toFile?: NonNullable<HttpRequest['toFile']>;
} & Pick<HttpRequest, 'timeout' | 'idleTimeout' | 'maxBytes' | 'afterEnd'>;
export type AccessKeys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** @throws {CredentialsError} */
export function readKeys(secret: string): AccessKeys {
  const found = readJsonCredentials(secret, ['access_key_id', 'secret_access_key'], ['session_token']);
  const { access_key_id: id = '', secret_access_key: key = '', session_token: token } = found;
  // The id is part of a header and of URLs.
  if (!/^[\w.+=@-]+$/.test(id))
    throw new CredentialsError("the secret's access_key_id must have only letters, digits and . + = @ _ -");
  return {
    accessKeyId: id,
    secretAccessKey: key,
    ...(token === undefined ? {} : { sessionToken: token }),
  };
}

export function findKeyError(key: string): string | null {
  if (!key.isWellFormed()) return 'must be valid Unicode text';
  if (new TextEncoder().encode(key).byteLength > MAX_KEY_BYTES)
    return `must have at most ${MAX_KEY_BYTES} bytes`;
  return key.split('/').some((part) => part === '.' || part === '..')
    ? 'must not have the parts . and .., which URLs do not allow'
    : null;
}

/** The URL of a bucket, or of an object in it. All parts have been validated. */
export function buildObjectUrl(at: Bucket, key = '', query: Record<string, string> = {}): URL {
  const { bucket, region = 'us-east-1', endpoint } = at;
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const base = url.pathname.replace(/\/+$/, '');
  const isInPath = at.path_style ?? endpoint !== undefined;
  if (!isInPath) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${base}/${isInPath ? `${bucket}/` : ''}${key.split('/').map(encodePart).join('/')}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** The percent-encoding of signatures, which is stricter than that of URLs. */
export function encodePart(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The URL with which anyone can call `method` on the object until it expires. `expires` in seconds. */
export async function createPresignedUrl(
  ctx: S3Context,
  at: Bucket,
  { method, key, expires }: { method: 'GET' | 'PUT'; key: string; expires: number },
): Promise<string> {
  const { url } = await sign(ctx, at, {
    method,
    url: buildObjectUrl(at, key, { 'X-Amz-Expires': String(expires) }),
    headers: {},
    signQuery: true,
  });
  return url.href;
}

/** Sends a signed request. Redirects are not followed, because a signature is for one host. */
export async function send(ctx: S3Context, at: Bucket, call: Call): Promise<HttpResponse> {
  const { method, key, query, body, toFile, headers: given, ...bounds } = call;
  const { url, headers } = await sign(ctx, at, {
    method,
    url: buildObjectUrl(at, key, query),
    headers: { ...given, 'x-amz-content-sha256': await hashBody(ctx, body) },
    signQuery: false,
  });
  return ctx.http.send({
    method,
    url: url.href,
    headers,
    redirect: 'return',
    timeout: TRANSFER_TIMEOUT_MS,
    ...(body === undefined && toFile === undefined ? {} : { idleTimeout: IDLE_TIMEOUT_MS }),
    ...(body === undefined ? {} : { body }),
    ...(toFile === undefined ? {} : { toFile }),
    ...bounds,
  });
}

/** The failure of a response: the code and message of its XML. Null: it succeeded. */
export async function findFailure(
  ctx: S3Context,
  operation: string,
  call: Pick<Call, 'method'>,
  response: HttpResponse,
): Promise<Outcome | null> {
  const error = await readError(ctx, response);
  const failed = toStatusFailure(
    ctx,
    { ...call, url: response.url, responses: { '3xx': 'error' } },
    response,
  );
  if (failed === null && error === null) return null;
  const { status, headers, url } = response;
  const { host } = new URL(url);
  const region = headers['x-amz-bucket-region'];
  const words = [
    ...(error === null ? [] : [error.code, error.message].filter((word) => word !== '')),
    ...(status >= 300 && status < 400 && region !== undefined
      ? [`the bucket is in the region ${region}`]
      : []),
  ];
  const base = failed?.kind === 'failed' ? failed.error : { type: 'server_error' as const, status };
  return {
    kind: 'failed',
    error: {
      ...base,
      // CopyObject may fail with status 200 and an error.
      type: base.type,
      message: `S3, ${operation}: ${[`${host} responded with ${status}`, ...words].join(': ')}`,
      data: { status, ...(error === null ? {} : { code: error.code, message: error.message }) },
    },
  };
}

/** Reads XML of S3. @throws {DataError} */
export function parseXml(ctx: S3Context, bytes: Uint8Array, lists: readonly string[]): Promise<JsonObject> {
  return runSlices(
    ctx,
    // Services send spaces while they join the parts of an object.
    readXml(new TextDecoder().decode(bytes).trimStart(), {
      attributePrefix: '@',
      textName: '#text',
      lists: new Set(lists),
      trim: false,
      typed: false,
    }),
  );
}

/** The code and message of a response with an error. Null: it has none. */
export async function readError(
  ctx: S3Context,
  { body, file }: HttpResponse,
): Promise<{ code: string; message: string } | null> {
  if (file !== undefined || body.byteLength === 0 || body.byteLength > MAX_ERROR_BYTES) return null;
  let parsed: JsonObject;
  try {
    parsed = await parseXml(ctx, body, []);
  } catch (error) {
    if (error instanceof DataError) return null;
    throw error;
  }
  const { Error: found } = parsed;
  if (!isObject(found)) return null;
  const text = (name: string): string => {
    const value = found[name];
    const plain = typeof value === 'string' ? value.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ') : '';
    return truncateText(plain, MAX_MESSAGE_LENGTH);
  };
  return { code: text('Code') || 'Error', message: text('Message') };
}

async function sign(
  ctx: S3Context,
  { credentials, region = 'us-east-1' }: Bucket,
  request: { method: string; url: URL; headers: Record<string, string>; signQuery: boolean },
): Promise<{ url: URL; headers: Record<string, string> }> {
  const signer = new AwsV4Signer({
    ...(typeof credentials === 'string' ? readKeys(credentials) : credentials),
    method: request.method,
    url: request.url.href,
    headers: request.headers,
    signQuery: request.signQuery,
    service: 's3',
    region,
    datetime: new Date(ctx.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  });
  const { url, headers } = await signer.sign();
  return { url, headers: Object.fromEntries(headers) };
}

/** The server refuses a body that does not match its hash. A file is read once more for it. */
async function hashBody(ctx: S3Context, body: Call['body']): Promise<string> {
  if (body === undefined) return EMPTY_SHA256;
  const hash = createHash('sha256');
  if (body instanceof Uint8Array) return hash.update(body).digest('hex');
  for await (const piece of body.read()) {
    ctx.signal.throwIfAborted();
    hash.update(piece);
  }
  return hash.digest('hex');
}
