import { createHash } from 'node:crypto';
import { createValidationError, type WeftError } from '../../contract/errors.ts';
import { HttpFailure, type HttpRequest, type HttpResponse } from '../../contract/node-type.ts';
import type { PackManifest } from '../../contract/packs/packs.ts';
import type { InstallPack } from '../../contract/requests/pack.ts';
import { limits } from '../../ports/limits.ts';
import type { OpenApiReader } from '../../ports/openapi-reader.ts';
import type { PackRunner, ReadPack } from '../../ports/pack-runner.ts';
import { compressText } from './pack-encoding.ts';

/**
 * What a pack is made from. `content`: what the store keeps; `hash`: SHA-256 in hex, and `size` in bytes, of
 * the document or archive. `url`: the URL that the request names, from which later versions can be loaded;
 * null for a text or a package.
 */
export type PackSource = {
  readonly manifest: PackManifest;
  readonly hash: string;
  readonly size: number;
  readonly url: string | null;
  getContent(): Promise<string>;
};

export type PackSourceDeps = {
  reader: OpenApiReader;
  runner: Pick<PackRunner, 'fetch' | 'read'>;
  /** Sends a request through the egress policy. */
  send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;
};

const decoder = new TextDecoder('utf-8', { fatal: true });

const SOURCES = ['document', 'url', 'package', 'archive'] as const;

/** @throws {WeftError} VALIDATION_ERROR at the field that cannot be used. */
export async function loadPackSource(given: InstallPack, deps: PackSourceDeps): Promise<PackSource> {
  const [first, second] = SOURCES.filter((field) => given[field] !== undefined);
  if (first === undefined) throw refuse('document', 'is required without url, package and archive');
  if (second !== undefined) throw refuse(first, `is not allowed together with ${second}`);
  if (given.integrity !== undefined && first !== 'package')
    throw refuse('integrity', 'is not allowed without package');
  const source =
    first === 'document' || first === 'url'
      ? await loadDocument(given, deps)
      : await loadPackage(given, deps);
  return { ...source, manifest: { ...source.manifest, name: given.name ?? source.manifest.name } };
}

async function loadDocument(
  { document, url }: InstallPack,
  { reader, send }: PackSourceDeps,
): Promise<PackSource> {
  const { text, baseUrl } =
    document === undefined ? await fetchText(url!, send) : { text: document, baseUrl: null };
  const result = await reader.read({ text, url: baseUrl }, new AbortController().signal);
  if (result.kind === 'refused') throw createValidationError(result.errors);
  return {
    manifest: result.manifest,
    hash: createHash('sha256').update(text).digest('hex'),
    size: Buffer.byteLength(text),
    url: url ?? null,
    getContent: () => compressText(text),
  };
}

async function loadPackage(given: InstallPack, { runner }: PackSourceDeps): Promise<PackSource> {
  const { package: name, version, integrity = null, archive } = given;
  const { signal } = new AbortController();
  let result: ReadPack;
  if (name === undefined) result = await runner.read(decodeArchive(archive ?? ''), signal);
  else if (version === undefined)
    throw refuse('version', 'is required for a package: one exact version, such as 1.0.0');
  else result = await runner.fetch({ name, version, integrity }, signal);
  if (result.kind === 'refused') throw createValidationError(result.errors);
  const { manifest, archive: bytes } = result;
  if (version !== undefined && version !== manifest.version)
    throw refuse('version', `must be that of the package in the archive: ${manifest.version}`);
  return {
    manifest,
    hash: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
    url: null,
    // It is compressed already.
    getContent: () => Promise.resolve(Buffer.from(bytes).toString('base64')),
  };
}

function decodeArchive(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw refuse('archive', 'must be base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > limits.packageArchiveBytes)
    throw refuse('archive', `must have at most ${limits.packageArchiveBytes} bytes`);
  return bytes;
}

function refuse(field: string, issue: string): WeftError {
  return createValidationError([{ field, issue }]);
}

async function fetchText(
  url: string,
  send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>,
): Promise<{ text: string; baseUrl: string }> {
  let response: HttpResponse;
  try {
    response = await send(
      {
        method: 'GET',
        url,
        headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
        timeout: limits.packFetchMs,
        maxBytes: limits.openApiDocumentBytes,
      },
      new AbortController().signal,
    );
  } catch (error) {
    if (error instanceof HttpFailure) throw refuse('url', `could not be loaded: ${error.message}`);
    throw error;
  }
  if (response.status !== 200)
    throw refuse('url', `could not be loaded: the server responded with ${response.status}`);
  try {
    return { text: decoder.decode(response.body), baseUrl: response.url };
  } catch {
    throw refuse('url', 'could not be loaded: the document is not UTF-8');
  }
}
