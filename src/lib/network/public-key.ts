import { createPublicKey, type KeyObject } from 'node:crypto';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const ED25519_KEY_HEX = /^[0-9a-fA-F]{64}$/;
/** The prefix of the 32 bytes of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410). */
const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Reads a public key in a common format: PEM, base64 of its DER (SubjectPublicKeyInfo), or the 32 bytes of an
 * Ed25519 key in hex or base64. Null when it has another format or type.
 */
export function readPublicKey(text: string, type: 'ed25519' | 'ec'): KeyObject | null {
  const source = readSource(text.trim());
  if (source === null) return null;
  let key: KeyObject;
  try {
    key = createPublicKey(source);
  } catch {
    return null;
  }
  return key.asymmetricKeyType === type ? key : null;
}

type Source = string | { key: Buffer; format: 'der'; type: 'spki' };

function readSource(text: string): Source | null {
  if (text.startsWith('-----BEGIN PUBLIC KEY-----')) return text;
  const bytes = ED25519_KEY_HEX.test(text)
    ? Buffer.from(text, 'hex')
    : BASE64.test(text)
      ? Buffer.from(text, 'base64')
      : null;
  if (bytes === null) return null;
  const der = bytes.length === 32 ? Buffer.concat([ED25519_SPKI_PREFIX, bytes]) : bytes;
  return { key: der, format: 'der', type: 'spki' };
}
