import { randomBytes } from 'node:crypto';
import type { Store } from '../ports/store.ts';
import type { CustomNodeStore } from '../ports/store/custom-nodes.ts';
import type { DecisionMessageStore } from '../ports/store/decisions.ts';
import type { DecisionStore } from '../ports/store/decisions.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { FileRows } from '../ports/store/files.ts';
import type { PackStore } from '../ports/store/packs.ts';
import type { AccountStore } from '../ports/store/accounts/accounts.ts';
import type { PollStore } from '../ports/store/polling.ts';
import type { StatisticsStore } from '../ports/store/statistics.ts';
import type { ProcessStore } from '../ports/store/processes.ts';
import type { TemplateStore } from '../ports/store/templates.ts';
import type { StoreMaintenance } from '../ports/store/maintenance.ts';
import type { PinnedOutputStore } from '../ports/store/pinned-outputs.ts';
import type { WorkflowStore } from '../ports/store/workflows.ts';
import {
  createAuditStore,
  createConnectionStore,
  createOAuthStore,
  createThrottlingStore,
} from './account-stores.ts';
import { writeAudited } from './audited-change.ts';
import { createPackAppStore, createPackTriggerStore } from './pack-stores.ts';
import { createThreadStore, pruneThreads } from './thread-store.ts';
import { createUsageStore } from './usage-store.ts';
import { createVectorStore, removeHidden as removeHiddenVectors } from './vector-store.ts';
import type { Driver } from './driver.ts';

/** Reads that skip more rows than this count as long reads. */
const MAX_SHORT_OFFSET = 10_000;
const ORPHAN_SWEEP_INTERVAL_MS = 3_600_000;
const MAX_SHORT_LIST = 100;
const CHECK_BYTES = 48 * 1024;

/** The store's operations on any database that has a driver. */
export function createStore(driver: Driver): Store {
  return {
    executions: createExecutionStore(driver),
    workflows: createWorkflowStore(driver),
    pinnedOutputs: createPinnedOutputStore(driver),
    accounts: createAccountStore(driver),
    oauth: createOAuthStore(driver),
    connections: createConnectionStore(driver),
    files: createFileRowStore(driver),
    throttling: createThrottlingStore(driver),
    polls: createPollStore(driver),
    packTriggers: createPackTriggerStore(driver),
    packApps: createPackAppStore(driver),
    templates: createTemplateStore(driver),
    customNodes: createCustomNodeStore(driver),
    packs: createPackStore(driver),
    decisions: createDecisionStore(driver),
    threads: createThreadStore(driver),
    vectors: createVectorStore(driver),
    decisionMessages: createDecisionMessageStore(driver),
    audit: createAuditStore(driver),
    processes: createProcessStore(driver),
    statistics: createStatisticsStore(driver),
    usage: createUsageStore(driver),
    maintenance: createMaintenance(driver),
    close: () => driver.close(),
  };
}

function createExecutionStore({ write, read, readLong }: Driver): ExecutionStore {
  return {
    commit: (batch) => (batch.length === 0 ? Promise.resolve([]) : write('commit', batch)),
    findDedupe: (ownerId, scope, key, now) => read('findDedupe', ownerId, scope, key, now),
    runnable: (leasesAt, limit, excluded) =>
      // Skipping a long queue of workflows that may not run now takes time.
      excluded.length === 0
        ? read('runnable', leasesAt, limit, [])
        : readLong('runnable', leasesAt, limit, excluded),
    dueTimers: (now, limit, worker, leasesAt) => read('dueTimers', now, limit, worker, leasesAt),
    nextTimer: () => read('nextTimer'),
    timerPaths: (ownerId, id) => read('timerPaths', ownerId, id),
    claim: (id, worker, now, leasesAt) => write('claim', id, worker, now, leasesAt),
    claimMany: (ids, worker, now, leasesAt) => write('claimMany', ids, worker, now, leasesAt),
    unclaimed: (ids, now) => (ids.length === 0 ? Promise.resolve([]) : read('unclaimed', ids, now)),
    heartbeat: (worker, until) => write('heartbeat', worker, until),
    processes: (now) => read('processes', now),
    release: (worker) => write('release', worker),
    stop: (ownerId, id, at, events) => write('stop', ownerId, id, at, events),
    get: (ownerId, id) => read('getExecution', ownerId, id),
    listSettled: (ids) => read('listSettled', ids),
    list: async (ownerId, filter, offset, limit) => {
      const isShort =
        filter.from === undefined &&
        filter.to === undefined &&
        offset <= MAX_SHORT_OFFSET &&
        !(
          filter.status === 'completed' &&
          (await read('completedAreRare', ownerId, filter.workflowId ?? null))
        );
      return (isShort ? read : readLong)('listExecutions', ownerId, filter, offset, limit);
    },
    search: (ownerId, filter, search) => readLong('searchExecutions', ownerId, filter, search),
    many: (ownerId, ids) => read('getExecutions', ownerId, ids),
    listRetries: (ownerId, ids) => read('retriesOfMany', ownerId, ids),
    journal: (ownerId, id, fromSeq, limit) => read('readJournal', ownerId, id, fromSeq, limit),
    snapshot: (ownerId, id) => read('readSnapshot', ownerId, id),
    journals: (ownerId, ids, limit) => read('readJournals', ownerId, ids, limit),
    listNewest: (ownerId, workflowIds, limit) => read('newestExecutions', ownerId, workflowIds, limit),
    listLast: (ownerId, workflowIds) => read('lastExecutions', ownerId, workflowIds),
    signal: (ownerId, id, path, value, at) => write('putSignal', ownerId, id, path, value, at),
    readSignal: (ownerId, id, path) => read('readSignal', ownerId, id, path),
    listPendingStarts: (after, limit) => read('listPendingStarts', after, limit),
    removePendingStart: (start) => write('removePendingStart', start),
    listChildren: (ownerId, id, limit) => read('listChildren', ownerId, id, limit),
    statusCounts: () => read('statusCounts'),
    listUnsettled: (ownerId, workflowId, limit) => read('unsettled', ownerId, workflowId, limit),
  };
}

