import { isObject, type JsonObject } from '../../lib/json/json.ts';

/** Who can open a form: everyone, holders of a link, or users of the service. */
export const formAccesses = ['public', 'link', 'users'] as const;
export type FormAccess = (typeof formAccesses)[number];

/**
 * A link to a form. Its name and expiry are signed, so that it ends when either of them changes or is
 * removed.
 */
export type FormLink = { readonly name: string; readonly expiresAt: string };

/** The parameter of the URL with the token of a link. Names of fields begin with a letter. */
export const LINK_PARAMETER = '_link';

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

export function readFormAccess(config: JsonObject): FormAccess {
  return formAccesses.find((one) => one === config['access']) ?? 'public';
}

export function readFormLinks({ links }: JsonObject): FormLink[] {
  return (Array.isArray(links) ? links : []).filter(isObject).map(({ name, expires_at }) => ({
    name: typeof name === 'string' ? name : '',
    expiresAt: typeof expires_at === 'string' ? expires_at : '',
  }));
}

/**
 * When a link expires, in ms since the epoch: a time, or the end of a day in UTC. Null for any other text.
 */
export function parseExpiry(text: string): number | null {
  if (!DATE.test(text) && !TIME.test(text)) return null;
  const time = Date.parse(text);
  // Dates such as 2026-02-30 are accepted by some parsers as another day.
  const isReal =
    Number.isFinite(time) &&
    new Date(Date.parse(text.slice(0, 10))).toISOString().startsWith(text.slice(0, 10));
  return isReal ? time + (DATE.test(text) ? DAY_MS : 0) : null;
}
