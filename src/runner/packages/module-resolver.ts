import { builtinModules } from 'node:module';
import { findOuterPath, getPackageName } from '../../contract/packs/packages.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { resolveTarget } from './exports-map.ts';
import { readManifest, type PackageTree } from './package-files.ts';

/** The location of code: a file of a package, or the handler (`path` null). */
export type CodeLocation = { path: string | null; file: string };

/**
 * - `file`: the resolved file.
 *   `hasNoSideEffects`: its package declares that importing it has no side effects.
 * - `empty`: the package replaces it with an empty module outside Node.js.
 * - `missing`: it does not exist; code that imports it conditionally may continue.
 * - `refused`: packages must not import it.
 */
export type Resolution =
  | { kind: 'file'; place: { path: string; file: string }; hasNoSideEffects: boolean }
  | { kind: 'empty' }
  | { kind: 'missing'; why: string }
  | { kind: 'refused'; why: string };

const builtins = new Set(builtinModules);
const IMPORT_CONDITIONS = new Set(['import', 'module', 'browser']);
const REQUIRE_CONDITIONS = new Set(['require', 'module', 'browser']);
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.json'];
const PACKAGE_PATTERN = /^(@[^/]+\/[^/]+|[^@./#][^/]*)(?:\/(.*))?$/;

/**
 * Resolves imports among the packages of a lock as Node.js and bundlers do: relative files, `exports`,
 * `imports`, `browser`, `module` and `main`, and packages in parent folders. Only files of these packages are
 * used, never files of the machine.
 */
export function createResolver(
  trees: readonly PackageTree[],
): (specifier: string, from: CodeLocation, kind: 'import' | 'require') => Resolution {
  const byPath = new Map(trees.map((tree) => [tree.path, tree]));

  return (specifier, from, kind) => {
    const conditions = kind === 'import' ? IMPORT_CONDITIONS : REQUIRE_CONDITIONS;
    const own = from.path === null ? undefined : byPath.get(from.path);
    if (specifier.startsWith('/') || specifier.includes('\\') || specifier.includes('\0'))
      return { kind: 'refused', why: 'must be a package, not a file path' };
    if (specifier.startsWith('node:'))
      return missing('is a Node.js module, which is not available in the sandbox');
    if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(specifier))
      return { kind: 'refused', why: 'must be a package, not a URL' };
    if (/^\.\.?(?:\/|$)/.test(specifier)) {
      if (own === undefined)
        return { kind: 'refused', why: 'must be a package: the handler has no other files' };
      const target = joinPath(parentFolder(from.file), specifier);
      if (target === null) return { kind: 'refused', why: 'must not leave the folder of its package' };
      return applyBrowserField(own, findFile(own, target)) ?? missing('is not a file of the package');
    }
    if (specifier.startsWith('#')) {
      if (own === undefined) return missing('must not start with # in the handler');
      const target = resolveTarget(own.manifest['imports'] ?? null, specifier, conditions);
      if (target === undefined) return missing('is not in the imports of its package.json');
      if (target.startsWith('./')) return resolveExport(own, target);
      return bare(target, from, own, conditions);
    }
    if (own !== undefined && isObject(own.manifest['browser'])) {
      const other = own.manifest['browser'][specifier];
      if (other === false) return { kind: 'empty' };
      if (typeof other === 'string')
        return other.startsWith('.') ? resolveExport(own, other) : bare(other, from, own, conditions);
    }
    return bare(specifier, from, own, conditions);
  };

  function bare(
    specifier: string,
    from: CodeLocation,
    own: PackageTree | undefined,
    conditions: ReadonlySet<string>,
  ): Resolution {
    const [, name = '', rest = ''] = PACKAGE_PATTERN.exec(specifier) ?? [];
    if (name === '') return { kind: 'refused', why: 'must be a package name' };
    const tree = own !== undefined && isItself(own, name) ? own : findEnclosing(from.path, name);
    if (tree === undefined)
      return builtins.has(name)
        ? missing('is a Node.js module, which is not available in the sandbox')
        : missing(`is not in the dependencies: add ${name} with its version and integrity`);
    const { exports } = tree.manifest;
    if (exports !== undefined && exports !== null) {
      const target = resolveTarget(exports, rest === '' ? '.' : `./${rest}`, conditions);
      return target === undefined ? missing(`is not exported by ${name}`) : resolveExport(tree, target);
    }
    const file = rest === '' ? findEntry(tree, '') : findFile(tree, joinPath('', rest));
    return applyBrowserField(tree, file) ?? missing(`is not a file of ${name}`);
  }

  /** From the innermost folder outward. */
  function findEnclosing(path: string | null, name: string): PackageTree | undefined {
    for (let folder = path; folder !== null; folder = findOuterPath(folder)) {
      const found = byPath.get(`${folder}/node_modules/${name}`);
      if (found !== undefined) return found;
    }
    return byPath.get(name);
  }
}

function isItself({ path, manifest }: PackageTree, name: string): boolean {
  return getPackageName(path) === name && isObject(manifest['exports'] ?? null);
}

function missing(why: string): Resolution {
  return { kind: 'missing', why };
}

/** Resolves a target of package.json, which names a file exactly. */
function resolveExport(tree: PackageTree, target: string): Resolution {
  const file = target.startsWith('./') ? joinPath('', target) : null;
  if (file === null) return { kind: 'refused', why: 'must not leave its package' };
  return tree.files.has(file)
    ? (applyBrowserField(tree, file) ?? missing('is not a file of the package'))
    : missing(`resolves to ${JSON.stringify(target)}, which does not exist in its package`);
}

/** Returns the file, or its replacement for environments without Node.js. */
function applyBrowserField(tree: PackageTree, file: string | null): Resolution | null {
  if (file === null) return null;
  const { browser, sideEffects } = tree.manifest;
  let found = file;
  if (isObject(browser ?? null)) {
    const names = [
      `./${file}`,
      ...EXTENSIONS.filter((end) => file.endsWith(end)).map((end) => `./${file.slice(0, -end.length)}`),
    ];
    const other = names
      .map((name) => (browser as Record<string, Json>)[name])
      .find((one) => one !== undefined);
    if (other === false) return { kind: 'empty' };
    if (typeof other === 'string') found = findFile(tree, joinPath('', other)) ?? file;
  }
  return { kind: 'file', place: { path: tree.path, file: found }, hasNoSideEffects: sideEffects === false };
}

/** Finds a file, also without its extension, or the entry file of a folder. */
function findFile(tree: PackageTree, path: string | null): string | null {
  if (path === null) return null;
  if (path !== '' && tree.files.has(path)) return path;
  const ending = path === '' ? undefined : EXTENSIONS.find((end) => tree.files.has(path + end));
  return ending === undefined ? findEntry(tree, path) : path + ending;
}

/** The file named in a folder's package.json, or its index. */
function findEntry(tree: PackageTree, folder: string): string | null {
  const { browser, module, main } = readManifest(tree.files, folder);
  for (const named of [browser, module, main]) {
    if (typeof named !== 'string') continue;
    const path = joinPath(folder, named);
    if (path === null) continue;
    const tries = [
      path,
      ...EXTENSIONS.map((end) => path + end),
      ...EXTENSIONS.map((end) => `${path}/index${end}`),
    ];
    const found = tries.find((one) => tree.files.has(one));
    if (found !== undefined) return found;
  }
  const start = folder === '' ? 'index' : `${folder}/index`;
  const ending = EXTENSIONS.find((end) => tree.files.has(start + end));
  return ending === undefined ? null : start + ending;
}

function parentFolder(file: string): string {
  const at = file.lastIndexOf('/');
  return at === -1 ? '' : file.slice(0, at);
}

/** Returns null if the path leaves the package folder. */
function joinPath(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
