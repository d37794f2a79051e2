import { WeftError, type ErrorCode } from '../../contract/errors.ts';

/**
 * An error that is passed between threads. `isFatal`: the disk failed, so no further writes are allowed.
 * `isTemporary`: the same write may succeed later, because the disk was full or the database locked.
 */
export type Failure = {
  message: string;
  code: ErrorCode | null;
  details: Record<string, unknown>;
  isFatal: boolean;
  isTemporary: boolean;
};

/** Extended result codes that mean a full disk where SQLite cannot tell. */
const FULL_CODES = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']);

export function toFailure(error: unknown): Failure {
  if (error instanceof WeftError) {
    return {
      message: error.message,
      code: error.code,
      details: error.details,
      isFatal: false,
      isTemporary: false,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const sqlite = readCode(error);
  if (FULL_CODES.has(sqlite)) {
    return {
      message: 'The disk is full; nothing was written.',
      code: 'STORAGE_FULL',
      details: {},
      isFatal: false,
      isTemporary: true,
    };
  }
  if (sqlite.startsWith('SQLITE_BUSY')) {
    return {
      ...plain(`Another process has locked the database (${sqlite}); nothing was written.`),
      isTemporary: true,
    };
  }
  if (sqlite.startsWith('SQLITE_CORRUPT') || sqlite === 'SQLITE_NOTADB') {
    return plain(`The database file is damaged (${sqlite}: ${message}). Restore a backup.`);
  }
  // After a failed write or fsync, the state on disk is unknown: a retry could report success for lost data.
  if (sqlite.startsWith('SQLITE_IOERR')) return diskFailure(error);
  return plain(sqlite === '' ? message : `${sqlite}: ${message}`);
}

/** After a write or fsync with an unknown outcome. */
function diskFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { ...plain(`The disk failed (${readCode(error)}: ${message}).`), isFatal: true };
}

export function isDiskFull(error: unknown): boolean {
  return FULL_CODES.has(readCode(error));
}

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function plain(message: string): Failure {
  return { message, code: null, details: {}, isFatal: false, isTemporary: false };
}

export function toError({ message, code, details }: Failure): Error {
  return code === null ? new Error(message) : new WeftError(code, message, details);
}
