import { createPublicKey, verify } from 'node:crypto';
import { HttpFailure } from '../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import type { EgressClient } from '../http/egress-client.ts';
import { downloadArchive, PackageError } from '../packages/registry.ts';
import { computeIntegrity, PackArchiveError } from './npm-archive.ts';

/** An archive as the registry published it. `signedBy`: the id of the key; null: the registry has no keys. */
export type PublishedArchive = { archive: Uint8Array; integrity: string; signedBy: string | null };

/** Thrown for a package that is refused. `issue` continues a sentence that starts with the field. */
export class PublishedPackageError extends Error {
  readonly field: 'package' | 'version' | 'integrity';
  constructor(field: 'package' | 'version' | 'integrity', issue: string) {
    super(issue);
    this.field = field;
  }
}

type RegistryKey = { keyid: string; key: string; expires: string | null };
type Signature = { keyid: string; sig: string };

const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Fetches an exact version, and checks its hash and the registry's signature as `npm audit signatures` does.
 * Without keys of the registry, the caller must know the hash.
 * @throws {PublishedPackageError}
 */
export async function fetchPublishedArchive(
  egress: Pick<EgressClient, 'send'>,
  registry: string,
  wanted: { name: string; version: string; integrity: string | null },
  signal: AbortSignal,
): Promise<PublishedArchive> {
  const { name, version } = wanted;
  try {
    const document = await fetchJson(egress, `${registry}/${name.replace('/', '%2f')}`, signal);
    if (document === null) throw new PublishedPackageError('package', 'is not in the registry');
    const { integrity, signatures, publishedAt } = readVersion(document, version);
    if (wanted.integrity !== null && wanted.integrity !== integrity)
      throw new PublishedPackageError('integrity', 'must be that of the version in the registry');
    const keys = readKeys(await fetchJson(egress, `${registry}/-/npm/v1/keys`, signal));
    if (keys.length === 0 && wanted.integrity === null)
      throw new PublishedPackageError(
        'integrity',
        'is required: the registry publishes no keys with which the signature of the package could be checked',
      );
    const signedBy =
      keys.length === 0
        ? null
        : checkSignature(`${name}@${version}:${integrity}`, signatures, keys, publishedAt);
    const archive = await downloadArchive(egress, registry, name, version, signal);
    if (computeIntegrity(archive) !== integrity)
      throw new PublishedPackageError(
        'package',
        'must match its integrity: the registry has a different archive',
      );
    return { archive, integrity, signedBy };
  } catch (error) {
    if (error instanceof PublishedPackageError) throw error;
    if (error instanceof PackageError || error instanceof PackArchiveError)
      throw new PublishedPackageError('package', error.message);
    if (error instanceof HttpFailure)
      throw new PublishedPackageError('package', `could not be fetched: ${error.message}`);
    throw error;
  }
}

/** Null when the registry has no such document. */
async function fetchJson(
  egress: Pick<EgressClient, 'send'>,
  url: string,
  signal: AbortSignal,
): Promise<JsonObject | null> {
  const { status, body } = await egress.send(
    {
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      timeout: limits.packageFetchMs,
      maxBytes: MAX_DOCUMENT_BYTES,
    },
    signal,
  );
  if (status === 404) return null;
  const refuse = (issue: string) =>
    new PublishedPackageError('package', `could not be fetched: the registry ${issue} for ${url}`);
  if (status !== 200) throw refuse(`responded with ${status}`);
  try {
    const value = JSON.parse(Buffer.from(body).toString('utf8')) as Json;
    if (isObject(value)) return value;
  } catch {
    // It is not JSON.
  }
  throw refuse('responded with something else than a JSON object');
}

function readVersion(
  { versions, time }: JsonObject,
  version: string,
): { integrity: string; signatures: Signature[]; publishedAt: number | null } {
  const found = isObject(versions) && Object.hasOwn(versions, version) ? versions[version] : null;
  if (!isObject(found)) throw new PublishedPackageError('version', 'is not in the registry');
  const { integrity, signatures } = isObject(found['dist']) ? found['dist'] : ({} as JsonObject);
  if (typeof integrity !== 'string' || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
    throw new PublishedPackageError('version', 'has no sha512 integrity in the registry');
  const stated = isObject(time) ? time[version] : null;
  const publishedAt = typeof stated === 'string' ? Date.parse(stated) : Number.NaN;
  return {
    integrity,
    signatures: (Array.isArray(signatures) ? signatures : []).flatMap((one) => {
      const { keyid, sig } = isObject(one) ? one : ({} as JsonObject);
      return typeof keyid === 'string' && typeof sig === 'string' ? [{ keyid, sig }] : [];
    }),
    publishedAt: Number.isNaN(publishedAt) ? null : publishedAt,
  };
}

function readKeys(document: JsonObject | null): RegistryKey[] {
  const keys = document === null ? null : document['keys'];
  return (Array.isArray(keys) ? keys : []).flatMap((one) => {
    const { keyid, key, expires } = isObject(one) ? one : ({} as JsonObject);
    return typeof keyid === 'string' && typeof key === 'string'
      ? [{ keyid, key, expires: typeof expires === 'string' ? expires : null }]
      : [];
  });
}

/** Returns the id of the key. A key is valid for what was published before it expired. */
function checkSignature(
  message: string,
  signatures: readonly Signature[],
  keys: readonly RegistryKey[],
  publishedAt: number | null,
): string {
  const signature = signatures.find(({ keyid }) => keys.some((key) => key.keyid === keyid));
  const key = keys.find(({ keyid }) => keyid === signature?.keyid);
  if (signature === undefined || key === undefined)
    throw new PublishedPackageError('package', 'has no signature with a key of the registry');
  const expires = key.expires === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires);
  if (!((publishedAt ?? Date.now()) < expires))
    throw new PublishedPackageError('package', 'was signed with a key of the registry that had expired');
  if (!isSigned(message, signature.sig, key.key))
    throw new PublishedPackageError('package', 'has a signature that is not that of the registry');
  return key.keyid;
}

function isSigned(message: string, signature: string, key: string): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.from(message), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}
