// Made from the routes and schemas of the service by `npx vitest run scripts/client-source.test.ts -u`.
import { pages, type PagingOptions } from '../pages.ts';
import type { Call, ExecuteOptions, RequestOptions } from '../request.ts';
import type {
  ApiKey,
  ApiKeyList,
  AuditEvent,
  AuditEventList,
  AuthorizeConnectionInput,
  ChangePasswordInput,
  ClosedListeners,
  ConnectedAccount,
  ConnectedAccountList,
  ConnectionInvitation,
  ConnectionProvider,
  ConnectionProviderList,
  ConnectionTest,
  CookieLogin,
  CreateApiKeyInput,
  CreateConnectionInput,
  CreateOAuthClientInput,
  CreateTemplateInput,
  CreateUserInput,
  CreateWorkflowInput,
  Decision,
  DecisionList,
  DeleteConnectionQuery,
  DeleteNodeQuery,
  DeletePackQuery,
  DeleteTemplateQuery,
  DeleteWorkflowQuery,
  Deleted,
  DeletedByName,
  DeletedTemplate,
  DeletedWorkflow,
  DeletedWorkflowList,
  Done,
  EvaluateTemplateInput,
  Evaluated,
  ExecuteWorkflowInput,
  Execution,
  ExecutionDetail,
  ExecutionList,
  ExecutionStatistics,
  ExecutionSummary,
  ExportAuditEventsQuery,
  GetModelUsageQuery,
  GetPackOperationQuery,
  GetPackQuery,
  GetStatisticsQuery,
  GetTemplateQuery,
  GetWorkflowStatisticsQuery,
  Health,
  InstallPackInput,
  InstantiateTemplateInput,
  ListApiKeysQuery,
  ListAuditEventsQuery,
  ListConnectionProvidersQuery,
  ListConnectionsQuery,
  ListDecisionsQuery,
  ListDeletedWorkflowsQuery,
  ListExecutionsQuery,
  ListLogsQuery,
  ListMcpToolsInput,
  ListNodeRunsQuery,
  ListNodesQuery,
  ListOAuthClientsQuery,
  ListOAuthGrantsQuery,
  ListPackChoicesInput,
  ListPackOperationNamesQuery,
  ListPackOperationsQuery,
  ListPackWorkflowsQuery,
  ListPacksQuery,
  ListProviderModelsInput,
  ListSecretsQuery,
  ListTemplatesQuery,
  ListThreadsQuery,
  ListUsersQuery,
  ListVectorCollectionsQuery,
  ListWorkflowExecutionsQuery,
  ListWorkflowVersionsQuery,
  ListWorkflowsQuery,
  ListenToWebhookInput,
  Listener,
  Live,
  LogEntry,
  LogList,
  Login,
  LoginInput,
  McpToolList,
  ModelPrices,
  ModelUsageReport,
  NameWorkflowVersionInput,
  NewApiKey,
  NewConnectedAccount,
  NewOAuthClient,
  Node,
  NodeDetail,
  NodeList,
  NodeRun,
  NodeRunList,
  NodeTest,
  NodeVersionList,
  OAuthClient,
  OAuthClientList,
  OAuthGrant,
  OAuthGrantList,
  Pack,
  PackApp,
  PackChoices,
  PackDetail,
  PackInstallation,
  PackList,
  PackOperation,
  PackOperationDetail,
  PackOperationList,
  PackOperationNames,
  PackWorkflowList,
  PinOutputInput,
  PinnedOutput,
  PinnedOutputs,
  ProviderModelList,
  PutPackAppInput,
  PutSecretInput,
  Ready,
  RefreshInput,
  RegisterNodeInput,
  RespondToDecisionInput,
  ResumeExecutionInput,
  Resumed,
  RetryExecutionInput,
  Secret,
  SecretList,
  SetModelPricesInput,
  StopListeningToWebhookQuery,
  Template,
  TemplateList,
  TemplateSummary,
  TestNodeInput,
  Thread,
  ThreadDetail,
  ThreadList,
  UpdateConnectionInput,
  UpdateUserInput,
  UpdateWorkflowInput,
  User,
  UserList,
  VectorCollection,
  VectorCollectionList,
  Workflow,
  WorkflowList,
  WorkflowSummary,
  WorkflowVersion,
  WorkflowVersionList,
  WorkflowVersionSummary,
} from './types.ts';

/** `client.auth` */
export class AuthOperations {
  readonly #call: Call;
  readonly session: AuthSessionOperations;

  constructor(call: Call) {
    this.#call = call;
    this.session = new AuthSessionOperations(call);
  }

  /**
   * Log in with email and password.
   *
   * `POST /auth/login`: needs no credential.
   */
  login(body: LoginInput, options?: RequestOptions): Promise<Login> {
    return this.#call<Login>({ method: 'POST', path: '/auth/login', body, isPublic: true }, options);
  }

  /**
   * Replace a token with a new one, even if it has expired.
   *
   * `POST /auth/refresh`: needs no credential.
   */
  refresh(body: RefreshInput = {}, options?: RequestOptions): Promise<Login> {
    return this.#call<Login>({ method: 'POST', path: '/auth/refresh', body, isPublic: true }, options);
  }

  /**
   * End the current session.
   *
   * `POST /auth/logout`: needs a session.
   */
  logout(options?: RequestOptions): Promise<Done> {
    return this.#call<Done>({ method: 'POST', path: '/auth/logout' }, options);
  }
}

