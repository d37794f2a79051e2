import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import nodeGypBuild from 'node-gyp-build';

/**
 * The native part of isolated-vm for this system. Nothing of it is loaded in this process.
 * @throws an Error of one line when there is none: without it no code of users can run.
 */
export function addonFile(): string {
  const folder = addonFolder();
  try {
    return realpathSync(nodeGypBuild.path(folder));
  } catch {
    throw new Error(
      `Weft has no sandbox for Node ${process.versions.node} on ${process.platform}-${process.arch}: isolated-vm comes as a binary for Node 24 and 26 on Linux (x64, arm64), macOS (arm64) and Windows (x64), and there is none for this one in ${folder}.`,
    );
  }
}

/** The package itself beside the sources; beside a build the copy that belongs to it. */
function addonFolder(): string {
  if (import.meta.url.endsWith('.ts')) return dirname(createRequire(import.meta.url).resolve('isolated-vm'));
  return fileURLToPath(new URL('./isolated-vm', import.meta.url));
}
