import { readdir, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NodeType } from '../contract/node-type.ts';
import { checkTrustedNode } from '../nodes/trusted-node.ts';

export type TrustedNode = { file: string; node: NodeType };

const NODE_FILE = /\.node\.(?:js|mjs|ts)$/;
const MAX_FILES = 1_000;
/** ms that a file may take to load: whatever it waits for, the start must not. */
const LOAD_TIME = 30_000;
const KIT = 'weft/node-kit';

/**
 * The nodes in a folder, by name of their file. Their code runs in this process, with all its rights.
 * @throws {Error} fit for the terminal, naming the file and what is wrong with it.
 */
export async function loadTrustedNodes(folder: string, builtin: readonly NodeType[]): Promise<TrustedNode[]> {
  const names = (await readFolder(folder)).filter((name) => NODE_FILE.test(name)).sort();
  if (names.length === 0)
    throw new Error(
      `WEFT_NODES_DIR: there is no node in ${folder}; it takes files *.node.js, *.node.mjs or *.node.ts.`,
    );
  if (names.length > MAX_FILES) throw new Error(`WEFT_NODES_DIR: more than ${MAX_FILES} nodes in ${folder}.`);
  const found: TrustedNode[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    const node = await loadTrustedNode(file);
    if (builtin.some((other) => other.type === node.type))
      throw new Error(`${file}: ${node.type} is the name of a node that comes with Weft; choose another.`);
    const twin = found.find((other) => other.node.type === node.type && other.node.version === node.version);
    if (twin !== undefined)
      throw new Error(`${file}: ${node.type} ${node.version} is in ${path.basename(twin.file)} already.`);
    found.push({ file, node });
  }
  return found;
}

/** The node of one file. @throws {Error} fit for the terminal. */
export async function loadTrustedNode(file: string): Promise<NodeType> {
  provideKit();
  let exported: { default?: unknown };
  try {
    exported = await inTime(import(/* @vite-ignore */ pathToFileURL(file).href) as Promise<object>);
  } catch (error) {
    // Without its cause: the stack of ours says nothing to who wrote the file.
    throw new Error(`${file} cannot be loaded: ${reasonOf(error)}`);
  }
  const fault = checkTrustedNode(exported.default);
  if (fault !== null) throw new Error(`${file}: ${fault}.`);
  return exported.default as NodeType;
}

async function readFolder(folder: string): Promise<string[]> {
  const there = await stat(folder).catch(() => null);
  if (there?.isDirectory() !== true)
    throw new Error(
      `WEFT_NODES_DIR: there is no folder ${folder}; set it to the folder of your nodes, or unset it.`,
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

/** `weft/node-kit` is ours, wherever the file lies: no installation beside it is needed, and there is one kit only. */
function provideKit(): void {
  if (isProvided) return;
  isProvided = true;
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? '../nodes/node-kit.ts' : './node-kit.js', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === KIT ? { url, shortCircuit: true } : next(specifier, context),
  });
}

function inTime<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it is not loaded after ${LOAD_TIME} ms`)), LOAD_TIME);
  });
  return Promise.race([loading, late]).finally(() => clearTimeout(timer));
}

/** The message, and where in a file of the folder it came from. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [place] = /[^/\s(]+\.(?:js|mjs|ts):\d+(?::\d+)?(?=\)?$)/m.exec(error.stack ?? '') ?? [];
  // Node keeps the place of a fault of syntax to itself.
  const where = place ?? (error instanceof SyntaxError ? 'node --check shows where' : null);
  return `${error.name}: ${error.message}${where === null ? '' : ` (${where})`}`;
}
