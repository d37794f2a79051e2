import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { closed, oneOfTexts, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { DataError, toFailure } from './data-error.ts';
import { outputField, createOutcome, readText, valueField } from './value.ts';

/** Maximum length of a text, because the work is synchronous: about 50 ms in the worst case. */
export const MAX_TEXT_LENGTH = 16 * 1024 * 1024;

const encoding = (what: string) =>
  Type.Optional(oneOfTexts(['hex', 'base64', 'base64url'], { default: 'hex', description: what }));
const algorithm = Type.Optional(
  oneOfTexts(['sha256', 'sha384', 'sha512', 'sha1', 'md5'], { default: 'sha256' }),
);
const key = Type.String({
  minLength: 1,
  ...ui({ control: 'secret', hint: 'The key, encoded as UTF-8.' }),
  description: 'The key, encoded as UTF-8. Store it as a secret: {{ secrets.NAME }}.',
});
const output = outputField();

const CryptoConfig = tagged('operation', [
  closed(
    {
      operation: Type.Literal('hash'),
      value: valueField('The text'),
      algorithm,
      encoding: encoding('The encoding of the hash.'),
      output,
    },
    { title: 'Hash' },
  ),
  closed(
    {
      operation: Type.Literal('hmac'),
      value: valueField('The text'),
      key,
      algorithm,
      encoding: encoding('The encoding of the signature.'),
      output,
    },
    { title: 'HMAC' },
  ),
  closed(
    {
      operation: Type.Literal('verify_hmac'),
      value: valueField('The text'),
      key,
      signature: Type.String({ description: 'The signature to verify; compared in constant time.' }),
      algorithm,
      encoding: encoding('The encoding of the signature.'),
      output,
    },
    { title: 'Verify HMAC' },
  ),
  closed(
    {
      operation: Type.Literal('encode'),
      value: valueField('The text, encoded as UTF-8'),
      encoding: encoding('The target encoding.'),
      output,
    },
    { title: 'Encode' },
  ),
  closed(
    {
      operation: Type.Literal('decode'),
      value: valueField('The encoded text'),
      encoding: encoding('The encoding of the text.'),
      output,
    },
    { title: 'Decode' },
  ),
  closed({ operation: Type.Literal('uuid'), output }, { title: 'UUID' }),
  closed(
    {
      operation: Type.Literal('random'),
      bytes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1024, default: 32, description: 'Number of bytes.' }),
      ),
      encoding: encoding('The encoding of the bytes.'),
      output,
    },
    { title: 'Random' },
  ),
]);
type CryptoConfig = Static<typeof CryptoConfig>;
type Encoding = 'hex' | 'base64' | 'base64url';

/**
 * The node has no side effects, but it is declared with external effects because only such nodes may read
 * secrets, and because random values must be on disk before other steps use them.
 */
export const crypto = defineNode({
  type: 'crypto',
  version: '1.0.0',
  name: 'Crypto',
  category: 'data',
  description:
    'Hashes and signs text, verifies signatures, encodes and decodes text, and generates UUIDs and random bytes. The key may be a secret. Text may have at most 16,777,216 characters.',
  icon: 'key-round',
  keywords: [
    'hash',
    'sha256',
    'hmac',
    'sign',
    'signature',
    'verify',
    'uuid',
    'random',
    'base64',
    'hex',
    'encode',
    'decode',
    'checksum',
  ],
  config: CryptoConfig,
  templates: { operation: 'literal', output: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The text; for verify_hmac true or false' }],
  effects: 'external',
  secrets: { key: 'local' },
  run(_ctx, config, input) {
    try {
      return createOutcome(config, input, computeResult(config as CryptoConfig, input));
    } catch (error) {
      return toFailure(error);
    }
  },
  examples: [
    {
      title: 'SHA-256 of text',
      config: { operation: 'hash', value: '{{ input.mail | downcase }}', output: 'hash' },
      input: { mail: 'Ada@Example.com' },
      outputs: {
        out: {
          mail: 'Ada@Example.com',
          hash: 'b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72',
        },
      },
    },
    {
      title: 'Sign with a secret key',
      config: {
        operation: 'hmac',
        value: '{{ input | json }}',
        key: '{{ secrets.SIGNING_KEY }}',
        output: 'signature',
      },
      input: { id: 7 },
      outputs: {
        out: { id: 7, signature: 'b494316b8b9222b6adca7f730092fd96fe7047d41f64a4ebb5d20070226abc33' },
      },
    },
    {
      title: 'An invalid signature',
      config: {
        operation: 'verify_hmac',
        value: '{{ input.body }}',
        signature: '{{ input.signature }}',
        key: '{{ secrets.SIGNING_KEY }}',
      },
      input: { body: 'hello', signature: '00ff' },
      outputs: { out: false },
    },
    {
      title: 'Encode the input as base64',
      config: { operation: 'encode', encoding: 'base64' },
      input: 'user:pass',
      outputs: { out: 'dXNlcjpwYXNz' },
    },
    {
      title: 'Bytes that are not text',
      config: { operation: 'decode', encoding: 'hex' },
      input: 'ff',
      failure: 'validation',
    },
  ],
});

function computeResult(config: CryptoConfig, input: Json): Json {
  switch (config.operation) {
    case 'uuid':
      return randomUUID();
    case 'random':
      return randomBytes(config.bytes ?? 32).toString(config.encoding ?? 'hex');
    case 'hash':
      return createHash(config.algorithm ?? 'sha256')
        .update(readBoundedText(config, input), 'utf8')
        .digest(config.encoding ?? 'hex');
    case 'hmac':
      return sign(config, input).toString(config.encoding ?? 'hex');
    case 'verify_hmac': {
      const expected = sign(config, input);
      const given = decodeBytes(config.signature.trim(), config.encoding ?? 'hex');
      return given !== null && given.length === expected.length && timingSafeEqual(given, expected);
    }
    case 'encode':
      return Buffer.from(readBoundedText(config, input), 'utf8').toString(config.encoding ?? 'hex');
    default:
      return decodeText(readBoundedText(config, input).trim(), config.encoding ?? 'hex');
  }
}

function readBoundedText(config: { value?: Json }, input: Json): string {
  const text = readText(config, input);
  if (text.length > MAX_TEXT_LENGTH)
    throw new DataError('value', `must have at most ${MAX_TEXT_LENGTH} characters`, 'limit');
  return text;
}

function sign(config: Extract<CryptoConfig, { key: string }>, input: Json): Buffer {
  return createHmac(config.algorithm ?? 'sha256', config.key)
    .update(readBoundedText(config, input), 'utf8')
    .digest();
}

const ALPHABETS: Readonly<Record<Encoding, RegExp>> = {
  hex: /^(?:[0-9A-Fa-f]{2})*$/,
  base64: /^[A-Za-z0-9+/]*={0,2}$/,
  base64url: /^[A-Za-z0-9_-]*={0,2}$/,
};

/** Null if the text is not in this encoding. Node.js would ignore invalid characters. */
function decodeBytes(text: string, given: Encoding): Buffer | null {
  return ALPHABETS[given].test(text) ? Buffer.from(text, given) : null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(text: string, given: Encoding): string {
  const bytes = decodeBytes(text, given);
  if (bytes === null) throw new DataError('value', `must be encoded in ${given}`);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DataError('value', 'must be UTF-8 text when decoded');
  }
}
