import type { HttpResponse } from '../../../contract/node-type.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObject } from '../../../lib/json/json.ts';
import { DataError } from '../../data/data-error.ts';
import { parseXml, type S3Context } from './s3-request.ts';

export type ListedObject = {
  key: string;
  size: number;
  last_modified: string | null;
  etag: string | null;
  storage_class: string | null;
};
/** `initiated`: as the service writes it. */
export type ListedUpload = { key: string; uploadId: string; initiated: string };

/** Reads a page of objects (ListObjectsV2). @throws {DataError} */
export async function readObjectPage(
  ctx: S3Context,
  response: HttpResponse,
): Promise<{ objects: ListedObject[]; prefixes: string[]; next: string | null }> {
  const page = await readPage(ctx, response, 'ListBucketResult', ['Contents', 'CommonPrefixes']);
  return {
    objects: page.items('Contents').map((item) => ({
      key: page.decode(readText(item['Key'])),
      size: Number(readText(item['Size'])) || 0,
      last_modified: readText(item['LastModified']) || null,
      etag: readText(item['ETag']).replaceAll('"', '') || null,
      storage_class: readText(item['StorageClass']) || null,
    })),
    prefixes: page.items('CommonPrefixes').map((item) => page.decode(readText(item['Prefix']))),
    next: page.isTruncated ? page.text('NextContinuationToken') || null : null,
  };
}

/** Reads a page of unfinished uploads (ListMultipartUploads). @throws {DataError} */
export async function readUploadPage(
  ctx: S3Context,
  response: HttpResponse,
): Promise<{ uploads: ListedUpload[]; next: { key: string; uploadId: string } | null }> {
  const page = await readPage(ctx, response, 'ListMultipartUploadsResult', ['Upload']);
  const next = { key: page.decode(page.text('NextKeyMarker')), uploadId: page.text('NextUploadIdMarker') };
  return {
    uploads: page.items('Upload').map((item) => ({
      key: page.decode(readText(item['Key'])),
      uploadId: readText(item['UploadId']),
      initiated: readText(item['Initiated']),
    })),
    next: page.isTruncated && next.key !== '' ? next : null,
  };
}

async function readPage(
  ctx: S3Context,
  { body, url }: HttpResponse,
  name: string,
  lists: readonly string[],
): Promise<{
  items: (list: string) => JsonObject[];
  text: (field: string) => string;
  decode: (text: string) => string;
  isTruncated: boolean;
}> {
  const page = (await parseXml(ctx, body, lists))[name];
  if (!isObject(page))
    throw new DataError('endpoint', `must be an S3 service; ${new URL(url).host} did not return a list`);
  return {
    items: (list) => {
      const found = page[list];
      return Array.isArray(found) ? found.filter(isObject) : [];
    },
    text: (field) => readText(page[field]),
    decode: (text) => (page['EncodingType'] === 'url' ? decodeUrl(text.replaceAll('+', '%20')) : text),
    isTruncated: page['IsTruncated'] === 'true',
  };
}

export function readText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
