import { expect, test } from 'vitest';
import { REDACTED } from '../../lib/text/redact.ts';
import { createSecretRedaction } from './redaction.ts';

test('a change takes effect immediately', async () => {
  let secrets = [{ name: 'A', value: 'first-value' }];
  const secretRedaction = createSecretRedaction({
    accounts: { listSecrets: async () => ({ rows: secrets as never, total: secrets.length }) },
    listValues: async () => secrets.map((secret) => secret.value),
    listFormerValues: async () => ['value-of-before'],
    listTokens: async () => ['a-token-given'],
    now: () => 0,
  });
  expect(
    (await secretRedaction.loadRedactor('usr_1'))('first-value second-value a-token-given value-of-before'),
  ).toBe(`${REDACTED} second-value ${REDACTED} ${REDACTED}`);
  secrets = [...secrets, { name: 'B', value: 'second-value' }];
  secretRedaction.forget('usr_1');
  expect((await secretRedaction.loadRedactor('usr_1'))('first-value second-value')).toBe(
    `${REDACTED} ${REDACTED}`,
  );
});
