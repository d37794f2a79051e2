import { readObjectPage, readUploadPage, type ListedUpload } from '../../nodes/connectors/servers/s3-list.ts';
import { toAbortCall } from '../../nodes/connectors/servers/s3-multipart.ts';
import type { Clock } from '../../ports/clock.ts';
import { isInBucket, toBucketHash, readObjectName, type SweptFiles } from '../../ports/files.ts';
import type { BucketClient } from './bucket-client.ts';
import type { BucketMarker } from './bucket-marker.ts';
import type { Uploader } from './bucket-upload.ts';

/** Size of one read, in bytes. */
const PIECE_BYTES = 1024 * 1024;
/** Objects and uploads younger than this are never swept, ms: their row may not be committed yet. */
const GRACE_PERIOD_MS = 24 * 3_600_000;
/** Interval between two sweeps, ms. Each lists all objects. */
const SWEEP_INTERVAL_MS = 3_600_000;
/** Objects of one list, and of one query for references. */
const PAGE_SIZE = 200;
/** Objects that are deleted at the same time. */
const PARALLEL_DELETIONS = 8;

type UploadMarker = { key: string; uploadId: string };

/**
 * Files as objects of a bucket, each with a unique name that is never used again. An object appears complete
 * and never changes. Contents that were stored elsewhere before stay there, and are read and removed there.
 */
export function createBucketFiles(deps: {
  client: BucketClient;
  uploader: Uploader;
  marker: BucketMarker;
  /** The storage without a bucket. */
  elsewhere: SweptFiles;
  clock: Clock;
  nextName(): string;
}): SweptFiles {
  const { client, uploader, marker, elsewhere, clock } = deps;
  const { ctx, folder } = client;
  const objects = `${folder.prefix}files/`;
  const toKey = (hash: string): string => `${objects}${readObjectName(hash)}`;
  let sweptAt = -Infinity;

  const readSize = async (hash: string): Promise<number | null> => {
    const { status, headers } = await client.request(
      { method: 'HEAD', key: toKey(hash) },
      { accepted: [404] },
    );
    return status === 404 ? null : Number(headers['content-length'] ?? 0);
  };

  /** Short requests, so that a slow reader keeps no connection open. */
  async function* pieces(hash: string, start: number, end: number): AsyncGenerator<Uint8Array, void> {
    for (let at = start; at < end;) {
      const last = Math.min(end, at + PIECE_BYTES) - 1;
      const { body, status } = await client.request({
        method: 'GET',
        key: toKey(hash),
        headers: { range: `bytes=${at}-${last}` },
      });
      // A service that ignores the range sends the whole object.
      const piece = status === 206 ? body : body.subarray(at, last + 1);
      if (piece.byteLength !== last + 1 - at)
        throw new Error(`The object ${toKey(hash)} is shorter than ${end} bytes.`);
      at += piece.byteLength;
      yield piece;
    }
  }

  /** Ends with the first error: then most likely all would fail. */
  const removeObjects = async (hashes: readonly string[]): Promise<void> => {
    const left = [...hashes];
    const work = async (): Promise<void> => {
      for (let hash = left.pop(); hash !== undefined; hash = left.pop()) {
        const call = { method: 'DELETE', key: toKey(hash) } as const;
        await client.request(call, { isTriedOnce: true, accepted: [404] }).catch((error: unknown) => {
          left.length = 0;
          throw error;
        });
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: PARALLEL_DELETIONS }, work));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed === undefined) return;
    // The next sweep deletes what is left.
    sweptAt = -Infinity;
    throw failed.reason;
  };

  const isOld = (time: string | null): boolean => {
    const at = Date.parse(time ?? '');
    return !Number.isNaN(at) && at < clock.now() - GRACE_PERIOD_MS;
  };

  async function sweepObjects(
    unreferenced: (hashes: readonly string[]) => Promise<string[]>,
    isStopped: () => boolean,
  ): Promise<number> {
    let count = 0;
    for (let token: string | null = null; !isStopped();) {
      const response = await client.request(
        {
          method: 'GET',
          query: {
            'list-type': '2',
            'encoding-type': 'url',
            'max-keys': String(PAGE_SIZE),
            prefix: objects,
            ...(token === null ? {} : { 'continuation-token': token }),
          },
        },
        { isTriedOnce: true },
      );
      const page = await readObjectPage(ctx, response);
      const old = page.objects
        .filter((object) => isOld(object.last_modified))
        .map(({ key }) => toBucketHash(key.slice(objects.length)));
      const free = old.length === 0 ? [] : await unreferenced(old);
      await removeObjects(free);
      count += free.length;
      const isStuck: boolean = page.next === token || page.objects.length === 0;
      if (page.next === null || isStuck) return count;
      token = page.next;
    }
    return count;
  }

  async function sweepUploads(isStopped: () => boolean): Promise<void> {
    let from: UploadMarker | null = null;
    while (!isStopped()) {
      const response = await client.request(
        {
          method: 'GET',
          query: {
            uploads: '',
            'encoding-type': 'url',
            'max-uploads': String(PAGE_SIZE),
            prefix: objects,
            ...(from === null ? {} : { 'key-marker': from.key, 'upload-id-marker': from.uploadId }),
          },
        },
        { isTriedOnce: true, accepted: [501] },
      );
      // A service without this list deletes unfinished uploads on its own, or has none.
      if (response.status === 501) return;
      const page: { uploads: ListedUpload[]; next: UploadMarker | null } = await readUploadPage(
        ctx,
        response,
      );
      for (const upload of page.uploads)
        if (isOld(upload.initiated))
          await client.request(toAbortCall(upload), { isTriedOnce: true, accepted: [404] });
      if (page.next === null || page.uploads.length === 0) return;
      from = page.next;
    }
  }

  return {
    async put(bytes) {
      const name = deps.nextName();
      await uploader.put(`${objects}${name}`, bytes);
      return toBucketHash(name);
    },
    async write(chunks) {
      const name = deps.nextName();
      const size = await uploader.write(`${objects}${name}`, chunks);
      return { hash: toBucketHash(name), size };
    },
    async get(hash) {
      if (!isInBucket(hash)) return elsewhere.get(hash);
      const size = await readSize(hash);
      if (size === null) return null;
      const all: Uint8Array[] = [];
      for await (const piece of pieces(hash, 0, size)) all.push(piece);
      return Buffer.concat(all);
    },
    async open(hash, range) {
      if (!isInBucket(hash)) return elsewhere.open(hash, range);
      const size = await readSize(hash);
      if (size === null) return null;
      const { start, end } = range ?? { start: 0, end: size };
      return { [Symbol.asyncIterator]: () => pieces(hash, start, Math.min(end, size)) };
    },
    async remove(hashes) {
      await elsewhere.remove(hashes.filter((hash) => !isInBucket(hash)));
      await removeObjects(hashes.filter(isInBucket));
    },
    async sweep(unreferenced, isStopped = () => false) {
      const count = await elsewhere.sweep(unreferenced, isStopped);
      if (clock.now() - sweptAt < SWEEP_INTERVAL_MS || isStopped()) return count;
      // Another installation refers to other objects: these would all seem unreferenced.
      await marker.check();
      sweptAt = clock.now();
      try {
        await sweepUploads(isStopped);
        return count + (await sweepObjects(unreferenced, isStopped));
      } catch (error) {
        sweptAt = -Infinity;
        throw error;
      }
    },
  };
}
