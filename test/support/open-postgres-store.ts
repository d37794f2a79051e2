import { randomUUID } from 'node:crypto';
import {
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
} from '../../src/store/postgres/open-store.ts';

/** A store on a server without synchronous writes. */
export function openForTest(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
  let at = 1_700_000_000_000;
  return openPostgresStore({
    url,
    connections: 7,
    id: `prc_${randomUUID()}`,
    role: 'all',
    version: '0.0.0',
    shares: false,
    now: () => at++,
    mayLose: true,
    patience: 500,
    ...options,
  });
}
