import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../lib/json/json.ts';
import type { CallHeaders, SignedRequest } from './signed-content.ts';
import { respondToHandshake } from './webhook-handshake.ts';
import { readSender, type Sender } from './webhook-sender.ts';
import { findDeliveryName, isVerified, findSecretError } from './webhook-signature.ts';

type SignatureScheme = 'weft' | 'standard' | 'github' | 'stripe' | 'slack';
const createSender = (scheme: SignatureScheme): Sender => readSender({ authentication: 'hmac', scheme })!;
const createRequest = (headers: CallHeaders, body: Buffer): SignedRequest => ({
  method: 'POST',
  headers,
  query: '',
  body,
  url: () => 'http://weft.test/',
});
type Delivery = { scheme: SignatureScheme; secret: string; headers: CallHeaders; body: Buffer; now: number };

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(text).digest(encoding);
const isGood = (one: Delivery, change: Partial<Delivery> = {}): boolean => {
  const { scheme, secret, headers, body, now } = { ...one, ...change };
  return isVerified(createSender(scheme), secret, createRequest(headers, body), now);
};

/** The example that the libraries of Standard Webhooks are tested with. */
const standard: Delivery = {
  scheme: 'standard',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: Buffer.from('{"test": 2432232314}'),
  now: 1_614_265_330_000,
};

/** The example of Slack's own documentation: a slash command. */
const slack: Delivery = {
  scheme: 'slack',
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  headers: {
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    'x-slack-request-timestamp': '1531420618',
  },
  body: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ),
  now: 1_531_420_618_000,
};

const stripeBody = `{
  "id": "evt_1NG8Du2eZvKYlo2CUI79vXWy",
  "object": "event",
  "api_version": "2019-02-19",
  "created": 1686089970,
  "data": { "object": { "id": "seti_1NG8Du2eZvKYlo2C9XMqbR0x", "object": "setup_intent" } },
  "livemode": false,
  "type": "setup_intent.created"
}`;
/** In the shape of a delivery of Stripe: the secret is used as it is shown. */
const stripeSecret = 'whsec_test_secret';
const stripeDigest = hmac(stripeSecret, `1686089971.${stripeBody}`, 'hex');
const stripe: Delivery = {
  scheme: 'stripe',
  secret: stripeSecret,
  headers: {
    'stripe-signature': `t=1686089971,v1=${stripeDigest}`,
  },
  body: Buffer.from(stripeBody),
  now: 1_686_089_971_000,
};
const deliveries: [string, Delivery][] = [
  ['standard', standard],
  ['slack', slack],
  ['stripe', stripe],
];

describe.each(deliveries)('a delivery of %s', (_name, one) => {
  test('covers the raw body, within five minutes before and after', () => {
    expect(isGood(one)).toBe(true);
    for (const off of [-300_000, 300_000]) expect(isGood(one, { now: one.now + off })).toBe(true);
    for (const off of [-301_000, 301_000]) expect(isGood(one, { now: one.now + off })).toBe(false);
  });

  test('counts for no other bytes and no other secret', () => {
    expect(isGood(one, { body: Buffer.concat([one.body, Buffer.from(' ')]) })).toBe(false);
    expect(isGood(one, { body: Buffer.alloc(0) })).toBe(false);
    for (const secret of ['other', 'whsec_AAAA', '']) expect(isGood(one, { secret })).toBe(false);
  });

  test('needs each of its headers, once and in its form', () => {
    for (const [name, value] of Object.entries(one.headers)) {
      const text = value as string;
      for (const wrong of [
        undefined,
        '',
        ' ',
        `x${text}`,
        text.slice(0, -1),
        `${text}0`,
        text.replace(/\d/, 'x'),
        [text, text],
        `${text}${','.repeat(5_000)}`,
        'NaN',
        '1e9',
        '-1',
      ]) {
        expect(isGood(one, { headers: { ...one.headers, [name]: wrong } }), `${name}: ${String(wrong)}`).toBe(
          false,
        );
      }
    }
  });

  test('is of no other scheme', () => {
    for (const [scheme] of deliveries.filter(([name]) => name !== one.scheme))
      expect(isGood(one, { scheme: scheme as SignatureScheme, secret: one.secret })).toBe(false);
  });
});

