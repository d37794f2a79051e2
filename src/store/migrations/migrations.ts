import { sql as init } from './0001-init.ts';
import { sql as throttling } from './0002-throttling.ts';
import { sql as oauth } from './0003-oauth.ts';
import { sql as templates } from './0004-templates.ts';
import { sql as customNodes } from './0005-custom-nodes.ts';
import { sql as signals } from './0006-signals.ts';
import { sql as followers } from './0007-followers.ts';
import { sql as taken } from './0008-taken.ts';
import { sql as polls } from './0009-polls.ts';
import { sql as processes } from './0010-processes.ts';
import { sql as connections } from './0011-connections.ts';
import { sql as deletedNodes } from './0012-deleted-nodes.ts';
import { sql as formerSecrets } from './0013-former-secrets.ts';
import { sql as heldTicks } from './0014-held-ticks.ts';
import { sql as secretsUse } from './0015-secrets-use.ts';
import { sql as webhookSegments } from './0016-webhook-segments.ts';
import { sql as pinnedOutputs } from './0017-pinned-outputs.ts';
import { sql as retries } from './0018-retries.ts';
import { sql as packs } from './0019-packs.ts';
import { sql as deletedWorkflows } from './0020-deleted-workflows.ts';
import { sql as executionStatistics } from './0021-execution-statistics.ts';
import { sql as connectionFields } from './0022-connection-fields.ts';
import { sql as pollCursors } from './0023-poll-cursors.ts';
import { sql as decisions } from './0024-decisions.ts';
import { sql as auditEvents } from './0025-audit-events.ts';
import { sql as decisionValues } from './0026-decision-values.ts';
import { sql as versionNames } from './0027-version-names.ts';
import { sql as packWebhooks } from './0028-pack-webhooks.ts';
import { sql as snapshots } from './0029-snapshots.ts';
import { sql as threads } from './0030-threads.ts';
import { sql as decisionMessages } from './0031-decision-messages.ts';
import { sql as versionAuthors } from './0032-version-authors.ts';
import { sql as modelUsage } from './0033-model-usage.ts';
import { sql as vectors } from './0034-vectors.ts';
import { sql as packApps } from './0037-pack-apps.ts';
import { sql as pinnedPorts } from './0038-pinned-ports.ts';
import { sql as testVersions } from './0039-test-versions.ts';
import { sql as visitorThreads } from './0040-threads-of-visitors.ts';

/**
 * `isBreaking`: an older program cannot use a database with it; otherwise old and new processes can run
 * together during a rolling update. Additions for PostgreSQL are in `../postgres/schema.ts`.
 */
export type Migration = { readonly name: string; readonly sql: string; readonly isBreaking?: true };

/** Applied in order, each in one transaction together with its number. A released migration never changes. */
export const migrations: readonly Migration[] = [
  { name: '0001-init', sql: init },
  { name: '0002-throttling', sql: throttling },
  { name: '0003-oauth', sql: oauth },
  { name: '0004-templates', sql: templates },
  { name: '0005-custom-nodes', sql: customNodes },
  { name: '0006-signals', sql: signals },
  { name: '0007-followers', sql: followers },
  { name: '0008-taken', sql: taken },
  { name: '0009-polls', sql: polls },
  { name: '0010-processes', sql: processes },
  { name: '0011-connections', sql: connections },
  { name: '0012-deleted-nodes', sql: deletedNodes },
  { name: '0013-former-secrets', sql: formerSecrets },
  { name: '0014-held-ticks', sql: heldTicks },
  { name: '0015-secrets-use', sql: secretsUse },
  { name: '0016-webhook-segments', sql: webhookSegments },
  { name: '0017-pinned-outputs', sql: pinnedOutputs },
  { name: '0018-retries', sql: retries },
  { name: '0019-packs', sql: packs },
  { name: '0020-deleted-workflows', sql: deletedWorkflows },
  { name: '0021-execution-statistics', sql: executionStatistics },
  { name: '0022-connection-fields', sql: connectionFields },
  { name: '0023-poll-cursors', sql: pollCursors },
  { name: '0024-decisions', sql: decisions },
  { name: '0025-audit-events', sql: auditEvents },
  { name: '0026-decision-values', sql: decisionValues },
  { name: '0027-version-names', sql: versionNames },
  { name: '0028-pack-webhooks', sql: packWebhooks },
  { name: '0029-snapshots', sql: snapshots },
  { name: '0030-threads', sql: threads },
  { name: '0031-decision-messages', sql: decisionMessages },
  { name: '0032-version-authors', sql: versionAuthors },
  { name: '0033-model-usage', sql: modelUsage },
  { name: '0034-vectors', sql: vectors },
  { name: '0037-pack-apps', sql: packApps },
  { name: '0038-pinned-ports', sql: pinnedPorts },
  { name: '0039-test-versions', sql: testVersions },
  { name: '0040-threads-of-visitors', sql: visitorThreads },
];
