import { isObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { senderPresets, type SenderPreset, type SenderPresetName } from './webhook-presets.ts';

/** Headers that carry credentials by their standard, or by Weft's own. */
const CREDENTIAL_HEADERS = ['authorization', 'proxy-authorization', 'x-api-key', 'cookie'];

/** Names, in lower case, of the headers that a webhook trigger hands to its workflow only if it names them. */
export function credentialHeaders(config: JsonObject): string[] {
  const own = tokenHeader(config);
  return own === null || CREDENTIAL_HEADERS.includes(own)
    ? [...CREDENTIAL_HEADERS]
    : [...CREDENTIAL_HEADERS, own];
}

/** The header in which a sender sends the shared token itself. */
function tokenHeader({ authentication, scheme, preset, verification }: JsonObject): string | null {
  if (authentication === 'hmac') return presetHeader(scheme);
  if (authentication !== 'sender') return null;
  if (preset !== undefined) return presetHeader(preset);
  if (!isObject(verification) || verification['type'] !== 'token') return null;
  const { header } = verification;
  return typeof header === 'string' ? header.toLowerCase() : null;
}

function presetHeader(name: Json | undefined): string | null {
  if (typeof name !== 'string' || !Object.hasOwn(senderPresets, name)) return null;
  const { verification }: SenderPreset = senderPresets[name as SenderPresetName];
  return verification.type === 'token' ? verification.header.toLowerCase() : null;
}

/** Cookies of the editor and of the authorization server; browsers send them to webhooks on the same host. */
const OWN_COOKIE = /^(?:__|weft_)/i;

/** A Cookie header without the cookies that Weft itself sets; empty when none is left. */
export function withoutOwnCookies(header: string): string {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !OWN_COOKIE.test(pair))
    .join('; ');
}
