import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The only account of the server. */
export const s3Keys = { access_key_id: 'AKIDTEST', secret_access_key: 'secret/key+17' };

/** An S3 server on 127.0.0.1 with the bucket `reports`. It verifies every signature and body hash. */
export type S3Server = {
  readonly url: string;
  /** Makes the server close the connection after this number of bytes of the next body. */
  closeAfter(bytes: number): void;
  close(): Promise<void>;
};

type Stored = { body: Buffer; type: string; metadata: Record<string, string>; modified: Date };
type Refusal = { status: number; code: string };

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
const escapeXml = (text: string) => text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const etagOf = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`;

/** Signature Version 4, written from its specification and independently of the client. */
function findSignatureError(request: IncomingMessage, body: Buffer): Refusal | null {
  const url = new URL(request.url ?? '/', 'http://host');
  const { searchParams: query } = url;
  const isInQuery = query.has('X-Amz-Signature');
  const header = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
    request.headers.authorization ?? '',
  );
  const [credential = '', names = '', given = ''] = isInQuery
    ? ['X-Amz-Credential', 'X-Amz-SignedHeaders', 'X-Amz-Signature'].map((name) => query.get(name) ?? '')
    : (header?.slice(1) ?? []);
  const read = (name: string) => String(request.headers[name] ?? '');
  const date = isInQuery ? (query.get('X-Amz-Date') ?? '') : read('x-amz-date');
  const [id, day = '', region = '', service = ''] = credential.split('/');
  if (id !== s3Keys.access_key_id) return { status: 403, code: 'InvalidAccessKeyId' };
  if (!names.split(';').includes('host')) return { status: 403, code: 'AccessDenied' };
  const expires = Number(query.get('X-Amz-Expires') ?? 900) * 1_000;
  const signedAt = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!(Date.now() < signedAt + expires)) return { status: 403, code: 'AccessDenied' };
  const hash = isInQuery ? 'UNSIGNED-PAYLOAD' : read('x-amz-content-sha256');
  const canonical = [
    request.method,
    url.pathname,
    [...query]
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${read(name).trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names,
    hash,
  ].join('\n');
  const scope = [day, region, service, 'aws4_request'];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${s3Keys.secret_access_key}`);
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n');
  if (hmac(key, text).toString('hex') !== given) return { status: 403, code: 'SignatureDoesNotMatch' };
  return isInQuery || sha256(body) === hash ? null : { status: 400, code: 'XAmzContentSHA256Mismatch' };
}

function list(objects: ReadonlyMap<string, Stored>, query: URLSearchParams): string {
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
    const { body, modified } = objects.get(key)!;
    const shown = escapeXml(encode(group).replaceAll('%2F', '/').replaceAll('%20', '+'));
    last = group;
    entries.set(
      group,
      end === -1
        ? `<Contents><Key>${shown}</Key><LastModified>${modified.toISOString()}</LastModified><ETag>${escapeXml(etagOf(body))}</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
        : `<CommonPrefixes><Prefix>${shown}</Prefix></CommonPrefixes>`,
    );
  }
  const token = isTruncated ? `<NextContinuationToken>${escapeXml(last)}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${token}${[...entries.values()].join('')}</ListBucketResult>`;
}

export async function startS3(): Promise<S3Server> {
  const buckets = new Map([['reports', new Map<string, Stored>()]]);
  let closing: number | null = null;

  function respond(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://host');
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const refuse = ({ status, code }: Refusal) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<Error><Code>${code}</Code><Message>The request failed.</Message></Error>`);
    const fault = findSignatureError(request, body);
    if (fault !== null) return void refuse(fault);
    const objects = buckets.get(bucket);
    if (objects === undefined) return void refuse({ status: 404, code: 'NoSuchBucket' });
    if (key === '') return void response.end(list(objects, url.searchParams));
    const source = request.headers['x-amz-copy-source'];
    if (typeof source === 'string') {
      const [, from = '', ...parts] = source.split('/').map(decodeURIComponent);
      const copied = buckets.get(from)?.get(parts.join('/'));
      if (copied === undefined) return void refuse({ status: 404, code: 'NoSuchKey' });
      objects.set(key, copied);
      return void response.end(
        `<CopyObjectResult><ETag>${escapeXml(etagOf(copied.body))}</ETag></CopyObjectResult>`,
      );
    }
    if (request.method === 'PUT') {
      const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      objects.set(key, {
        body,
        type: request.headers['content-type'] ?? 'binary/octet-stream',
        metadata: Object.fromEntries(metadata) as Record<string, string>,
        modified: new Date(),
      });
      return void response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    const found = objects.get(key);
    if (found === undefined) return void refuse({ status: 404, code: 'NoSuchKey' });
    const { modified, type, metadata } = found;
    response
      .writeHead(200, {
        'content-type': type,
        'content-length': found.body.length,
        etag: etagOf(found.body),
        'last-modified': modified.toUTCString(),
        ...metadata,
      })
      .end(found.body);
  }

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on('error', () => {});
    request.on('data', (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (closing === null || size < closing) return;
      closing = null;
      request.socket.destroy();
    });
    request.on('end', () => respond(request, response, Buffer.concat(pieces)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closeAfter: (bytes) => (closing = bytes),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