/** `client.users` */
export class UsersOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Get the authenticated user.
   *
   * `GET /users/me`: any credential.
   */
  me(options?: RequestOptions): Promise<User> {
    return this.#call<User>({ method: 'GET', path: '/users/me' }, options);
  }

  /**
   * Change your password. Your other sessions end.
   *
   * `PUT /users/me/password`: needs a session.
   */
  changePassword(body: ChangePasswordInput, options?: RequestOptions): Promise<Done> {
    return this.#call<Done>({ method: 'PUT', path: '/users/me/password', body }, options);
  }

  /**
   * List users, newest first.
   *
   * `GET /users`: scope `admin`.
   */
  list(query: ListUsersQuery = {}, options?: RequestOptions): Promise<UserList> {
    return this.#call<UserList>({ method: 'GET', path: '/users', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListUsersQuery = {}, options?: PagingOptions): AsyncGenerator<User, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { users, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: users, pagination };
    });
  }

  /**
   * Create a user.
   *
   * `POST /users`: scope `admin`.
   */
  create(body: CreateUserInput, options?: RequestOptions): Promise<User> {
    return this.#call<User>({ method: 'POST', path: '/users', body }, options);
  }

  /**
   * Get a user.
   *
   * `GET /users/{id}`: scope `admin`.
   */
  get(id: string, options?: RequestOptions): Promise<User> {
    return this.#call<User>({ method: 'GET', path: `/users/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Update a user. Omitted fields keep their values.
   *
   * `PUT /users/{id}`: scope `admin`.
   */
  update(id: string, body: UpdateUserInput, options?: RequestOptions): Promise<User> {
    return this.#call<User>({ method: 'PUT', path: `/users/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Delete a user with all their data.
   *
   * `DELETE /users/{id}`: scope `admin`.
   */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/users/${encodeURIComponent(id)}` }, options);
  }
}

/** `client.apiKeys` */
export class ApiKeysOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List your API keys, newest first.
   *
   * `GET /api-keys`: needs a session.
   */
  list(query: ListApiKeysQuery = {}, options?: RequestOptions): Promise<ApiKeyList> {
    return this.#call<ApiKeyList>({ method: 'GET', path: '/api-keys', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListApiKeysQuery = {}, options?: PagingOptions): AsyncGenerator<ApiKey, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { api_keys, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: api_keys, pagination };
    });
  }

  /**
   * Create an API key. The key is returned only in this response.
   *
   * `POST /api-keys`: needs a session.
   */
  create(body: CreateApiKeyInput, options?: RequestOptions): Promise<NewApiKey> {
    return this.#call<NewApiKey>({ method: 'POST', path: '/api-keys', body }, options);
  }

  /**
   * Delete an API key. It stops working immediately.
   *
   * `DELETE /api-keys/{id}`: needs a session.
   */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/api-keys/${encodeURIComponent(id)}` }, options);
  }
}

/** `client.secrets` */
export class SecretsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the names of your secrets. Values are never returned.
   *
   * `GET /secrets`: scope `secrets:read`.
   */
  list(query: ListSecretsQuery = {}, options?: RequestOptions): Promise<SecretList> {
    return this.#call<SecretList>({ method: 'GET', path: '/secrets', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListSecretsQuery = {}, options?: PagingOptions): AsyncGenerator<Secret, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { secrets, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: secrets, pagination };
    });
  }

  /**
   * Create or replace a secret.
   *
   * `PUT /secrets/{name}`: scope `secrets:write`.
   */
  put(name: string, body: PutSecretInput, options?: RequestOptions): Promise<Secret> {
    return this.#call<Secret>({ method: 'PUT', path: `/secrets/${encodeURIComponent(name)}`, body }, options);
  }

  /**
   * Delete a secret.
   *
   * `DELETE /secrets/{name}`: scope `secrets:write`.
   */
  delete(name: string, options?: RequestOptions): Promise<DeletedByName> {
    return this.#call<DeletedByName>({ method: 'DELETE', path: `/secrets/${encodeURIComponent(name)}` }, options);
  }
}

/** `client.connections` */
export class ConnectionsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List your connections, newest first. Tokens and fields are never returned.
   *
   * `GET /connections`: scope `secrets:read`.
   */
  list(query: ListConnectionsQuery = {}, options?: RequestOptions): Promise<ConnectedAccountList> {
    return this.#call<ConnectedAccountList>({ method: 'GET', path: '/connections', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListConnectionsQuery = {}, options?: PagingOptions): AsyncGenerator<ConnectedAccount, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { connections, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: connections, pagination };
    });
  }

  /**
   * Create a connection and, for authorization_code, get the URL where the user authorizes it.
   *
   * `POST /connections`: scope `secrets:write`.
   */
  create(body: CreateConnectionInput, options?: RequestOptions): Promise<NewConnectedAccount> {
    return this.#call<NewConnectedAccount>({ method: 'POST', path: '/connections', body }, options);
  }

  /**
   * Get a connection.
   *
   * `GET /connections/{name}`: scope `secrets:read`.
   */
  get(name: string, options?: RequestOptions): Promise<ConnectedAccount> {
    return this.#call<ConnectedAccount>({ method: 'GET', path: `/connections/${encodeURIComponent(name)}` }, options);
  }

  /**
   * Update a connection. Omitted fields keep their values; changing the account disconnects it.
   *
   * `PUT /connections/{name}`: scope `secrets:write`.
   */
  update(name: string, body: UpdateConnectionInput, options?: RequestOptions): Promise<ConnectedAccount> {
    return this.#call<ConnectedAccount>({ method: 'PUT', path: `/connections/${encodeURIComponent(name)}`, body }, options);
  }

  /**
   * Delete a connection with its tokens and fields. Fails while active workflows use it, unless forced.
   *
   * `DELETE /connections/{name}`: scope `secrets:write`.
   */
  delete(name: string, query: DeleteConnectionQuery = {}, options?: RequestOptions): Promise<DeletedByName> {
    return this.#call<DeletedByName>({ method: 'DELETE', path: `/connections/${encodeURIComponent(name)}`, query }, options);
  }

  /**
   * Get a new authorization URL, to connect or reconnect the account.
   *
   * `POST /connections/{name}/authorize`: scope `secrets:write`.
   */
  authorize(name: string, body: AuthorizeConnectionInput = {}, options?: RequestOptions): Promise<ConnectionInvitation> {
    return this.#call<ConnectionInvitation>({ method: 'POST', path: `/connections/${encodeURIComponent(name)}/authorize`, body }, options);
  }

  /**
   * Refresh the access token.
   *
   * `POST /connections/{name}/refresh`: scope `secrets:write`.
   */
  refresh(name: string, options?: RequestOptions): Promise<ConnectedAccount> {
    return this.#call<ConnectedAccount>({ method: 'POST', path: `/connections/${encodeURIComponent(name)}/refresh` }, options);
  }

  /**
   * Test a connection: get its token or fields and, if a URL is known, call it with them.
   *
   * `POST /connections/{name}/test`: scope `secrets:write`.
   */
  test(name: string, options?: RequestOptions): Promise<ConnectionTest> {
    return this.#call<ConnectionTest>({ method: 'POST', path: `/connections/${encodeURIComponent(name)}/test` }, options);
  }
}

