import { expect, it } from 'vitest';
import { truncateText } from './truncate.ts';
import { createRedactor, REDACTED } from './redact.ts';

const secret = 'p@ss "wörd"/42';

it.each([
  ['exact', `say ${secret}!`],
  ['in the name of a host', `${secret.toUpperCase().toLowerCase()}.example has no address`],
  ['in JSON', JSON.stringify({ a: secret })],
  ['URL-encoded', `https://x/?k=${encodeURIComponent(secret)}&b=1`],
  ['form-encoded', new URLSearchParams({ k: secret }).toString()],
  ['in the path of a URL', new URL(`https://x/a/${secret}`).href],
  ['in the query of a URL', new URL(`https://x/a?k=${secret}`).href],
  ['hex', Buffer.from(`a${secret}b`).toString('hex')],
  ['capital hex', Buffer.from(secret).toString('hex').toUpperCase()],
  ['base64', `Basic ${Buffer.from(secret).toString('base64')}`],
  ['base64 behind a user name', `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`],
  ['base64 behind a longer name', `Basic ${Buffer.from(`lovel:${secret}`).toString('base64')}`],
  ['base64 before something', Buffer.from(`ab${secret}:more`).toString('base64')],
  ['base64url', Buffer.from(`a${secret}`).toString('base64url')],
])('redacts a secret: %s', (_title, text) => {
  const redacted = createRedactor([secret])(text);
  expect(redacted).toContain(REDACTED);
  expect(redacted).not.toContain('wörd');
  expect(
    Buffer.from(redacted.replaceAll(REDACTED, '').replace(/^Basic /, ''), 'base64').toString(),
  ).not.toContain('wörd');
});

it('redacts the longer of two nested secrets', () => {
  expect(createRedactor(['token', 'token-extended'])('a token-extended b token')).toBe(
    `a ${REDACTED} b ${REDACTED}`,
  );
});

it('does not change a text without secrets, or secrets of less than four characters', () => {
  expect(createRedactor(['abc'])('abc abc')).toBe('abc abc');
  expect(createRedactor([])('x')).toBe('x');
  expect(createRedactor(['a-secret'])('nothing here')).toBe('nothing here');
});

it('redacts the password of a URL and the secret fields of a JSON object separately', () => {
  const redact = createRedactor([
    'smtp://ada:p%40ss-word@mail.example.com:25',
    '{"base_url":"https://crm.example.com","token":"tok-123456","access_key_id":"AKID-123456"}',
    'https://hooks.example.com/T/B/xyz',
    '{"broken',
  ]);
  expect(
    redact('p@ss-word p%40ss-word tok-123456 AKID-123456 mail.example.com https://crm.example.com'),
  ).toBe(`${REDACTED} ${REDACTED} ${REDACTED} AKID-123456 mail.example.com https://crm.example.com`);
  expect(redact('to https://hooks.example.com/T/B/xyz')).toBe(`to ${REDACTED}`);
});

it('redacts a secret without the whitespace around it, which a header drops', () => {
  const redact = createRedactor([' a-secret\n', '  {"token":"tok-123456"} ']);
  expect(redact('x-key: a-secret; tok-123456')).toBe(`x-key: ${REDACTED}; ${REDACTED}`);
});

it('redacts the beginning of a secret in a truncated text', () => {
  const redact = createRedactor(['token-extended']);
  for (const length of [4, 8, 13])
    expect(redact(truncateText(`said token-extended and more`, 5 + length))).toBe(`said ${REDACTED}…`);
  const encoded = Buffer.from('a:token-extended').toString('base64');
  expect(redact(`${truncateText(`said ${encoded}`, 20)} (1)`)).toMatch(/^said .{0,3}•••… \(1\)$/);
  expect(redact('said tok… and token')).toBe('said tok… and token');
  expect(redact('nothing…')).toBe('nothing…');
});

it('redacts secret-like parts of the path and query of a secret URL', () => {
  const redact = createRedactor([
    'https://hooks.example.com/services/T00/aB3dE5gH7jK9mN1p%2F?key=k-12345678&v=2',
  ]);
  expect(redact('POST /services/T00/aB3dE5gH7jK9mN1p%2F?key=k-12345678&v=2')).toBe(
    `POST /services/T00/${REDACTED}?key=${REDACTED}&v=2`,
  );
  expect(redact('the services of T00')).toBe('the services of T00');
});

it('redacts thousands of secrets, and overlaps as one', () => {
  const secrets = Array.from({ length: 2_000 }, (_, i) => `sk_live_${i * 7919}_x`);
  const redact = createRedactor([...secrets, 'overlap-one', 'one-after']);
  const text = secrets.map((secret) => `<${secret}>`).join('');
  expect(redact(text)).toBe(`<${REDACTED}>`.repeat(secrets.length));
  expect(redact('an overlap-one-after it')).toBe(`an ${REDACTED} it`);
  expect(redact('one-afterone-after')).toBe(REDACTED + REDACTED);
  expect(redact('sk_live_ one-after')).toBe(`sk_live_ ${REDACTED}`);
});
