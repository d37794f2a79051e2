import { WeftError } from '../../contract/errors.ts';

/**
 * The kinds of failures:
 *
 * - `lost`: the connection is lost or unusable; another one may work.
 *
 * - `again`: nothing was written, and a retry may succeed (two transactions conflicted).
 *
 * - `full`: the database's disk is full.
 *
 * - `permanent`: a retry would fail in the same way.
 */
export type FailureKind = 'lost' | 'again' | 'full' | 'permanent';

/** SQLSTATEs of servers that shut down, start up, are standbys, or accept no connections. */
const LOST_STATES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  '25006',
  '25P03',
  '57014',
  '25P02',
  '26000',
  '0A000',
]);
/**
 * Serialization failure, deadlock, lock timeout, and a concurrently inserted row (which the guard sees on a
 * retry).
 */
const RETRYABLE_STATES = new Set(['40001', '40P01', '55P03', '23505']);
const FULL_STATES = new Set(['53100', '54000']);

export function classifyError(error: unknown): FailureKind {
  if (error instanceof WeftError || error instanceof DatabaseError) return 'permanent';
  const state = readSqlState(error);
  // Network and client errors have no SQLSTATE.
  if (state === null) return error instanceof ConnectionLost || isOfNetwork(error) ? 'lost' : 'permanent';
  if (LOST_STATES.has(state) || state.startsWith('08')) return 'lost';
  if (RETRYABLE_STATES.has(state)) return 'again';
  return FULL_STATES.has(state) ? 'full' : 'permanent';
}

/** The SQLSTATE of an error, or null. */
export function readSqlState(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : null;
}

function isOfNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && /^(E[A-Z_]+|ERR_SOCKET\w*|ERR_TLS\w*)$/.test(String(error.code))) return true;
  return /^(Connection terminated|Client has encountered|timeout expired|Client was closed)/.test(
    error.message,
  );
}

/** The connection is no longer usable. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** An error of PostgreSQL, by its SQLSTATE, or the reason why it is unreachable. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: string;

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Converts an error for callers. */
export function toPublicError(error: unknown): Error {
  if (error instanceof WeftError || error instanceof DatabaseError) return error;
  const kind = classifyError(error);
  if (kind === 'full') return new WeftError('STORAGE_FULL', undefined, {}, error);
  if (kind === 'lost') return new WeftError('STORAGE_UNAVAILABLE', undefined, {}, error);
  if (!(error instanceof Error)) return new Error(String(error));
  const state = readSqlState(error);
  return state === null ? error : new DatabaseError(state, `PostgreSQL ${state}: ${error.message}`, error);
}
