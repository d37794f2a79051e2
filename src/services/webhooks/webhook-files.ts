import { createHash } from 'node:crypto';
import { createValidationError } from '../../contract/errors.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import { isFileReference } from '../../nodes/http/file-field.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { cleanContentType, cleanFileName } from '../../lib/text/file-name.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileStore } from '../../ports/files.ts';
import type { Ids } from '../../ports/ids.ts';
import { limits } from '../../ports/limits.ts';
import type { NewFile } from '../../ports/store/files.ts';

type HeldFile = Omit<NewFile, 'hash'> & { bytes: Uint8Array };
/** Holds a file in memory until it may be stored, and returns its reference in the body. */
export type TakeFile = (name: string, contentType: string, bytes: Uint8Array) => FileReference;

/** The files of one call: in memory until every check has passed, then in the file store. */
export class IncomingFiles {
  readonly #held: HeldFile[] = [];
  readonly #deps: { clock: Pick<Clock, 'now'>; ids: Ids; files: Pick<FileStore, 'put'> };

  constructor(deps: { clock: Pick<Clock, 'now'>; ids: Ids; files: Pick<FileStore, 'put'> }) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** @throws {WeftError} VALIDATION_ERROR when there are too many files. */
  readonly take: TakeFile = (name, contentType, bytes) => {
    if (this.#held.length === limits.webhookFiles)
      throw createValidationError([
        { field: 'body', issue: `must hold at most ${limits.webhookFiles} files` },
      ]);
    const file: HeldFile = {
      id: this.#deps.ids.next('file'),
      name: cleanFileName(name),
      contentType: cleanContentType(contentType),
      size: bytes.byteLength,
      createdAt: this.#deps.clock.now(),
      bytes,
    };
    this.#held.push(file);
    return { $file: { id: file.id, name: file.name, content_type: file.contentType, size: file.size } };
  };

  /** A hash of the contents of all files. */
  hashContents(): string {
    const hash = createHash('sha256');
    for (const { bytes } of this.#held) hash.update(`${bytes.byteLength}:`).update(bytes);
    return hash.digest('base64url');
  }

  /** The SHA-256 of each content, in hex, by the id of the file. */
  listHashes(): Map<string, string> {
    return new Map(this.#held.map(({ id, bytes }) => [id, createHash('sha256').update(bytes).digest('hex')]));
  }

  /**
   * Writes the contents to disk. Contents without rows, which the creation of the execution writes, are
   * removed by the next sweep. With `isUsed`, other files are dropped.
   */
  async store(isUsed: (id: string) => boolean = () => true): Promise<NewFile[]> {
    const stored: NewFile[] = [];
    for (const { bytes, ...file } of this.#held.filter(({ id }) => isUsed(id)))
      stored.push({ ...file, hash: await this.#deps.files.put(bytes) });
    return stored;
  }

  /** Stores the files that are values. A file of a field that is not shown is not part of a submission. */
  storeUsed(values: JsonObject): Promise<NewFile[]> {
    const used = new Set(
      Object.values(values)
        .filter(isFileReference)
        .map(({ $file }) => $file.id),
    );
    return this.store((id) => used.has(id));
  }
}
