import { createNotFoundError, createValidationError } from '../contract/errors.ts';
import type { FileStore } from '../ports/files.ts';
import type { FileRows } from '../ports/store/files.ts';
import { readByteRange, type ByteRange } from './executions/byte-range.ts';

/**
 * `size` is the total in bytes; `range` is the part that `bytes` contains, null for all; `etag` identifies
 * the content.
 */
export type StoredFile = {
  name: string;
  contentType: string;
  size: number;
  etag: string;
  range: ByteRange | null;
  bytes: AsyncIterable<Uint8Array>;
};
/** The headers of a range request. */
export type RangeRequest = { range?: string | undefined; ifRange?: string | undefined };

/**
 * Opens a file of an owner. The caller checks the permission.
 * @throws {WeftError} NOT_FOUND; VALIDATION_ERROR for a range beyond the end.
 */
export type FileReader = (ownerId: string, id: string, request?: RangeRequest) => Promise<StoredFile>;

export function createFileReader(rows: Pick<FileRows, 'file'>, files: Pick<FileStore, 'open'>): FileReader {
  return async (ownerId, id, request = {}) => {
    const row = await rows.file(ownerId, id);
    if (row === null) throw createNotFoundError('file');
    const etag = `"${row.hash}"`;
    const isCurrent = request.ifRange === undefined || request.ifRange === etag;
    const range = isCurrent ? readByteRange(request.range, row.size) : null;
    if (range === 'outside')
      throw createValidationError([
        { field: 'range', issue: `must start before the end of the file, which has ${row.size} bytes` },
      ]);
    const bytes = await files.open(row.hash, range ?? undefined);
    if (bytes === null) throw createNotFoundError('file');
    return { name: row.name, contentType: row.contentType, size: row.size, etag, range, bytes };
  };
}
