import type { CallInput } from './clients.ts';

/** The GraphQL form of a REST operation: the root field and its arguments, in the names of the contract. */
export type OperationCall = {
  readonly field: string;
  readonly kind: 'query' | 'mutation';
  arguments(message: CallInput): Record<string, unknown>;
  /**
   * `true`: it returns true where REST returns the deleted resource. `null`: it returns null for a missing
   * resource, as the interface defines. `list`: it returns the items of the only list in REST's response.
   */
  readonly differs?: readonly ('true' | 'null' | 'list')[];
};

const query = (
  field: string,
  args: OperationCall['arguments'] = () => ({}),
  ...differs: NonNullable<OperationCall['differs']>
): OperationCall => ({
  field,
  kind: 'query',
  arguments: args,
  differs,
});
const mutation = (
  field: string,
  args: OperationCall['arguments'] = () => ({}),
  ...differs: NonNullable<OperationCall['differs']>
): OperationCall => ({ field, kind: 'mutation', arguments: args, differs });

const id = ({ params }: CallInput): Record<string, unknown> => ({ id: params?.['id'] });
const name = ({ params }: CallInput): Record<string, unknown> => ({ name: params?.['name'] });
const input = ({ body }: CallInput): Record<string, unknown> => ({ input: body });
const paging = ({ query: given }: CallInput): Record<string, unknown> => ({ ...given });
/** A query whose parameters have several words. */
const camelCased = ({ query: given = {} }: CallInput): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
const filter = ({ query: given }: CallInput): Record<string, unknown> =>
  given === undefined ? {} : { filter: given };
const version = ({ params }: CallInput): Record<string, unknown> => ({
  version: Number(params?.['version']),
});
const nodeId = ({ params }: CallInput): Record<string, unknown> => ({ nodeId: params?.['node_id'] });
const both =
  (...parts: OperationCall['arguments'][]): OperationCall['arguments'] =>
  (message) =>
    Object.assign({}, ...parts.map((part) => part(message))) as Record<string, unknown>;

