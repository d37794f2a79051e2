import type { ByteSource } from '../../contract/byte-source.ts';
import type { HttpRequest } from '../../contract/node-type.ts';
import { encodeForm } from './form-body.ts';
import { httpFailure } from './http-failure.ts';

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that control message framing and routing; the egress client sets them itself. */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export type RequestBody = string | Uint8Array | ByteSource | null;

/**
 * Returns validated headers with lower-case names and the body; a form gets a boundary. Throws HttpFailure.
 */
export function prepareRequest(request: HttpRequest): { headers: Record<string, string>; body: RequestBody } {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const key = name.toLowerCase();
    if (!NAME.test(name) || key === '__proto__' || RESERVED.has(key))
      throw httpFailure('validation', `The header ${JSON.stringify(name)} cannot be set`, false);
    if (!VALUE.test(value))
      throw httpFailure('validation', `The header ${name} contains a character that is not allowed`, false);
    headers[key] = value;
  }
  const { body } = request;
  if (body === undefined) return { headers, body: null };
  if (typeof body === 'string' || body instanceof Uint8Array || 'read' in body) return { headers, body };
  const { contentType, source } = encodeForm(body);
  headers['content-type'] = contentType;
  return { headers, body: source };
}
