import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAddonFile } from './addon.ts';

/** A way to start a sandbox process. `lacks`: what the strongest way provides and this one does not. */
export type Launch = { readonly command: string; readonly args: readonly string[]; readonly lacks: string };

/** MB of the heap of the program itself; isolates have separate limits. */
const PROGRAM_HEAP_MB = 192;
/**
 * Limit of data segments in bytes. V8 reserves most of it and maps 1.1 GiB at startup. A second limit in case
 * the memory checks during a call do not run.
 */
const MAX_DATA_BYTES = 2.5 * 1024 ** 3;
/** Process limit for the user `nobody`. For an ordinary user it would count all processes of the desktop. */
const MAX_PROCESSES = 512;
const NOBODY_UID = '65534';
const TOOL_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Returns the ways to start a sandbox process. */
export function listLaunches(): Launch[] {
  return listIsolationLevels(programArgs(), ['--nofile=64', `--data=${MAX_DATA_BYTES}`]);
}

/**
 * Returns ways to start Node.js with these arguments, strongest isolation first. Which of them work depends
 * on the system and the user of the service. `bounds` are additional limits for `prlimit`, and `namespaces`
 * the options of `unshare`.
 */
export function listIsolationLevels(
  program: readonly string[],
  bounds: readonly string[],
  namespaces: readonly string[] = ['--net', '--ipc', '--uts'],
): Launch[] {
  const plain: Launch = {
    command: process.execPath,
    args: program,
    lacks: 'a network namespace and system limits',
  };
  if (process.platform !== 'linux') return [plain];
  const [unshare, setpriv, prlimit] = ['unshare', 'setpriv', 'prlimit'].map(findTool);
  if (setpriv === undefined || prlimit === undefined) return [plain];
  // Writes no files or core dumps, opens few files, ends with the service and cannot gain privileges.
  const limited = [prlimit, '--core=0', '--fsize=0', ...bounds, '--', process.execPath, ...program];
  const crowdless = [prlimit, `--nproc=${MAX_PROCESSES}`, '--'];
  const humble = [setpriv, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--pdeathsig', 'KILL'];
  const isRoot = process.getuid?.() === 0;
  const dropped = [...humble, '--reuid', NOBODY_UID, '--regid', NOBODY_UID, '--clear-groups'];
  const mild = [setpriv, '--no-new-privs', '--pdeathsig', 'KILL'];
  const found: Launch[] = [];
  if (unshare !== undefined) {
    const apart = [unshare, ...namespaces, '--'];
    if (isRoot) found.push(createLaunch([...apart, ...dropped, '--', ...crowdless, ...limited], ''));
    if (isRoot) found.push(createLaunch([...apart, ...humble, '--', ...limited], 'a separate user'));
    found.push(
      createLaunch([unshare, '--map-root-user', ...apart.slice(1), ...humble, '--', ...limited], ''),
    );
  }
  if (isRoot) found.push(createLaunch([...dropped, '--', ...crowdless, ...limited], 'a network namespace'));
  found.push(createLaunch([...mild, '--', ...limited], 'a network namespace'), plain);
  return found;
}

function createLaunch([command = '', ...args]: readonly string[], lacks: string): Launch {
  return { command, args, lacks };
}

/**
 * Finds a system tool in standard folders. PATH is not used because it depends on the caller's environment.
 */
export function findTool(name: string): string | undefined {
  return TOOL_FOLDERS.map((location) => `${location}/${name}`).find((file) => existsSync(file));
}

/**
 * Arguments for the program next to this file: with its imports when running from source, a single file in a
 * build. The process may read only these files and the addon.
 */
function programArgs(): string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(
    new URL(isSource ? './sandbox-process.ts' : './sandbox-process.js', import.meta.url),
  );
  const addon = findAddonFile();
  const readable = isSource ? [`${dirname(file)}/`, addon] : [file, addon];
  return [
    // Required by isolated-vm: isolates are incompatible with the snapshot of Node.js.
    '--no-node-snapshot',
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--no-warnings',
    `--max-old-space-size=${PROGRAM_HEAP_MB}`,
    file,
    addon,
  ];
}