function createWorkflowStore({ write, read, readLong }: Driver): WorkflowStore {
  return {
    save: (change, event = null) => writeAudited(write, event, 'saveWorkflow', change),
    get: (ownerId, id) => read('getWorkflow', ownerId, id),
    list: (ownerId, filter, offset, limit) => {
      const isShort =
        filter.search === undefined &&
        filter.tag === undefined &&
        filter.sort !== 'last_execution' &&
        offset <= MAX_SHORT_OFFSET;
      return (isShort ? read : readLong)('listWorkflows', ownerId, filter, offset, limit);
    },
    version: (ownerId, id, version) => read('getVersion', ownerId, id, version),
    getMany: (ownerId, ids) => read('getWorkflows', ownerId, ids),
    getManyVersions: (ownerId, wanted) => read('getVersions', ownerId, wanted),
    versions: (ownerId, id, offset, limit) => read('listVersions', ownerId, id, offset, limit),
    saveTest: (test) => write('saveTest', test),
    nameVersion: (key, name, event = null) => writeAudited(write, event, 'nameVersion', key, name),
    remove: async (ownerId, id, event = null) => {
      const { found, more } = await writeAudited(write, event, 'removeWorkflow', ownerId, id);
      if (more) await removePieces(write, id);
      return found;
    },
    markDeleted: async (ownerId, id, deletion, event = null) => {
      const { found, more } = await writeAudited(write, event, 'markWorkflowDeleted', ownerId, id, deletion);
      if (more) await removePieces(write, id);
      return found;
    },
    undelete: async (ownerId, id, live, event = null) => {
      const result = await writeAudited(write, event, 'undeleteWorkflow', ownerId, id, live);
      if (result !== 'emptying') return result === 'restored';
      await removePieces(write, id);
      return (await writeAudited(write, event, 'undeleteWorkflow', ownerId, id, live)) === 'restored';
    },
    deleted: (ownerId, id) => read('getDeletedWorkflow', ownerId, id),
    listDeleted: (ownerId, offset, limit) =>
      (offset <= MAX_SHORT_OFFSET ? read : readLong)('listDeletedWorkflows', ownerId, offset, limit),
    listWebhooks: () => read('webhooks'),
    listCompletionTriggers: () => read('listCompletionTriggers'),
    listWebhooksAndCompletionTriggers: (workflowId) => read('listWebhooksAndCompletionTriggers', workflowId),
    schedules: (ownerId, workflowId) => read('listSchedules', ownerId, workflowId),
    schedulesOfMany: (ownerId, workflowIds) => read('schedulesOfMany', ownerId, workflowIds),
    dueSchedules: (now, limit) => read('dueSchedules', now, limit),
    nextSchedule: () => read('nextSchedule'),
    queueTicks: (workflowId, nodeId, to) => write('queueTicks', workflowId, nodeId, to),
    moveSchedule: (tick, lastError) => write('moveSchedule', tick, lastError),
    running: (workflowId) => read('countRunning', workflowId),
  };
}

function createPinnedOutputStore({ write, read }: Driver): PinnedOutputStore {
  return {
    list: (ownerId, workflowId) => read('listPinnedOutputs', ownerId, workflowId),
    put: (ownerId, workflowId, pinned, event = null) =>
      writeAudited(write, event, 'putPinnedOutput', ownerId, workflowId, pinned),
    remove: (ownerId, workflowId, nodeId, event = null) =>
      writeAudited(write, event, 'removePinnedOutput', ownerId, workflowId, nodeId),
  };
}

