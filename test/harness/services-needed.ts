import { redisProgram } from '../../src/queue/testing/redis-server.ts';
import { postgresPrograms } from '../../src/runner/testing/postgres-server.ts';

/** Services that tests start for themselves, and what they are on Debian. */
const missing = [
  ...(postgresPrograms() === null ? ['PostgreSQL (apt-get install postgresql)'] : []),
  ...(redisProgram === null ? ['Redis (apt-get install redis-server)'] : []),
];

function say(): void {
  for (const service of missing)
    console.warn(`\n  SKIPPED: every test that needs ${service}, for it is not installed.`);
}

/** Before all tests. With TEST_SERVICES=required none of them runs without these services. */
export function setup(): void {
  if (missing.length > 0 && process.env['TEST_SERVICES'] === 'required')
    throw new Error(`TEST_SERVICES=required, but there is no ${missing.join(', and no ')}.`);
  say();
}

/** Behind all tests once more, where it is read. */
export const teardown = say;
