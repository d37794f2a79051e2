import { LINK_PARAMETER, parseExpiry, type FormLink } from '../../contract/forms/form-access.ts';
import { createSignedTokens } from '../signed-tokens.ts';

/** The form that a link belongs to. */
type FormPlace = { readonly workflowId: string; readonly nodeId: string };

export type FormLinks = {
  /** `url`: of the form. */
  createUrl(url: string, place: FormPlace, link: FormLink): string;
  /** The link of a token, if it is one of `links` and has not expired at `now`; null otherwise. */
  find(token: string, place: FormPlace, links: readonly FormLink[], now: number): FormLink | null;
};

export function createFormLinks(key: Uint8Array): FormLinks {
  const tokens = createSignedTokens(key);
  const createToken = ({ workflowId, nodeId }: FormPlace, { name, expiresAt }: FormLink): string =>
    tokens.create([workflowId, nodeId, name, expiresAt]);
  return {
    createUrl: (url, place, link) => `${url}?${LINK_PARAMETER}=${createToken(place, link)}`,
    find(token, { workflowId, nodeId }, links, now) {
      const [workflow, node, name, expiresAt] = tokens.read(token) ?? [];
      if (workflow !== workflowId || node !== nodeId) return null;
      const link = links.find((one) => one.name === name && one.expiresAt === expiresAt);
      return link !== undefined && now < (parseExpiry(link.expiresAt) ?? 0) ? link : null;
    },
  };
}
