import type { FileReference, NodeContext } from '../contract/node-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { Ids } from '../ports/ids.ts';
import type { FileRows } from '../ports/store.ts';

const MAX_NAME_LENGTH = 255;
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\t\x20-\x7e]*)?$/;

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
        name: plainName(name),
        contentType: CONTENT_TYPE.test(contentType) ? contentType : 'application/octet-stream',
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

/** A name is for people and for headers: no folders, no control characters. */
function plainName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .replaceAll(/[\p{Cc}"]/gu, '')
    .slice(0, MAX_NAME_LENGTH)
    .trim();
  return plain === '' || plain === '.' || plain === '..' ? 'file' : plain;
}
