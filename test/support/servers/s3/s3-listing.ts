import { encode, escapeXml, computeEtag } from './s3-signature.ts';

export type StoredObject = {
  body: Buffer;
  type: string;
  metadata: Record<string, string>;
  modified: Date;
  etag?: string;
};
export type StartedUpload = {
  key: string;
  bucket: string;
  type: string;
  metadata: Record<string, string>;
  initiated: Date;
  parts: Map<number, Buffer>;
};

const encodeKey = (key: string) => escapeXml(encode(key).replaceAll('%2F', '/').replaceAll('%20', '+'));

export function listObjects(objects: ReadonlyMap<string, StoredObject>, query: URLSearchParams): string {
  const { prefix = '', delimiter = '', ...more } = Object.fromEntries(query);
  const after = more['continuation-token'] ?? more['start-after'] ?? '';
  const most = Number(more['max-keys'] ?? 1_000);
  const entries = new Map<string, string>();
  let isTruncated = false;
  let last = '';
  for (const key of [...objects.keys()].sort()) {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const group = end === -1 ? key : key.slice(0, end + delimiter.length);
    if (!key.startsWith(prefix) || key <= after || group <= after || entries.has(group)) continue;
    if (entries.size === most) {
      isTruncated = true;
      break;
    }
    const { body, modified, etag = computeEtag(body) } = objects.get(key)!;
    const shown = encodeKey(group);
    last = group;
    entries.set(
      group,
      end === -1
        ? `<Contents><Key>${shown}</Key><LastModified>${modified.toISOString()}</LastModified><ETag>${escapeXml(etag)}</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
        : `<CommonPrefixes><Prefix>${shown}</Prefix></CommonPrefixes>`,
    );
  }
  const token = isTruncated ? `<NextContinuationToken>${escapeXml(last)}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${token}${[...entries.values()].join('')}</ListBucketResult>`;
}

export function listUploads(
  uploads: ReadonlyMap<string, StartedUpload>,
  bucket: string,
  query: URLSearchParams,
): string {
  const { prefix = '', ...more } = Object.fromEntries(query);
  const most = Number(more['max-uploads'] ?? 1_000);
  const after = more['key-marker'] ?? '';
  const found = [...uploads]
    .filter(([, upload]) => upload.bucket === bucket && upload.key.startsWith(prefix) && upload.key > after)
    .sort(([, one], [, other]) => (one.key < other.key ? -1 : 1));
  const shown = found.slice(0, most);
  const last = shown.at(-1);
  const entries = shown.map(
    ([id, { key, initiated }]) =>
      `<Upload><Key>${encodeKey(key)}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
  );
  const next =
    found.length > shown.length && last !== undefined
      ? `<NextKeyMarker>${encodeKey(last[1].key)}</NextKeyMarker><NextUploadIdMarker>${last[0]}</NextUploadIdMarker>`
      : '';
  return `<?xml version="1.0"?><ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>${next !== ''}</IsTruncated>${next}${entries.join('')}</ListMultipartUploadsResult>`;
}
