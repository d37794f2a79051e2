import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTool, listIsolationLevels, type Launch } from '../sandbox/isolation-launcher.ts';

/** MB of the heap of a pack. */
const HEAP_MB = 256;
/**
 * MB of the space for new objects. A small one leaves an idle process with 3 MiB less; packs mostly wait for
 * responses, so its collections cost little.
 */
const NEW_SPACE_MB = 1;
/**
 * Limit of data segments in bytes, which includes memory outside the heap. V8 maps 1.1 GiB at startup.
 */
const MAX_DATA_BYTES = 1.75 * 1024 ** 3;
const NAMESPACES = ['--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child'];

const isSource = import.meta.url.endsWith('.ts');
const PROGRAM = fileURLToPath(new URL(isSource ? './pack-process.ts' : './pack-process.js', import.meta.url));
/** A build is a single file. The source imports other files. */
const READABLE = isSource ? `${resolve(dirname(PROGRAM), '..')}/` : PROGRAM;

/**
 * Returns the ways to start the process of a pack: only those with complete isolation, because packs are code
 * of others that runs with the credentials of users.
 */
export function listPackLaunches(): Launch[] {
  const setpriv = findTool('setpriv');
  if (setpriv === undefined) return [];
  const launches = listIsolationLevels(
    [
      '--permission',
      `--allow-fs-read=${READABLE}`,
      '--no-warnings',
      '--no-addons',
      // 10 MiB less for a bundle of 1.5 MiB. Packs mostly wait for responses, so slower code costs little.
      '--optimize-for-size',
      `--max-old-space-size=${HEAP_MB}`,
      `--max-semi-space-size=${NEW_SPACE_MB}`,
      PROGRAM,
    ],
    ['--nofile=128', `--data=${MAX_DATA_BYTES}`],
    NAMESPACES,
  );
  // `unshare` stays as the parent of the process, so it must end with the service, too.
  return launches
    .filter(({ lacks }) => lacks === '')
    .map(({ command, args, lacks }) => ({
      command: setpriv,
      args: ['--pdeathsig', 'KILL', '--', command, ...args],
      lacks,
    }));
}
