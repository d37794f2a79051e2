import { redisProgram } from './servers/redis-server.ts';
import { findPostgresPrograms } from './servers/postgres-wire-server.ts';

/** Services that tests start and that may be missing, with their Debian packages. */
export const missingServices: readonly string[] = [
  ...(findPostgresPrograms() === null ? ['PostgreSQL (apt-get install postgresql)'] : []),
  ...(redisProgram === null ? ['Redis (apt-get install redis-server)'] : []),
];

/** Runs before all tests. With TEST_SERVICES=required, as in CI, a missing service is a failure. */
export function setup(): void {
  if (missingServices.length > 0 && process.env['TEST_SERVICES'] === 'required')
    throw new Error(`TEST_SERVICES=required, but these are not installed: ${missingServices.join(', ')}.`);
}
