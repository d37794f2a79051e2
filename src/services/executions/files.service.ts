import { notFound, validationError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { FileStore } from '../../ports/files.ts';
import type { FileRows } from '../../ports/store/files.ts';
import { readByteRange, type ByteRange } from './byte-range.ts';
import { requireScope } from '../authorize.ts';

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
export type Files = ReturnType<typeof createFiles>;

/** Binary data that nodes passed on as `$file`; it is kept as long as its execution. */
export function createFiles(rows: Pick<FileRows, 'file'>, files: Pick<FileStore, 'open'>) {
  return {
    /** @throws {WeftError} NOT_FOUND; VALIDATION_ERROR for a range beyond the end. */
    async get(principal: Principal, id: string, asked: RangeRequest = {}): Promise<StoredFile> {
      requireScope(principal, 'executions:read');
      const row = await rows.file(principal.userId, id);
      if (row === null) throw notFound('file');
      const etag = `"${row.hash}"`;
      const isMeant = asked.ifRange === undefined || asked.ifRange === etag;
      const range = isMeant ? readByteRange(asked.range, row.size) : null;
      if (range === 'outside')
        throw validationError([
          { field: 'range', issue: `lies behind the end of the file's ${row.size} bytes` },
        ]);
      const bytes = await files.open(row.hash, range ?? undefined);
      if (bytes === null) throw notFound('file');
      return { name: row.name, contentType: row.contentType, size: row.size, etag, range, bytes };
    },
  };
}
