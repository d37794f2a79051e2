import type { AuditEvent } from '../../contract/audit/audit-event.ts';
import type { Transaction } from '../statement.ts';
import {
  insertAuditEvent,
  listAuditEvents,
  pageAuditEvents,
  pruneAuditEvents,
  recordAuditEvent,
} from './accounts/audit.ts';
import * as batchReads from './batch-reads.ts';
import { commit } from './commit.ts';
import * as connections from './connections.ts';
import {
  findOrphans,
  hiddenWorkflows,
  markWorkflowDeleted,
  prunePiece,
  purgeWorkflows,
  removeFiles,
  removePiece,
  removeUser,
  removeWorkflow,
} from './deletion.ts';
import * as deletedWorkflows from './workflows/deleted-workflows.ts';
import { compactHour, statisticsOfOwner, statisticsOfWorkflow } from './execution-statistics.ts';
import * as executionReads from './execution-reads.ts';
import { searchExecutions } from './execution-search.ts';
import * as files from './files.ts';
import * as decisionMessages from './decisions/decision-messages.ts';
import * as decisions from './decisions/decisions.ts';
import {
  findCrowdedThreads,
  findThread,
  getThread,
  listThreads,
  pruneThreads,
  readThread,
  removeSurplusThreads,
  removeThread,
} from './ai/threads.ts';
import {
  getVectorCollection,
  hideVectorCollection,
  listVectorCollections,
  queryVectors,
  removeHiddenVectors,
  removeVectorDocuments,
  upsertVectors,
} from './ai/vectors.ts';
import * as customNodes from './workflows/custom-nodes.ts';
import { identity, readMeta, writeMeta } from './meta.ts';
import { callTerms, modelPrices, pruneUsageDay, setModelPrices, sumUsage } from './ai/model-usage.ts';
import {
  consumeOAuthRecord,
  createOAuthClient,
  getOAuthClient,
  getOAuthRecord,
  listOAuthClients,
  listOAuthGrants,
  oauthRecordByUid,
  oauthToken,
  pruneOAuth,
  putOAuthRecord,
  removeOAuthClient,
  removeAccountGrant,
  removeOAuthRecord,
  removeOAuthRecordsOfGrant,
  touchOAuthClient,
} from './accounts/oauth.ts';
import * as ownership from './ownership.ts';
import * as people from './accounts/accounts.ts';
import {
  listCompletionTriggers,
  listPendingStarts,
  removePendingStart,
  listWebhooksAndCompletionTriggers,
} from './completion-triggers.ts';
import * as packs from './workflows/packs.ts';
import * as pinnedOutputs from './workflows/pinned-outputs.ts';
import {
  findPackApp,
  getPackApp,
  putPackApp,
  receiveAppRequest,
  removePackApp,
} from './polling/pack-apps.ts';
import {
  addPackRemoval,
  claimPackRemoval,
  duePackRemovals,
  endPackRemoval,
  findPackTrigger,
  firstPackRequest,
  nextPackRemoval,
  receivePackRequest,
  registerPackTrigger,
} from './polling/pack-triggers.ts';
import {
  claimPoll,
  duePolls,
  releasePoll,
  nextPoll,
  renewPoll,
  findSeenItems,
  settlePoll,
} from './polling/polls.ts';
import { registerProcess, forgetProcesses, liveProcesses, removeProcess } from './processes.ts';
import * as signals from './signals.ts';
import * as templates from './workflows/templates.ts';
import * as throttling from './accounts/rate-limits.ts';
import * as workflows from './workflows/workflows.ts';

/**
 * Every transaction by name, so that the writer thread can look it up. Arguments and results are plain data.
 */
