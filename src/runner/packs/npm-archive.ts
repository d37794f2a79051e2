import { createHash } from 'node:crypto';
import { isObject, type Json } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { readManifest } from '../packages/package-files.ts';
import { ArchiveError, readArchive } from '../packages/tar.ts';

/** The content of a package that can run as a pack. */
export type PackArchive = {
  name: string;
  version: string;
  description: string;
  /** What the package states; null: nothing. */
  license: string | null;
  /** The CommonJS module that is its only file of code. */
  source: string;
};

/** An archive that cannot be used. The message continues a sentence that starts with the field. */
export class PackArchiveError extends Error {
  override readonly name = 'PackArchiveError';
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const VERSION = /^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){2}$/;

/** Integrity in the form of npm: `sha512-` and base64. */
export function computeIntegrity(archive: Uint8Array): string {
  return `sha512-${createHash('sha512').update(archive).digest('base64')}`;
}

/** @throws {PackArchiveError} */
export async function readPackArchive(packed: Uint8Array): Promise<PackArchive> {
  let files: ReadonlyMap<string, Uint8Array>;
  try {
    ({ files } = await readArchive(packed, { files: limits.packFiles, bytes: limits.packageBytes }));
  } catch (error) {
    if (error instanceof ArchiveError)
      throw new PackArchiveError(`cannot be used: its archive ${error.message}`);
    throw error;
  }
  const bytes = files.get('package.json');
  if (bytes === undefined) throw new PackArchiveError('cannot be used: it has no package.json');
  const manifest = readManifest(new Map([['package.json', Buffer.from(bytes).toString('utf8')]]), '');
  const { name, version, description, license, type, main } = manifest;
  if (typeof name !== 'string' || name.length > 214 || !NAME.test(name))
    throw new PackArchiveError('cannot be used: its package.json has no valid name');
  if (typeof version !== 'string' || !VERSION.test(version))
    throw new PackArchiveError('cannot be used: its version must have the form major.minor.patch');
  for (const field of ['dependencies', 'optionalDependencies'])
    if (hasEntries(manifest[field]))
      throw new PackArchiveError(
        'is published as a tree of packages: Weft runs packages that are one file without dependencies; take a version that is published as a bundle',
      );
  const entry = readEntry(files, typeof main === 'string' ? main : 'index.js');
  if (entry === null) throw new PackArchiveError('cannot be used: its main file is missing');
  if (entry.path.endsWith('.mjs') || (type === 'module' && !entry.path.endsWith('.cjs')))
    throw new PackArchiveError('cannot be used: its main file must be a CommonJS module');
  if (entry.source.length > limits.packSourceChars)
    throw new PackArchiveError(
      `cannot be used: its main file has more than ${limits.packSourceChars} characters`,
    );
  return {
    name,
    version,
    description: typeof description === 'string' ? description.slice(0, 1_000) : '',
    license: typeof license === 'string' ? license.slice(0, 200) : null,
    source: entry.source,
  };
}

function hasEntries(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

/** The main file, found as by `require`: the path, with `.js`, or `index.js` in it. */
function readEntry(
  files: ReadonlyMap<string, Uint8Array>,
  main: string,
): { path: string; source: string } | null {
  const base = main.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
  const candidates = base === '' || base === '.' ? ['index.js'] : [base, `${base}.js`, `${base}/index.js`];
  for (const path of candidates) {
    const bytes = files.get(path);
    if (bytes !== undefined) return { path, source: Buffer.from(bytes).toString('utf8') };
  }
  return null;
}
