import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** One entry of an archive, possibly malicious. */
export type Entry = { name: string; content?: string | Uint8Array; type?: string; link?: string };

/** An uncompressed tar archive. */
export function tar(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(entryBlocks), Buffer.alloc(1024)]);
}

function entryBlocks({ name, content = '', type = '0', link = '' }: Entry): Buffer[] {
  const bytes = Buffer.from(content as Uint8Array);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100, 'utf8');
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156, 1);
  header.write(link, 157, 100);
  header.write('ustar\u000000', 257);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}

export function packed(entries: readonly Entry[]): Buffer {
  return gzipSync(tar(entries));
}

export function computeIntegrity(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

/**
 * A package with these files by path. `manifest` has the fields of `package.json` other than name and
 * version.
 */
export function buildArchive(
  name: string,
  version: string,
  files: Readonly<Record<string, string>>,
  manifest: object = {},
): Buffer {
  const json = JSON.stringify({ name, version, ...manifest });
  const all = { 'package.json': json, ...files };
  return packed(Object.entries(all).map(([path, content]) => ({ name: `package/${path}`, content })));
}

/** An npm registry with the packages that were published to it. */
export async function openRegistry() {
  const archives = new Map<string, Buffer>();
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const url = decodeURIComponent(request.url ?? '');
    asked.push(url);
    const bytes = archives.get(url);
    if (url.includes('/slow-')) return;
    if (bytes === undefined) response.writeHead(404).end('{}');
    else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    /** Its entry in a lock file. */
    publish(name: string, version: string, bytes: Buffer): { version: string; integrity: string } {
      archives.set(`/${name}/-/${name.slice(name.lastIndexOf('/') + 1)}-${version}.tgz`, bytes);
      return { version, integrity: computeIntegrity(bytes) };
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