/** `client.connectionProviders` */
export class ConnectionProvidersOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the catalog of services whose accounts can be connected, by title.
   *
   * `GET /connection-providers`: scope `secrets:read`.
   */
  list(query: ListConnectionProvidersQuery = {}, options?: RequestOptions): Promise<ConnectionProviderList> {
    return this.#call<ConnectionProviderList>({ method: 'GET', path: '/connection-providers', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListConnectionProvidersQuery = {}, options?: PagingOptions): AsyncGenerator<ConnectionProvider, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { providers, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: providers, pagination };
    });
  }

  /**
   * Get a service of the catalog.
   *
   * `GET /connection-providers/{id}`: scope `secrets:read`.
   */
  get(id: string, options?: RequestOptions): Promise<ConnectionProvider> {
    return this.#call<ConnectionProvider>({ method: 'GET', path: `/connection-providers/${encodeURIComponent(id)}` }, options);
  }
}

/** `client.oauth` */
export class OauthOperations {
  readonly clients: OauthClientsOperations;
  readonly grants: OauthGrantsOperations;

  constructor(call: Call) {
    this.clients = new OauthClientsOperations(call);
    this.grants = new OauthGrantsOperations(call);
  }
}

/** `client.workflows` */
export class WorkflowsOperations {
  readonly #call: Call;
  readonly versions: WorkflowsVersionsOperations;
  readonly deleted: WorkflowsDeletedOperations;
  readonly pinnedOutputs: WorkflowsPinnedOutputsOperations;
  readonly executions: WorkflowsExecutionsOperations;
  readonly statistics: WorkflowsStatisticsOperations;

  constructor(call: Call) {
    this.#call = call;
    this.versions = new WorkflowsVersionsOperations(call);
    this.deleted = new WorkflowsDeletedOperations(call);
    this.pinnedOutputs = new WorkflowsPinnedOutputsOperations(call);
    this.executions = new WorkflowsExecutionsOperations(call);
    this.statistics = new WorkflowsStatisticsOperations(call);
  }

  /**
   * List your workflows, newest first unless `sort` is set.
   *
   * `GET /workflows`: scope `workflows:read`.
   */
  list(query: ListWorkflowsQuery = {}, options?: RequestOptions): Promise<WorkflowList> {
    return this.#call<WorkflowList>({ method: 'GET', path: '/workflows', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListWorkflowsQuery = {}, options?: PagingOptions): AsyncGenerator<WorkflowSummary, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { workflows, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: workflows, pagination };
    });
  }

  /**
   * Create a workflow.
   *
   * `POST /workflows`: scope `workflows:write`.
   */
  create(body: CreateWorkflowInput, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'POST', path: '/workflows', body }, options);
  }

  /**
   * Get a workflow.
   *
   * `GET /workflows/{id}`: scope `workflows:read`.
   */
  get(id: string, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Update a workflow. Omitted fields keep their values.
   *
   * `PUT /workflows/{id}`: scope `workflows:write`.
   */
  update(id: string, body: UpdateWorkflowInput, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'PUT', path: `/workflows/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Publish the newest version of an active workflow, so that its triggers run it.
   *
   * `POST /workflows/{id}/publish`: scope `workflows:write`.
   */
  publish(id: string, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/publish` }, options);
  }

  /**
   * Delete a workflow with its history. Its running executions are stopped. The workflow without its history can be restored for 30 days.
   *
   * `DELETE /workflows/{id}`: scope `workflows:write`.
   */
  delete(id: string, query: DeleteWorkflowQuery = {}, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/workflows/${encodeURIComponent(id)}`, query }, options);
  }

  /**
   * Restore a deleted workflow with its versions, settings, tags and pinned outputs. It is inactive, or a draft if it was one; its executions are not restored.
   *
   * `POST /workflows/{id}/undelete`: scope `workflows:write`.
   */
  undelete(id: string, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/undelete` }, options);
  }

  /**
   * Open a test URL for a webhook trigger. It accepts one request within two minutes.
   *
   * `POST /workflows/{id}/listen`: scope `executions:write`.
   */
  listen(id: string, body: ListenToWebhookInput = {}, options?: RequestOptions): Promise<Listener> {
    return this.#call<Listener>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/listen`, body }, options);
  }

  /**
   * Close the test URLs of a workflow or of one of its webhook triggers. Later requests get 404.
   *
   * `DELETE /workflows/{id}/listen`: scope `executions:write`.
   */
  stopListening(id: string, query: StopListeningToWebhookQuery = {}, options?: RequestOptions): Promise<ClosedListeners> {
    return this.#call<ClosedListeners>({ method: 'DELETE', path: `/workflows/${encodeURIComponent(id)}/listen`, query }, options);
  }

  /**
   * Run a workflow manually.
   *
   * `POST /workflows/{id}/execute`: scope `executions:write`.
   */
  execute(id: string, body: ExecuteWorkflowInput = {}, options?: ExecuteOptions): Promise<Execution> {
    return this.#call<Execution>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/execute`, body, isKeyed: true, timeout: 90000 }, options);
  }
}

/** `client.templates` */
export class TemplatesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List your templates, newest first, then the built-in templates. Each is in its newest version.
   *
   * `GET /templates`: scope `workflows:read`.
   */
  list(query: ListTemplatesQuery = {}, options?: RequestOptions): Promise<TemplateList> {
    return this.#call<TemplateList>({ method: 'GET', path: '/templates', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListTemplatesQuery = {}, options?: PagingOptions): AsyncGenerator<TemplateSummary, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { templates, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: templates, pagination };
    });
  }

  /**
   * Register a version of a template. Versions are immutable.
   *
   * `POST /templates`: scope `workflows:write`.
   */
  create(body: CreateTemplateInput, options?: RequestOptions): Promise<Template> {
    return this.#call<Template>({ method: 'POST', path: '/templates', body }, options);
  }

  /**
   * Get a template.
   *
   * `GET /templates/{name}`: scope `workflows:read`.
   */
  get(name: string, query: GetTemplateQuery = {}, options?: RequestOptions): Promise<Template> {
    return this.#call<Template>({ method: 'GET', path: `/templates/${encodeURIComponent(name)}`, query }, options);
  }

  /**
   * Delete a template or one of its versions. Workflows created from it are kept.
   *
   * `DELETE /templates/{name}`: scope `workflows:write`.
   */
  delete(name: string, query: DeleteTemplateQuery = {}, options?: RequestOptions): Promise<DeletedTemplate> {
    return this.#call<DeletedTemplate>({ method: 'DELETE', path: `/templates/${encodeURIComponent(name)}`, query }, options);
  }

  /**
   * Create a workflow from a template.
   *
   * `POST /templates/{name}/instantiate`: scope `workflows:write`.
   */
  instantiate(name: string, body: InstantiateTemplateInput = {}, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'POST', path: `/templates/${encodeURIComponent(name)}/instantiate`, body }, options);
  }
}

