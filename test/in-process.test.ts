import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const runsSources = (file: string): boolean =>
  /from '[./]*(?:test\/)?harness\/in-process\.ts'/.test(readFileSync(path.join(root, file), 'utf8'));

/**
 * The tests of the whole service that run it from its sources in their own process, because they move its clock or look inside it, each
 * with the tests that try the same behaviour on the built program.
 */
const counterparts: Record<string, readonly string[]> = {
  'sdk/src/live.test.ts': ['sdk/src/package.test.ts', 'test/artifact/rest.test.ts'],
  'test/day-one/upgrade.test.ts': ['test/interface/system-clock.slow.test.ts'],
  'test/examples/daily-report.test.ts': ['test/interface/system-clock.slow.test.ts'],
  'test/examples/reminder.test.ts': ['test/interface/system-clock.slow.test.ts'],
  'test/interface/graphql-statements.test.ts': [
    'test/interface/graphql.test.ts',
    'test/artifact/graphql.test.ts',
  ],
  'test/interface/listen.test.ts': ['test/artifact/rest.test.ts', 'test/interface/webhook-host.test.ts'],
  'test/interface/polling.test.ts': ['test/crash/polling.test.ts'],
  'test/interface/retention.test.ts': ['test/interface/system-clock.slow.test.ts'],
  'test/interface/schedules.test.ts': [
    'test/interface/system-clock.slow.test.ts',
    'test/scale/roles.test.ts',
  ],
  'test/interface/webhook-deliveries.test.ts': ['test/interface/webhook-presets.test.ts'],
  'test/templates/scheduled.test.ts': ['test/interface/system-clock.slow.test.ts'],
};

test('only these tests run the service from its sources', () => {
  const found = globSync('{src,test,sdk,web,scripts}/**/*.test.ts', { cwd: root }).filter(runsSources);
  expect(found.toSorted()).toEqual(Object.keys(counterparts).toSorted());
});

test.each(Object.entries(counterparts))('%s has a counterpart on the built program', (_file, others) => {
  for (const other of others) {
    expect(existsSync(path.join(root, other)), other).toBe(true);
    expect(runsSources(other), other).toBe(false);
  }
});
