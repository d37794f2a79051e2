// Made from the routes and schemas of the service by `npx vitest run scripts/client-source.test.ts -u`.
import { pages, type PagingOptions } from '../pages.ts';
import type { Call, ExecuteOptions, RequestOptions } from '../request.ts';
import type {
  ApiKey,
  ApiKeyList,
  AuthorizeConnectionInput,
  ChangePasswordInput,
  ConnectedAccount,
  ConnectedAccountList,
  ConnectionInvitation,
  ConnectionTest,
  CookieLogin,
  CreateApiKeyInput,
  CreateConnectionInput,
  CreateOAuthClientInput,
  CreateTemplateInput,
  CreateUserInput,
  CreateWorkflowInput,
  DeleteConnectionQuery,
  DeleteNodeQuery,
  DeleteTemplateQuery,
  Deleted,
  DeletedByName,
  DeletedTemplate,
  Done,
  EvaluateTemplateInput,
  Evaluated,
  ExecuteWorkflowInput,
  Execution,
  ExecutionDetail,
  ExecutionList,
  ExecutionSummary,
  GetTemplateQuery,
  Health,
  InstantiateTemplateInput,
  ListApiKeysQuery,
  ListConnectionsQuery,
  ListExecutionsQuery,
  ListLogsQuery,
  ListNodeRunsQuery,
  ListNodesQuery,
  ListOAuthClientsQuery,
  ListOAuthGrantsQuery,
  ListSecretsQuery,
  ListTemplatesQuery,
  ListUsersQuery,
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
  NewApiKey,
  NewConnectedAccount,
  NewOAuthClient,
  Node,
  NodeDetail,
  NodeList,
  NodeRun,
  NodeRunList,
  NodeVersionList,
  OAuthClient,
  OAuthClientList,
  OAuthGrant,
  OAuthGrantList,
  PutSecretInput,
  Ready,
  RefreshInput,
  RegisterNodeInput,
  ResumeExecutionInput,
  Resumed,
  RetryExecutionInput,
  Secret,
  SecretList,
  Template,
  TemplateList,
  TemplateSummary,
  UpdateConnectionInput,
  UpdateUserInput,
  UpdateWorkflowInput,
  User,
  UserList,
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
   * Replace a token, expired or not, by a new one.
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
   * The user whose credential this is.
   *
   * `GET /users/me`: any credential.
   */
  me(options?: RequestOptions): Promise<User> {
    return this.#call<User>({ method: 'GET', path: '/users/me' }, options);
  }

  /**
   * Change the own password; other sessions end.
   *
   * `PUT /users/me/password`: needs a session.
   */
  changePassword(body: ChangePasswordInput, options?: RequestOptions): Promise<Done> {
    return this.#call<Done>({ method: 'PUT', path: '/users/me/password', body }, options);
  }

  /**
   * List the users, newest first.
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
   * Get one user.
   *
   * `GET /users/{id}`: scope `admin`.
   */
  get(id: string, options?: RequestOptions): Promise<User> {
    return this.#call<User>({ method: 'GET', path: `/users/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Change the given fields of a user.
   *
   * `PUT /users/{id}`: scope `admin`.
   */
  update(id: string, body: UpdateUserInput, options?: RequestOptions): Promise<User> {
    return this.#call<User>({ method: 'PUT', path: `/users/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Delete a user with everything owned.
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
   * List the own API keys, newest first.
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
   * Make an API key; it is shown in this answer alone.
   *
   * `POST /api-keys`: needs a session.
   */
  create(body: CreateApiKeyInput, options?: RequestOptions): Promise<NewApiKey> {
    return this.#call<NewApiKey>({ method: 'POST', path: '/api-keys', body }, options);
  }

  /**
   * Delete an API key; it stops working at once.
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
   * List the names of the own secrets, never their values.
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
   * Store or replace a secret.
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
   * List the own connections, newest first, never their tokens.
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
   * Create a connection, with the address to send the person to who allows it.
   *
   * `POST /connections`: scope `secrets:write`.
   */
  create(body: CreateConnectionInput, options?: RequestOptions): Promise<NewConnectedAccount> {
    return this.#call<NewConnectedAccount>({ method: 'POST', path: '/connections', body }, options);
  }

  /**
   * Get one connection.
   *
   * `GET /connections/{name}`: scope `secrets:read`.
   */
  get(name: string, options?: RequestOptions): Promise<ConnectedAccount> {
    return this.#call<ConnectedAccount>({ method: 'GET', path: `/connections/${encodeURIComponent(name)}` }, options);
  }

  /**
   * Replace the fields that are given; what makes it another account disconnects it.
   *
   * `PUT /connections/{name}`: scope `secrets:write`.
   */
  update(name: string, body: UpdateConnectionInput, options?: RequestOptions): Promise<ConnectedAccount> {
    return this.#call<ConnectedAccount>({ method: 'PUT', path: `/connections/${encodeURIComponent(name)}`, body }, options);
  }

  /**
   * Delete a connection with its tokens; refused while active workflows use it, unless forced.
   *
   * `DELETE /connections/{name}`: scope `secrets:write`.
   */
  delete(name: string, query: DeleteConnectionQuery = {}, options?: RequestOptions): Promise<DeletedByName> {
    return this.#call<DeletedByName>({ method: 'DELETE', path: `/connections/${encodeURIComponent(name)}`, query }, options);
  }

  /**
   * Get a new address for a person to allow it, for the first time or again.
   *
   * `POST /connections/{name}/authorize`: scope `secrets:write`.
   */
  authorize(name: string, body: AuthorizeConnectionInput = {}, options?: RequestOptions): Promise<ConnectionInvitation> {
    return this.#call<ConnectionInvitation>({ method: 'POST', path: `/connections/${encodeURIComponent(name)}/authorize`, body }, options);
  }

  /**
   * Get a new token now.
   *
   * `POST /connections/{name}/refresh`: scope `secrets:write`.
   */
  refresh(name: string, options?: RequestOptions): Promise<ConnectedAccount> {
    return this.#call<ConnectedAccount>({ method: 'POST', path: `/connections/${encodeURIComponent(name)}/refresh` }, options);
  }

  /**
   * Try it: get a token, and ask the provider with it where it is known what to ask.
   *
   * `POST /connections/{name}/test`: scope `secrets:write`.
   */
  test(name: string, options?: RequestOptions): Promise<ConnectionTest> {
    return this.#call<ConnectionTest>({ method: 'POST', path: `/connections/${encodeURIComponent(name)}/test` }, options);
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
  readonly executions: WorkflowsExecutionsOperations;

  constructor(call: Call) {
    this.#call = call;
    this.versions = new WorkflowsVersionsOperations(call);
    this.executions = new WorkflowsExecutionsOperations(call);
  }

  /**
   * List your workflows, newest first.
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
   * Get one workflow.
   *
   * `GET /workflows/{id}`: scope `workflows:read`.
   */
  get(id: string, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Update a workflow: the fields that are given.
   *
   * `PUT /workflows/{id}`: scope `workflows:write`.
   */
  update(id: string, body: UpdateWorkflowInput, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'PUT', path: `/workflows/${encodeURIComponent(id)}`, body }, options);
  }

  /**
   * Delete a workflow with its history; what runs of it is stopped.
   *
   * `DELETE /workflows/{id}`: scope `workflows:write`.
   */
  delete(id: string, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/workflows/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Make the newest version of an active workflow the one that its triggers run.
   *
   * `POST /workflows/{id}/publish`: scope `workflows:write`.
   */
  publish(id: string, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/publish` }, options);
  }

  /**
   * Open a test address for a webhook trigger: it takes one request within two minutes.
   *
   * `POST /workflows/{id}/listen`: scope `executions:write`.
   */
  listen(id: string, body: ListenToWebhookInput = {}, options?: RequestOptions): Promise<Listener> {
    return this.#call<Listener>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/listen`, body }, options);
  }

  /**
   * Run a workflow by hand.
   *
   * `POST /workflows/{id}/execute`: scope `executions:write`.
   */
  execute(id: string, body: ExecuteWorkflowInput = {}, options?: ExecuteOptions): Promise<Execution> {
    return this.#call<Execution>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/execute`, body, keyed: true, timeout: 90000 }, options);
  }
}

/** `client.templates` */
export class TemplatesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * List your templates, newest first, then those that come with Weft; each in its newest version.
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
   * Register a version of a template; it never changes.
   *
   * `POST /templates`: scope `workflows:write`.
   */
  create(body: CreateTemplateInput, options?: RequestOptions): Promise<Template> {
    return this.#call<Template>({ method: 'POST', path: '/templates', body }, options);
  }

  /**
   * Get one template.
   *
   * `GET /templates/{name}`: scope `workflows:read`.
   */
  get(name: string, query: GetTemplateQuery = {}, options?: RequestOptions): Promise<Template> {
    return this.#call<Template>({ method: 'GET', path: `/templates/${encodeURIComponent(name)}`, query }, options);
  }

  /**
   * Delete a template, or one version of it; workflows that came of it stay.
   *
   * `DELETE /templates/{name}`: scope `workflows:write`.
   */
  delete(name: string, query: DeleteTemplateQuery = {}, options?: RequestOptions): Promise<DeletedTemplate> {
    return this.#call<DeletedTemplate>({ method: 'DELETE', path: `/templates/${encodeURIComponent(name)}`, query }, options);
  }

  /**
   * Create a workflow of a template.
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
   * Get one execution with its first 1,000 node runs.
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
   * Run an execution again from where it failed, from the start or from a node.
   *
   * `POST /executions/{id}/retry`: scope `executions:write`.
   */
  retry(id: string, body: RetryExecutionInput = {}, options?: RequestOptions): Promise<Execution> {
    return this.#call<Execution>({ method: 'POST', path: `/executions/${encodeURIComponent(id)}/retry`, body }, options);
  }

  /**
   * Go on with an execution that waits for this post; the body is what its node gives on.
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
   * Try out a template with the data of an execution, or with data of your own; nothing runs.
   *
   * `POST /evaluate`: scope `executions:read`.
   */
  evaluate(body: EvaluateTemplateInput, options?: RequestOptions): Promise<Evaluated> {
    return this.#call<Evaluated>({ method: 'POST', path: '/evaluate', body }, options);
  }
}

