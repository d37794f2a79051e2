import { expect, test } from 'vitest';
import { createRedactor, REDACTED } from '../../lib/text/redact.ts';
import { createSecretRedaction, redactJson } from './redaction.ts';

test('texts and names are masked, everything else is unchanged', () => {
  const value = { 'a secret-value b': ['secret-value', 1, null, true, { deep: 'x secret-value' }], n: 2 };
  expect(redactJson(value, createRedactor(['secret-value']))).toEqual({
    [`a ${REDACTED} b`]: [REDACTED, 1, null, true, { deep: `x ${REDACTED}` }],
    n: 2,
  });
  expect(value.n).toBe(2);
});

test('a secret of digits is masked where it comes back as a number, and only as a whole', () => {
  const mask = createRedactor(['987654']);
  expect(redactJson({ pin: 987654, other: 1987654, list: [987654] }, mask)).toEqual({
    pin: REDACTED,
    other: 1987654,
    list: [REDACTED],
  });
  expect(redactJson(987654, mask)).toBe(REDACTED);
});

test('a deep value costs no stack', () => {
  let deep: never[] | [unknown] = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(() => redactJson(deep as never, (text) => text)).not.toThrow();
});

test('a change takes effect immediately', async () => {
  let secrets = [{ name: 'A', value: 'first-value' }];
  const masks = createSecretRedaction({
    people: { listSecrets: async () => ({ rows: secrets as never, total: secrets.length }) },
    listValues: async () => secrets.map((secret) => secret.value),
    listFormerValues: async () => ['value-of-before'],
    listTokens: async () => ['a-token-given'],
    now: () => 0,
  });
  expect((await masks.masker('usr_1'))('first-value second-value a-token-given value-of-before')).toBe(
    `${REDACTED} second-value ${REDACTED} ${REDACTED}`,
  );
  secrets = [...secrets, { name: 'B', value: 'second-value' }];
  masks.forget('usr_1');
  expect((await masks.masker('usr_1'))('first-value second-value')).toBe(`${REDACTED} ${REDACTED}`);
});
