import { createSignedTokens } from '../signed-tokens.ts';

/** A node run of an execution; an empty `path` stands for the one node run that waits. */
export type ResumeTarget = { ownerId: string; executionId: string; path: string };

export type ResumeUrls = {
  /** Contains no slash: one segment of a URL. */
  createToken(location: ResumeTarget): string;
  /** Returns null for a token that this service did not create. */
  read(token: string): ResumeTarget | null;
};

/** URLs that authorize any holder to post. */
export function createResumeUrls(key: Uint8Array): ResumeUrls {
  const tokens = createSignedTokens(key);
  return {
    createToken: ({ ownerId, executionId, path }) => tokens.create([ownerId, executionId, path]),
    read(token) {
      const parts = tokens.read(token);
      if (parts === null) return null;
      const [ownerId = '', executionId = '', path = ''] = parts;
      return { ownerId, executionId, path };
    },
  };
}
