/**
 * The Node major version for which the sandbox of the `code` node and of custom nodes has a binary, and which
 * is tested.
 */
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
