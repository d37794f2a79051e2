import { notFound } from '../contract/errors.ts';
import type { Principal } from '../contract/principal.ts';
import type { FileStore } from '../ports/files.ts';
import type { FileRows } from '../ports/store.ts';
import { requireScope } from './require.ts';

export type StoredFile = { name: string; contentType: string; bytes: Uint8Array };
export type Files = ReturnType<typeof createFiles>;

/** Binary data that nodes passed on as `$file`; it lives as long as its execution. */
export function createFiles(rows: Pick<FileRows, 'file'>, files: Pick<FileStore, 'get'>) {
  return {
    async get(principal: Principal, id: string): Promise<StoredFile> {
      requireScope(principal, 'executions:read');
      const row = await rows.file(principal.userId, id);
      const bytes = row === null ? null : await files.get(row.hash);
      if (row === null || bytes === null) throw notFound('file');
      return { name: row.name, contentType: row.contentType, bytes };
    },
  };
}
