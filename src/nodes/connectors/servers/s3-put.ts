import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredFile } from '../../../contract/byte-source.ts';
import type { HttpResponse, NodeContext, Outcome } from '../../../contract/node-type.ts';
import { HttpFailure } from '../../../contract/node-type.ts';
import { DataError } from '../../data/data-error.ts';
import { loadContent } from '../../http/file-field.ts';
import { done } from '../../outcome.ts';
import {
  MAX_PARTS,
  MAX_PART_BYTES,
  readObjectTag,
  readPartTag,
  readUploadId,
  toAbortCall,
  toCompleteCall,
  toCreateCall,
  toPartCall,
  type Upload,
} from './s3-multipart.ts';
import type { S3Config } from './s3-config.ts';
import { send, type Call } from './s3-request.ts';

const MIB = 1024 ** 2;
/** Larger files are uploaded in parts. */
const SINGLE_PUT_BYTES = 32 * MIB;
/** The size of a part, unless the file would have more than `MAX_PARTS`. */
const PART_BYTES = 16 * MIB;
/** Number of parts that are uploaded at the same time. */
const PARALLEL_PARTS = 3;
const MAX_OBJECT_BYTES = MAX_PARTS * MAX_PART_BYTES;
/** Delays before a part is sent again, ms. */
const PART_RETRY_DELAYS_MS = [500, 2_000];

export type CallResult = { response: HttpResponse } | { failed: Outcome };
type SendCall = (request: Call) => Promise<CallResult>;

/** A response of the service is an error. */
class CallError extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('The call failed');
    this.outcome = outcome;
  }
}

/** Stores a text or a file. @throws {DataError} @throws {HttpFailure} */
export async function putObject(ctx: NodeContext, config: S3Config, call: SendCall): Promise<Outcome> {
  const { key = '', content, content_type: type, metadata = {} } = config;
  const isText = typeof content === 'string';
  const loaded = await loadContent(ctx, content);
  if (typeof loaded === 'string') throw new DataError('content', loaded);
  const { content: body } = loaded;
  const size = body instanceof Uint8Array ? body.byteLength : body.size;
  if (size > MAX_OBJECT_BYTES)
    throw new DataError('content', `must have at most ${MAX_OBJECT_BYTES} bytes, not ${size}`, 'limit');
  const given = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value] as const);
  const headers = {
    'content-type':
      type ?? (isText ? 'text/plain; charset=utf-8' : (loaded.contentType ?? 'application/octet-stream')),
    ...Object.fromEntries(given),
  };
  const result =
    body instanceof Uint8Array || size <= SINGLE_PUT_BYTES
      ? await call({ method: 'PUT', key, headers, body })
      : await putInParts(ctx, config, { key, headers, file: body }, call);
  if ('failed' in result) return result.failed;
  const { response } = result;
  return done({
    key,
    size,
    etag: readEtag(response.headers) ?? (await readObjectTag(ctx, response)),
    version_id: response.headers['x-amz-version-id'] ?? null,
  });
}

/** Uploads a file in parts, and deletes the parts if it fails or the attempt ends. */
async function putInParts(
  ctx: NodeContext,
  config: S3Config,
  { key, headers, file }: { key: string; headers: Record<string, string>; file: StoredFile },
  call: SendCall,
): Promise<CallResult> {
  const must = async (request: Call): Promise<HttpResponse> => {
    const result = await call(request);
    if ('failed' in result) throw new CallError(result.failed);
    return result.response;
  };
  let upload: Upload | null = null;
  try {
    upload = { key, uploadId: await readUploadId(ctx, await must(toCreateCall(key, headers))) };
    const tags = await sendParts(ctx, upload, file, must);
    return { response: await must(toCompleteCall(upload, tags)) };
  } catch (error) {
    // The failure to report is the first one. If this call fails as well, a lifecycle rule of the bucket
    // must delete the parts.
    if (upload !== null)
      await send(ctx, config, { ...toAbortCall(upload), afterEnd: true }).catch(() => undefined);
    if (error instanceof CallError) return { failed: error.outcome };
    throw error;
  }
}

async function sendParts(
  ctx: NodeContext,
  upload: Upload,
  file: StoredFile,
  must: (request: Call) => Promise<HttpResponse>,
): Promise<string[]> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(file.size / MAX_PARTS));
  const count = Math.ceil(file.size / partBytes);
  const tags: string[] = [];
  const open = { next: 0, isFailed: false };
  const work = async (): Promise<void> => {
    while (open.next < count && !open.isFailed) {
      const part = open.next++;
      const start = part * partBytes;
      const end = Math.min(file.size, start + partBytes);
      const body = { size: end - start, read: () => file.slice(start, end) };
      try {
        tags[part] = readPartTag(await retryPart(ctx, () => must(toPartCall(upload, part + 1, body))));
      } catch (error) {
        open.isFailed = true;
        throw error;
      }
    }
  };
  // Waits for all parts: after an abort, a late one would be stored.
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL_PARTS }, work));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return tags;
}

/** A busy service or a connection that breaks must not repeat the whole upload. */
async function retryPart<T>(ctx: NodeContext, run: () => Promise<T>): Promise<T> {
  for (const delay of PART_RETRY_DELAYS_MS) {
    try {
      return await run();
    } catch (error) {
      if (ctx.signal.aborted || !isTemporary(error)) throw error;
    }
    await sleep(delay, undefined, { signal: ctx.signal });
  }
  return await run();
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HttpFailure)
    return error.failure.type === 'network' || error.failure.type === 'timeout';
  if (!(error instanceof CallError) || error.outcome.kind !== 'failed') return false;
  return error.outcome.error.type === 'server_error' || error.outcome.error.type === 'rate_limited';
}

export function readEtag(headers: Record<string, string>): string | null {
  return headers['etag']?.replaceAll('"', '') ?? null;
}
