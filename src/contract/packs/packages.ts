/*
 * npm packages of a custom node. They are given as an exact lock and bundled with the handler when a version
 * is registered; nothing is downloaded after that.
 */

/**
 * By install path, as in package-lock.json without the first `node_modules/`: `a`, `@scope/b`,
 * `a/node_modules/c`.
 */
export type PackageLock = Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;

/** A package in a bundle. Sizes in bytes: of the archive, of its files, and of its part of the bundle. */
export type BundledPackage = {
  path: string;
  version: string;
  integrity: string;
  archive_size: number;
  unpacked_size: number;
  bundled_size: number;
};

/** `source`: an ES module that imports nothing, with the handler as its default export. */
export type CodeBundle = { source: string; packages: BundledPackage[] };

const FOLDER = '/node_modules/';
const NAME = '(?:@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*';
const PATH = new RegExp(`^${NAME}(?:/node_modules/${NAME})*$`);
const MAX_NAME_LENGTH = 214;
const MAX_DEPTH = 10;

/** Null for a valid install path; otherwise the issue. */
export function checkInstallPath(path: string): string | null {
  if (!PATH.test(path))
    return 'must be the install path of a package, such as "lodash", "@scope/name" or "a/node_modules/b"';
  const names = path.split(FOLDER);
  if (names.length > MAX_DEPTH) return `must be nested at most ${MAX_DEPTH} packages deep`;
  if (names.some((name) => name.length > MAX_NAME_LENGTH))
    return `must have names of at most ${MAX_NAME_LENGTH} characters`;
  return null;
}

/** `@scope/b` for `a/node_modules/@scope/b`. */
export function getPackageName(path: string): string {
  const at = path.lastIndexOf(FOLDER);
  return at === -1 ? path : path.slice(at + FOLDER.length);
}

/** The path of the package whose folder contains it; null at the top level. */
export function findOuterPath(path: string): string | null {
  const at = path.lastIndexOf(FOLDER);
  return at === -1 ? null : path.slice(0, at);
}
