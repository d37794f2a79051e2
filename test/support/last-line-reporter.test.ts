import { expect, test } from 'vitest';
import { formatLastLine } from './last-line-reporter.ts';

test('the last line of a run has its counts, its duration and the services that are not installed', () => {
  expect(formatLastLine({ passed: 5_970, failed: 0, skipped: 4 }, 251_600, [])).toBe(
    'PASSED: 5,970 passed, 0 failed, 4 skipped in 4 min 12 s',
  );
  expect(
    formatLastLine({ passed: 1, failed: 2, skipped: 3 }, 8_400, ['Redis (apt-get install redis-server)']),
  ).toBe(
    'FAILED: 1 passed, 2 failed, 3 skipped (not installed: Redis (apt-get install redis-server)) in 8 s',
  );
});
