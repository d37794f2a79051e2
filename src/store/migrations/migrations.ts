import { sql as init } from './0001-init.ts';
import { sql as throttling } from './0002-throttling.ts';
import { sql as oauth } from './0003-oauth.ts';
import { sql as templates } from './0004-templates.ts';
import { sql as customNodes } from './0005-custom-nodes.ts';
import { sql as signals } from './0006-signals.ts';
import { sql as followers } from './0007-followers.ts';
import { sql as taken } from './0008-taken.ts';
import { sql as polls } from './0009-polls.ts';

/** Applied in order, each in one transaction together with its number. A released one is never changed. */
export const migrations: readonly { name: string; sql: string }[] = [
  { name: '0001-init', sql: init },
  { name: '0002-throttling', sql: throttling },
  { name: '0003-oauth', sql: oauth },
  { name: '0004-templates', sql: templates },
  { name: '0005-custom-nodes', sql: customNodes },
  { name: '0006-signals', sql: signals },
  { name: '0007-followers', sql: followers },
  { name: '0008-taken', sql: taken },
  { name: '0009-polls', sql: polls },
];
