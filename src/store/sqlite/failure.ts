import { WeftError, type ErrorCode } from '../../contract/errors.ts';

/**
 * An error on its way between threads. `fatal`: the disk failed, so nothing may be written any more. `passing`: the same write may
 * succeed later, since it failed for want of room or of a lock.
 */
export type Failure = {
  message: string;
  code: ErrorCode | null;
  details: Record<string, unknown>;
  fatal: boolean;
  passing: boolean;
};

/** Extended result codes that mean "no room" where SQLite cannot tell. */
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']);

export function toFailure(error: unknown): Failure {
  if (error instanceof WeftError) {
    return { message: error.message, code: error.code, details: error.details, fatal: false, passing: false };
  }
  const message = error instanceof Error ? error.message : String(error);
  const sqlite = codeOf(error);
  if (FULL.has(sqlite)) {
    return {
      message: 'The disk is full; nothing was written.',
      code: 'STORAGE_FULL',
      details: {},
      fatal: false,
      passing: true,
    };
  }
  if (sqlite.startsWith('SQLITE_BUSY')) {
    return {
      ...plain(`Another process holds the database locked (${sqlite}); nothing was written.`),
      passing: true,
    };
  }
  if (sqlite.startsWith('SQLITE_CORRUPT') || sqlite === 'SQLITE_NOTADB') {
    return plain(`The database file is damaged (${sqlite}: ${message}). Restore a backup.`);
  }
  // After a failed write or fsync nobody knows what is on disk: a second try could report success for lost data.
  if (sqlite.startsWith('SQLITE_IOERR')) return diskFailure(error);
  return plain(sqlite === '' ? message : `${sqlite}: ${message}`);
}

/** After a write or fsync whose outcome nobody knows. */
function diskFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { ...plain(`The disk failed (${codeOf(error)}: ${message}).`), fatal: true };
}

export function isDiskFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function plain(message: string): Failure {
  return { message, code: null, details: {}, fatal: false, passing: false };
}

export function toError({ message, code, details }: Failure): Error {
  return code === null ? new Error(message) : new WeftError(code, message, details);
}
