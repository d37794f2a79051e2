import { expect, test } from 'vitest';
import { WeftError } from '../../contract/errors.ts';
import { addRetryAfter } from './overload.ts';

test('only an error of capacity without a time gets one', () => {
  const full = new WeftError('RATE_LIMITED', 'The queue is full.', { reason: 'capacity' });
  expect(addRetryAfter(full)).toMatchObject({
    code: 'RATE_LIMITED',
    message: full.message,
    details: { reason: 'capacity', retry_after: 1 },
  });
  const others = [
    new WeftError('RATE_LIMITED', undefined, { retry_after: 30 }),
    new WeftError('NOT_FOUND'),
    new Error('x'),
  ];
  for (const error of others) expect(addRetryAfter(error)).toBe(error);
});
