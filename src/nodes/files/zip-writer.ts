import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ByteSource } from '../../contract/byte-source.ts';

export type ZipMember = { readonly path: string; readonly content: Uint8Array | ByteSource };

/** Creates an archive while it is read. `modified`: the time of all members. */
export async function* writeZip(
  members: readonly ZipMember[],
  modified: Date,
): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const options = { mtime: modified };
  zip.on('error', (error: Error) => output.destroy(error));
  for (const { path, content } of members) {
    if (content instanceof Uint8Array) zip.addBuffer(Buffer.from(content), path, options);
    else
      zip.addReadStreamLazy(path, options, (ready) => {
        const stream = Readable.from(content.read(), { objectMode: false });
        stream.on('error', (error) => output.destroy(error));
        ready(null, stream);
      });
  }
  zip.end();
  yield* output as AsyncIterable<Uint8Array>;
}
