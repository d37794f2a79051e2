import { formatBucketFolder } from '../../lib/network/bucket-url.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { BucketError } from '../../ports/files.ts';
import type { BucketClient, RequestOptions } from './bucket-client.ts';

/** The object that names the installation whose files are in the folder. */
const MARKER = 'weft.json';
/** An object that is written and deleted at the start, to check the permissions. */
const PROBE = 'weft-start-check';

export type BucketMarker = {
  /** Checks that the bucket can be reached and belongs to this installation. @throws {BucketError} */
  check(): Promise<void>;
  /**
   * Checks all permissions that files need, and claims a new folder for this installation. `hasFiles`:
   * whether the database refers to files in a bucket, which a new folder cannot contain. @throws
   * {BucketError}
   */
  claim(hasFiles: () => Promise<boolean>): Promise<void>;
};

/**
 * Two installations must not share a folder: each would delete the files of the other, to which its own
 * database does not refer.
 */
export function createBucketMarker(client: BucketClient, installation: string): BucketMarker {
  const { folder } = client;
  const key = `${folder.prefix}${MARKER}`;
  const place = formatBucketFolder(folder);

  async function read(options: RequestOptions): Promise<string | null> {
    const { status, body } = await client.request({ method: 'GET', key }, { ...options, accepted: [404] });
    if (status === 404) {
      const text = new TextDecoder().decode(body);
      if (text.includes('<Code>NoSuchBucket</Code>'))
        throw new BucketError(`the bucket ${folder.bucket} does not exist`, false);
      return null;
    }
    const found = parse(new TextDecoder().decode(body));
    const name = isObject(found) ? found['installation'] : undefined;
    if (typeof name !== 'string') throw new BucketError(`${place}${MARKER} was not written by Weft`, false);
    return name;
  }

  function refuse(): never {
    throw new BucketError(
      `${place} contains the files of another Weft installation; use another bucket or prefix`,
      false,
    );
  }

  return {
    async check() {
      const found = await read({ isTriedOnce: true });
      if (found === null) throw new BucketError(`${place}${MARKER} is missing`, false);
      if (found !== installation) refuse();
    },
    async claim(hasFiles) {
      const found = await read({});
      if (found !== null && found !== installation) refuse();
      if (found === null && (await hasFiles()))
        throw new BucketError(
          `${place}${MARKER} is missing, so this is not the place of the files to which the database refers; use the previous place, or copy all its objects to the new one`,
          false,
        );
      if (found === null)
        await client.request({
          method: 'PUT',
          key,
          headers: { 'content-type': 'application/json' },
          body: new TextEncoder().encode(JSON.stringify({ installation })),
        });
      // Another installation may have claimed it at the same time.
      if (found === null && (await read({})) !== installation) refuse();
      const probe = `${folder.prefix}${PROBE}`;
      await client.request({ method: 'PUT', key: probe, body: new Uint8Array() });
      await client.request({ method: 'DELETE', key: probe });
      const query = { prefix: folder.prefix, 'list-type': '2', 'max-keys': '1' };
      await client.request({ method: 'GET', query });
      const uploads = { prefix: folder.prefix, uploads: '', 'max-uploads': '1' };
      await client.request({ method: 'GET', query: uploads }, { accepted: [501] });
    },
  };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
