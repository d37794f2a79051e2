import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The only account of the server. */
export const s3Keys = { access_key_id: 'AKIDTEST', secret_access_key: 'secret/key+17' };

export type Refusal = { status: number; code: string };

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
export const escapeXml = (text: string) => text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
export const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
export const computeEtag = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`;

/** Signature Version 4, written from its specification and independently of the client. */
export function findSignatureError(request: IncomingMessage, body: Buffer): Refusal | null {
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