export const transactions = {
  commit,
  ...ownership,
  ...executionReads,
  searchExecutions,
  statisticsOfWorkflow,
  statisticsOfOwner,
  compactHour,
  callTerms,
  sumUsage,
  modelPrices,
  setModelPrices,
  pruneUsageDay,
  ...batchReads,
  ...workflows,
  ...people,
  ...files,
  createOAuthClient,
  getOAuthClient,
  listOAuthClients,
  listOAuthGrants,
  removeAccountGrant,
  removeOAuthClient,
  touchOAuthClient,
  putOAuthRecord,
  getOAuthRecord,
  oauthRecordByUid,
  consumeOAuthRecord,
  removeOAuthRecord,
  removeOAuthRecordsOfGrant,
  oauthToken,
  pruneOAuth,
  ...connections,
  ...pinnedOutputs,
  ...throttling,
  ...signals,
  ...decisions,
  findCrowdedThreads,
  findThread,
  getThread,
  listThreads,
  pruneThreads,
  readThread,
  removeSurplusThreads,
  removeThread,
  getVectorCollection,
  hideVectorCollection,
  listVectorCollections,
  queryVectors,
  removeHiddenVectors,
  removeVectorDocuments,
  upsertVectors,
  ...decisionMessages,
  listPendingStarts,
  removePendingStart,
  listCompletionTriggers,
  listWebhooksAndCompletionTriggers,
  claimPoll,
  duePolls,
  addPackRemoval,
  claimPackRemoval,
  duePackRemovals,
  endPackRemoval,
  findPackApp,
  findPackTrigger,
  firstPackRequest,
  getPackApp,
  nextPackRemoval,
  putPackApp,
  receiveAppRequest,
  receivePackRequest,
  registerPackTrigger,
  removePackApp,
  releasePoll,
  nextPoll,
  renewPoll,
  seenItems: findSeenItems,
  settlePoll,
  ...templates,
  ...customNodes,
  ...packs,
  prunePiece,
  findOrphans,
  removeFiles,
  removeWorkflow,
  markWorkflowDeleted,
  purgeWorkflows,
  ...deletedWorkflows,
  removePiece,
  hiddenWorkflows,
  removeUser,
  readMeta,
  writeMeta,
  identity,
  registerProcess,
  liveProcesses,
  removeProcess,
  forgetProcesses,
  recordAuditEvent,
  listAuditEvents,
  pageAuditEvents,
  pruneAuditEvents,
  withAuditEvent,
};

export type Transactions = typeof transactions;
export type TransactionName = keyof Transactions;
export type Arguments<K extends TransactionName> = Parameters<Transactions[K]>;
export type Result<K extends TransactionName> =
  ReturnType<Transactions[K]> extends Transaction<infer T> ? T : never;

/** Starts a transaction by name, without static types. */
export function begin(name: TransactionName, args: readonly unknown[]): Transaction<unknown> {
  return (transactions[name] as (...args: readonly unknown[]) => Transaction<unknown>)(...args);
}

/** The transactions with an optional audit event, and whether their result means a change. */
const auditedChanges = {
  createUser: (isCreated) => isCreated,
  updateUser: (isFound) => isFound,
  removeUser: (isFound) => isFound,
  createSession: () => true,
  endSession: (isEnded) => isEnded,
  createApiKey: () => true,
  removeApiKey: (isFound) => isFound,
  putSecret: () => true,
  removeSecret: (isFound) => isFound,
  createConnection: (result) => result === 'created',
  updateConnection: (isFound) => isFound,
  removeConnection: (isFound) => isFound,
  putTokens: (isStored) => isStored,
  createOAuthClient: (isCreated) => isCreated,
  removeOAuthClient: (isFound) => isFound,
  removeAccountGrant: (isFound) => isFound,
  saveWorkflow: ({ kind }) => kind === 'saved',
  removeWorkflow: ({ found }) => found,
  markWorkflowDeleted: ({ found }) => found,
  undeleteWorkflow: (result) => result === 'restored',
  nameVersion: (isFound) => isFound,
  putPinnedOutput: (result) => result === 'saved',
  removePinnedOutput: (isFound) => isFound,
  createTemplate: (result) => result === 'created',
  removeTemplate: (isFound) => isFound,
  createCustomNode: (result) => result === 'created',
  removeCustomNode: (result) => result === 'removed',
  createPack: (result) => result === 'created',
  removePack: (result) => result === 'removed',
  putPackApp: (result) => result !== null,
  removePackApp: (result) => result === 'removed',
  respondToDecision: ({ kind }) => kind === 'recorded',
  removeThread: (isFound) => isFound,
  hideVectorCollection: (isFound) => isFound,
  setModelPrices: (isChanged) => isChanged,
} satisfies { [K in TransactionName]?: (result: Result<K>) => boolean };

export type AuditedTransactionName = keyof typeof auditedChanges;

/** Runs a transaction, and writes the audit event with it if it changes something. */
export function* withAuditEvent(
  event: AuditEvent,
  name: AuditedTransactionName,
  args: readonly unknown[],
): Transaction<unknown> {
  const result = yield* begin(name, args);
  const hasChanged = auditedChanges[name] as (result: unknown) => boolean;
  if (hasChanged(result)) yield [insertAuditEvent(event)];
  return result;
}
