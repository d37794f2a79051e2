import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { authenticateWebhook, type WebhookAuthentication } from './authenticate-webhook.ts';
import type { CallHeaders } from './signed-content.ts';
import { readSender } from './webhook-sender.ts';

const secret = 'it is a secret';
const now = 1_700_000_000_000;
const body = Buffer.from('{"a":1}');

function proved(
  authentication: WebhookAuthentication,
  headers: CallHeaders,
  scheme = 'weft',
  bytes = body,
  key = secret,
): boolean {
  const request = { method: 'POST', headers, query: '', body: bytes, url: () => 'http://weft.test/' };
  return authenticateWebhook(
    { authentication, sender: readSender({ authentication, scheme }) },
    key,
    request,
    now,
  );
}

function weftSignature(time: number, key = secret, bytes = body): string {
  return createHmac('sha256', key).update(`${time}.`).update(bytes).digest('hex');
}

describe('proofs of a webhook', () => {
  test('basic, bearer and api_key take the secret and nothing else', () => {
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    expect(proved('basic', { authorization: basic('user:pass') }, 'weft', body, 'user:pass')).toBe(true);
    expect(proved('basic', { authorization: basic('user:wrong') })).toBe(false);
    expect(proved('bearer', { authorization: `bearer ${secret}` })).toBe(true);
    expect(proved('bearer', { authorization: `Basic ${secret}` })).toBe(false);
    expect(proved('bearer', { authorization: secret })).toBe(false);
    expect(proved('api_key', { 'x-api-key': secret })).toBe(true);
    expect(proved('api_key', { 'x-api-key': `${secret} ` })).toBe(false);
    for (const kind of ['basic', 'bearer', 'api_key', 'hmac'] as const) expect(proved(kind, {})).toBe(false);
    expect(proved('none', {})).toBe(true);
  });

  test('a signature of Weft counts for the bytes and within five minutes', () => {
    const seconds = now / 1000;
    const signed = (time: number, signature = weftSignature(time)): CallHeaders => ({
      'x-weft-signature': `t=${time},v1=${signature}`,
    });
    expect(proved('hmac', signed(seconds))).toBe(true);
    expect(proved('hmac', signed(seconds - 300))).toBe(true);
    expect(proved('hmac', signed(seconds + 300))).toBe(true);
    expect(proved('hmac', signed(seconds - 301))).toBe(false);
    expect(proved('hmac', signed(seconds + 301))).toBe(false);
    expect(proved('hmac', signed(seconds), 'weft', Buffer.from('{"a":2}'))).toBe(false);
    expect(proved('hmac', signed(seconds, weftSignature(seconds, 'another key')))).toBe(false);
    expect(proved('hmac', { 'x-weft-signature': `v1=${weftSignature(seconds)}` })).toBe(false);
    expect(
      proved('hmac', {
        'x-weft-signature': `t=${seconds},v1=${'0'.repeat(64)},v1=${weftSignature(seconds)}`,
      }),
    ).toBe(true);
    for (const broken of ['', 't=', 't=1,v1=', 't=x,v1=y', `t=${seconds},v1=zz`, `t=${seconds}`, ',,,,=']) {
      expect(proved('hmac', { 'x-weft-signature': broken })).toBe(false);
    }
  });

  test('a signature of GitHub', () => {
    const digest = createHmac('sha256', secret).update(body).digest('hex');
    expect(proved('hmac', { 'x-hub-signature-256': `sha256=${digest}` }, 'github')).toBe(true);
    expect(proved('hmac', { 'x-hub-signature-256': `sha256=${digest}` }, 'github', Buffer.from('{}'))).toBe(
      false,
    );
    expect(proved('hmac', { 'x-hub-signature-256': digest }, 'github')).toBe(false);
    expect(proved('hmac', { 'x-hub-signature-256': `sha256=${digest.slice(2)}` }, 'github')).toBe(false);
    expect(proved('hmac', { 'x-hub-signature-256': `sha256=${digest}` }, 'weft')).toBe(false);
  });

  test('a published example: the one of GitHub’s documentation', () => {
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    expect(
      proved('hmac', headers, 'github', Buffer.from('Hello, World!'), "It's a Secret to Everybody"),
    ).toBe(true);
  });
});
