import { HttpFailure } from '../contract/node-type.ts';
import type { FileReference } from '../contract/byte-source.ts';
import type { NodeContext } from '../contract/node-type.ts';
import { cleanContentType, cleanFileName } from '../lib/text/file-name.ts';
import type { Clock } from '../ports/clock.ts';
import { BucketError, type FileStore } from '../ports/files.ts';
import type { Ids } from '../ports/ids.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { FileRows } from '../ports/store/files.ts';

export type AttemptFiles = NodeContext['files'];

/** Maximum number of retries and parent executions followed. */
const MAX_RELATED_EXECUTIONS = 64;

/** Files of an execution: content in the file store, and a row that links them to the execution. */
export function createAttemptFiles(deps: {
  ownerId: string;
  executionId: string;
  clock: Pick<Clock, 'now'>;
  ids: Ids;
  files: FileStore;
  fileRows: Pick<FileRows, 'saveFile' | 'file'>;
  executions: Pick<ExecutionStore, 'get'>;
  /** Maximum size of a file in bytes. */
  maxFileSize: number;
}): AttemptFiles {
  const { ownerId, executionId, executions, fileRows, files, maxFileSize } = deps;

  /** The files of the execution and of its related executions: the retried ones, parents and children. */
  async function mayLoad(holder: string): Promise<boolean> {
    return (
      holder === executionId || (await descends(executionId, holder)) || (await descends(holder, executionId))
    );
  }

  async function descends(from: string, ancestor: string): Promise<boolean> {
    let id: string | null = from;
    for (let step = 0; step < MAX_RELATED_EXECUTIONS && id !== null; step++) {
      const row = await executions.get(ownerId, id);
      id = row?.retryOf ?? row?.parentId ?? null;
      if (id === ancestor) return true;
    }
    return false;
  }

  async function store(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<{ hash: string; size: number }> {
    if (!(bytes instanceof Uint8Array)) return await files.write(limited(bytes));
    if (bytes.byteLength > maxFileSize) throw createSizeError(maxFileSize);
    return { hash: await files.put(bytes), size: bytes.byteLength };
  }

  async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    let size = 0;
    for await (const piece of bytes) {
      size += piece.byteLength;
      if (size > maxFileSize) throw createSizeError(maxFileSize);
      yield piece;
    }
  }

  async function* slice(hash: string, start: number, end: number): AsyncGenerator<Uint8Array, void> {
    const content = await files.open(hash, { start, end });
    if (content === null) throw new Error(`The content ${hash} does not exist`);
    yield* content;
  }

  return {
    async save({ name, contentType, bytes }): Promise<FileReference> {
      const id = deps.ids.next('file');
      const fileName = cleanFileName(name);
      const row = {
        id,
        ownerId,
        executionId,
        ...(await store(bytes).catch((error: unknown) => throwFailure(error, fileName, 'stored'))),
        name: fileName,
        contentType: cleanContentType(contentType),
        createdAt: deps.clock.now(),
      };
      await fileRows.saveFile(row);
      return { $file: { id, name: row.name, content_type: row.contentType, size: row.size } };
    },
    async open(reference) {
      const row = await fileRows.file(ownerId, reference.$file.id);
      if (row === null || !(await mayLoad(row.executionId))) return null;
      const content = await files
        .open(row.hash)
        .catch((error: unknown) => throwFailure(error, row.name, 'read'));
      if (content === null) return null;
      return {
        name: row.name,
        contentType: row.contentType,
        size: row.size,
        read: () => addNameToErrors(content, row.name),
        slice: (start, end) => addNameToErrors(slice(row.hash, start, end), row.name),
      };
    },
  };
}

/** Names the file in errors while its content is read. */
async function* addNameToErrors(
  content: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* content;
  } catch (error) {
    throwFailure(error, name, 'read');
  }
}

/** A node fails when the bucket is not available; its retry policy decides whether it is repeated. */
function throwFailure(error: unknown, name: string, what: 'stored' | 'read'): never {
  if (!(error instanceof BucketError)) throw error;
  throw new HttpFailure({
    type: 'network',
    message: `The file ${name} could not be ${what}: the file storage is not available: ${error.reason}`,
    retryable: error.isTemporary,
  });
}

function createSizeError(maxFileSize: number): HttpFailure {
  return new HttpFailure({
    type: 'limit',
    message: `The file is larger than ${maxFileSize} bytes, the maximum of this server`,
    retryable: false,
  });
}