/** `client.executions` */
export class ExecutionsOperations {
  readonly #call: Call;
  readonly nodes: ExecutionsNodesOperations;
  readonly logs: ExecutionsLogsOperations;

  constructor(call: Call) {
    this.#call = call;
    this.nodes = new ExecutionsNodesOperations(call);
    this.logs = new ExecutionsLogsOperations(call);
  }

  /**
   * List your executions, newest first.
   *
   * `GET /executions`: scope `executions:read`.
   */
  list(query: ListExecutionsQuery = {}, options?: RequestOptions): Promise<ExecutionList> {
    return this.#call<ExecutionList>({ method: 'GET', path: '/executions', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListExecutionsQuery = {}, options?: PagingOptions): AsyncGenerator<ExecutionSummary, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { executions, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: executions, pagination };
    });
  }

  /**
   * Get an execution with its first 1,000 node runs.
   *
   * `GET /executions/{id}`: scope `executions:read`.
   */
  get(id: string, options?: RequestOptions): Promise<ExecutionDetail> {
    return this.#call<ExecutionDetail>({ method: 'GET', path: `/executions/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Stop an execution.
   *
   * `POST /executions/{id}/stop`: scope `executions:write`.
   */
  stop(id: string, options?: RequestOptions): Promise<Execution> {
    return this.#call<Execution>({ method: 'POST', path: `/executions/${encodeURIComponent(id)}/stop` }, options);
  }

  /**
   * Run an execution again from the failed nodes, from the start, from a node or from a place in a body.
   *
   * `POST /executions/{id}/retry`: scope `executions:write`.
   */
  retry(id: string, body: RetryExecutionInput = {}, options?: RequestOptions): Promise<Execution> {
    return this.#call<Execution>({ method: 'POST', path: `/executions/${encodeURIComponent(id)}/retry`, body }, options);
  }

  /**
   * Resume an execution that waits for this request. The body becomes the output of the waiting node.
   *
   * `POST /resume/{token}`: needs no credential.
   */
  resume(token: string, body: ResumeExecutionInput = {}, options?: RequestOptions): Promise<Resumed> {
    return this.#call<Resumed>({ method: 'POST', path: `/resume/${encodeURIComponent(token)}`, body, isPublic: true }, options);
  }
}

/** `client.evaluate` */
export class EvaluateOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Evaluate a template with the data of an execution or with custom data. Nothing is executed.
   *
   * `POST /evaluate`: scope `executions:read`.
   */
  evaluate(body: EvaluateTemplateInput, options?: RequestOptions): Promise<Evaluated> {
    return this.#call<Evaluated>({ method: 'POST', path: '/evaluate', body }, options);
  }
}

/** `client.decisions` */
export class DecisionsOperations {
  readonly #call: Call;
  readonly attachments: DecisionsAttachmentsOperations;

  constructor(call: Call) {
    this.#call = call;
    this.attachments = new DecisionsAttachmentsOperations(call);
  }

  /**
   * List the decisions that you were asked for, or that your executions asked for, newest first.
   *
   * `GET /decisions`: scope `executions:read`.
   */
  list(query: ListDecisionsQuery = {}, options?: RequestOptions): Promise<DecisionList> {
    return this.#call<DecisionList>({ method: 'GET', path: '/decisions', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListDecisionsQuery = {}, options?: PagingOptions): AsyncGenerator<Decision, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { decisions, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: decisions, pagination };
    });
  }

  /**
   * Read a decision that you were asked for, or that your execution asked for.
   *
   * `GET /decisions/{id}`: scope `executions:read`.
   */
  get(id: string, options?: RequestOptions): Promise<Decision> {
    return this.#call<Decision>({ method: 'GET', path: `/decisions/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Respond to a decision once. The same response again has no effect; another one, or one to a closed decision, is a CONFLICT that names who decided and when.
   *
   * `POST /decisions/{id}/respond`: scope `decisions:write`.
   */
  respond(id: string, body: RespondToDecisionInput, options?: RequestOptions): Promise<Decision> {
    return this.#call<Decision>({ method: 'POST', path: `/decisions/${encodeURIComponent(id)}/respond`, body }, options);
  }
}

