import { createRequire } from 'node:module';

/** The major version of Node that the sandbox of the `code` node and of custom nodes has a binary for, and what is tested. */
const OLDEST_NODE_MAJOR = 24;

/**
 * For commands that work on this machine's data: an older Node that runs the other commands is refused here.
 * @throws an Error of one line.
 */
export function requireServiceNode(command: string, version: string = process.versions.node): void {
  if (Number(version.split('.')[0]) >= OLDEST_NODE_MAJOR) return;
  throw new Error(
    `weft ${command} needs Node ${OLDEST_NODE_MAJOR} or newer, and this is Node ${version}. Commands that call a service elsewhere work with this one.`,
  );
}

/**
 * npm leaves isolated-vm out where it has no binary and cannot be compiled; without it no code of users can run.
 * @throws an Error of one line.
 */
export function requireSandbox(): void {
  if (isResolvable('isolated-vm')) return;
  throw new Error(
    `weft start needs the package isolated-vm, which npm did not install for Node ${process.versions.node} on ${process.platform}-${process.arch}. It comes as a binary for Node 24 and 26 on Linux (x64, arm64), macOS (arm64) and Windows (x64); reinstall Weft with one of these.`,
  );
}

function isResolvable(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
