import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** One entry of an archive, possibly malicious. */
export type Entry = { name: string; content?: string | Uint8Array; type?: string; link?: string };

/** An uncompressed tar archive. */
export function createTar(entries: readonly Entry[]): Buffer {
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

export function packTarball(entries: readonly Entry[]): Buffer {
  return gzipSync(createTar(entries));
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
  return packTarball(Object.entries(all).map(([path, content]) => ({ name: `package/${path}`, content })));
}

/** A key with which a registry signs, and its entry in the list of keys. */
export function createRegistryKey(keyid: string, expires: string | null = null) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  return {
    entry: { keyid, key, expires, keytype: 'ecdsa-sha2-nistp256', scheme: 'ecdsa-sha2-nistp256' },
    sign: (message: string) => ({
      keyid,
      sig: sign('sha256', Buffer.from(message), privateKey).toString('base64'),
    }),
  };
}
type RegistryKey = ReturnType<typeof createRegistryKey>;

/** An npm registry with the packages that were published to it. Without keys, it signs nothing. */
export async function openRegistry(keys: readonly RegistryKey[] = []) {
  const archives = new Map<string, Buffer>();
  type Document = { versions: Record<string, { dist: object }>; time: Record<string, string> };
  const documents = new Map<string, Document>();
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const url = decodeURIComponent(request.url ?? '');
    asked.push(url);
    const bytes = archives.get(url);
    if (url.includes('/slow-')) return;
    const document = documents.get(url);
    const isKeys = url === '/-/npm/v1/keys' && keys.length > 0;
    if (document !== undefined || isKeys)
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(document ?? { keys: keys.map(({ entry }) => entry) }));
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
    /** Publishes it with its document, signed with a key at a time. */
    publishSigned(
      name: string,
      version: string,
      bytes: Buffer,
      key: RegistryKey | null = keys[0] ?? null,
      dist: object = {},
    ): { integrity: string } {
      const { integrity } = this.publish(name, version, bytes);
      const signatures = key === null ? [] : [key.sign(`${name}@${version}:${integrity}`)];
      const document = documents.get(`/${name}`) ?? { versions: {}, time: {} };
      document.versions[version] = { dist: { integrity, signatures, ...dist } };
      document.time[version] = '2026-06-01T00:00:00.000Z';
      documents.set(`/${name}`, document);
      return { integrity };
    },
    /** Replaces the archive only, as a registry that was tampered with. */
    replaceArchive(name: string, version: string, bytes: Buffer): void {
      this.publish(name, version, bytes);
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
