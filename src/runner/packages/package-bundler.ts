import { WeftError, type FieldError } from '../../contract/errors.ts';
import { checkInstallPath, findOuterPath, type PackageLock } from '../../contract/packs/packages.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { limits } from '../../ports/limits.ts';
import type { PackageBundler } from '../../ports/package-bundler.ts';
import type { EgressClient } from '../http/egress-client.ts';
import type { Launch } from '../sandbox/isolation-launcher.ts';
import { listBundlerLaunches, runBundler } from './bundle-run.ts';
import { selectCode } from './package-files.ts';
import { fetchPackages } from './registry.ts';

export type BundlerOptions = {
  /** The base URL of the registry without trailing slash; null disables packages. */
  registry: string | null;
  egress: Pick<EgressClient, 'send'>;
  launches?: () => Launch[];
};

/**
 * Bundles packages from a registry in a separate process, one registration at a time. `close` cancels running
 * work.
 */
export function createPackageBundler({
  registry,
  egress,
  launches = listBundlerLaunches,
}: BundlerOptions): PackageBundler & { close(): void } {
  const closing = new AbortController();
  const owners = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function bundle(handler: string, lock: PackageLock): ReturnType<PackageBundler['bundle']> {
    if (registry === null)
      return refused('dependencies', 'must be empty: packages are disabled on this server');
    const errors = validateLock(lock);
    if (errors.length > 0) return { kind: 'refused', errors };
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limits.packageFetchMs)]);
    const fetched = await fetchPackages(egress, registry, lock, signal);
    if (!Array.isArray(fetched)) return { kind: 'refused', errors: fetched.errors };
    const packages = fetched.map(({ path, archive }) => ({ path, files: selectCode(archive.files) }));
    const run = await runBundler(
      { handler, maxSource: limits.bundleChars, packages },
      closing.signal,
      launches(),
    );
    switch (run.kind) {
      case 'refused':
        return run;
      case 'late':
        return refused('dependencies', `could not be bundled within ${limits.bundlingMs} ms`);
      case 'broken':
        return refused('dependencies', 'could not be bundled: the bundling process crashed');
      case 'unavailable':
        return refused(
          'dependencies',
          'cannot be bundled on this machine: the bundling process could not be started',
        );
      default:
        return {
          kind: 'bundle',
          bundle: {
            source: run.source,
            packages: fetched.map(({ path, version, integrity, archiveSize, archive }) => ({
              path,
              version,
              integrity,
              archive_size: archiveSize,
              unpacked_size: archive.size,
              bundled_size: run.sizes[path] ?? 0,
            })),
          },
        };
    }
  }

  return {
    async bundle(ownerId, handler, lock) {
      if (owners.has(ownerId) || owners.size >= limits.bundlingQueue)
        throw new WeftError('RATE_LIMITED', 'Packages are being bundled; try again in a moment.', {
          reason: 'capacity',
        });
      owners.add(ownerId);
      const mine = last.then(() => bundle(handler, lock));
      last = mine.catch(() => {});
      try {
        return await mine;
      } finally {
        owners.delete(ownerId);
      }
    },
    close: () => closing.abort(),
  };
}

function refused(field: string, issue: string): { kind: 'refused'; errors: FieldError[] } {
  return { kind: 'refused', errors: [{ field, issue }] };
}

/** Validation of a lock that the schema cannot express. */
function validateLock(lock: PackageLock): FieldError[] {
  const errors: FieldError[] = [];
  for (const path of Object.keys(lock)) {
    const field = appendKey('dependencies', path.slice(0, 300));
    const wrong = path.length > 4_000 ? 'is too long' : checkInstallPath(path);
    if (wrong !== null) {
      errors.push({ field, issue: wrong });
      continue;
    }
    const outer = findOuterPath(path);
    if (outer !== null && !Object.hasOwn(lock, outer))
      errors.push({ field, issue: `must not be nested in ${outer}, which is not in the dependencies` });
  }
  return errors;
}
