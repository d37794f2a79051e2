import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';

/** A package as the bundling process has it: its code and JSON as texts, by path. */
export type PackageFiles = { path: string; files: Readonly<Record<string, string>> };

/** A package whose `package.json` was read. */
export type PackageTree = {
  readonly path: string;
  readonly files: ReadonlyMap<string, string>;
  readonly manifest: JsonObject;
};

/** Endings of files that may be imported; everything else stays out. */
const CODE = /\.(?:js|mjs|cjs|json)$/;
const decoder = new TextDecoder();

/** What a bundle can take of a package's files. */
export function codeOf(files: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  const texts: [string, string][] = [];
  for (const [path, bytes] of files) if (CODE.test(path)) texts.push([path, decoder.decode(bytes)]);
  return Object.fromEntries(texts);
}

export function treeOf({ path, files }: PackageFiles): PackageTree {
  const all = new Map(Object.entries(files));
  return { path, files: all, manifest: manifestIn(all, '') };
}

/** The `package.json` of a folder; an empty one where there is none, or none that can be read. */
export function manifestIn(files: ReadonlyMap<string, string>, folder: string): JsonObject {
  const text = files.get(folder === '' ? 'package.json' : `${folder}/package.json`);
  if (text === undefined) return {};
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
