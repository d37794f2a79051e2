import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addonFile } from './addon.ts';

/** A way to start the program of a sandbox process. `lacks`: what the strongest way has and this one has not. */
export type Launch = { readonly command: string; readonly args: readonly string[]; readonly lacks: string };

/** MB of the heap in which the program itself works; those of isolates are bounded one by one. */
const PROGRAM_HEAP = 192;
/**
 * Bytes of data, most of which V8 only sets aside; it uses 1.1 GiB of them from the start. Behind the looks at what the process
 * really has, should these be kept from happening.
 */
const MAX_DATA = 2.5 * 1024 ** 3;
/** Processes and threads of the user nobody. Of an ordinary user it would count everything that runs on a desktop. */
const MAX_PROCESSES = 512;
const NOBODY = '65534';
const TOOL_PLACES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Ways to start a sandbox process. */
export function launches(): Launch[] {
  return waysToStart(programArgs(), ['--nofile=64', `--data=${MAX_DATA}`]);
}

/**
 * Ways to start Node with these arguments, strongest first: which of them work depends on the system and on who runs the
 * service. `bounds` are limits of `prlimit`, beside those that all have.
 */
export function waysToStart(program: readonly string[], bounds: readonly string[]): Launch[] {
  const plain: Launch = {
    command: process.execPath,
    args: program,
    lacks: 'a network namespace and limits of the system',
  };
  if (process.platform !== 'linux') return [plain];
  const [unshare, setpriv, prlimit] = ['unshare', 'setpriv', 'prlimit'].map(findTool);
  if (setpriv === undefined || prlimit === undefined) return [plain];
  // Writes no file and no core, opens next to nothing, dies with the service, and gains no right.
  const limited = [prlimit, '--core=0', '--fsize=0', ...bounds, '--', process.execPath, ...program];
  const crowdless = [prlimit, `--nproc=${MAX_PROCESSES}`, '--'];
  const humble = [setpriv, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--pdeathsig', 'KILL'];
  const isRoot = process.getuid?.() === 0;
  const dropped = [...humble, '--reuid', NOBODY, '--regid', NOBODY, '--clear-groups'];
  const mild = [setpriv, '--no-new-privs', '--pdeathsig', 'KILL'];
  const found: Launch[] = [];
  if (unshare !== undefined) {
    const apart = [unshare, '--net', '--ipc', '--uts', '--'];
    if (isRoot) found.push(launch([...apart, ...dropped, '--', ...crowdless, ...limited], ''));
    if (isRoot) found.push(launch([...apart, ...humble, '--', ...limited], 'a user of its own'));
    found.push(launch([unshare, '--map-root-user', ...apart.slice(1), ...humble, '--', ...limited], ''));
  }
  if (isRoot) found.push(launch([...dropped, '--', ...crowdless, ...limited], 'a network namespace'));
  found.push(launch([...mild, '--', ...limited], 'a network namespace'), plain);
  return found;
}

function launch([command = '', ...args]: readonly string[], lacks: string): Launch {
  return { command, args, lacks };
}

/** A tool of the system where systems have it; the path of whoever started the service says nothing. */
export function findTool(name: string): string | undefined {
  return TOOL_PLACES.map((place) => `${place}/${name}`).find((file) => existsSync(file));
}

/**
 * The program beside this file: from the sources with what it imports, in a build a file of its own. It may read these
 * and the addon, nothing else.
 */
function programArgs(): string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(
    new URL(isSource ? './sandbox-process.ts' : './sandbox-process.js', import.meta.url),
  );
  const addon = addonFile();
  const readable = isSource ? [`${dirname(file)}/`, addon] : [file, addon];
  return [
    // What isolated-vm asks for: isolates and Node's own snapshot do not get on.
    '--no-node-snapshot',
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--no-warnings',
    `--max-old-space-size=${PROGRAM_HEAP}`,
    file,
    addon,
  ];
}