/** Every operation that both APIs have. */
export const operations: Readonly<Record<string, OperationCall>> = {
  login: mutation('login', input),
  refreshSession: mutation('refresh', ({ body }) => ({ ...(body as object) })),
  logout: mutation('logout', undefined, 'true'),
  getCurrentUser: query('me'),
  changePassword: mutation('changePassword', input, 'true'),
  listUsers: query('users', paging),
  createUser: mutation('createUser', input),
  getUser: query('user', id, 'null'),
  updateUser: mutation('updateUser', both(id, input)),
  deleteUser: mutation('deleteUser', id, 'true'),
  listApiKeys: query('apiKeys', paging),
  createApiKey: mutation('createApiKey', input),
  deleteApiKey: mutation('deleteApiKey', id, 'true'),
  listSecrets: query('secrets', paging),
  putSecret: mutation('putSecret', both(name, input)),
  deleteSecret: mutation('deleteSecret', name, 'true'),
  listConnections: query('connections', paging),
  listConnectionProviders: query('connectionProviders', paging),
  createConnection: mutation('createConnection', input),
  getConnection: query('connection', name, 'null'),
  getConnectionProvider: query('connectionProvider', id, 'null'),
  updateConnection: mutation('updateConnection', both(name, input)),
  deleteConnection: mutation('deleteConnection', both(name, paging), 'true'),
  authorizeConnection: mutation('authorizeConnection', both(name, input)),
  refreshConnection: mutation('refreshConnection', name),
  testConnection: mutation('testConnection', name),
  listOAuthClients: query('oauthClients', paging),
  createOAuthClient: mutation('createOAuthClient', input),
  deleteOAuthClient: mutation('deleteOAuthClient', id, 'true'),
  listOAuthGrants: query('oauthGrants', paging),
  deleteOAuthGrant: mutation('deleteOAuthGrant', id, 'true'),
  listWorkflows: query('workflowsPage', filter),
  createWorkflow: mutation('createWorkflow', input),
  getWorkflow: query('workflow', id, 'null'),
  updateWorkflow: mutation('updateWorkflow', both(id, input)),
  deleteWorkflow: mutation('deleteWorkflow', both(id, paging), 'true'),
  listDeletedWorkflows: query('deletedWorkflows', paging),
  undeleteWorkflow: mutation('undeleteWorkflow', id),
  publishWorkflow: mutation('publishWorkflow', id),
  listWorkflowVersions: query('workflowVersions', both(id, paging)),
  getWorkflowVersion: query('workflowVersion', both(id, version), 'null'),
  nameWorkflowVersion: mutation('nameWorkflowVersion', both(both(id, version), input)),
  restoreWorkflowVersion: mutation('restoreWorkflowVersion', both(id, version)),
  getStatistics: query('statistics', paging),
  getWorkflowStatistics: query('workflowStatistics', both(id, paging)),
  getModelUsage: query('modelUsage', camelCased),
  getModelPrices: query('modelPrices'),
  setModelPrices: mutation('setModelPrices', input),
  listAuditEvents: query('auditEvents', paging),
  listDecisions: query('decisions', paging),
  getDecision: query('decision', id, 'null'),
  respondToDecision: mutation('respondToDecision', both(id, input)),
  listThreads: query('threads', paging),
  getThread: query('thread', id, 'null'),
  deleteThread: mutation('deleteThread', id, 'true'),
  listVectorCollections: query('vectorCollections', paging),
  getVectorCollection: query('vectorCollection', name, 'null'),
  deleteVectorCollection: mutation('deleteVectorCollection', name, 'true'),
  listPinnedOutputs: query('pinnedOutputs', id),
  putPinnedOutput: mutation('putPinnedOutput', both(id, nodeId, input)),
  deletePinnedOutput: mutation('deletePinnedOutput', both(id, nodeId), 'true'),
  listenToWebhook: mutation('listenToWebhook', both(id, input)),
  stopListeningToWebhook: mutation('stopListeningToWebhook', both(id, paging)),
  executeWorkflow: mutation(
    'executeWorkflow',
    both(id, ({ body, key }) => ({
      input: key === undefined ? body : { ...(body as object), idempotencyKey: key },
    })),
  ),
  listExecutions: query('executionsPage', filter),
  listWorkflowExecutions: query('executionsPage', ({ params, query: given }) => ({
    filter: { ...given, workflow_id: params?.['id'] },
  })),
  getExecution: query('execution', id, 'null'),
  stopExecution: mutation('stopExecution', id),
  retryExecution: mutation('retryExecution', both(id, input)),
  evaluateTemplate: query('evaluateTemplate', input),
  listTemplates: query('templates', paging),
  createTemplate: mutation('createTemplate', input),
  getTemplate: query('template', both(name, paging), 'null'),
  deleteTemplate: mutation('deleteTemplate', both(name, paging), 'true'),
  instantiateTemplate: mutation('instantiateTemplate', both(name, input)),
  listNodes: query('nodes', filter, 'list'),
  getNode: query('node', id, 'null'),
  listNodeVersions: query('nodeVersions', id, 'list'),
  registerNode: mutation('registerNode', input),
  testNode: mutation('testNode', input),
  deleteNode: mutation('deleteNode', both(id, paging), 'true'),
  listPacks: query('packs', paging),
  installPack: mutation('installPack', input),
  getPack: query('pack', both(name, paging), 'null'),
  deletePack: mutation('deletePack', both(name, paging), 'true'),
  listPackOperations: query('packOperations', both(name, paging)),
  listMcpTools: mutation('listMcpTools', input),
  listProviderModels: mutation('listProviderModels', input),
  listPackChoices: mutation('listPackChoices', both(name, input)),
  getPackApp: query('packApp', name, 'null'),
  putPackApp: mutation('putPackApp', both(name, input)),
  deletePackApp: mutation('deletePackApp', name, 'true'),
  listPackOperationNames: query('packOperationNames', both(name, paging)),
  listPackWorkflows: query('packWorkflows', both(name, paging)),
  getPackOperation: query('packOperation', both(name, id, paging), 'null'),
  getHealth: query('health'),
};

/** Operations that GraphQL has as fields of an execution. */
export const alternativeFields: Readonly<Record<string, string>> = {
  listNodeRuns: 'Execution.nodes',
  listLogs: 'Execution.logs',
};

/** Operations of REST only, with the reason. */
export const onlyRest: Readonly<Record<string, string>> = {
  openCookieSession: 'cookies, for pages of the service, which use REST',
  refreshCookieSession: 'cookies, for pages of the service, which use REST',
  closeCookieSession: 'cookies, for pages of the service, which use REST',
  getFile: 'bytes, not JSON',
  getDecisionAttachment: 'bytes, not JSON',
  exportAuditEvents: 'JSON lines, not JSON',
  streamExecution: 'server-sent events with ids, by which a client resumes them',
  getLiveness: 'for orchestrators, which send a plain GET',
  getReadiness: 'for orchestrators, which send a plain GET',
  resumeExecution: 'an address for other services, like a webhook',
};
/** Root fields of GraphQL that are another form of an operation above. */
export const onlyGraphql: readonly string[] = ['workflows', 'executions'];
