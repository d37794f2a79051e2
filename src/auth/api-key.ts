import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'weft_';
const KEY_PATTERN = /^weft_[A-Za-z0-9_-]{43}$/;
/** Number of characters shown to identify a key: far too few to guess the rest. */
const SHOWN_LENGTH = PREFIX.length + 4;

/** 256 bits of randomness, hashed without salt or stretching: a brute-force attack is infeasible. */
export function makeApiKey(): { key: string; hash: string; prefix: string } {
  const key = PREFIX + randomBytes(32).toString('base64url');
  return { key, hash: hashApiKey(key), prefix: key.slice(0, SHOWN_LENGTH) };
}

export function hasApiKeyForm(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/**
 * Returns the hex SHA-256, which is stored and used for the lookup; comparing hashes leaks no timing
 * information.
 */
export function hashApiKey(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
}
