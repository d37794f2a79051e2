import type { KeyObject } from 'node:crypto';
import {
  senderPresets,
  weftVerification,
  type Handshake,
  type SenderPreset,
} from '../../contract/webhooks/webhook-presets.ts';
import {
  DEFAULT_SIGNED,
  DEFAULT_TOLERANCE,
  parseSigned,
  type SignedPart,
  type SignedVerification,
  type Verification,
} from '../../contract/webhooks/webhook-verification.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { compilePath, type JsonPath } from '../../lib/json/json-path.ts';
import { readPublicKey } from '../../lib/network/public-key.ts';

/** A webhook signature configuration, parsed and ready to use. Header names are in lower case. */
export type Sender = {
  /** The prefix of the deduplication keys of its deliveries. */
  readonly name: string;
  readonly handshake: Handshake | null;
  readonly check: TokenCheck | SignatureCheck | SnsCheck;
  readonly idHeader: string | null;
  readonly idField: JsonPath | null;
  /** Whether a delivery without an id is deduplicated by its signed content. */
  readonly isKnownByContent: boolean;
};

export type TokenCheck = { readonly type: 'token'; readonly header: string; readonly prefix: string };

export type SnsCheck = { readonly type: 'sns'; readonly topicArns: ReadonlySet<string> };

export type SignatureCheck = {
  readonly type: SignedVerification['type'];
  readonly header: string;
  readonly prefix: string;
  readonly separator: string | null;
  readonly encoding: 'hex' | 'base64';
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly secretEncoding: 'text' | 'hex' | 'base64';
  readonly secretPrefix: string;
  /** For Ed25519 and ECDSA. */
  readonly publicKey: KeyObject | null;
  readonly signed: readonly SignedPart[];
  readonly timestampHeader: string | null;
  readonly timestampPrefix: string | null;
  /** The unit of the timestamp, in ms. */
  readonly timestampUnitMs: number;
  readonly toleranceMs: number;
  readonly bodyHashQuery: string | null;
};

/**
 * Whether callers are verified with a stored secret. A null sender stands for a method without a signature,
 * such as bearer.
 */
export function needsSecret(sender: Sender | null): boolean {
  return sender === null || sender.check.type === 'token' || sender.check.type === 'hmac';
}

/** Returns the sender that a validated configuration describes; null when it describes none. */
export function readSender(config: JsonObject): Sender | null {
  const { authentication, scheme = 'weft', preset } = config;
  if (authentication === 'hmac')
    return scheme === 'weft'
      ? compileSender('weft', weftVerification, {}, { isKnownByContent: false })
      : readPreset(scheme, {});
  if (authentication !== 'sender') return null;
  if (preset !== undefined) return readPreset(preset, config);
  const { verification } = config;
  return isObject(verification) ? compileSender('sender', verification as Verification, config) : null;
}

function readPreset(name: Json, config: JsonObject): Sender | null {
  if (typeof name !== 'string' || !Object.hasOwn(senderPresets, name)) return null;
  const { verification, handshake }: SenderPreset = senderPresets[name as keyof typeof senderPresets];
  return compileSender(name, verification, config, { handshake });
}

function compileSender(
  name: string,
  verification: SenderPreset['verification'],
  config: JsonObject,
  options: { handshake?: Handshake | undefined; isKnownByContent?: boolean } = {},
): Sender | null {
  const check = compileCheck(verification, config);
  if (check === null) return null;
  const { idHeader, idField } = verification;
  return {
    name,
    handshake: options.handshake ?? null,
    check,
    idHeader: idHeader?.toLowerCase() ?? null,
    idField: idField === undefined ? null : compilePath(idField),
    isKnownByContent: options.isKnownByContent ?? true,
  };
}

function compileCheck(
  verification: SenderPreset['verification'],
  { publicKey, topicArns }: JsonObject,
): Sender['check'] | null {
  if (verification.type === 'sns')
    return Array.isArray(topicArns) ? { type: 'sns', topicArns: new Set(topicArns.map(String)) } : null;
  const header = verification.header.toLowerCase();
  const { prefix = '' } = verification;
  if (verification.type === 'token') return { type: 'token', header, prefix };
  const signed = parseSigned(verification.signed ?? DEFAULT_SIGNED);
  const { type } = verification;
  const key =
    type === 'hmac' || typeof publicKey !== 'string'
      ? null
      : readPublicKey(publicKey, type === 'ecdsa' ? 'ec' : type);
  if (signed === null || (type !== 'hmac' && key === null)) return null;
  const isHmac = type === 'hmac';
  return {
    type,
    header,
    prefix,
    separator: verification.separator ?? null,
    encoding: verification.encoding ?? 'hex',
    algorithm: (type === 'ed25519' ? undefined : verification.algorithm) ?? 'sha256',
    secretEncoding: (isHmac ? verification.secretEncoding : undefined) ?? 'text',
    secretPrefix: (isHmac ? verification.secretPrefix : undefined) ?? '',
    publicKey: key,
    signed,
    timestampHeader: verification.timestampHeader?.toLowerCase() ?? null,
    timestampPrefix: verification.timestampPrefix ?? null,
    timestampUnitMs: verification.timestampUnit === 'milliseconds' ? 1 : 1_000,
    toleranceMs: parseDuration(verification.tolerance ?? DEFAULT_TOLERANCE) ?? 0,
    bodyHashQuery: verification.bodyHashQuery ?? null,
  };
}
