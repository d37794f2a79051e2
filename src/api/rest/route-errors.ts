import { errorCatalogue, type ErrorCode } from '../../contract/errors.ts';
import type { Route } from './route.ts';

/** Every error code that a row can answer with, in the order of the catalogue. */
export function errorsOf(route: Route): ErrorCode[] {
  const isGuarded = route.scope !== 'public';
  const isRead = route.method === 'GET';
  const codes = new Set<ErrorCode>(route.errors);
  // An unknown query parameter, a body where none belongs, or what the schemas refuse.
  codes.add('VALIDATION_ERROR').add('STORAGE_UNAVAILABLE').add('INTERNAL_ERROR');
  if (!isRead) {
    // A large body may also have to wait for room (429).
    codes.add('PAYLOAD_TOO_LARGE').add('STORAGE_FULL').add('RATE_LIMITED');
  }
  // Any guarded row is FORBIDDEN to a session cookie without its proof.
  if (isGuarded) codes.add('UNAUTHORIZED').add('RATE_LIMITED').add('FORBIDDEN');
  if (route.path.includes('{')) codes.add('NOT_FOUND');
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The same, by HTTP status. */
export function errorsByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}
