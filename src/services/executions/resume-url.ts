import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** A node run of an execution; an empty `path` stands for the one node run that waits. */
export type ResumeTarget = { ownerId: string; executionId: string; path: string };

export type ResumeUrls = {
  /** Contains no slash: one segment of a URL. */
  createToken(location: ResumeTarget): string;
  /** Returns null for a token that this service did not create. */
  read(token: string): ResumeTarget | null;
};

const MAX_TOKEN = 2_000;
/** Length of the signature in the token, in bytes. */
const SIGNATURE_BYTES = 18;

/** URLs that authorise any holder to post. They are signed, so none has to be stored. */
export function createResumeUrls(key: Uint8Array): ResumeUrls {
  const held = createSecretKey(key);
  const sign = (text: string): Buffer =>
    createHmac('sha256', held).update(text).digest().subarray(0, SIGNATURE_BYTES);
  return {
    createToken({ ownerId, executionId, path }) {
      const text = `${ownerId}\n${executionId}\n${path}`;
      return `${Buffer.from(text).toString('base64url')}.${sign(text).toString('base64url')}`;
    },
    read(token) {
      const [location, proof, ...rest] = token.length > MAX_TOKEN ? [] : token.split('.');
      if (location === undefined || proof === undefined || rest.length > 0) return null;
      const text = Buffer.from(location, 'base64url').toString();
      const given = Buffer.from(proof, 'base64url');
      if (given.length !== SIGNATURE_BYTES || !timingSafeEqual(given, sign(text))) return null;
      const [ownerId = '', executionId = '', path = ''] = text.split('\n');
      return { ownerId, executionId, path };
    },
  };
}