/** `client.threads` */
export class ThreadsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the threads that your executions continue, last changed first.
   *
   * `GET /threads`: scope `executions:read`.
   */
  list(query: ListThreadsQuery = {}, options?: RequestOptions): Promise<ThreadList> {
    return this.#call<ThreadList>({ method: 'GET', path: '/threads', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListThreadsQuery = {}, options?: PagingOptions): AsyncGenerator<Thread, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { threads, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: threads, pagination };
    });
  }

  /**
   * Read a thread with its newest turns.
   *
   * `GET /threads/{id}`: scope `executions:read`.
   */
  get(id: string, options?: RequestOptions): Promise<ThreadDetail> {
    return this.#call<ThreadDetail>({ method: 'GET', path: `/threads/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Delete a thread with all of its turns. The next turn begins it anew.
   *
   * `DELETE /threads/{id}`: scope `executions:write`.
   */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/threads/${encodeURIComponent(id)}` }, options);
  }
}

/** `client.vectorCollections` */
export class VectorCollectionsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List your vector collections by name.
   *
   * `GET /vector-collections`: scope `executions:read`.
   */
  list(query: ListVectorCollectionsQuery = {}, options?: RequestOptions): Promise<VectorCollectionList> {
    return this.#call<VectorCollectionList>({ method: 'GET', path: '/vector-collections', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListVectorCollectionsQuery = {}, options?: PagingOptions): AsyncGenerator<VectorCollection, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { vector_collections, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: vector_collections, pagination };
    });
  }

  /**
   * Read a vector collection.
   *
   * `GET /vector-collections/{name}`: scope `executions:read`.
   */
  get(name: string, options?: RequestOptions): Promise<VectorCollection> {
    return this.#call<VectorCollection>({ method: 'GET', path: `/vector-collections/${encodeURIComponent(name)}` }, options);
  }

  /**
   * Delete a vector collection with all of its documents.
   *
   * `DELETE /vector-collections/{name}`: scope `executions:write`.
   */
  delete(name: string, options?: RequestOptions): Promise<DeletedByName> {
    return this.#call<DeletedByName>({ method: 'DELETE', path: `/vector-collections/${encodeURIComponent(name)}` }, options);
  }
}

/** `client.statistics` */
export class StatisticsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Get the number of your ended executions and their duration over time.
   *
   * `GET /statistics`: scope `executions:read`.
   */
  get(query: GetStatisticsQuery = {}, options?: RequestOptions): Promise<ExecutionStatistics> {
    return this.#call<ExecutionStatistics>({ method: 'GET', path: '/statistics', query }, options);
  }
}

/** `client.modelUsage` */
export class ModelUsageOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Get the calls of language models, their tokens and cost, by day, workflow, user and model.
   *
   * `GET /model-usage`: scope `executions:read`.
   */
  get(query: GetModelUsageQuery = {}, options?: RequestOptions): Promise<ModelUsageReport> {
    return this.#call<ModelUsageReport>({ method: 'GET', path: '/model-usage', query }, options);
  }
}

/** `client.modelPrices` */
export class ModelPricesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Get the prices of language models.
   *
   * `GET /model-prices`: scope `executions:read`.
   */
  get(options?: RequestOptions): Promise<ModelPrices> {
    return this.#call<ModelPrices>({ method: 'GET', path: '/model-prices' }, options);
  }

  /**
   * Replace the stored prices of language models.
   *
   * `PUT /model-prices`: scope `admin`.
   */
  set(body: SetModelPricesInput, options?: RequestOptions): Promise<ModelPrices> {
    return this.#call<ModelPrices>({ method: 'PUT', path: '/model-prices', body }, options);
  }
}

/** `client.providerModels` */
export class ProviderModelsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the models of a provider. A secret or a connection also needs secrets:use.
   *
   * `POST /provider-models`: scope `workflows:write`.
   */
  list(body: ListProviderModelsInput, options?: RequestOptions): Promise<ProviderModelList> {
    return this.#call<ProviderModelList>({ method: 'POST', path: '/provider-models', body }, options);
  }
}

/** `client.files` */
export class FilesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Download a file of an execution.
   *
   * `GET /files/{id}`: scope `executions:read`. The body of the response is not read yet.
   */
  get(id: string, options?: RequestOptions): Promise<Response> {
    return this.#call<Response>({ method: 'GET', path: `/files/${encodeURIComponent(id)}`, responseType: 'response' }, options);
  }
}

/** `client.nodes` */
export class NodesOperations {
  readonly #call: Call;
  readonly versions: NodesVersionsOperations;

  constructor(call: Call) {
    this.#call = call;
    this.versions = new NodesVersionsOperations(call);
  }

  /**
   * List the available nodes.
   *
   * `GET /nodes`: scope `nodes:read`.
   */
  list(query: ListNodesQuery = {}, options?: RequestOptions): Promise<NodeList> {
    return this.#call<NodeList>({ method: 'GET', path: '/nodes', query }, options);
  }

  /**
   * Register a version of a custom node.
   *
   * `POST /nodes`: scope `nodes:write`.
   */
  register(body: RegisterNodeInput, options?: RequestOptions): Promise<Node> {
    return this.#call<Node>({ method: 'POST', path: '/nodes', body }, options);
  }

  /**
   * Run the code of a custom node once, without registering it.
   *
   * `POST /nodes/test`: scope `nodes:write`.
   */
  test(body: TestNodeInput, options?: RequestOptions): Promise<NodeTest> {
    return this.#call<NodeTest>({ method: 'POST', path: '/nodes/test', body }, options);
  }

  /**
   * Get the newest version of a node, with its code.
   *
   * `GET /nodes/{id}`: scope `nodes:read`.
   */
  get(id: string, options?: RequestOptions): Promise<NodeDetail> {
    return this.#call<NodeDetail>({ method: 'GET', path: `/nodes/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Delete a custom node or one of its versions. Fails while a saved workflow uses it.
   *
   * `DELETE /nodes/{id}`: scope `nodes:write`.
   */
  delete(id: string, query: DeleteNodeQuery = {}, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/nodes/${encodeURIComponent(id)}`, query }, options);
  }
}

/** `client.packs` */
export class PacksOperations {
  readonly #call: Call;
  readonly operations: PacksOperationsOperations;
  readonly operationNames: PacksOperationNamesOperations;
  readonly workflows: PacksWorkflowsOperations;
  readonly app: PacksAppOperations;
  readonly choices: PacksChoicesOperations;

  constructor(call: Call) {
    this.#call = call;
    this.operations = new PacksOperationsOperations(call);
    this.operationNames = new PacksOperationNamesOperations(call);
    this.workflows = new PacksWorkflowsOperations(call);
    this.app = new PacksAppOperations(call);
    this.choices = new PacksChoicesOperations(call);
  }

  /**
   * List the installed packs by name, each in its newest version.
   *
   * `GET /packs`: scope `nodes:read`.
   */
  list(query: ListPacksQuery = {}, options?: RequestOptions): Promise<PackList> {
    return this.#call<PackList>({ method: 'GET', path: '/packs', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListPacksQuery = {}, options?: PagingOptions): AsyncGenerator<Pack, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { packs, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: packs, pagination };
    });
  }

  /**
   * Install a version of a pack for all users, or show what would be installed.
   *
   * `POST /packs`: scope `admin`.
   */
  install(body: InstallPackInput, options?: RequestOptions): Promise<PackInstallation> {
    return this.#call<PackInstallation>({ method: 'POST', path: '/packs', body }, options);
  }

  /**
   * Get a pack, with what its document states about the API.
   *
   * `GET /packs/{name}`: scope `nodes:read`.
   */
  get(name: string, query: GetPackQuery = {}, options?: RequestOptions): Promise<PackDetail> {
    return this.#call<PackDetail>({ method: 'GET', path: `/packs/${encodeURIComponent(name)}`, query }, options);
  }

  /**
   * Remove a pack or one of its versions. Fails while a saved workflow uses it.
   *
   * `DELETE /packs/{name}`: scope `admin`.
   */
  delete(name: string, query: DeletePackQuery = {}, options?: RequestOptions): Promise<DeletedByName> {
    return this.#call<DeletedByName>({ method: 'DELETE', path: `/packs/${encodeURIComponent(name)}`, query }, options);
  }
}

/** `client.auditEvents` */
export class AuditEventsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the events of the audit log, newest first.
   *
   * `GET /audit-events`: scope `audit:read`.
   */
  list(query: ListAuditEventsQuery = {}, options?: RequestOptions): Promise<AuditEventList> {
    return this.#call<AuditEventList>({ method: 'GET', path: '/audit-events', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListAuditEventsQuery = {}, options?: PagingOptions): AsyncGenerator<AuditEvent, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { audit_events, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: audit_events, pagination };
    });
  }

  /**
   * Download the events of the audit log as JSON lines, oldest first.
   *
   * `GET /audit-events/export`: scope `audit:read`. The body of the response is not read yet.
   */
  export(query: ExportAuditEventsQuery = {}, options?: RequestOptions): Promise<Response> {
    return this.#call<Response>({ method: 'GET', path: '/audit-events/export', query, responseType: 'response' }, options);
  }
}

/** `client.mcpTools` */
export class McpToolsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the tools of an MCP server. A secret or a connection also needs secrets:use.
   *
   * `POST /mcp-tools`: scope `workflows:write`.
   */
  list(body: ListMcpToolsInput, options?: RequestOptions): Promise<McpToolList> {
    return this.#call<McpToolList>({ method: 'POST', path: '/mcp-tools', body }, options);
  }
}

/** `client.health` */
export class HealthOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Get the health of the service. Administrators also see measurements.
   *
   * `GET /health`: needs no credential.
   */
  get(options?: RequestOptions): Promise<Health> {
    return this.#call<Health>({ method: 'GET', path: '/health', isPublic: true }, options);
  }

  /**
   * Check whether the process is alive.
   *
   * `GET /health/live`: needs no credential.
   */
  live(options?: RequestOptions): Promise<Live> {
    return this.#call<Live>({ method: 'GET', path: '/health/live', isPublic: true }, options);
  }

  /**
   * Check whether the service accepts work.
   *
   * `GET /health/ready`: needs no credential.
   */
  ready(options?: RequestOptions): Promise<Ready> {
    return this.#call<Ready>({ method: 'GET', path: '/health/ready', isPublic: true }, options);
  }
}

/** `client.auth.session` */
export class AuthSessionOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Log in from a page of the service. The token is set as an HttpOnly cookie.
   *
   * `POST /auth/session`: needs no credential.
   */
  open(body: LoginInput, options?: RequestOptions): Promise<CookieLogin> {
    return this.#call<CookieLogin>({ method: 'POST', path: '/auth/session', body, isPublic: true }, options);
  }

  /**
   * Replace the token of the session cookie with a new one, even if it has expired.
   *
   * `POST /auth/session/refresh`: needs no credential.
   */
  refresh(options?: RequestOptions): Promise<CookieLogin> {
    return this.#call<CookieLogin>({ method: 'POST', path: '/auth/session/refresh', isPublic: true }, options);
  }

  /**
   * End the session of the cookie, if any, and remove the cookie.
   *
   * `DELETE /auth/session`: needs no credential.
   */
  close(options?: RequestOptions): Promise<Done> {
    return this.#call<Done>({ method: 'DELETE', path: '/auth/session', isPublic: true }, options);
  }
}

/** `client.oauth.clients` */
export class OauthClientsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List your OAuth clients, newest first.
   *
   * `GET /oauth/clients`: needs a session.
   */
  list(query: ListOAuthClientsQuery = {}, options?: RequestOptions): Promise<OAuthClientList> {
    return this.#call<OAuthClientList>({ method: 'GET', path: '/oauth/clients', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListOAuthClientsQuery = {}, options?: PagingOptions): AsyncGenerator<OAuthClient, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { clients, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: clients, pagination };
    });
  }

  /**
   * Register an OAuth client with a secret. The secret is returned only in this response.
   *
   * `POST /oauth/clients`: needs a session.
   */
  create(body: CreateOAuthClientInput, options?: RequestOptions): Promise<NewOAuthClient> {
    return this.#call<NewOAuthClient>({ method: 'POST', path: '/oauth/clients', body }, options);
  }

  /**
   * Delete an OAuth client. Its tokens stop working immediately.
   *
   * `DELETE /oauth/clients/{id}`: needs a session.
   */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/oauth/clients/${encodeURIComponent(id)}` }, options);
  }
}

