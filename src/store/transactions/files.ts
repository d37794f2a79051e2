import type { FileRow } from '../../ports/store/files.ts';
import * as blobs from '../queries/blobs.ts';
import * as files from '../queries/files.ts';
import { toFile, type FileRecord } from '../rows.ts';
import { change, selectFirst, type Transaction, type Scalar } from '../statement.ts';

export function* saveFile(f: FileRow): Transaction<void> {
  yield* change(files.insert, ...fileParams(f));
}

export function fileParams(f: FileRow): Scalar[] {
  return [f.id, f.ownerId, f.executionId, f.hash, f.name, f.contentType, f.size, f.createdAt];
}

export function* getFile(ownerId: string, id: string): Transaction<FileRow | null> {
  const row = yield* selectFirst<FileRecord>(files.get, id, ownerId);
  return row === null ? null : toFile(row);
}

export function* unreferenced(hashes: readonly string[]): Transaction<string[]> {
  const results = yield hashes.map((hash) => ({ sql: blobs.referenced, params: [hash, hash] }));
  return hashes.filter((_, i) => (results[i]?.rows.length ?? 0) === 0);
}

export function* anyFileInBucket(): Transaction<boolean> {
  return (yield* selectFirst(files.anyInBucket)) !== null;
}
