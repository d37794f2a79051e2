import type { ByteSource } from '../../contract/byte-source.ts';
import type { HttpRequest } from '../../contract/node-type.ts';
import { isHeaderName, isHeaderValue, RESERVED_HEADERS } from '../../nodes/http-header.ts';
import { encodeForm } from './form-body.ts';
import { httpFailure } from './http-failure.ts';

export type RequestBody = string | Uint8Array | ByteSource | null;

/**
 * Returns validated headers with lower-case names and the body; a form gets a boundary. Throws HttpFailure.
 */
export function prepareRequest(request: HttpRequest): { headers: Record<string, string>; body: RequestBody } {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const key = name.toLowerCase();
    if (!isHeaderName(name) || key === '__proto__' || RESERVED_HEADERS.has(key))
      throw httpFailure('validation', `The header ${JSON.stringify(name)} cannot be set`, false);
    if (!isHeaderValue(value))
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
