import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import nodeGypBuild from 'node-gyp-build';

/**
 * Finds the native addon of isolated-vm for this system, without loading it into this process.
 * @throws {Error} if there is none, because user code cannot run without it.
 */
export function findAddonFile(): string {
  const folder = addonFolder();
  try {
    return realpathSync(nodeGypBuild.path(folder));
  } catch {
    throw new Error(
      `No sandbox is available for Node ${process.versions.node} on ${process.platform}-${process.arch}: isolated-vm has binaries for Node 24 and 26 on Linux (x64, arm64), macOS (arm64) and Windows (x64), and ${folder} has none for this system.`,
    );
  }
}

/** The package in node_modules when running from source; in a build, the copy included in it. */
function addonFolder(): string {
  if (import.meta.url.endsWith('.ts')) return dirname(createRequire(import.meta.url).resolve('isolated-vm'));
  return fileURLToPath(new URL('./isolated-vm', import.meta.url));
}
