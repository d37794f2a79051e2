import path from 'node:path';
import { assertConforms } from '../support/openapi/assert-openapi.ts';
import { errorCatalog } from '../../src/contract/errors.ts';
import type { FuzzResponse, FuzzRequest } from './http-client.ts';
import type { CredentialName, FuzzService } from './fuzz-service.ts';

/** Text that no message may contain: paths of the code, its language, its database statements. */
const leaks = [
  /\n\s+at /,
  /node_modules|node:internal|file:\/\//,
  /\.(?:ts|js|mjs|cjs):\d+/,
  /SQLITE|\bSELECT .+ FROM\b|\bINSERT INTO\b|no such (?:table|column)/,
  /(?:Type|Range|Reference|Syntax|Assertion)Error/,
  /Cannot read propert|is not a function|is not iterable|undefined \(reading|\[object Object\]/,
];
const statuses = new Set([200, 201, 400, 401, 403, 404, 429]);
const root = path.resolve(import.meta.dirname, '../..');

/**
 * Whether a text contains something of another user, or a secret. Administrators see the names of what was
 * changed in the audit log, whose values are exactly the canary. Secrets contain it twice.
 */
export function containsCanary(text: string, { canary }: FuzzService, isAuditLog: boolean): boolean {
  return (isAuditLog ? text.replaceAll(`:"${canary}"`, '') : text).includes(canary);
}

/**
 * The invariant that a response breaks; null when it breaks none. `isDocumented`: the method and path are
 * those of an operation.
 */
export function findViolation(
  sent: FuzzRequest & { readonly credential?: CredentialName },
  received: FuzzResponse,
  service: FuzzService,
  isDocumented: boolean,
): string | null {
  const { status, headers, text } = received;
  const isAuditLog = sent.path.startsWith('/v1/audit-events');
  if (
    containsCanary(text, service, isAuditLog && sent.credential === 'admin') ||
    JSON.stringify(headers).includes(service.canary)
  )
    return 'something of another user, or a secret, is in it';
  if (text.includes(root) || leaks.some((leak) => leak.test(text) && status >= 400))
    return 'it discloses internals';
  const where = sent.path.split('?', 1)[0]!;
  const isOAuth = !where.startsWith('/v1');
  const isHead = sent.method === 'HEAD';
  if (headers['x-request-id'] === undefined || headers['weft-version'] !== service.version)
    return 'common response headers are missing';
  if (headers['x-injected'] !== undefined || headers['access-control-allow-credentials'] !== undefined)
    return 'an unexpected header';
  if (headers['access-control-allow-origin'] !== undefined && !isOAuth) return 'it is open to other origins';
  if (headers['set-cookie'] !== undefined && !isOAuth) return 'a cookie';
  if (isOAuth) return status < 500 ? null : 'a status of 5xx';

  // The API documents are cacheable.
  if (status === 304) return sent.headers['if-none-match'] === undefined ? 'the status 304' : null;
  const isHealth = /^\/v1\/health(?:\/ready)?$/.test(where);
  if (!statuses.has(status) && !isHealth) {
    if (status !== 500 || isHead) return `the status ${status}`;
    if (!/^\/v1\/(?:webhooks|listen)\//.test(where) || !text.includes('"EXECUTION_FAILED"'))
      return 'a status of 5xx';
  }
  if (status >= 400 && !isHead) {
    const problem = findErrorBodyViolation(text);
    if (problem !== null) return problem;
  }
  // The document does not contain requests that are rejected before routing, or whose path is normalized.
  if (
    !isDocumented ||
    where.includes('//') ||
    where.endsWith('/') ||
    where.includes('/.') ||
    /[A-Z]{4}/.test(where.split('/')[2]!) ||
    sent.path.length > 8_000
  )
    return null;
  try {
    assertConforms({
      method: sent.method,
      path: sent.path.slice('/v1'.length),
      status,
      header: (name) => headers[name] ?? null,
      text,
    });
  } catch (error) {
    return (error as Error).message.slice(0, 1_500);
  }
  return null;
}

function findErrorBodyViolation(text: string): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'an error that is not JSON';
  }
  const { error, ...others } = body as { error?: { code?: unknown; message?: unknown; details?: unknown } };
  if (Object.keys(others).length > 0 || typeof error !== 'object' || error === null)
    return 'an error of another shape';
  if (typeof error.code !== 'string' || !Object.hasOwn(errorCatalog, error.code))
    return 'a code that is not in the catalog';
  if (typeof error.message !== 'string' || error.message === '') return 'an error without a message';
  const { details } = error;
  if (typeof details !== 'object' || details === null || Array.isArray(details))
    return 'details that are no object';
  return Object.keys(error).length === 3 ? null : 'an error with more than code, message and details';
}