async function removePieces(write: Driver['write'], workflowId: string): Promise<void> {
  while (await write('removePiece', workflowId));
}

async function removeHidden({ read, write }: Pick<Driver, 'read' | 'write'>): Promise<void> {
  for (;;) {
    const ids = await read('hiddenWorkflows');
    if (ids.length === 0) return;
    for (const id of ids) await removePieces(write, id);
  }
}

function createAccountStore({ write, read }: Driver): AccountStore {
  return {
    countUsers: () => read('countUsers'),
    createUser: (user, event = null) => writeAudited(write, event, 'createUser', user),
    userById: (id) => read('userById', id),
    userByEmail: (email) => read('userByEmail', email),
    listUsers: (offset, limit) => read('listUsers', offset, limit),
    updateUser: (id, fields, endSessions, event = null) =>
      writeAudited(write, event, 'updateUser', id, fields, endSessions),
    removeUser: async (id, event = null) => {
      const wasThere = await writeAudited(write, event, 'removeUser', id);
      if (wasThere) await removeHidden({ read, write });
      return wasThere;
    },
    createSession: (session, event = null) => writeAudited(write, event, 'createSession', session),
    session: (id) => read('getSession', id),
    rotateSession: (id, expectedTokenId, next) => write('rotateSession', id, expectedTokenId, next),
    endSession: (id, at, event = null) => writeAudited(write, event, 'endSession', id, at),
    createApiKey: (key, event = null) => writeAudited(write, event, 'createApiKey', key),
    apiKeyByHash: (hash) => read('apiKeyByHash', hash),
    apiKey: (ownerId, id) => read('getApiKey', ownerId, id),
    listApiKeys: (ownerId, offset, limit) => read('listApiKeys', ownerId, offset, limit),
    removeApiKey: (ownerId, id, event = null) => writeAudited(write, event, 'removeApiKey', ownerId, id),
    touchApiKey: (id, at) => write('touchApiKey', id, at),
    putSecret: (secret, event = null) => writeAudited(write, event, 'putSecret', secret),
    secret: (ownerId, name) => read('getSecret', ownerId, name),
    sampleSecrets: (limit) => read('someSecrets', limit),
    listSecrets: (ownerId, offset, limit) => read('listSecrets', ownerId, offset, limit),
    removeSecret: (ownerId, name, at, event = null) =>
      writeAudited(write, event, 'removeSecret', ownerId, name, at),
    formerSecrets: (ownerId) => read('formerSecrets', ownerId),
  };
}

function createFileRowStore({ write, read, readLong }: Driver): FileRows {
  return {
    saveFile: (file) => write('saveFile', file),
    file: (ownerId, id) => read('getFile', ownerId, id),
    filterUnreferenced: (hashes) =>
      (hashes.length <= MAX_SHORT_LIST ? read : readLong)('unreferenced', hashes),
    anyInBucket: () => read('anyFileInBucket'),
  };
}

function createPollStore({ write, read }: Driver): PollStore {
  return {
    due: (now, limit) => read('duePolls', now, limit),
    next: () => read('nextPoll'),
    claim: (workflowId, nodeId, due, until) => write('claimPoll', workflowId, nodeId, due, until),
    renew: (claim, until) => write('renewPoll', claim, until),
    release: (claim) => write('releasePoll', claim),
    filterSeen: (workflowId, nodeId, keys) => read('seenItems', workflowId, nodeId, keys),
    settle: (claim, end) => write('settlePoll', claim, end),
  };
}

function createPackStore({ write, read, readLong }: Driver): PackStore {
  return {
    create: (row, most, event = null) => writeAudited(write, event, 'createPack', row, most),
    changes: () => read('packChanges'),
    all: () => readLong('listPacks'),
    manifest: (name, version) => readLong('packManifest', name, version),
    document: (name, version) => readLong('packDocument', name, version),
    uses: (nodeType, version, most) => readLong('packUses', nodeType, version, 0, most),
    remove: (pack, version, checkedAt, event = null) =>
      writeAudited(write, event, 'removePack', pack, version, checkedAt),
  };
}

function createCustomNodeStore({ write, read, readLong }: Driver): CustomNodeStore {
  return {
    create: (row, most, event = null) => writeAudited(write, event, 'createCustomNode', row, most),
    changes: (ownerId) => read('customNodeChanges', ownerId),
    uses: (ownerId, nodeType, version, most) =>
      readLong('customNodeUses', ownerId, nodeType, version, 0, most),
    remove: (ownerId, nodeType, version, times, most, event = null) =>
      writeAudited(write, event, 'removeCustomNode', ownerId, nodeType, version, times, most),
    all: (ownerId) => readLong('listCustomNodes', ownerId),
  };
}

