import type { FieldError } from '../../contract/errors.ts';
import {
  senderPresets,
  type SenderPreset,
  type SenderPresetName,
} from '../../contract/webhooks/webhook-presets.ts';
import {
  DEFAULT_SIGNED,
  MAX_TOLERANCE_MS,
  parseSigned,
  SIGNED_PLACEHOLDERS,
  type SignedPart,
  type SignedVerification,
  type Verification,
} from '../../contract/webhooks/webhook-verification.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { readPublicKey } from '../../lib/network/public-key.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';

const SENDER_FIELDS = ['preset', 'verification', 'publicKey', 'verifySecret', 'topicArns'] as const;

/** Validates the sender fields of a configuration that fits its schema. */
export function validateSender(config: JsonObject): FieldError[] {
  const { authentication, preset, verification, publicKey } = config;
  if (authentication !== 'sender') {
    const given = SENDER_FIELDS.filter((field) => config[field] !== undefined);
    return given.map((field) => ({ field, issue: 'is only allowed with authentication sender' }));
  }
  if (preset === undefined && verification === undefined)
    return [{ field: 'preset', issue: 'is required by authentication sender unless verification is set' }];
  if (preset !== undefined && verification !== undefined)
    return [{ field: 'verification', issue: 'must not be set with preset' }];
  const used = readVerification(config)!;
  const errors = [...validatePublicKey(used.type, publicKey), ...validatePreset(config)];
  return preset === undefined ? [...errors, ...validateVerification(used as Verification, config)] : errors;
}

/** Validates fields that belong to one preset. */
function validatePreset({ preset, verifySecret, topicArns }: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (verifySecret !== undefined && preset !== 'meta')
    errors.push({ field: 'verifySecret', issue: 'is only allowed with preset meta' });
  if (topicArns !== undefined && preset !== 'sns')
    errors.push({ field: 'topicArns', issue: 'is only allowed with preset sns' });
  // Anyone can create a topic and subscribe this endpoint to it.
  if (topicArns === undefined && preset === 'sns')
    errors.push({ field: 'topicArns', issue: 'is required by preset sns' });
  return errors;
}

/** Whether requests are verified with a public key or a certificate instead of a secret. */
export function hasNoSecret(config: JsonObject): boolean {
  const type = config['authentication'] === 'sender' ? readVerification(config)?.type : undefined;
  return type === 'ed25519' || type === 'ecdsa' || type === 'sns';
}

function readVerification({ preset, verification }: JsonObject): SenderPreset['verification'] | undefined {
  if (preset === undefined) return verification as Verification | undefined;
  const { verification: known }: SenderPreset = senderPresets[preset as SenderPresetName];
  return known;
}

function validatePublicKey(
  type: SenderPreset['verification']['type'],
  publicKey: Json | undefined,
): FieldError[] {
  if (type !== 'ed25519' && type !== 'ecdsa')
    return publicKey === undefined
      ? []
      : [{ field: 'publicKey', issue: 'is only allowed for senders that sign with Ed25519 or ECDSA' }];
  if (publicKey === undefined)
    return [{ field: 'publicKey', issue: `is required by senders that sign with ${type}` }];
  const title = type === 'ecdsa' ? 'ECDSA' : 'Ed25519';
  return readPublicKey(publicKey as string, type === 'ecdsa' ? 'ec' : type) !== null
    ? []
    : [
        {
          field: 'publicKey',
          issue: `must be a public key for ${title}: PEM or base64 of its DER${type === 'ecdsa' ? '' : ', or 32 bytes in hex or base64'}`,
        },
      ];
}

function validateVerification(verification: Verification, config: JsonObject): FieldError[] {
  if (verification.type === 'token') return [];
  const parts = parseSigned(verification.signed ?? DEFAULT_SIGNED);
  if (parts === null)
    return [
      {
        field: 'verification.signed',
        issue: `must not contain braces except in the placeholders ${SIGNED_PLACEHOLDERS}`,
      },
    ];
  return [
    ...validateTimestamp(verification, parts),
    ...validateCoverage(verification, parts, config['method'] ?? 'POST'),
    ...validateDeliveryId(verification, parts),
    ...validateSecretEncoding(verification),
  ].map(({ field, issue }) => ({ field: `verification.${field}`, issue }));
}

function validateTimestamp(verification: SignedVerification, parts: readonly SignedPart[]): FieldError[] {
  const { timestampHeader, timestampPrefix, timestampUnit, tolerance, separator } = verification;
  const isTimed = timestampHeader !== undefined || timestampPrefix !== undefined;
  if (!isTimed) {
    if (hasPart(parts, 'time'))
      return [
        { field: 'signed', issue: 'must not contain {time} without timestampHeader or timestampPrefix' },
      ];
    const field = timestampUnit !== undefined ? 'timestampUnit' : 'tolerance';
    return timestampUnit === undefined && tolerance === undefined
      ? []
      : [{ field, issue: 'requires timestampHeader or timestampPrefix' }];
  }
  const errors: FieldError[] = [];
  if (timestampHeader !== undefined && timestampPrefix !== undefined)
    errors.push({ field: 'timestampPrefix', issue: 'must not be set with timestampHeader' });
  else if (timestampPrefix !== undefined && separator === undefined)
    errors.push({ field: 'separator', issue: 'is required by timestampPrefix' });
  if (!hasPart(parts, 'time'))
    errors.push({
      field: 'signed',
      issue: 'must contain {time}, because an unsigned time could be replaced',
    });
  const ms = tolerance === undefined ? 1 : parseDuration(tolerance);
  if (ms === null || ms <= 0 || ms > MAX_TOLERANCE_MS)
    errors.push({ field: 'tolerance', issue: 'must be a duration of more than 0 and at most 1d' });
  return errors;
}

function validateCoverage(
  { bodyHashQuery }: SignedVerification,
  parts: readonly SignedPart[],
  method: Json,
): FieldError[] {
  if (bodyHashQuery !== undefined && !hasPart(parts, 'url'))
    return [{ field: 'bodyHashQuery', issue: 'requires {url} in signed, because the URL carries the hash' }];
  if (hasPart(parts, 'body') || hasPart(parts, 'form') || bodyHashQuery !== undefined || method === 'GET')
    return [];
  return [
    { field: 'signed', issue: 'must contain {body} or {form}, because an unsigned body could be replaced' },
  ];
}

function validateDeliveryId({ idHeader }: SignedVerification, parts: readonly SignedPart[]): FieldError[] {
  if (idHeader === undefined || !hasPart(parts, 'time')) return [];
  const name = idHeader.toLowerCase();
  return parts.some((part) => part.kind === 'header' && part.name === name)
    ? []
    : [{ field: 'idHeader', issue: `must be included in signed as {header:${idHeader}}` }];
}

function validateSecretEncoding(verification: SignedVerification): FieldError[] {
  if (verification.type !== 'hmac' || verification.secretPrefix === undefined) return [];
  return (verification.secretEncoding ?? 'text') === 'text'
    ? [{ field: 'secretPrefix', issue: 'requires secretEncoding hex or base64' }]
    : [];
}

function hasPart(parts: readonly SignedPart[], kind: SignedPart['kind']): boolean {
  return parts.some((part) => part.kind === kind);
}
