import { errorCatalog, type ErrorCode } from '../../contract/errors.ts';
import type { Route } from './route.ts';

/** Lists every error code that a route can return, in the order of the catalog. */
export function listRouteErrors(route: Route): ErrorCode[] {
  const isGuarded = route.scope !== 'public';
  const isRead = route.method === 'GET';
  const codes = new Set<ErrorCode>(route.errors);
  // An unknown query parameter, an unexpected body, or a value that a schema rejects.
  codes.add('VALIDATION_ERROR').add('STORAGE_UNAVAILABLE').add('INTERNAL_ERROR');
  if (!isRead) {
    // RATE_LIMITED (429) also covers large bodies that exceed the memory limit.
    codes.add('PAYLOAD_TOO_LARGE').add('STORAGE_FULL').add('RATE_LIMITED');
  }
  // Guarded routes return FORBIDDEN for a session cookie without a CSRF header.
  if (isGuarded) codes.add('UNAUTHORIZED').add('RATE_LIMITED').add('FORBIDDEN');
  if (route.path.includes('{')) codes.add('NOT_FOUND');
  return (Object.keys(errorCatalog) as ErrorCode[]).filter((code) => codes.has(code));
}

/** Groups error codes by HTTP status. */
export function groupErrorsByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCatalog[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}
