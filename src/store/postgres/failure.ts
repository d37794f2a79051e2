import { WeftError } from '../../contract/errors.ts';

/**
 * What a failure means:
 * - `lost`: the connection is gone or of no use; another one may do.
 * - `again`: nothing was written, and the same may succeed now (two transactions stood in each other's way).
 * - `full`: the database has no room.
 * - `fault`: the same would fail again.
 */
export type FailureKind = 'lost' | 'again' | 'full' | 'fault';

/** SQLSTATEs of servers that end, start, are standbys, or take no connection. */
const LOST = new Set([
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
/** Serialisation failure, deadlock, a lock that took too long, and a row that came in between (a guard then sees it). */
const AGAIN = new Set(['40001', '40P01', '55P03', '23505']);
const FULL = new Set(['53100', '54000']);

export function classifyError(error: unknown): FailureKind {
  if (error instanceof WeftError || error instanceof DatabaseError) return 'fault';
  const state = readSqlState(error);
  // Errors of the network and of the client have no SQLSTATE.
  if (state === null) return error instanceof ConnectionLost || isOfNetwork(error) ? 'lost' : 'fault';
  if (LOST.has(state) || state.startsWith('08')) return 'lost';
  if (AGAIN.has(state)) return 'again';
  return FULL.has(state) ? 'full' : 'fault';
}

/** The five characters by which PostgreSQL names an error, or null. */
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

/** The connection cannot be used any more. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** What PostgreSQL refused, by its SQLSTATE, or why it cannot be reached. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: string;

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** As callers see it. */
export function publicError(error: unknown): Error {
  if (error instanceof WeftError || error instanceof DatabaseError) return error;
  const kind = classifyError(error);
  if (kind === 'full') return new WeftError('STORAGE_FULL', undefined, {}, error);
  if (kind === 'lost') return new WeftError('STORAGE_UNAVAILABLE', undefined, {}, error);
  if (!(error instanceof Error)) return new Error(String(error));
  const state = readSqlState(error);
  return state === null ? error : new DatabaseError(state, `PostgreSQL ${state}: ${error.message}`, error);
}