/** `client.oauth.grants` */
export class OauthGrantsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the grants of the user to OAuth clients, newest first.
   *
   * `GET /oauth/grants`: needs a session.
   */
  list(query: ListOAuthGrantsQuery = {}, options?: RequestOptions): Promise<OAuthGrantList> {
    return this.#call<OAuthGrantList>({ method: 'GET', path: '/oauth/grants', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListOAuthGrantsQuery = {}, options?: PagingOptions): AsyncGenerator<OAuthGrant, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { grants, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: grants, pagination };
    });
  }

  /**
   * Revoke the grant of an OAuth client. The client's tokens stop working immediately.
   *
   * `DELETE /oauth/grants/{id}`: needs a session.
   */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/oauth/grants/${encodeURIComponent(id)}` }, options);
  }
}

/** `client.workflows.versions` */
export class WorkflowsVersionsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the versions of a workflow, newest first.
   *
   * `GET /workflows/{id}/versions`: scope `workflows:read`.
   */
  list(id: string, query: ListWorkflowVersionsQuery = {}, options?: RequestOptions): Promise<WorkflowVersionList> {
    return this.#call<WorkflowVersionList>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}/versions`, query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(id: string, query: ListWorkflowVersionsQuery = {}, options?: PagingOptions): AsyncGenerator<WorkflowVersionSummary, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { versions, pagination } = await this.list(id, { ...query, page, limit }, options);
      return { items: versions, pagination };
    });
  }

  /**
   * Get a version of a workflow with its definition.
   *
   * `GET /workflows/{id}/versions/{version}`: scope `workflows:read`.
   */
  get(id: string, version: string | number, options?: RequestOptions): Promise<WorkflowVersion> {
    return this.#call<WorkflowVersion>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}` }, options);
  }

  /**
   * Name a version of a workflow, or remove its name.
   *
   * `PUT /workflows/{id}/versions/{version}`: scope `workflows:write`.
   */
  name(id: string, version: string | number, body: NameWorkflowVersionInput, options?: RequestOptions): Promise<WorkflowVersion> {
    return this.#call<WorkflowVersion>({ method: 'PUT', path: `/workflows/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}`, body }, options);
  }

  /**
   * Restore an old version as the newest version.
   *
   * `POST /workflows/{id}/versions/{version}/restore`: scope `workflows:write`.
   */
  restore(id: string, version: string | number, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}/restore` }, options);
  }
}

/** `client.workflows.deleted` */
export class WorkflowsDeletedOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the deleted workflows that can be restored, last deleted first.
   *
   * `GET /workflows/deleted`: scope `workflows:read`.
   */
  list(query: ListDeletedWorkflowsQuery = {}, options?: RequestOptions): Promise<DeletedWorkflowList> {
    return this.#call<DeletedWorkflowList>({ method: 'GET', path: '/workflows/deleted', query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(query: ListDeletedWorkflowsQuery = {}, options?: PagingOptions): AsyncGenerator<DeletedWorkflow, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { workflows, pagination } = await this.list({ ...query, page, limit }, options);
      return { items: workflows, pagination };
    });
  }
}

/** `client.workflows.pinnedOutputs` */
export class WorkflowsPinnedOutputsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the pinned outputs of a workflow, which runs from the editor use instead of running the node.
   *
   * `GET /workflows/{id}/pinned-outputs`: scope `workflows:read`.
   */
  list(id: string, options?: RequestOptions): Promise<PinnedOutputs> {
    return this.#call<PinnedOutputs>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}/pinned-outputs` }, options);
  }

  /**
   * Pin the output of a node, or replace its pinned output.
   *
   * `PUT /workflows/{id}/pinned-outputs/{node_id}`: scope `workflows:write`.
   */
  put(id: string, node_id: string, body: PinOutputInput, options?: RequestOptions): Promise<PinnedOutput> {
    return this.#call<PinnedOutput>({ method: 'PUT', path: `/workflows/${encodeURIComponent(id)}/pinned-outputs/${encodeURIComponent(node_id)}`, body }, options);
  }

  /**
   * Delete the pinned output of a node. The id of the response is that of the node.
   *
   * `DELETE /workflows/{id}/pinned-outputs/{node_id}`: scope `workflows:write`.
   */
  delete(id: string, node_id: string, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/workflows/${encodeURIComponent(id)}/pinned-outputs/${encodeURIComponent(node_id)}` }, options);
  }
}

/** `client.workflows.executions` */
export class WorkflowsExecutionsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the executions of a workflow, newest first.
   *
   * `GET /workflows/{id}/executions`: scope `executions:read`.
   */
  list(id: string, query: ListWorkflowExecutionsQuery = {}, options?: RequestOptions): Promise<ExecutionList> {
    return this.#call<ExecutionList>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}/executions`, query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(id: string, query: ListWorkflowExecutionsQuery = {}, options?: PagingOptions): AsyncGenerator<ExecutionSummary, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { executions, pagination } = await this.list(id, { ...query, page, limit }, options);
      return { items: executions, pagination };
    });
  }
}

