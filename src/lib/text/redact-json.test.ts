import { expect, test } from 'vitest';
import { redactJson } from './redact-json.ts';
import { createRedactor, REDACTED } from './redact.ts';

test('texts and names are redacted, everything else is unchanged', () => {
  const value = { 'a secret-value b': ['secret-value', 1, null, true, { deep: 'x secret-value' }], n: 2 };
  expect(redactJson(value, createRedactor(['secret-value']))).toEqual({
    [`a ${REDACTED} b`]: [REDACTED, 1, null, true, { deep: `x ${REDACTED}` }],
    n: 2,
  });
  expect(value.n).toBe(2);
});

test('a secret of digits is redacted where it comes back as a number, and only as a whole', () => {
  const redact = createRedactor(['987654']);
  expect(redactJson({ pin: 987654, other: 1987654, list: [987654] }, redact)).toEqual({
    pin: REDACTED,
    other: 1987654,
    list: [REDACTED],
  });
  expect(redactJson(987654, redact)).toBe(REDACTED);
});

test('a deep value costs no stack', () => {
  let deep: never[] | [unknown] = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(() => redactJson(deep as never, (text) => text)).not.toThrow();
});
