import { expect, test } from 'vitest';
import { checkWebhook } from './webhook-check.ts';

test('a GET has no body that a schema could expect', () => {
  const config = { endpoint: 'a', authentication: 'none', expectedSchema: { id: 'string' } };
  expect(checkWebhook({ ...config, method: 'GET' })).toMatchObject([{ field: 'expectedSchema' }]);
  expect(checkWebhook(config)).toEqual([]);
});
