import type { Case } from './case.ts';
import { MISSING } from './preparations.ts';

/** Rows that only look up something by its id, and what a missing one is. */
const missingById: Case[] = [
  ['getWorkflow', MISSING.workflow],
  ['deleteWorkflow', MISSING.workflow],
  ['undeleteWorkflow', MISSING.workflow],
  ['publishWorkflow', MISSING.workflow],
  ['listWorkflowVersions', MISSING.workflow],
  ['executeWorkflow', MISSING.workflow],
  ['listenToWebhook', MISSING.workflow],
  ['stopListeningToWebhook', MISSING.workflow],
  ['getExecution', MISSING.execution],
  ['stopExecution', MISSING.execution],
  ['retryExecution', MISSING.execution],
  ['deleteApiKey', MISSING.key],
  ['getNode', 'no_such_node'],
  ['listNodeVersions', 'no_such_node'],
  ['deleteNode', 'no_such_node'],
  ['deleteOAuthClient', 'no-such-client'],
  ['deleteOAuthGrant', 'no-such-grant'],
].map(([operation, id]) => ({
  operation: operation!,
  title: 'what is missing',
  say: () => ({ params: { id: id! }, ...(/^(execute|retry|listen)/.test(operation!) && { body: {} }) }),
}));

const missingByName: Case[] = [
  'deleteSecret',
  'getTemplate',
  'deleteTemplate',
  'getPack',
  'deletePack',
  'listPackOperations',
  'listPackOperationNames',
  'listPackWorkflows',
  'getPackApp',
  'deletePackApp',
  'getConnection',
  'deleteConnection',
  'refreshConnection',
  'testConnection',
].map((operation) => ({
  operation,
  title: 'what is missing',
  say: () => ({ params: { name: 'NONE' } }),
}));

/** Lists that take a page. */
const pages: Case[] = [
  'listWorkflows',
  'listExecutions',
  'listApiKeys',
  'listSecrets',
  'listConnections',
  'listOAuthClients',
  'listOAuthGrants',
  'listTemplates',
  'listPacks',
].flatMap((operation): Case[] => [
  { operation, title: 'the first page', say: () => ({}) },
  { operation, title: 'a small page', say: () => ({ query: { page: 2, limit: 1 } }) },
  { operation, title: 'a page behind the end', say: () => ({ query: { page: 900, limit: 100 } }) },
  { operation, title: 'a limit of 0', say: () => ({ query: { limit: 0 } }) },
  { operation, title: 'a limit of 101', say: () => ({ query: { limit: 101 } }) },
  { operation, title: 'page 0', say: () => ({ query: { page: 0 } }) },
  { operation, title: 'two errors', say: () => ({ query: { page: -1, limit: 1_000 } }) },
]);

export const sharedCases: readonly Case[] = [...missingById, ...missingByName, ...pages];
