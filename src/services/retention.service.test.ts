import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/time/manual-clock.ts';
import { createRetention } from './retention.service.ts';

test('a step that fails is reported, and prevents no other', async () => {
  const done: string[] = [];
  const step =
    <T>(name: string, value: T) =>
    (): Promise<T> => {
      done.push(name);
      return Promise.resolve(value);
    };
  const reports: unknown[] = [];
  const retention = createRetention({
    maintenance: { prune: step('prune', { executions: 1, hashes: ['a'] }), shrink: step('shrink', false) },
    fileRows: { filterUnreferenced: (hashes: string[]) => Promise.resolve(hashes) },
    files: { remove: () => Promise.reject(new Error('EROFS')) },
    statistics: { compact: step('statistics', false) },
    usage: { prune: step('usage', false) },
    statisticsRetention: 1,
    decisions: { cancelAbandoned: step('decisions', 0) },
    audit: { prune: () => Promise.reject(new Error('busy')) },
    auditRetention: 1,
    sweepFiles: step('files', undefined),
    clock: new ManualClock(),
    report: (_message: string, error: unknown) => reports.push(error),
  } as never);
  await retention.round();
  expect(done).toEqual(['prune', 'shrink', 'statistics', 'usage', 'decisions', 'files']);
  expect(reports.map(String)).toEqual(['Error: EROFS', 'Error: busy']);
});
