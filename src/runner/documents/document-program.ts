import { respondWithBytes } from '../sandbox/request-program.ts';
import type { Json } from '../../lib/json/json.ts';
import { DocumentError, parseRequest, printRefusal, RESULT_HEAD } from './document-messages.ts';

/** Pieces of a result. @throws {DocumentError} while it is iterated, too. */
export type DocumentOutput = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** Bytes of a result; as `limits.documentResult`. */
export const MAX_RESULT_BYTES = 64 * 1024 * 1024;

/**
 * The program of a process for one document: reads it from stdin, writes the result, and exits. Documents are
 * untrusted and may take forever or crash a library, so the process has limits and is killed after a timeout.
 * It opens no files and connects nowhere.
 */
export async function respondToDocument(
  process: (task: Json, document: Buffer) => DocumentOutput | Promise<DocumentOutput>,
): Promise<void> {
  await respondWithBytes(async (request) => {
    const { task, document } = parseRequest(request);
    try {
      const pieces: Uint8Array[] = [Buffer.from(RESULT_HEAD)];
      let size = 0;
      for await (const piece of await process(task, document)) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
        size += bytes.length;
        if (size > MAX_RESULT_BYTES)
          throw new DocumentError(`must not produce more than ${MAX_RESULT_BYTES} bytes`, 'limit');
        pieces.push(bytes);
      }
      return pieces;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return [Buffer.from(printRefusal(error))];
    }
  });
}
