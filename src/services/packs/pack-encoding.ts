import { gunzipSync, gzip } from 'node:zlib';
import { promisify } from 'node:util';

const compressAsync = promisify(gzip);

/** Compresses text for the store. */
export async function compressText(text: string): Promise<string> {
  return (await compressAsync(text)).toString('base64');
}

/** Reads bytes that were decoded from `compressText`'s base64. */
export function decompressText(compressed: Uint8Array): string {
  return gunzipSync(compressed).toString();
}