/** `client.workflows.statistics` */
export class WorkflowsStatisticsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Get the number of a workflow's ended executions and their duration over time.
   *
   * `GET /workflows/{id}/statistics`: scope `executions:read`.
   */
  get(id: string, query: GetWorkflowStatisticsQuery = {}, options?: RequestOptions): Promise<ExecutionStatistics> {
    return this.#call<ExecutionStatistics>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}/statistics`, query }, options);
  }
}

/** `client.executions.nodes` */
export class ExecutionsNodesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the node runs of an execution.
   *
   * `GET /executions/{id}/nodes`: scope `executions:read`.
   */
  list(id: string, query: ListNodeRunsQuery = {}, options?: RequestOptions): Promise<NodeRunList> {
    return this.#call<NodeRunList>({ method: 'GET', path: `/executions/${encodeURIComponent(id)}/nodes`, query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(id: string, query: ListNodeRunsQuery = {}, options?: PagingOptions): AsyncGenerator<NodeRun, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { nodes, pagination } = await this.list(id, { ...query, page, limit }, options);
      return { items: nodes, pagination };
    });
  }
}

/** `client.executions.logs` */
export class ExecutionsLogsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the log of an execution, oldest first. Accept: text/event-stream streams it live.
   *
   * `GET /executions/{id}/logs`: scope `executions:read`.
   */
  list(id: string, query: ListLogsQuery = {}, options?: RequestOptions): Promise<LogList> {
    return this.#call<LogList>({ method: 'GET', path: `/executions/${encodeURIComponent(id)}/logs`, query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(id: string, query: ListLogsQuery = {}, options?: PagingOptions): AsyncGenerator<LogEntry, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { logs, pagination } = await this.list(id, { ...query, page, limit }, options);
      return { items: logs, pagination };
    });
  }
}

/** `client.decisions.attachments` */
export class DecisionsAttachmentsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Download a file that is attached to a decision.
   *
   * `GET /decisions/{id}/attachments/{file}`: scope `executions:read`. The body of the response is not read yet.
   */
  get(id: string, file: string, options?: RequestOptions): Promise<Response> {
    return this.#call<Response>({ method: 'GET', path: `/decisions/${encodeURIComponent(id)}/attachments/${encodeURIComponent(file)}`, responseType: 'response' }, options);
  }
}

/** `client.nodes.versions` */
export class NodesVersionsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List all versions of a node, newest first.
   *
   * `GET /nodes/{id}/versions`: scope `nodes:read`.
   */
  list(id: string, options?: RequestOptions): Promise<NodeVersionList> {
    return this.#call<NodeVersionList>({ method: 'GET', path: `/nodes/${encodeURIComponent(id)}/versions` }, options);
  }
}

