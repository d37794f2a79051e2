import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as batches from '../queries/batches.ts';
import * as blobs from '../queries/blobs.ts';
import * as dedupe from '../queries/dedupe.ts';
import * as executions from '../queries/executions.ts';
import * as decisionMessages from '../queries/decisions/decision-messages.ts';
import * as completionTriggers from '../queries/completion-triggers.ts';
import * as files from '../queries/files.ts';
import * as journal from '../queries/journal.ts';
import * as loginFailures from '../queries/accounts/login-failures.ts';
import * as packTriggers from '../queries/pack-triggers.ts';
import * as polls from '../queries/polling.ts';
import * as rateWindows from '../queries/accounts/rate-windows.ts';
import * as oauthClients from '../queries/accounts/oauth-clients.ts';
import * as oauthRecords from '../queries/accounts/oauth-records.ts';
import * as statistics from '../queries/execution-statistics.ts';
import * as sessions from '../queries/accounts/sessions.ts';
import * as customNodes from '../queries/custom-nodes.ts';
import * as packs from '../queries/packs.ts';
import * as signals from '../queries/signals.ts';
import * as templates from '../queries/templates.ts';
import * as timers from '../queries/timers.ts';
import * as triggers from '../queries/triggers.ts';
import * as workflows from '../queries/workflows.ts';
import { migrate } from './migrate.ts';

