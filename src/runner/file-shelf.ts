import type { FileReference, NodeContext } from '../contract/node-type.ts';
import { plainContentType, plainFileName } from '../lib/file-name.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { Ids } from '../ports/ids.ts';
import type { FileRows } from '../ports/store.ts';

export type FileShelf = NodeContext['files'];

/** The files of one execution: bytes in the file store, a row that ties them to the execution. */
export function createFileShelf(deps: {
  ownerId: string;
  executionId: string;
  clock: Pick<Clock, 'now'>;
  ids: Ids;
  files: FileStore;
  fileRows: Pick<FileRows, 'saveFile' | 'file'>;
}): FileShelf {
  const { ownerId, executionId, fileRows, files } = deps;
  return {
    async save({ name, contentType, bytes }): Promise<FileReference> {
      const id = deps.ids.next('file');
      const row = {
        id,
        ownerId,
        executionId,
        hash: await files.put(bytes),
        name: plainFileName(name),
        contentType: plainContentType(contentType),
        size: bytes.byteLength,
        createdAt: deps.clock.now(),
      };
      await fileRows.saveFile(row);
      return { $file: { id, name: row.name, content_type: row.contentType, size: row.size } };
    },
    async load(reference) {
      const row = await fileRows.file(ownerId, reference.$file.id);
      if (row === null || row.executionId !== executionId) return null;
      const bytes = await files.get(row.hash);
      return bytes === null ? null : { name: row.name, contentType: row.contentType, bytes };
    },
  };
}
