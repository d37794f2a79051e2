import { sql as init } from './0001-init.ts';
import { sql as throttling } from './0002-throttling.ts';

/** Applied in order, each in one transaction together with its number. A released one is never changed. */
export const migrations: readonly { name: string; sql: string }[] = [
  { name: '0001-init', sql: init },
  { name: '0002-throttling', sql: throttling },
];
