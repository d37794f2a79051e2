import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** A node run of an execution; `path` empty: whichever of its node runs waits. */
export type ResumeTarget = { ownerId: string; executionId: string; path: string };

export type ResumeUrls = {
  /** Without a slash: one segment of a URL. */
  tokenOf(place: ResumeTarget): string;
  /** Null for what this service did not make. */
  read(token: string): ResumeTarget | null;
};

const MAX_TOKEN = 2_000;
/** Bytes of the proof that stand in the token. */
const PROOF = 18;

/** Addresses that whoever holds one may post to. They carry their own proof, so none has to be stored. */
export function createResumeUrls(key: Uint8Array): ResumeUrls {
  const held = createSecretKey(key);
  const proofOf = (text: string): Buffer =>
    createHmac('sha256', held).update(text).digest().subarray(0, PROOF);
  return {
    tokenOf({ ownerId, executionId, path }) {
      const text = `${ownerId}\n${executionId}\n${path}`;
      return `${Buffer.from(text).toString('base64url')}.${proofOf(text).toString('base64url')}`;
    },
    read(token) {
      const [place, proof, ...rest] = token.length > MAX_TOKEN ? [] : token.split('.');
      if (place === undefined || proof === undefined || rest.length > 0) return null;
      const text = Buffer.from(place, 'base64url').toString();
      const given = Buffer.from(proof, 'base64url');
      if (given.length !== PROOF || !timingSafeEqual(given, proofOf(text))) return null;
      const [ownerId = '', executionId = '', path = ''] = text.split('\n');
      return { ownerId, executionId, path };
    },
  };
}