/** `client.packs.operations` */
export class PacksOperationsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the operations of a pack, in the order of its document.
   *
   * `GET /packs/{name}/operations`: scope `nodes:read`.
   */
  list(name: string, query: ListPackOperationsQuery = {}, options?: RequestOptions): Promise<PackOperationList> {
    return this.#call<PackOperationList>({ method: 'GET', path: `/packs/${encodeURIComponent(name)}/operations`, query }, options);
  }

  /** The same over all pages, item by item; `page` is where it begins, `limit` the size of a page (100). */
  listAll(name: string, query: ListPackOperationsQuery = {}, options?: PagingOptions): AsyncGenerator<PackOperation, void, undefined> {
    return pages(query, options, async (page, limit) => {
      const { operations, pagination } = await this.list(name, { ...query, page, limit }, options);
      return { items: operations, pagination };
    });
  }

  /**
   * Get an operation of a pack, with the form of its configuration.
   *
   * `GET /packs/{name}/operations/{id}`: scope `nodes:read`.
   */
  get(name: string, id: string, query: GetPackOperationQuery = {}, options?: RequestOptions): Promise<PackOperationDetail> {
    return this.#call<PackOperationDetail>({ method: 'GET', path: `/packs/${encodeURIComponent(name)}/operations/${encodeURIComponent(id)}`, query }, options);
  }
}

/** `client.packs.operationNames` */
export class PacksOperationNamesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List all operations of a pack at once, without descriptions.
   *
   * `GET /packs/{name}/operation-names`: scope `nodes:read`.
   */
  list(name: string, query: ListPackOperationNamesQuery = {}, options?: RequestOptions): Promise<PackOperationNames> {
    return this.#call<PackOperationNames>({ method: 'GET', path: `/packs/${encodeURIComponent(name)}/operation-names`, query }, options);
  }
}

/** `client.packs.workflows` */
export class PacksWorkflowsOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List the workflows of all users that use a pack.
   *
   * `GET /packs/{name}/workflows`: scope `admin`.
   */
  list(name: string, query: ListPackWorkflowsQuery = {}, options?: RequestOptions): Promise<PackWorkflowList> {
    return this.#call<PackWorkflowList>({ method: 'GET', path: `/packs/${encodeURIComponent(name)}/workflows`, query }, options);
  }
}

/** `client.packs.app` */
export class PacksAppOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Get the address to which a service sends the events of all accounts. The secret is not returned.
   *
   * `GET /packs/{name}/app`: scope `admin`.
   */
  get(name: string, options?: RequestOptions): Promise<PackApp> {
    return this.#call<PackApp>({ method: 'GET', path: `/packs/${encodeURIComponent(name)}/app` }, options);
  }

  /**
   * Enter the signing secret of the app of a pack, encrypted. The address stays the same.
   *
   * `PUT /packs/{name}/app`: scope `admin`.
   */
  put(name: string, body: PutPackAppInput, options?: RequestOptions): Promise<PackApp> {
    return this.#call<PackApp>({ method: 'PUT', path: `/packs/${encodeURIComponent(name)}/app`, body }, options);
  }

  /**
   * Delete the app of a pack. Fails while active triggers receive its events.
   *
   * `DELETE /packs/{name}/app`: scope `admin`.
   */
  delete(name: string, options?: RequestOptions): Promise<DeletedByName> {
    return this.#call<DeletedByName>({ method: 'DELETE', path: `/packs/${encodeURIComponent(name)}/app` }, options);
  }
}

/** `client.packs.choices` */
export class PacksChoicesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Load the choices of a field, or its fields, from the service of a pack. A secret or a connection also needs secrets:use.
   *
   * `POST /packs/{name}/choices`: scope `workflows:write`.
   */
  list(name: string, body: ListPackChoicesInput, options?: RequestOptions): Promise<PackChoices> {
    return this.#call<PackChoices>({ method: 'POST', path: `/packs/${encodeURIComponent(name)}/choices`, body }, options);
  }
}

/** Every operation of the service, by subject. */
export class Operations {
  readonly auth: AuthOperations;
  readonly users: UsersOperations;
  readonly apiKeys: ApiKeysOperations;
  readonly secrets: SecretsOperations;
  readonly connections: ConnectionsOperations;
  readonly connectionProviders: ConnectionProvidersOperations;
  readonly oauth: OauthOperations;
  readonly workflows: WorkflowsOperations;
  readonly templates: TemplatesOperations;
  readonly executions: ExecutionsOperations;
  readonly evaluate: EvaluateOperations;
  readonly decisions: DecisionsOperations;
  readonly threads: ThreadsOperations;
  readonly vectorCollections: VectorCollectionsOperations;
  readonly statistics: StatisticsOperations;
  readonly modelUsage: ModelUsageOperations;
  readonly modelPrices: ModelPricesOperations;
  readonly providerModels: ProviderModelsOperations;
  readonly files: FilesOperations;
  readonly nodes: NodesOperations;
  readonly packs: PacksOperations;
  readonly auditEvents: AuditEventsOperations;
  readonly mcpTools: McpToolsOperations;
  readonly health: HealthOperations;

  constructor(call: Call) {
    this.auth = new AuthOperations(call);
    this.users = new UsersOperations(call);
    this.apiKeys = new ApiKeysOperations(call);
    this.secrets = new SecretsOperations(call);
    this.connections = new ConnectionsOperations(call);
    this.connectionProviders = new ConnectionProvidersOperations(call);
    this.oauth = new OauthOperations(call);
    this.workflows = new WorkflowsOperations(call);
    this.templates = new TemplatesOperations(call);
    this.executions = new ExecutionsOperations(call);
    this.evaluate = new EvaluateOperations(call);
    this.decisions = new DecisionsOperations(call);
    this.threads = new ThreadsOperations(call);
    this.vectorCollections = new VectorCollectionsOperations(call);
    this.statistics = new StatisticsOperations(call);
    this.modelUsage = new ModelUsageOperations(call);
    this.modelPrices = new ModelPricesOperations(call);
    this.providerModels = new ProviderModelsOperations(call);
    this.files = new FilesOperations(call);
    this.nodes = new NodesOperations(call);
    this.packs = new PacksOperations(call);
    this.auditEvents = new AuditEventsOperations(call);
    this.mcpTools = new McpToolsOperations(call);
    this.health = new HealthOperations(call);
  }
}
