import { readdir, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NodeType } from '../contract/node-type.ts';
import { checkTrustedNode } from '../nodes/trusted-node.ts';

export type TrustedNode = { file: string; node: NodeType };

const NODE_FILE = /\.node\.(?:js|mjs|ts)$/;
const MAX_FILES = 1_000;
/** Limits the time that a file may delay the start. */
const LOAD_TIMEOUT_MS = 30_000;
const NODE_KIT_MODULE = 'weft/node-kit';

/**
 * Loads the nodes in a folder, ordered by file name. Their code runs in this process, with all its
 * permissions.
 * @throws {Error} for the terminal, naming the file and the error.
 */
export async function loadTrustedNodes(folder: string, builtin: readonly NodeType[]): Promise<TrustedNode[]> {
  const names = (await readFolder(folder)).filter((name) => NODE_FILE.test(name)).sort();
  if (names.length === 0)
    throw new Error(
      `WEFT_NODES_DIR: no nodes found in ${folder}; file names must end with .node.js, .node.mjs or .node.ts.`,
    );
  if (names.length > MAX_FILES) throw new Error(`WEFT_NODES_DIR: more than ${MAX_FILES} nodes in ${folder}.`);
  const found: TrustedNode[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    const node = await loadTrustedNode(file);
    if (builtin.some((other) => other.type === node.type))
      throw new Error(`${file}: ${node.type} is the name of a built-in node; choose another.`);
    const duplicate = found.find(
      (other) => other.node.type === node.type && other.node.version === node.version,
    );
    if (duplicate !== undefined)
      throw new Error(
        `${file}: ${node.type} ${node.version} is in ${path.basename(duplicate.file)} already.`,
      );
    found.push({ file, node });
  }
  return found;
}

/** Loads the node of one file. @throws {Error} for the terminal. */
export async function loadTrustedNode(file: string): Promise<NodeType> {
  provideKit();
  let exported: { default?: unknown };
  try {
    exported = await withTimeout(import(/* @vite-ignore */ pathToFileURL(file).href) as Promise<object>);
  } catch (error) {
    // oxlint-disable-next-line preserve-caught-error -- our stack trace does not help the author of the file
    throw new Error(`${file} cannot be loaded: ${formatReason(error)}`);
  }
  const problem = checkTrustedNode(exported.default);
  if (problem !== null) throw new Error(`${file}: ${problem}.`);
  return exported.default as NodeType;
}

async function readFolder(folder: string): Promise<string[]> {
  const there = await stat(folder).catch(() => null);
  if (there?.isDirectory() !== true)
    throw new Error(
      `WEFT_NODES_DIR: folder ${folder} does not exist; set it to the folder of your nodes, or unset it.`,
    );
  try {
    return await readdir(folder);
  } catch (error) {
    throw new Error(`WEFT_NODES_DIR: ${folder} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

let isProvided = false;

/**
 * Resolves `weft/node-kit` to ours from any folder, so that it needs no installation and exists only once.
 */
function provideKit(): void {
  if (isProvided) return;
  isProvided = true;
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? '../nodes/node-kit.ts' : './node-kit.js', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === NODE_KIT_MODULE ? { url, shortCircuit: true } : next(specifier, context),
  });
}

function withTimeout<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`did not load within ${LOAD_TIMEOUT_MS} ms`)), LOAD_TIMEOUT_MS);
  });
  return Promise.race([loading, late]).finally(() => clearTimeout(timer));
}

/** The message, and the position in a file of the folder. */
function formatReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [location] = /[^/\s(]+\.(?:js|mjs|ts):\d+(?::\d+)?(?=\)?$)/m.exec(error.stack ?? '') ?? [];
  // Node does not expose the position of a syntax error.
  const where = location ?? (error instanceof SyntaxError ? 'node --check shows where' : null);
  return `${error.name}: ${error.message}${where === null ? '' : ` (${where})`}`;
}
