import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { senderPresets } from '../../contract/webhooks/webhook-presets.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { validateConfig } from '../validate-config.ts';
import { trigger } from './trigger.node.ts';

const pem = { type: 'spki', format: 'pem' } as const;
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders.fifo';
const ed25519 = generateKeyPairSync('ed25519').publicKey.export(pem) as string;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export(pem) as string;

const validateTrigger = (config: JsonObject) =>
  validateConfig(trigger, { triggerType: 'webhook', endpoint: 'a', authentication: 'sender', ...config });
const ofVerification = (verification: JsonObject, config: JsonObject = {}) =>
  validateTrigger({
    secret: 'KEY',
    verification: { type: 'hmac', header: 'X-Signature', ...verification },
    ...config,
  });

describe('verification of any sender', () => {
  test.each<[JsonObject, string, RegExp]>([
    [{ header: 'X Signature' }, 'header', /./],
    [{ algorithm: 'md5' }, 'algorithm', /sha1, sha256, sha512/],
    [{ encoding: 'base32' }, 'encoding', /hex, base64/],
    [{ signed: '{body}{nonce}' }, 'signed', /\{header:Name\}/],
    [{ signed: '{time}.{body}' }, 'signed', /timestampHeader or timestampPrefix/],
    [
      { timestampHeader: 'X-Time' },
      'signed',
      /must contain \{time\}, because an unsigned time could be replaced/,
    ],
    [{ signed: 'fixed' }, 'signed', /must contain \{body\} or \{form\}, because an unsigned body could be/],
    [{ timestampUnit: 'milliseconds' }, 'timestampUnit', /timestampHeader or timestampPrefix/],
    [{ tolerance: '1m' }, 'tolerance', /timestampHeader or timestampPrefix/],
    [{ signed: '{time}{body}', timestampHeader: 'X', tolerance: '2d' }, 'tolerance', /at most 1d/],
    [{ signed: '{time}{body}', timestampHeader: 'X', tolerance: 'soon' }, 'tolerance', /./],
    [{ signed: '{time}{body}', timestampPrefix: 't=' }, 'separator', /required by timestampPrefix/],
    [
      { signed: '{time}{body}', timestampPrefix: 't=', separator: ',', timestampHeader: 'X' },
      'timestampPrefix',
      /must not be set with timestampHeader/,
    ],
    [{ signed: '{time}{body}', timestampHeader: 'X', idHeader: 'X-Id' }, 'idHeader', /\{header:X-Id\}/],
    [{ secretPrefix: 'whsec_' }, 'secretPrefix', /requires secretEncoding hex or base64/],
    [
      { bodyHashQuery: 'hash' },
      'bodyHashQuery',
      /requires \{url\} in signed, because the URL carries the hash/,
    ],
    [{ idField: 'a..b' }, 'idField', /./],
    [{ colour: 'red' }, 'colour', /./],
  ])('refuses %j by the name of its field', (verification, field, issue) => {
    const [error] = ofVerification(verification);
    expect(error?.field).toBe(`verification.${field}`);
    expect(error?.issue).toMatch(issue);
  });

  test('accepts what senders use', () => {
    expect(ofVerification({})).toEqual([]);
    expect(ofVerification({ signed: '{method}{url}{body}{time}', timestampHeader: 'X-Time' })).toEqual([]);
    expect(ofVerification({ signed: '{url}' }, { method: 'GET' })).toEqual([]);
    expect(ofVerification({ type: 'token', prefix: 'Token ' })).toEqual([]);
    for (const [type, publicKey] of [
      ['ed25519', ed25519],
      ['ecdsa', ec],
    ] as const)
      expect(validateTrigger({ publicKey, verification: { type, header: 'X-Signature' } })).toEqual([]);
  });

  test.each<[JsonObject, string, RegExp]>([
    [{}, 'secret', /required/],
    [{ secret: 'KEY' }, 'preset', /is required by authentication sender unless verification is set/],
    [{ preset: 'github' }, 'secret', /required by authentication sender/],
    [{ preset: 'nope', secret: 'KEY' }, 'preset', /github, gitlab/],
    [
      { preset: 'github', secret: 'KEY', publicKey: ed25519 },
      'publicKey',
      /is only allowed for senders that sign with Ed25519 or ECDSA/,
    ],
    [{ preset: 'discord' }, 'publicKey', /required/],
    [{ preset: 'discord', publicKey: ed25519, secret: 'KEY' }, 'secret', /must not be set/],
    [{ preset: 'discord', publicKey: 'abc' }, 'publicKey', /Ed25519.*32 bytes/],
    [{ preset: 'discord', publicKey: ec }, 'publicKey', /Ed25519/],
    [{ preset: 'sendgrid', publicKey: ed25519 }, 'publicKey', /ECDSA/],
    [
      { preset: 'github', secret: 'KEY', verification: { type: 'token', header: 'X' } },
      'verification',
      /must not be set with preset/,
    ],
    [
      { preset: 'github', secret: 'KEY', scheme: 'github' },
      'scheme',
      /is only allowed with authentication hmac/,
    ],
    [{ preset: 'sns' }, 'topicArns', /required/],
    [{ preset: 'sns', topicArns: ['arn:aws:s3:::x'] }, 'topicArns[0]', /./],
    [{ preset: 'sns', topicArns: [TOPIC], secret: 'KEY' }, 'secret', /must not be set/],
    [{ preset: 'github', secret: 'KEY', topicArns: [TOPIC] }, 'topicArns', /is only allowed with preset sns/],
    [
      { preset: 'github', secret: 'KEY', verifySecret: 'V' },
      'verifySecret',
      /is only allowed with preset meta/,
    ],
    [{ preset: 'meta', secret: 'KEY', verifySecret: '{{ secrets.V }}' }, 'verifySecret', /not a template/],
    [
      { preset: 'github', authentication: 'hmac', secret: 'KEY' },
      'preset',
      /is only allowed with authentication sender/,
    ],
  ])('refuses %j', (config, field, issue) => {
    const error = validateTrigger(config).find((one) => one.field === field);
    expect(error?.issue).toMatch(issue);
  });
});

test('presets with settings of their own', () => {
  expect(validateTrigger({ preset: 'sns', topicArns: [TOPIC] })).toEqual([]);
  expect(validateTrigger({ preset: 'meta', secret: 'KEY', verifySecret: 'VERIFY' })).toEqual([]);
});

test('every preset could have been written as a verification', () => {
  for (const [name, { verification }] of Object.entries(senderPresets)) {
    // That one needs a certificate of Amazon.
    if (verification.type === 'sns') continue;
    const key =
      verification.type === 'ed25519'
        ? { publicKey: ed25519 }
        : verification.type === 'ecdsa'
          ? { publicKey: ec }
          : { secret: 'KEY' };
    expect(validateTrigger({ ...key, verification: { ...verification } }), name).toEqual([]);
  }
});
