import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'weft_';
const FORM = /^weft_[A-Za-z0-9_-]{43}$/;
/** Characters that are shown for people to recognise a key: far too few to guess the rest from. */
const SHOWN = PREFIX.length + 4;

/** 256 bits of randomness; hashed without salt or stretching, because nothing can be tried against that. */
export function makeApiKey(): { key: string; hash: string; prefix: string } {
  const key = PREFIX + randomBytes(32).toString('base64url');
  return { key, hash: hashApiKey(key), prefix: key.slice(0, SHOWN) };
}

export function hasApiKeyForm(text: string): boolean {
  return FORM.test(text);
}

/** Hex SHA-256: what is stored, and by which a credential is looked up; comparing hashes gives away nothing by its time. */
export function hashApiKey(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
}
