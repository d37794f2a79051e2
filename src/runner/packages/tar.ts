import { gunzip } from 'node:zlib';

/** An invalid archive. The message continues a sentence that starts with "the archive". */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** The files of a package by path. */
export type Archive = { files: ReadonlyMap<string, Uint8Array>; size: number };

const BLOCK_BYTES = 512;
const MAX_PATH_LENGTH = 512;
/** Maximum size of an extended header in bytes. */
const MAX_EXTENDED_HEADER_BYTES = 64 * 1024;

/**
 * Reads a gzipped tar archive in the format of npm: files below one folder, whose name is ignored. Links,
 * devices and paths outside the folder are rejected. Nothing is written to disk.
 * @throws {ArchiveError}
 */
export async function readArchive(
  packed: Uint8Array,
  most: { files: number; bytes: number },
): Promise<Archive> {
  const bytes = await unpack(packed, most.bytes + (most.files + 2) * BLOCK_BYTES * 2);
  const files = new Map<string, Uint8Array>();
  let size = 0;
  let entries = 0;
  let extended: { path?: string; size?: number } = {};
  for (let at = 0; at + BLOCK_BYTES <= bytes.length;) {
    const header = bytes.subarray(at, at + BLOCK_BYTES);
    at += BLOCK_BYTES;
    if (header.every((byte) => byte === 0)) break;
    verifyChecksum(header);
    // Folders and extended headers count too, because each takes work.
    if (++entries > most.files * 3) throw new ArchiveError(`has more than ${most.files} files`);
    const length = extended.size ?? readNumber(header, 124, 12);
    if (at + length > bytes.length) throw new ArchiveError('is truncated');
    const content = bytes.subarray(at, at + length);
    at += Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x' || type === 'L') {
      if (length > MAX_EXTENDED_HEADER_BYTES) throw new ArchiveError('has an oversized extended header');
      extended =
        type === 'x' ? { ...extended, ...extendedHeader(content) } : { ...extended, path: readText(content) };
      continue;
    }
    // A global header (`git archive` stores the commit in it) contains nothing needed here.
    if (type === 'g') continue;
    const name = extended.path ?? readName(header);
    extended = {};
    if (type === '5') continue;
    if (type !== '0' && type !== '\0')
      throw new ArchiveError(`contains ${describeKind(type)}: ${quoteName(name)}`);
    const path = pathInPackage(name);
    if (files.has(path)) throw new ArchiveError(`contains a file twice: ${quoteName(path)}`);
    size += length;
    if (files.size >= most.files) throw new ArchiveError(`has more than ${most.files} files`);
    if (size > most.bytes) throw new ArchiveError(`has more than ${most.bytes} bytes`);
    files.set(path, content);
  }
  return { files, size };
}

function unpack(packed: Uint8Array, most: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gunzip(packed, { maxOutputLength: most }, (error, bytes) => {
      if (error === null) resolve(bytes);
      else if (error instanceof RangeError) reject(new ArchiveError(`has more than ${most} bytes`));
      else reject(new ArchiveError('is not a gzipped tar archive'));
    });
  });
}

function verifyChecksum(header: Uint8Array): void {
  let sum = 0;
  for (let i = 0; i < BLOCK_BYTES; i++) sum += i >= 148 && i < 156 ? 32 : (header[i] ?? 0);
  if (sum !== readNumber(header, 148, 8)) throw new ArchiveError('is not a tar archive, or is corrupt');
}

/** Parses octal digits. The binary form is for sizes that exceed the limits anyway. */
function readNumber(header: Uint8Array, start: number, length: number): number {
  const text = readText(header.subarray(start, start + length)).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw new ArchiveError('is corrupt: a header has an invalid number');
  return Number.parseInt(text, 8);
}

function readName(header: Uint8Array): string {
  const name = readText(header.subarray(0, 100));
  const isUstar = readText(header.subarray(257, 262)) === 'ustar';
  const prefix = isUstar ? readText(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Reads up to the first NUL. */
function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

/** Parses lines of `<length> <key>=<value>\n`. The length includes the whole line. */
function extendedHeader(content: Uint8Array): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const length = space === -1 ? Number.NaN : Number(bytes.toString('latin1', at, space));
    if (!Number.isSafeInteger(length) || length <= space - at + 1 || at + length > bytes.length)
      throw new ArchiveError('has a malformed extended header');
    const line = bytes.toString('utf8', space + 1, at + length - 1);
    const equals = line.indexOf('=');
    const value = line.slice(equals + 1);
    if (line.startsWith('path=')) found.path = value;
    if (line.startsWith('size=')) {
      if (!/^\d{1,12}$/.test(value)) throw new ArchiveError('is corrupt: a header has an invalid number');
      found.size = Number(value);
    }
    at += length;
  }
  return found;
}

function pathInPackage(name: string): string {
  if (name.length > MAX_PATH_LENGTH)
    throw new ArchiveError(`contains a path longer than ${MAX_PATH_LENGTH} characters`);
  const segments = name.split('/').filter((segment) => segment !== '.');
  const leaves = segments.some((segment) => segment === '..' || segment === '');
  // eslint-disable-next-line no-control-regex
  if (leaves || /[\u0000-\u001f\\:]/.test(name))
    throw new ArchiveError(`contains a disallowed path: ${quoteName(name)}`);
  if (segments.length < 2)
    throw new ArchiveError(`contains a file outside the package folder: ${quoteName(name)}`);
  return segments.slice(1).join('/');
}

const kinds: Readonly<Record<string, string>> = {
  '1': 'a link',
  '2': 'a link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
  K: 'a link',
};

function describeKind(type: string): string {
  return kinds[type] ?? 'an unsupported entry';
}

function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
