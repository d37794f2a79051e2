import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

export type SignedTokens = {
  /** Contains no slash: one segment of a URL. No part contains a line break. */
  create(parts: readonly string[]): string;
  /** Returns null for a token that this service did not create. */
  read(token: string): string[] | null;
};

const MAX_TOKEN_LENGTH = 2_000;
/** Length of the signature in the token, in bytes. */
const SIGNATURE_BYTES = 18;

/** Texts that are signed, so that none has to be stored. Any holder of a token may use it. */
export function createSignedTokens(key: Uint8Array): SignedTokens {
  const secret = createSecretKey(key);
  const sign = (text: string): Buffer =>
    createHmac('sha256', secret).update(text).digest().subarray(0, SIGNATURE_BYTES);
  const create = (text: string): string =>
    `${Buffer.from(text).toString('base64url')}.${sign(text).toString('base64url')}`;
  return {
    create: (parts) => create(parts.join('\n')),
    read(token) {
      const [content, proof, ...rest] = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
      if (content === undefined || proof === undefined || rest.length > 0) return null;
      const text = Buffer.from(content, 'base64url').toString();
      const given = Buffer.from(proof, 'base64url');
      if (given.length !== SIGNATURE_BYTES || !timingSafeEqual(given, sign(text))) return null;
      // Decoding ignores characters that base64url does not need.
      return token !== create(text) ? null : text.split('\n');
    },
  };
}
