import { createHash } from 'node:crypto';
import type { FieldError } from '../../contract/errors.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { getPackageName, type PackageLock } from '../../contract/packs/packages.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { limits } from '../../ports/limits.ts';
import type { EgressClient } from '../http/egress-client.ts';
import { ArchiveError, readArchive, type Archive } from './tar.ts';

export type FetchedPackage = {
  path: string;
  version: string;
  integrity: string;
  archiveSize: number;
  archive: Archive;
};

/** Maximum number of concurrent downloads. */
const MAX_CONCURRENT_DOWNLOADS = 4;

/** The reason why a package cannot be used. The message continues a sentence that starts with the field. */
export class PackageError extends Error {
  override readonly name = 'PackageFault';
}

/**
 * Fetches the packages of a lock from a registry (base URL without trailing slash) and verifies the hash of
 * each before using it. Returns all packages, or the errors of all of them.
 */
export async function fetchPackages(
  egress: Pick<EgressClient, 'send'>,
  registry: string,
  lock: PackageLock,
  signal: AbortSignal,
): Promise<FetchedPackage[] | { errors: FieldError[] }> {
  const errors: FieldError[] = [];
  const refuse = (path: string, error: unknown): void => {
    errors.push({ field: appendKey('dependencies', path), issue: describeError(error) });
  };
  const archives = new Map<string, Uint8Array>();
  let archiveBytes = 0;
  const waiting = Object.entries(lock);
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [path, { version, integrity }] = next;
      try {
        const packed = await downloadArchive(egress, registry, getPackageName(path), version, signal);
        if (`sha512-${createHash('sha512').update(packed).digest('base64')}` !== integrity)
          throw new PackageError('must match its integrity: the registry has a different archive');
        archiveBytes += packed.length;
        if (archiveBytes > limits.packageArchivesBytes)
          throw new PackageError(
            `exceeds the limit of ${limits.packageArchivesBytes} bytes for all archives`,
          );
        archives.set(path, packed);
      } catch (error) {
        refuse(path, error);
        // Exceeded size and time limits apply to the remaining packages too.
        if (signal.aborted || archiveBytes > limits.packageArchivesBytes) waiting.length = 0;
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_DOWNLOADS }, work));
  if (errors.length > 0) return { errors };

  const found: FetchedPackage[] = [];
  let [files, bytes] = [limits.packageFiles, limits.packageBytes];
  for (const [path, { version, integrity }] of Object.entries(lock).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const packed = archives.get(path) ?? new Uint8Array();
    try {
      const archive = await readArchive(packed, { files, bytes });
      files -= archive.files.size;
      bytes -= archive.size;
      found.push({ path, version, integrity, archiveSize: packed.length, archive });
    } catch (error) {
      refuse(path, error);
      return { errors };
    }
  }
  return found;
}

/** The URL layout of npm registries. */
function archiveUrl(registry: string, name: string, version: string): string {
  return `${registry}/${name}/-/${name.slice(name.lastIndexOf('/') + 1)}-${version}.tgz`;
}

/** @throws {PackageError | HttpFailure} */
export async function downloadArchive(
  egress: Pick<EgressClient, 'send'>,
  registry: string,
  name: string,
  version: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = archiveUrl(registry, name, version);
  const { status, body } = await egress.send(
    {
      method: 'GET',
      url,
      headers: { accept: 'application/octet-stream', 'accept-encoding': 'identity' },
      timeout: limits.packageFetchMs,
      maxBytes: limits.packageArchiveBytes,
    },
    signal,
  );
  if (status === 404) throw new PackageError(`is not in the registry: ${url}`);
  if (status !== 200)
    throw new PackageError(`could not be fetched: the registry responded with ${status} for ${url}`);
  return body;
}

function describeError(error: unknown): string {
  if (error instanceof PackageError) return error.message;
  if (error instanceof ArchiveError) return `cannot be used: its archive ${error.message}`;
  if (error instanceof HttpFailure) return `could not be fetched: ${error.message}`;
  throw error;
}
