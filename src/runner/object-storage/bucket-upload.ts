import type { HttpResponse } from '../../contract/node-type.ts';
import type { ByteSource } from '../../contract/byte-source.ts';
import {
  MAX_PARTS,
  readPartTag,
  readUploadId,
  toAbortCall,
  toCompleteCall,
  toCreateCall,
  toPartCall,
  type Upload,
} from '../../nodes/connectors/servers/s3-multipart.ts';
import type { Clock } from '../../ports/clock.ts';
import { BucketError } from '../../ports/files.ts';
import type { BucketClient } from './bucket-client.ts';
import { createPartBuffers } from './part-buffer.ts';

const MIB = 1024 ** 2;
/** The smallest part that S3 accepts, except for the last one. */
const MIN_PART_BYTES = 5 * MIB;
/** An upload ends after this time, ms, so that the sweep can delete what is older than a day. */
const MAX_UPLOAD_MS = 12 * 3_600_000;

const CONTENT_TYPE = { 'content-type': 'application/octet-stream' };

export type Uploader = {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Resolves with the size when the whole object is stored; otherwise nothing of it remains. */
  write(key: string, chunks: AsyncIterable<Uint8Array>): Promise<number>;
};

/** Stores objects of unknown size. */
export function createUploader(client: BucketClient, clock: Clock, maxFileSize: number): Uploader {
  const partBytes = Math.max(MIN_PART_BYTES, Math.ceil(maxFileSize / MAX_PARTS / MIB) * MIB);
  const buffers = createPartBuffers(clock);

  const put = async (key: string, body: Uint8Array | ByteSource): Promise<void> => {
    await client.request({ method: 'PUT', key, headers: CONTENT_TYPE, body });
  };

  async function complete(upload: Upload, tags: readonly string[], size: number): Promise<void> {
    const { status } = await client.request(toCompleteCall(upload, tags), { accepted: [404] });
    if (status !== 404) return;
    // An attempt whose response was lost may have completed the upload, which then no longer exists.
    const stored = await client.request({ method: 'HEAD', key: upload.key }, { accepted: [404] });
    if (readLength(stored) !== size) throw new BucketError('it lost the parts of an upload', true);
  }

  return {
    put,
    async write(key, chunks) {
      const began = clock.now();
      const tags: string[] = [];
      let upload: Upload | null = null;
      let size = 0;
      let isWhole = false;
      try {
        for await (const part of buffers.collect(chunks, partBytes)) {
          if (clock.now() - began > MAX_UPLOAD_MS)
            throw new BucketError('the upload took longer than 12 hours', false);
          size += part.size;
          if (upload === null && part.size < partBytes) {
            await put(key, part);
            isWhole = true;
          } else {
            upload ??= {
              key,
              uploadId: await readUploadId(client.ctx, await client.request(toCreateCall(key, CONTENT_TYPE))),
            };
            tags.push(readPartTag(await client.request(toPartCall(upload, tags.length + 1, part))));
          }
        }
        if (upload !== null) await complete(upload, tags, size);
        else if (!isWhole) await put(key, new Uint8Array());
        return size;
      } catch (error) {
        // If this fails too, the sweep deletes the parts.
        if (upload !== null)
          await client.request(toAbortCall(upload), { isTriedOnce: true, accepted: [404] }).catch(() => {});
        throw error;
      }
    },
  };
}

function readLength({ status, headers }: HttpResponse): number | null {
  const length = headers['content-length'];
  return status === 200 && length !== undefined ? Number(length) : null;
}
