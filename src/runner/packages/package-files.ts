import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';

/** Code and JSON files of a package by path, as passed to the bundling process. */
export type PackageFiles = { path: string; files: Readonly<Record<string, string>> };

/** A package with its parsed `package.json`. */
export type PackageTree = {
  readonly path: string;
  readonly files: ReadonlyMap<string, string>;
  readonly manifest: JsonObject;
};

/** Extensions of files that can be imported. */
const CODE = /\.(?:js|mjs|cjs|json)$/;
const decoder = new TextDecoder();

/** Returns the files of a package that a bundle can include. */
export function selectCode(files: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  const texts: [string, string][] = [];
  for (const [path, bytes] of files) if (CODE.test(path)) texts.push([path, decoder.decode(bytes)]);
  return Object.fromEntries(texts);
}

export function createTree({ path, files }: PackageFiles): PackageTree {
  const all = new Map(Object.entries(files));
  return { path, files: all, manifest: readManifest(all, '') };
}

/** Reads the `package.json` of a folder. Returns an empty object if it is missing or malformed. */
export function readManifest(files: ReadonlyMap<string, string>, folder: string): JsonObject {
  const text = files.get(folder === '' ? 'package.json' : `${folder}/package.json`);
  if (text === undefined) return {};
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
