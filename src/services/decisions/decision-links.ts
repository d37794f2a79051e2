import type { AssigneeKey } from '../../contract/decisions/decisions.ts';
import { createSignedTokens } from '../signed-tokens.ts';

/** A decision, and the person that the link identifies. */
export type DecisionLink = { decisionId: string; assignee: AssigneeKey };

export type DecisionLinks = {
  createToken(link: DecisionLink): string;
  /** Returns null for a token that this service did not create. */
  read(token: string): DecisionLink | null;
};

export function createDecisionLinks(key: Uint8Array): DecisionLinks {
  const tokens = createSignedTokens(key);
  return {
    createToken: ({ decisionId, assignee }) => tokens.create([decisionId, assignee]),
    read(token) {
      const [decisionId = '', assignee = '', ...rest] = tokens.read(token) ?? [];
      return decisionId === '' || assignee === '' || rest.length > 0 ? null : { decisionId, assignee };
    },
  };
}