let folder: string;
let db: Database.Database;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'weft-plans-'));
  db = new Database(path.join(folder, 'plans.db'));
  migrate(db, 0);
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const bits = [0, 1, 2, 3, 4, 5, 6, 7];
const lists = bits.flatMap((n) =>
  (['completed', 'other', null] as const).map((status) => {
    const by = { workflow: (n & 1) > 0, status, from: (n & 2) > 0, to: (n & 4) > 0 };
    const condition = executions.buildExecutionCondition(by);
    return [
      executions.list(condition),
      executions.count(condition),
      executions.selectTimeSpan(condition),
      condition,
    ] as const;
  }),
);
const queries = {
  ...Object.fromEntries(
    lists.flatMap(([list, count, span]) => [list, count, span]).map((sql, i) => [`list ${i}`, sql]),
  ),
  ...Object.fromEntries(
    lists.flatMap(([, , , condition], i) => [
      [`search bound ${i}`, executions.selectCreatedAt(condition!)],
      [
        `search ${i}`,
        executions.selectCandidates(
          `${condition} AND ${executions.search({ id: true, error: 2, trigger: true })}`,
          { error: true, values: true },
        ),
      ],
    ]),
  ),
  'executions with a value': executions.listWithValue('?, ?'),
  'values of executions': executions.listValues('?, ?'),
  head: executions.head,
  claim: executions.claim,
  release: executions.release,
  runnable: executions.selectRunnable(''),
  'runnable but': executions.selectRunnable('?, ?'),
  get: executions.get,
  expired: executions.expired,
  unsettled: executions.unsettled,
  'of removed': executions.ofRemovedWorkflow,
  'only events': executions.onlyEvents,
  journal: journal.read,
  'settled of': executions.listSettled('?, ?'),
  'settings of': workflows.settings,
  'statistics hour': statistics.nextHour,
  'statistics hour removal': statistics.removeHour,
  'short journal': journal.short,
  'journal removal': journal.removeFrom,
  'timers due': timers.due,
  'timers due for': timers.dueFor,
  'timers due of': timers.listDue,
  'others active': executions.countOthersActive,
  'completion triggers of': triggers.listCompletionTriggersOf,
  'webhooks of': triggers.listWebhooks,
  children: executions.children,
  signal: signals.read,
  'signal target': signals.target,
  'signals removal': signals.removeByExecution,
  'pending completion triggers': completionTriggers.pending,
  'completion trigger removal': completionTriggers.remove,
  'completion triggers removal': triggers.removeCompletionTriggers,
  'next timer': timers.next,
  'timer paths': timers.paths,
  'timers removal': timers.removeByExecution,
  'dedupe prune': dedupe.prune,
  'blobs removal': blobs.removeByExecution,
  referenced: blobs.referenced,
  'files removal': files.removeByExecution,
  ...Object.fromEntries(Object.entries(oauthClients).map(([name, sql]) => [`OAuth clients ${name}`, sql])),
  ...Object.fromEntries(Object.entries(oauthRecords).map(([name, sql]) => [`OAuth records ${name}`, sql])),
  'sessions prune': sessions.prune,
  'sessions of': sessions.endByUser,
  'schedules due': triggers.due,
  'next schedule': triggers.next,
  schedules: triggers.schedules,
  ...Object.fromEntries(
    Object.entries(polls)
      // Runs once, at the start.
      .filter(([name]) => name !== 'releaseAllClaims')
      .map(([name, sql]) => [`polls ${name}`, typeof sql === 'string' ? sql : sql('?, ?')]),
  ),
  ...Object.fromEntries(
    Object.entries(packTriggers)
      // Runs once, at the start.
      .filter(([name]) => name !== 'releaseAllClaims')
      .map(([name, sql]) => [`pack triggers ${name}`, sql]),
  ),
  ...Object.fromEntries(
    Object.entries(decisionMessages)
      // Runs once, at the start.
      .filter(([name]) => name !== 'releaseAllClaims')
      .map(([name, sql]) => [`decision messages ${name}`, sql]),
  ),
  'workflows list': workflows.list(
    workflows.buildWorkflowCondition({ status: false, search: false, tag: false }),
  ),
  'workflows count': workflows.count(
    workflows.buildWorkflowCondition({ status: true, search: true, tag: true }),
  ),
  ...Object.fromEntries(
    (['name', 'updated_at'] as const).map((sort) => [
      `workflows by ${sort}`,
      workflows.list(
        workflows.buildWorkflowCondition({ status: false, search: false, tag: false }),
        sort,
        'asc',
      ),
    ]),
  ),
  'deleted workflows list': workflows.listDeleted,
  'deleted workflows count': workflows.countDeleted,
  'deleted workflow': workflows.getDeleted,
  'workflows purge': workflows.purge,
  'workflows of owner': workflows.listIds,
  versions: workflows.versions,
  'versions count': workflows.countVersions,
  'tests prune': workflows.pruneTests,
  'custom nodes list': customNodes.list,
  'custom nodes changes': customNodes.changes,
  'custom nodes used': customNodes.used,
  'custom nodes mentions': customNodes.mentions,
  'custom nodes workflows': customNodes.listWorkflows,
  'custom nodes buried': customNodes.countBuried,
  'pack manifest': packs.manifest,
  'pack document': packs.document,
  'pack versions': packs.listVersions,
  'pack workflows': packs.listWorkflows,
  'templates list': templates.list(templates.buildTemplateCondition(true)),
  'templates count': templates.count(templates.buildTemplateCondition(false)),
  'template newest': templates.newest,
  'template versions': templates.versions,
  'many workflows': batches.listWorkflows('?, ?'),
  'many versions': batches.listVersions(2),
  'many schedules': batches.listSchedules('?, ?'),
  'newest executions': batches.listNewest(1),
  'last executions': batches.listLast('?, ?'),
  'statuses of executions': batches.listStatuses('?, ?'),
  'many executions': batches.listExecutions('?, ?'),
  retries: batches.listRetries('?, ?'),
  'many journals': batches.listJournals('?, ?'),
  'many only events': batches.listOnlyEvents('?, ?'),
  'rate windows': rateWindows.live,
  'rate windows prune': rateWindows.prune,
  'login failures': loginFailures.recent,
  'login failures prune': loginFailures.prune,
};

/*
 * Leases, unfinished executions and self-registered clients are few; all other rows must be found by an
 * index, without scans and sorts.
 */
const ALLOWED =
  /SCAN (e|executions) USING (COVERING )?INDEX executions_open|SCAN oauth_clients USING (COVERING )?INDEX oauth_clients_unused|SCAN w$|SCAN w |SCAN CONSTANT ROW|SCAN workers/;

test.each(Object.entries(queries))('%s uses an index', (_name, sql) => {
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const steps = plan
    .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
    .map((row) => row.detail);
  expect(steps.filter((step) => /SCAN|TEMP B-TREE/.test(step) && !ALLOWED.test(step))).toEqual([]);
});

test('statistics are read and deleted by hour and subject', () => {
  for (const sql of [statistics.sums, statistics.removeBySubject]) {
    const steps = db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
      .map((row) => row.detail);
    expect(steps.join('\n')).toMatch(
      /SEARCH (s|execution_statistics) USING .*INDEX.* \(start=\? AND subject=\?\)/,
    );
  }
});
