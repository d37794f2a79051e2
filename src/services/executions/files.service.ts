import type { Principal } from '../../contract/principal.ts';
import { requireScope } from '../authorize.ts';
import type { FileReader, RangeRequest, StoredFile } from '../file-reader.ts';

export type Files = ReturnType<typeof createFiles>;

/** Binary data that nodes passed on as `$file`; it is kept as long as its execution. */
export function createFiles(readFile: FileReader) {
  return {
    /** @throws {WeftError} NOT_FOUND; VALIDATION_ERROR for a range beyond the end. */
    async get(principal: Principal, id: string, asked: RangeRequest = {}): Promise<StoredFile> {
      requireScope(principal, 'executions:read');
      return readFile(principal.userId, id, asked);
    },
  };
}