describe('several signatures', () => {
  test('one of them is enough: keys are changed without a gap', () => {
    const { 'webhook-signature': good } = standard.headers;
    const signed = (text: string): boolean =>
      isGood(standard, { headers: { ...standard.headers, 'webhook-signature': text } });
    const other = `v1,${Buffer.alloc(32).toString('base64')}`;
    expect(signed(`${other} ${String(good)}`)).toBe(true);
    expect(signed(`v1a,${Buffer.alloc(64).toString('base64')} ${String(good)} ${other}`)).toBe(true);
    expect(signed(`${other} ${other}`)).toBe(false);
    expect(signed(String(good).replace('v1,', 'v2,'))).toBe(false);

    const old = 'f'.repeat(64);
    const header = (text: string): boolean => isGood(stripe, { headers: { 'stripe-signature': text } });
    // As test mode has it.
    expect(header(`t=1686089971,v1=${stripeDigest},v0=${old}`)).toBe(true);
    expect(header(`t=1686089971,v1=${old},v1=${stripeDigest}`)).toBe(true);
    expect(header(`t=1686089971,v1=${old}`)).toBe(false);
    expect(header(`t=1686089971,v0=${stripeDigest}`)).toBe(false);
    expect(header(`v1=${stripeDigest}`)).toBe(false);
    expect(header(`t=1686089970,v1=${stripeDigest}`)).toBe(false);
  });
});

describe('secrets of Standard Webhooks', () => {
  test('work with and without their prefix; invalid base64 is an error of the secret', () => {
    expect(isGood(standard, { secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })).toBe(true);
    expect(findSecretError(createSender('standard'), standard.secret)).toBeNull();
    for (const secret of ['whsec_', 'whsec_A', 'whsec_AAAA', 'whsec_not base64', 'schlüssel'])
      expect(findSecretError(createSender('standard'), secret)).toBe(
        'must be a key of at least 16 bytes in base64, optionally after whsec_',
      );
    expect(findSecretError(createSender('stripe'), 'anything')).toBeNull();
  });

  test('an id with a dot, which would leave open where it ends, proves nothing', () => {
    const headers = {
      'webhook-id': 'msg.1614265330',
      'webhook-timestamp': '1614265330',
      'webhook-signature': `v1,${hmac(
        Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'),
        'msg.1614265330.1614265330.{}',
        'base64',
      )}`,
    };
    expect(isGood(standard, { headers, body: Buffer.from('{}') })).toBe(false);
  });
});

describe('the name of an event', () => {
  const name = (one: Delivery, body: Json = null): string | null =>
    findDeliveryName(createSender(one.scheme), createRequest(one.headers, one.body), body);

  test('is what the sender signed', () => {
    expect(name(standard)).toBe('webhook-id:msg_p5jXN8AQM9LWM0D4loKWxJek');
    expect(name(stripe, { id: 'evt_1' })).toBe('stripe:evt_1');
    expect(name(slack, { event_id: 'Ev08MFMKH6' })).toBe('slack:Ev08MFMKH6');
    expect(name({ ...stripe, scheme: 'weft' }, { id: 'evt_1' })).toBeNull();
    expect(name({ ...stripe, scheme: 'github' }, { id: 'evt_1' })).toBeNull();
  });

  test('without an id is its time and its bytes, however its signature is spelled', () => {
    const upper = { ...slack.headers, 'x-slack-signature': 'v0=A2114D' };
    expect(name(slack)).toMatch(/^slack:[0-9a-f]{64}$/);
    expect(name({ ...slack, headers: upper })).toBe(name(slack));
    expect(name({ ...slack, body: Buffer.from('other') })).not.toBe(name(slack));
    expect(name(stripe, { id: 'e'.repeat(300) })).toMatch(/^stripe:[0-9a-f]{64}$/);
  });
});

describe('the handshake of Slack', () => {
  const respond = (body: unknown): unknown =>
    respondToHandshake('slack', Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  const asked = {
    token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl',
    challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    type: 'url_verification',
  };

  test('responds with the challenge, and to nothing else', () => {
    expect(respond(asked)).toEqual({ challenge: asked.challenge });
    for (const other of [
      { ...asked, type: 'event_callback', text: 'url_verification' },
      { ...asked, challenge: 7 },
      { ...asked, challenge: 'x'.repeat(5_000) },
      { type: 'url_verification' },
      'url_verification',
      '["url_verification"]',
    ])
      expect(respond(other)).toBeNull();
  });
});