function createDecisionStore({ write, read, readLong }: Driver): DecisionStore {
  return {
    request: (decision) => write('requestDecision', decision),
    countNotice: (id, assignee, notices) => write('countDecisionNotice', id, assignee, notices),
    find: (id) => read('findDecision', id),
    get: (viewer, id) => read('getDecision', viewer, id),
    findByRun: (ownerId, executionId, path) => read('findDecisionByRun', ownerId, executionId, path),
    list: (viewer, filter, offset, limit) => {
      const isShort = filter.isOpen === true && filter.search === undefined && offset <= MAX_SHORT_OFFSET;
      return (isShort ? read : readLong)('listDecisions', viewer, filter, offset, limit);
    },
    respond: (id, response, event = null) => writeAudited(write, event, 'respondToDecision', id, response),
    expire: (ownerId, executionId, path, at) => write('expireDecision', ownerId, executionId, path, at),
    cancelAbandoned: (before, at, limit) => write('cancelAbandonedDecisions', before, at, limit),
  };
}

function createDecisionMessageStore({ write, read }: Driver): DecisionMessageStore {
  return {
    add: (message, at) => write('addDecisionMessage', message, at),
    count: (decisionId) => read('countDecisionMessages', decisionId),
    due: (now, limit) => read('dueDecisionMessages', now, limit),
    next: () => read('nextDecisionMessage'),
    claim: (message, until) => write('claimDecisionMessage', message, until),
    end: (message, until, end) => write('endDecisionMessage', message, until, end),
  };
}

function createProcessStore({ write, read }: Driver): ProcessStore {
  return {
    register: (row, now) => write('registerProcess', row, now),
    live: (now) => read('liveProcesses', now),
    leave: (id) => write('removeProcess', id),
  };
}

function createStatisticsStore({ write, readLong }: Driver): StatisticsStore {
  let compactedUntil = -1;
  return {
    readWorkflow: (ownerId, workflowId, range) =>
      readLong('statisticsOfWorkflow', ownerId, workflowId, range),
    readOwner: (ownerId, range) => readLong('statisticsOfOwner', ownerId, range),
    compact: async (now, retention, limit) => {
      for (let i = 0; i < limit; i++) {
        const until = await write('compactHour', now, retention, compactedUntil);
        if (until === null) return false;
        compactedUntil = until;
      }
      return true;
    },
  };
}

function createTemplateStore({ write, read, readLong }: Driver): TemplateStore {
  return {
    create: (template, most, event = null) => writeAudited(write, event, 'createTemplate', template, most),
    list: (ownerId, search, offset, limit) =>
      (search === null ? read : readLong)('listTemplates', ownerId, search, offset, limit),
    get: (ownerId, name, version) => read('getTemplate', ownerId, name, version),
    versions: (ownerId, name) => read('templateVersions', ownerId, name),
    remove: (ownerId, name, version, event = null) =>
      writeAudited(write, event, 'removeTemplate', ownerId, name, version),
  };
}

function createMaintenance({ write, read, readLong, shrink, backup }: Driver): StoreMaintenance {
  let checks = 0;
  let orphansAt = -Infinity;

  const pruneOrphans = async (now: number): Promise<string[]> => {
    if (now - orphansAt < ORPHAN_SWEEP_INTERVAL_MS) return [];
    orphansAt = now;
    const orphans = await readLong('findOrphans', now);
    if (orphans.length > 0)
      await write(
        'removeFiles',
        orphans.map((file) => file.id),
      );
    return orphans.map((file) => file.hash);
  };

  return {
    prune: async (now, limit) => {
      while (await write('purgeWorkflows', now));
      await removeHidden({ read, write });
      const hashes = new Set<string>();
      let executions = 0;
      while (executions < limit) {
        const removed = await write('prunePiece', now, limit - executions);
        executions += removed.executions;
        for (const hash of removed.hashes) hashes.add(hash);
        if (!removed.hasMore) break;
      }
      while (await write('pruneOAuth', now));
      await pruneThreads({ write, readLong }, now);
      await removeHiddenVectors({ write });
      for (const hash of await pruneOrphans(now)) hashes.add(hash);
      const free = hashes.size === 0 ? [] : await readLong('unreferenced', [...hashes]);
      return { executions, hashes: free };
    },
    shrink,
    backup,
    identity: (candidate) => write('identity', candidate),
    check: async () => {
      // Large enough to fail when the disk is almost full.
      const value = `${++checks} ${randomBytes(CHECK_BYTES).toString('base64')}`;
      await write('writeMeta', 'check', value);
      if ((await read('readMeta', 'check')) !== value)
        throw new Error('The store did not return the value that was written.');
    },
  };
}