/** `client.files` */
export class FilesOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Fetch the bytes of a file that an execution holds.
   *
   * `GET /files/{id}`: scope `executions:read`. The body of the response is not read yet.
   */
  get(id: string, options?: RequestOptions): Promise<Response> {
    return this.#call<Response>({ method: 'GET', path: `/files/${encodeURIComponent(id)}`, answer: 'response' }, options);
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
   * Get one node in its newest version, with its code.
   *
   * `GET /nodes/{id}`: scope `nodes:read`.
   */
  get(id: string, options?: RequestOptions): Promise<NodeDetail> {
    return this.#call<NodeDetail>({ method: 'GET', path: `/nodes/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Delete a custom node, or one version of it, that no workflow was saved with.
   *
   * `DELETE /nodes/{id}`: scope `nodes:write`.
   */
  delete(id: string, query: DeleteNodeQuery = {}, options?: RequestOptions): Promise<Deleted> {
    return this.#call<Deleted>({ method: 'DELETE', path: `/nodes/${encodeURIComponent(id)}`, query }, options);
  }
}

/** `client.health` */
export class HealthOperations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * How the service is; administrators also see its measures.
   *
   * `GET /health`: needs no credential.
   */
  get(options?: RequestOptions): Promise<Health> {
    return this.#call<Health>({ method: 'GET', path: '/health', isPublic: true }, options);
  }

  /**
   * Whether the process answers.
   *
   * `GET /health/live`: needs no credential.
   */
  live(options?: RequestOptions): Promise<Live> {
    return this.#call<Live>({ method: 'GET', path: '/health/live', isPublic: true }, options);
  }

  /**
   * Whether the service takes work.
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
   * Log in from a page of the service; the token is set as a cookie that scripts cannot read.
   *
   * `POST /auth/session`: needs no credential.
   */
  open(body: LoginInput, options?: RequestOptions): Promise<CookieLogin> {
    return this.#call<CookieLogin>({ method: 'POST', path: '/auth/session', body, isPublic: true }, options);
  }

  /**
   * Replace the token of the session cookie, expired or not, by a new one.
   *
   * `POST /auth/session/refresh`: needs no credential.
   */
  refresh(options?: RequestOptions): Promise<CookieLogin> {
    return this.#call<CookieLogin>({ method: 'POST', path: '/auth/session/refresh', isPublic: true }, options);
  }

  /**
   * End the session of the cookie, if there is one, and remove the cookie.
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
   * List the own OAuth clients, newest first.
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
   * Register an OAuth client with a secret, which is shown in this answer alone.
   *
   * `POST /oauth/clients`: needs a session.
   */
  create(body: CreateOAuthClientInput, options?: RequestOptions): Promise<NewOAuthClient> {
    return this.#call<NewOAuthClient>({ method: 'POST', path: '/oauth/clients', body }, options);
  }

  /**
   * Delete an OAuth client; its tokens stop working at once.
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
   * List what the user has allowed to OAuth clients, newest first.
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
   * Take back what was allowed to an OAuth client; the client's tokens stop working at once.
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
   * Get one version of a workflow with its definition.
   *
   * `GET /workflows/{id}/versions/{version}`: scope `workflows:read`.
   */
  get(id: string, version: string | number, options?: RequestOptions): Promise<WorkflowVersion> {
    return this.#call<WorkflowVersion>({ method: 'GET', path: `/workflows/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}` }, options);
  }

  /**
   * Save an old version again as the newest one.
   *
   * `POST /workflows/{id}/versions/{version}/restore`: scope `workflows:write`.
   */
  restore(id: string, version: string | number, options?: RequestOptions): Promise<Workflow> {
    return this.#call<Workflow>({ method: 'POST', path: `/workflows/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}/restore` }, options);
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
   * The log of an execution, oldest first; with Accept: text/event-stream live.
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

/** Every operation of the service, by subject. */
export class Operations {
  readonly auth: AuthOperations;
  readonly users: UsersOperations;
  readonly apiKeys: ApiKeysOperations;
  readonly secrets: SecretsOperations;
  readonly connections: ConnectionsOperations;
  readonly oauth: OauthOperations;
  readonly workflows: WorkflowsOperations;
  readonly templates: TemplatesOperations;
  readonly executions: ExecutionsOperations;
  readonly evaluate: EvaluateOperations;
  readonly files: FilesOperations;
  readonly nodes: NodesOperations;
  readonly health: HealthOperations;

  constructor(call: Call) {
    this.auth = new AuthOperations(call);
    this.users = new UsersOperations(call);
    this.apiKeys = new ApiKeysOperations(call);
    this.secrets = new SecretsOperations(call);
    this.connections = new ConnectionsOperations(call);
    this.oauth = new OauthOperations(call);
    this.workflows = new WorkflowsOperations(call);
    this.templates = new TemplatesOperations(call);
    this.executions = new ExecutionsOperations(call);
    this.evaluate = new EvaluateOperations(call);
    this.files = new FilesOperations(call);
    this.nodes = new NodesOperations(call);
    this.health = new HealthOperations(call);
  }
}
