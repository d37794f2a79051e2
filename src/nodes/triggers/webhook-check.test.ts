import { expect, test } from 'vitest';
import { webhookFaults } from './webhook-check.ts';

test('a GET has no body that a schema could expect', () => {
  const config = { endpoint: 'a', authentication: 'none', expectedSchema: { id: 'string' } };
  expect(webhookFaults({ ...config, method: 'GET' })).toMatchObject([{ field: 'expectedSchema' }]);
  expect(webhookFaults(config)).toEqual([]);
});
