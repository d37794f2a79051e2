import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { senderPresets, type SenderPreset, type SenderPresetName } from './webhook-presets.ts';

/** Headers that carry credentials by a standard or by Weft's convention. */
const CREDENTIAL_HEADERS = ['authorization', 'proxy-authorization', 'x-api-key', 'cookie'];

/** Lower-case names of the headers that a webhook trigger passes to its workflow only if it names them. */
export function listCredentialHeaders(config: JsonObject): string[] {
  const own = tokenHeader(config);
  return own === null || CREDENTIAL_HEADERS.includes(own)
    ? [...CREDENTIAL_HEADERS]
    : [...CREDENTIAL_HEADERS, own];
}

/** The header that contains the shared token itself. */
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

/**
 * Cookies of the editor and of the authorization server, which browsers send to webhooks on the same host.
 */
const OWN_COOKIE = /^(?:__|weft_)/i;

/** A Cookie header without the cookies that Weft sets; empty when none is left. */
export function withoutOwnCookies(header: string): string {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !OWN_COOKIE.test(pair))
    .join('; ');
}
