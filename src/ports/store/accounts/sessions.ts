import type { AuditedChange } from '../audit.ts';

/**
 * A login. `tokenId` is the newest token; `previousTokenId` the one it replaced at `rotatedAt`, which is
 * exchanged for the same new token for 60 s; any other token is invalid.
 */
export type SessionRow = {
  id: string;
  userId: string;
  tokenId: string;
  previousTokenId: string | null;
  rotatedAt: number;
  createdAt: number;
  expiresAt: number;
  endedAt: number | null;
};

export type SessionStore = {
  createSession(session: SessionRow, event?: AuditedChange): Promise<void>;
  session(id: string): Promise<SessionRow | null>;
  /** Replaces the newest token if it is still `expectedTokenId`. False: another caller replaced it first. */
  rotateSession(
    id: string,
    expectedTokenId: string,
    next: { tokenId: string; at: number; expiresAt: number },
  ): Promise<boolean>;
  endSession(id: string, at: number, event?: AuditedChange): Promise<boolean>;
};
