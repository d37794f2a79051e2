import type { HttpResponse } from '../../../contract/node-type.ts';
import { isObject } from '../../../lib/json/json.ts';
import { DataError } from '../../data/data-error.ts';
import { readText } from './s3-list.ts';
import { parseXml, type Call, type S3Context } from './s3-request.ts';

/** The limits of S3. */
export const MAX_PARTS = 10_000;
export const MAX_PART_BYTES = 5 * 1024 ** 3;

/** An upload in parts that has been started. */
export type Upload = { readonly key: string; readonly uploadId: string };

export function toCreateCall(key: string, headers: Record<string, string>): Call {
  return { method: 'POST', key, query: { uploads: '' }, headers };
}

/** Reads the response of `toCreateCall`. @throws {DataError} */
export async function readUploadId(ctx: S3Context, { body, url }: HttpResponse): Promise<string> {
  const { InitiateMultipartUploadResult: result } = await parseXml(ctx, body, []);
  const id = isObject(result) ? readText(result['UploadId']) : '';
  if (id === '')
    throw new DataError('endpoint', `must be an S3 service; ${new URL(url).host} did not start an upload`);
  return id;
}

/** `number`: from 1. */
export function toPartCall({ key, uploadId }: Upload, number: number, body: NonNullable<Call['body']>): Call {
  return { method: 'PUT', key, query: { partNumber: String(number), uploadId }, body };
}

/** The ETag of a part, which the completion must repeat. @throws {DataError} */
export function readPartTag({ headers, url }: HttpResponse): string {
  const tag = headers['etag'];
  if (tag === undefined || tag === '')
    throw new DataError('endpoint', `must be an S3 service; ${new URL(url).host} returned no ETag of a part`);
  return tag;
}

/**
 * Joins the parts to the object. The response may have status 200 and contain an error. The object appears
 * only when all of it is stored.
 */
export function toCompleteCall({ key, uploadId }: Upload, tags: readonly string[]): Call {
  const parts = tags.map(
    (tag, i) =>
      `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag.replaceAll(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`)}</ETag></Part>`,
  );
  return {
    method: 'POST',
    key,
    query: { uploadId },
    headers: { 'content-type': 'application/xml' },
    body: new TextEncoder().encode(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    ),
  };
}

/** The ETag of the object, from the response of `toCompleteCall`. @throws {DataError} */
export async function readObjectTag(ctx: S3Context, { body }: HttpResponse): Promise<string | null> {
  if (body.byteLength === 0) return null;
  const { CompleteMultipartUploadResult: result } = await parseXml(ctx, body, []);
  return isObject(result) ? readText(result['ETag']).replaceAll('"', '') || null : null;
}

/** Deletes the parts. They cost money until then. */
export function toAbortCall({ key, uploadId }: Upload): Call {
  return { method: 'DELETE', key, query: { uploadId } };
}
