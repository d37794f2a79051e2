import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const runsSources = (file: string): boolean =>
  /from '[./]*(?:test\/)?support\/in-process\.ts'/.test(readFileSync(path.join(root, file), 'utf8'));

/**
 * The tests that run the whole service from its sources in their own process, because they control its clock
 * or inspect it, each with the tests of the same behavior on the built program.
 */
const counterparts: Record<string, readonly string[]> = {
  'sdk/src/streams/live-updates.slow.test.ts': ['sdk/src/package.test.ts', 'test/artifact/rest.test.ts'],
  'test/end-to-end/upgrade.test.ts': ['test/api/system-clock.slow.test.ts'],
  'test/examples/daily-report.test.ts': ['test/api/system-clock.slow.test.ts'],
  'test/examples/reminder.test.ts': ['test/api/system-clock.slow.test.ts'],
  'test/api/graphql/statements.test.ts': [
    'test/api/graphql/graphql.test.ts',
    'test/artifact/graphql.test.ts',
  ],
  'test/api/webhooks/listen.test.ts': ['test/artifact/rest.test.ts', 'test/api/webhooks/host.test.ts'],
  'test/api/triggers/feed-polling.test.ts': ['test/crash/polling.test.ts', 'test/nodes/file-nodes.test.ts'],
  'test/api/triggers/polling.test.ts': ['test/crash/polling.test.ts'],
  'test/api/deleted-workflows.test.ts': ['test/artifact/rest.test.ts', 'test/cli/commands.slow.test.ts'],
  'test/api/executions/retention.test.ts': ['test/api/system-clock.slow.test.ts'],
  'test/api/triggers/schedules.slow.test.ts': [
    'test/api/system-clock.slow.test.ts',
    'test/cluster/roles.test.ts',
  ],
  'test/api/webhooks/deliveries.test.ts': ['test/api/webhooks/presets.test.ts'],
  'test/templates/scheduled.test.ts': ['test/api/system-clock.slow.test.ts'],
};

test('only these tests run the service from its sources', () => {
  const found = globSync('{src,test,sdk,web,scripts}/**/*.test.ts', { cwd: root }).filter(runsSources);
  expect(found.toSorted(), 'Change test/in-process.test.ts').toEqual(Object.keys(counterparts).toSorted());
});

test.each(Object.entries(counterparts))('%s has a counterpart on the built program', (_file, others) => {
  for (const other of others) {
    expect(existsSync(path.join(root, other)), other).toBe(true);
    expect(runsSources(other), other).toBe(false);
  }
});
