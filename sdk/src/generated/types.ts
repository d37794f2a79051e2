// Made from the routes and schemas of the service by `npx vitest run scripts/client-source.test.ts -u`.

/** A key, without the key itself. */
export type ApiKey = {
  id: string;
  name: string;
  /** Its first characters, to recognise it. */
  prefix: string;
  /** Null: all that its owner may. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'admin')[] | null;
  expires_at: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  last_used_at: string | null;
};

/** One page of a list. */
export type ApiKeyList = {
  api_keys: ApiKey[];
  pagination: Pagination;
};

export type AuthorizeConnectionInput = {
  /** A path of this Weft, such as /connections, where the browser goes in the end, with ?connection= and status= or error=. */
  return_to?: string | undefined;
};

export type ChangePasswordInput = {
  current_password: string;
  new_password: string;
};

/** A connection to an account at another service. */
export type ConnectedAccount = {
  /** What nodes say. */
  name: string;
  description: string;
  provider: 'github' | 'google' | 'hubspot' | 'salesforce' | 'slack' | null;
  grant_type: 'authorization_code' | 'client_credentials';
  /** Null for client_credentials. */
  authorization_url: string | null;
  token_url: string;
  client_id: string;
  has_client_secret: boolean;
  /** What is asked for. */
  scopes: string[];
  client_authentication: 'basic' | 'body' | null;
  pkce: boolean;
  authorization_params: Record<string, string>;
  /** As it was given. */
  base_url: string | null;
  /** As it was given. */
  test_url: string | null;
  /** The only hosts that the token is sent to. Null: any. */
  hosts: string[] | null;
  /** What the app at the provider must name as where people come back to. */
  redirect_uri: string;
  /** pending: not allowed yet. needs_reauthorization: a person has to allow it again. failing: the last request for a token was refused; the next use tries again. */
  status: 'pending' | 'connected' | 'needs_reauthorization' | 'failing';
  /** Why it is not connected. */
  error: string | null;
  /** Null: the provider did not say. */
  granted_scopes: string[] | null;
  /** Weft can get a new token by itself. */
  refreshable: boolean;
  /** Of the access token. Null: there is none, or the provider did not say. */
  expires_at: string | null;
  /** When a person last allowed it. */
  authorized_at: string | null;
  /** When the newest token was stored. */
  refreshed_at: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  /** Of the settings. */
  updated_at: string;
};

/** One page of a list. */
export type ConnectedAccountList = {
  connections: ConnectedAccount[];
  pagination: Pagination;
};

/** From an output port to an input port. */
export type Connection = {
  from: string;
  to: string;
  sourcePort?: string;
  targetPort?: string;
};

/** From an output port to an input port; a port that is left out is the first one. */
export type ConnectionInput = {
  from: string;
  to: string;
  sourcePort?: string | undefined;
  targetPort?: string | undefined;
};

/** An address at which a person lets Weft use an account. */
export type ConnectionInvitation = {
  /** Where to send the person. It works once. */
  connect_url: string;
  /** ISO 8601, UTC. */
  expires_at: string;
};

/** What a test of a connection came to. */
export type ConnectionTest = {
  ok: boolean;
  /** What was tried, and what came of it. */
  message: string;
  /** What the provider answered. Null: it was not asked, or did not answer. */
  http_status: number | null;
  /** Of the connection, after the test. */
  status: 'pending' | 'connected' | 'needs_reauthorization' | 'failing';
};

/** A session whose token is in the cookie alone. */
export type CookieLogin = {
  /** Seconds until the session has to be renewed. */
  expires_in: number;
  user: LoginUser;
};

export type CreateApiKeyInput = {
  name: string;
  /** What the key may do. Null or absent: all that its owner may, but for what needs a session. */
  scopes?: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'admin')[] | null | undefined;
  /** Null or absent: never. */
  expires_at?: string | null | undefined;
};

export type CreateConnectionInput = {
  name: string;
  /** Fills in what is known of it; what is given beside it counts more. */
  provider?: 'github' | 'google' | 'hubspot' | 'salesforce' | 'slack' | null | undefined;
  /** authorization_code (default): a person lets Weft use an account. client_credentials: the app itself is the account. */
  grant_type?: 'authorization_code' | 'client_credentials' | undefined;
  /** Where the person is asked. Required without a provider. */
  authorization_url?: string | null | undefined;
  /** Where tokens are given out. Required without a provider. */
  token_url?: string | undefined;
  /** Of the app at the provider. Required. */
  client_id?: string | undefined;
  /** Stored encrypted, and never shown. Null or absent: a public client, which PKCE protects. */
  client_secret?: string | null | undefined;
  scopes?: string[] | undefined;
  /** How the secret is sent to the token endpoint. Default: as the provider has it, else basic, and in the body once that is refused. */
  client_authentication?: 'basic' | 'body' | null | undefined;
  /** Whether a proof key (S256) goes along. Default: true, but for Slack. */
  pkce?: boolean | undefined;
  /** Added to the address where the person is asked, such as {"audience": "…"}. */
  authorization_params?: Record<string, string> | undefined;
  /** Where the API is that connector nodes call. Null or absent: the provider's, or what came with the tokens. */
  base_url?: string | null | undefined;
  /** What a test asks for with the token (GET). Null or absent: the provider's, or only whether there is a token. */
  test_url?: string | null | undefined;
  /** The only hosts that the token is sent to. Null or absent: any. */
  hosts?: string[] | null | undefined;
  description?: string | undefined;
  /** A path of this Weft, such as /connections, where the browser goes in the end, with ?connection= and status= or error=. */
  return_to?: string | undefined;
  status?: unknown;
  error?: unknown;
  granted_scopes?: unknown;
  expires_at?: unknown;
  refreshable?: unknown;
  authorized_at?: unknown;
  refreshed_at?: unknown;
  has_client_secret?: unknown;
  redirect_uri?: unknown;
  connect_url?: unknown;
  created_at?: unknown;
  updated_at?: unknown;
};

export type CreateOAuthClientInput = {
  /** Shown to whoever is asked for consent. */
  name: string;
  /** `authorization_code` adds `refresh_token`. Absent: `authorization_code` where there are `redirect_uris`, `client_credentials` where there are none. */
  grant_types?: ('client_credentials' | 'authorization_code' | 'refresh_token')[] | undefined;
  /** Where codes may be sent; compared character for character. */
  redirect_uris?: string[] | undefined;
  /** The most that its tokens may do. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'admin')[];
};

export type CreateTemplateInput = {
  templateName: string;
  /** major.minor.patch; default 1.0.0. */
  version?: string | undefined;
  description?: string | undefined;
  parameters?: TemplateParameterInput[] | undefined;
  /** The body of a request that creates a workflow; {{ parameters.NAME }} may stand in its texts. */
  workflow: Record<string, unknown>;
  builtin?: unknown;
  created_at?: unknown;
  versions?: unknown;
};

export type CreateUserInput = {
  email: string;
  password: string;
  name?: string | undefined;
  role?: 'admin' | 'member' | undefined;
  plan?: 'standard' | 'pro' | 'enterprise' | undefined;
};

export type CreateWorkflowInput = {
  name: string;
  description?: string | undefined;
  definition?: DefinitionInput | undefined;
  status?: 'active' | 'inactive' | 'draft' | undefined;
  settings?: WorkflowSettingsInput | undefined;
  tags?: string[] | undefined;
  /** `true` checks the request and answers as if it had been carried out, or with the error; nothing is stored. */
  dry_run?: boolean | undefined;
};

export type CustomNodeFieldInput = {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any';
  required?: boolean | undefined;
  description?: string | undefined;
  validation?: Record<string, unknown> | undefined;
};

/** What it does. */
export type CustomNodeImplementationInput = {
  runtime: 'javascript';
  /** An ES module whose default export is called with the inputs by name. */
  handler: string;
  /** npm packages, all that are needed, by install path: `{"lodash": {"version": "4.17.21", "integrity": "sha512-…"}}`. They are fetched, checked and bundled with the handler once, when it is registered, and not run. */
  dependencies?: Record<string, LockedPackageInput> | undefined;
};

/** The graph: nodes joined by connections. */
export type Definition = {
  nodes: NodeEntry[];
  connections: Connection[];
  /** Text on the canvas. */
  annotations?: unknown[];
};

/** The graph: nodes joined by connections. */
export type DefinitionInput = {
  nodes?: NodeEntryInput[] | undefined;
  connections?: ConnectionInput[] | undefined;
  /** Text on the canvas. */
  annotations?: unknown[] | undefined;
};

export type DeleteConnectionQuery = {
  /** Delete it although active workflows use it. Default: false. */
  force?: boolean | undefined;
};

export type DeleteNodeQuery = {
  /** Exactly this version; without it all. */
  version?: string | undefined;
};

export type DeleteTemplateQuery = {
  /** Default: all of them. */
  version?: string | undefined;
};

/** It is gone. */
export type Deleted = {
  id: string;
  deleted: true;
};

/** It is gone. */
export type DeletedByName = {
  name: string;
  deleted: true;
};

/** It is gone. */
export type DeletedTemplate = {
  templateName: string;
  deleted: true;
};

/** It is done. */
export type Done = {
  success: true;
};

/** Why a request was refused or failed. */
export type Error = {
  error: ErrorBody;
};

/** What went wrong. */
export type ErrorBody = {
  code: 'VALIDATION_ERROR' | 'PAYLOAD_TOO_LARGE' | 'CONFLICT' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'EXECUTION_FAILED' | 'STORAGE_FULL' | 'STORAGE_UNAVAILABLE' | 'INTERNAL_ERROR';
  /** For people. */
  message: string;
  /** Empty where there is nothing to say; of a `VALIDATION_ERROR`: `field`, `issue`, `errors`. */
  details: Record<string, unknown>;
};

export type EvaluateTemplateInput = {
  /** Such as `Dear {{ input.name }}`. */
  template: string;
  /** Whose data it sees. */
  execution_id?: string | undefined;
  /** At which node of the execution; its newest run counts. */
  node_id?: string | undefined;
  /** At which node run: `loop[17]/x`. */
  path?: string | undefined;
  /** What arrives at the node. */
  input?: unknown;
  /** What started the execution. */
  trigger?: unknown;
  /** Outputs by node id. */
  nodes?: Record<string, unknown> | undefined;
  /** The element in a loop's body. */
  item?: unknown;
  /** Its position in a loop's body. */
  index?: number | undefined;
  /** The value in a transform. */
  value?: unknown;
};

/** What a template gave. */
export type Evaluated = {
  /** A template that is one placeholder gives the value with its type, every other one a text. */
  value: unknown;
};

export type ExecuteWorkflowInput = {
  /** What the trigger delivers. */
  input?: Record<string, unknown> | undefined;
  /** How long to wait for its end: a duration of at most `60s`. */
  wait?: string | undefined;
  /** A node id: only what leads to this node runs, and the node. */
  until?: string | undefined;
  /** Outputs by node id, given instead of running the node. */
  pins?: Record<string, unknown> | undefined;
};

/** One run of a workflow. */
export type Execution = {
  id: string;
  workflow_id: string;
  workflow_version: number;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  trigger: ExecutionTrigger;
  /** The fraction of the graph's nodes that ended. */
  progress: number;
  current_node: string | null;
  start_time: string | null;
  end_time: string | null;
  /** From start to end, in milliseconds. */
  duration: number | null;
  parent_execution_id: string | null;
  retry_of: string | null;
  input: unknown;
  /** The end node's output; of several end nodes, by node id. */
  output: unknown;
  error: NodeError | null;
};

/** One run of a workflow, with its node runs. */
export type ExecutionDetail = {
  id: string;
  workflow_id: string;
  workflow_version: number;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  trigger: ExecutionTrigger;
  /** The fraction of the graph's nodes that ended. */
  progress: number;
  current_node: string | null;
  start_time: string | null;
  end_time: string | null;
  /** From start to end, in milliseconds. */
  duration: number | null;
  parent_execution_id: string | null;
  retry_of: string | null;
  input: unknown;
  /** The end node's output; of several end nodes, by node id. */
  output: unknown;
  error: NodeError | null;
  /** The first 1,000, or as many as find room in 32 MiB; all by pages at `/executions/{id}/nodes`. */
  nodes: NodeRun[];
};

/** One page of a list. */
export type ExecutionList = {
  executions: ExecutionSummary[];
  pagination: Pagination;
};

/** An execution in a list. */
export type ExecutionSummary = {
  id: string;
  workflow_id: string;
  workflow_version: number;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  trigger: ExecutionTrigger;
  /** The fraction of the graph's nodes that ended. */
  progress: number;
  current_node: string | null;
  start_time: string | null;
  end_time: string | null;
  /** From start to end, in milliseconds. */
  duration: number | null;
  parent_execution_id: string | null;
  retry_of: string | null;
  error: NodeErrorSummary | null;
};

/** What started an execution; further fields depend on the type. */
export type ExecutionTrigger = {
  type: 'manual' | 'webhook' | 'schedule' | 'polling' | 'event' | 'error' | 'sub_workflow' | 'retry';
  node_id?: string;
  [name: string]: unknown;
};

/** Where the execution stands. */
export type ExecutionUpdate = {
  execution_id: string;
  workflow_id: string;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  /** The fraction of the graph's nodes that ended. */
  progress: number;
  /** Empty where there is none. */
  current_node: string;
  /** ISO 8601, UTC. */
  timestamp: string;
};

export type GetTemplateQuery = {
  /** Default: the newest. */
  version?: string | undefined;
};

/** How the service is. */
export type Health = {
  status: 'ok' | 'degraded';
  version: string;
  uptime: number;
  checks: Record<string, Record<string, unknown>>;
};

export type InstantiateTemplateInput = {
  /** Values by name. */
  parameters?: Record<string, unknown> | undefined;
  /** Default: the newest. */
  version?: string | undefined;
};

/** A fault of a definition that may be saved in a draft. */
export type Issue = {
  node_id: string | null;
  /** A dotted path below the node. */
  field: string;
  issue: string;
};

export type ListApiKeysQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListConnectionsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListExecutionsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
  status?: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped' | undefined;
  /** Created at or after this ISO 8601 time. */
  from?: string | undefined;
  /** Created before this ISO 8601 time. */
  to?: string | undefined;
  /** Only those of this workflow. */
  workflow_id?: string | undefined;
};

export type ListLogsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
  /** Only lines of this level. */
  level?: 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Only lines of this node. */
  node_id?: string | undefined;
};

export type ListNodeRunsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListNodesQuery = {
  category?: 'trigger' | 'flow' | 'data' | 'http' | 'connector' | 'code' | 'ai' | 'custom' | undefined;
  /** Stands in the name or the description, in any case. */
  search?: string | undefined;
  /** Exactly this version; without it the newest of each. */
  version?: string | undefined;
};

export type ListOAuthClientsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListOAuthGrantsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListSecretsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListTemplatesQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
  search?: string | undefined;
};

export type ListUsersQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListWorkflowExecutionsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
  status?: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped' | undefined;
  /** Created at or after this ISO 8601 time. */
  from?: string | undefined;
  /** Created before this ISO 8601 time. */
  to?: string | undefined;
  /** Only those of this workflow. */
  workflow_id?: string | undefined;
};

export type ListWorkflowVersionsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
};

export type ListWorkflowsQuery = {
  /** Counted from 1; default 1. */
  page?: number | undefined;
  /** Items of a page; default 10. */
  limit?: number | undefined;
  status?: 'active' | 'inactive' | 'draft' | undefined;
  /** Stands in the name or the description, in any case. */
  search?: string | undefined;
  /** Only those that have this tag. */
  tag?: string | undefined;
};

export type ListenToWebhookInput = {
  /** Which webhook trigger; needed where the workflow has several. */
  node_id?: string | undefined;
};

/** A test address that takes one request. */
export type Listener = {
  /** It is as good as a password until it is used or its time is over. */
  url: string;
  method: string;
  /** ISO 8601, UTC. */
  expires_at: string;
  node_id: string;
};

/** The process answers. */
export type Live = {
  status: 'ok';
};

export type LockedPackageInput = {
  version: string;
  integrity: string;
};

/** One line of an execution's log. */
export type LogEntry = {
  /** ISO 8601, UTC. */
  timestamp: string;
  level: 'debug' | 'info' | 'warning' | 'error';
  node_id: string | null;
  message: string;
  data: unknown;
};

/** One page of a list. */
export type LogList = {
  logs: LogEntry[];
  pagination: Pagination;
};

/** A session token. */
export type Login = {
  /** A JWT, for the Authorization header. */
  token: string;
  /** Seconds. */
  expires_in: number;
  user: LoginUser;
};

export type LoginInput = {
  email: string;
  password: string;
};

/** Who logged in. */
export type LoginUser = {
  id: string;
  email: string;
  name: string;
};

/** A key that was just made. */
export type NewApiKey = {
  id: string;
  name: string;
  /** Its first characters, to recognise it. */
  prefix: string;
  /** Null: all that its owner may. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'admin')[] | null;
  expires_at: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  last_used_at: string | null;
  /** Shown in this answer alone. */
  key: string;
};

/** A connection that was just made. */
export type NewConnectedAccount = {
  /** What nodes say. */
  name: string;
  description: string;
  provider: 'github' | 'google' | 'hubspot' | 'salesforce' | 'slack' | null;
  grant_type: 'authorization_code' | 'client_credentials';
  /** Null for client_credentials. */
  authorization_url: string | null;
  token_url: string;
  client_id: string;
  has_client_secret: boolean;
  /** What is asked for. */
  scopes: string[];
  client_authentication: 'basic' | 'body' | null;
  pkce: boolean;
  authorization_params: Record<string, string>;
  /** As it was given. */
  base_url: string | null;
  /** As it was given. */
  test_url: string | null;
  /** The only hosts that the token is sent to. Null: any. */
  hosts: string[] | null;
  /** What the app at the provider must name as where people come back to. */
  redirect_uri: string;
  /** pending: not allowed yet. needs_reauthorization: a person has to allow it again. failing: the last request for a token was refused; the next use tries again. */
  status: 'pending' | 'connected' | 'needs_reauthorization' | 'failing';
  /** Why it is not connected. */
  error: string | null;
  /** Null: the provider did not say. */
  granted_scopes: string[] | null;
  /** Weft can get a new token by itself. */
  refreshable: boolean;
  /** Of the access token. Null: there is none, or the provider did not say. */
  expires_at: string | null;
  /** When a person last allowed it. */
  authorized_at: string | null;
  /** When the newest token was stored. */
  refreshed_at: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  /** Of the settings. */
  updated_at: string;
  /** Where to send the person who allows it, within ten minutes. Null for client_credentials. */
  connect_url: string | null;
};

/** A client that was just registered. */
export type NewOAuthClient = {
  client_id: string;
  name: string;
  grant_types: ('client_credentials' | 'authorization_code' | 'refresh_token')[];
  redirect_uris: string[];
  /** The most that its tokens may do. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'admin')[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** When it last got a token, to the hour. */
  last_used_at: string | null;
  /** Shown in this answer alone. */
  client_secret: string;
};

/** A node type that a workflow may use. */
export type Node = {
  id: string;
  name: string;
  description: string;
  category: 'trigger' | 'flow' | 'data' | 'http' | 'connector' | 'code' | 'ai' | 'custom';
  /** major.minor.patch */
  version: string;
  inputs: NodeInput[];
  outputs: NodeOutput[];
  /** JSON Schema of its configuration. */
  config_schema: Record<string, unknown>;
  icon: string;
  custom: boolean;
  effects: 'none' | 'external';
  /** The fields that may read `{{ secrets.NAME }}`. */
  secret_fields: string[];
  implementation: NodeImplementation | null;
};

/** A package that was bundled with the handler. */
export type NodeDependency = {
  /** Its install path: its name, behind those of the packages in whose folder it lies. */
  path: string;
  version: string;
  /** The hash of its archive, which was checked. */
  integrity: string;
  /** Bytes of its archive. */
  archive_size: number;
  /** Bytes of its files. */
  unpacked_size: number;
  /** Bytes of the code that are of it. */
  bundled_size: number;
};

/** A node type, with its code. */
export type NodeDetail = {
  id: string;
  name: string;
  description: string;
  category: 'trigger' | 'flow' | 'data' | 'http' | 'connector' | 'code' | 'ai' | 'custom';
  /** major.minor.patch */
  version: string;
  inputs: NodeInput[];
  outputs: NodeOutput[];
  /** JSON Schema of its configuration. */
  config_schema: Record<string, unknown>;
  icon: string;
  custom: boolean;
  effects: 'none' | 'external';
  /** The fields that may read `{{ secrets.NAME }}`. */
  secret_fields: string[];
  implementation: NodeImplementation | null;
  /** The code of a custom node as it was registered, without its packages; null for every other node. */
  handler: string | null;
};

/** One placed step of a workflow. */
export type NodeEntry = {
  id: string;
  type: string;
  position?: Position;
  /** As its node type has it. */
  config?: Record<string, unknown>;
  name?: string;
  /** What arrives goes straight through. */
  disabled?: boolean;
  notes?: string;
  /** Of its node type. */
  version?: string;
};

/** One placed step of a workflow. */
export type NodeEntryInput = {
  /** Unique in the definition. */
  id: string;
  /** The id of a node of the catalogue. */
  type: string;
  position?: PositionInput | undefined;
  /** As its node type has it. */
  config?: Record<string, unknown> | undefined;
  name?: string | undefined;
  /** What arrives goes straight through. */
  disabled?: boolean | undefined;
  notes?: string | undefined;
  /** Of its node type; the newest when it is left out. */
  version?: string | undefined;
};

/** Why a node run or an execution failed. */
export type NodeError = {
  type: 'timeout' | 'network' | 'rate_limited' | 'server_error' | 'client_error' | 'validation' | 'code' | 'template' | 'forbidden' | 'interrupted' | 'limit' | 'stopped' | 'internal';
  message: string;
  /** Empty where no single node is the cause. */
  node_id: string;
  /** The number of tries made. */
  attempt: number;
  /** The other side's HTTP status. */
  status?: number;
  data?: unknown;
};

/** The same without its data. */
export type NodeErrorSummary = {
  type: 'timeout' | 'network' | 'rate_limited' | 'server_error' | 'client_error' | 'validation' | 'code' | 'template' | 'forbidden' | 'interrupted' | 'limit' | 'stopped' | 'internal';
  message: string;
  /** Empty where no single node is the cause. */
  node_id: string;
  /** The number of tries made. */
  attempt: number;
  /** The other side's HTTP status. */
  status?: number;
};

/** The code of a custom node, as it runs; null for every other node. */
export type NodeImplementation = {
  runtime: 'javascript';
  /** Bytes of the code, with that of its packages. */
  size: number;
  /** Of the code, in hex. */
  sha256: string;
  dependencies: NodeDependency[];
};

/** A port that takes. */
export type NodeInput = {
  name: string;
  type: string;
  required: boolean;
  description: string;
};

/** Node types. */
export type NodeList = {
  nodes: Node[];
};

/** A port that gives. */
export type NodeOutput = {
  name: string;
  type: string;
  description: string;
};

/** One run of a node within an execution. */
export type NodeRun = {
  node_id: string;
  /** Tells iterations apart: `loop[17]/x`. */
  path: string;
  type: string;
  status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'stopped';
  /** The number of tries made. */
  attempt: number;
  start_time: string | null;
  end_time: string | null;
  duration: number | null;
  input: unknown;
  output: unknown;
  error: NodeError | null;
};

/** One page of a list. */
export type NodeRunList = {
  nodes: NodeRun[];
  pagination: Pagination;
};

/** All versions of one, newest first. */
export type NodeVersionList = {
  versions: Node[];
};

/** What happened. */
export type Notification = {
  level: 'info' | 'success' | 'warning' | 'error';
  message: string;
  /** ISO 8601, UTC. */
  timestamp: string;
};

/** A client with a secret, without it. */
export type OAuthClient = {
  client_id: string;
  name: string;
  grant_types: ('client_credentials' | 'authorization_code' | 'refresh_token')[];
  redirect_uris: string[];
  /** The most that its tokens may do. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'admin')[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** When it last got a token, to the hour. */
  last_used_at: string | null;
};

/** One page of a list. */
export type OAuthClientList = {
  clients: OAuthClient[];
  pagination: Pagination;
};

/** What a person allowed a client. */
export type OAuthGrant = {
  id: string;
  client_id: string;
  /** As the client gives it. */
  client_name: string;
  /** Who registered the client. */
  registered_by: 'user' | 'itself';
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'admin')[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** When all of it ends, whatever is renewed. */
  expires_at: string;
};

/** One page of a list. */
export type OAuthGrantList = {
  grants: OAuthGrant[];
  pagination: Pagination;
};

/** Where a list stands. */
export type Pagination = {
  page: number;
  limit: number;
  /** Of the whole list. */
  total: number;
  total_pages: number;
};

/** On the canvas. */
export type Position = {
  x: number;
  y: number;
};

/** On the canvas. */
export type PositionInput = {
  x: number;
  y: number;
};

export type PutSecretInput = {
  value: string;
  /** The only hosts that the value is sent to. Null or absent: any. */
  hosts?: string[] | null | undefined;
  description?: string | undefined;
  name?: unknown;
  created_at?: unknown;
  updated_at?: unknown;
};

/** Whether the service takes work. */
export type Ready = {
  status: 'starting' | 'ready' | 'draining' | 'degraded';
};

export type RefreshInput = {
  /** The old token, unless `Authorization` has it. */
  token?: string | undefined;
};

export type RegisterNodeInput = {
  /** The name by which workflows use it. */
  nodeType: string;
  description?: string | undefined;
  /** major.minor.patch; 1.0.0 unless given. A version once registered never changes. */
  version?: string | undefined;
  /** By name: `type`, whether it is `required`, and in `validation` a JSON Schema that its values must fit. */
  inputs?: Record<string, CustomNodeFieldInput> | undefined;
  /** By name: the type. The handler gives an object with all of them. */
  outputs?: Record<string, 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any'> | undefined;
  implementation: CustomNodeImplementationInput;
};

/** Any JSON. */
export type ResumeExecutionInput = unknown;

/** It goes on. */
export type Resumed = {
  execution_id: string;
};

export type RetryExecutionInput = {
  /** `failed` (the default), `start` or a node id. */
  from?: string | undefined;
  /** What arrives at the node that it starts from. */
  input?: Record<string, unknown> | undefined;
  /** Of the workflow's definition; default `original`. */
  version?: 'original' | 'current' | undefined;
};

/** A stored secret, never its value. */
export type Secret = {
  name: string;
  /** The only hosts that it is sent to. Null: any. */
  hosts: string[] | null;
  description: string;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
};

/** One page of a list. */
export type SecretList = {
  secrets: Secret[];
  pagination: Pagination;
};

/** A workflow with places for parameters. */
export type Template = {
  templateName: string;
  /** major.minor.patch */
  version: string;
  description: string;
  parameters: TemplateParameter[];
  /** It comes with Weft, and is there for everyone. */
  builtin: boolean;
  /** Null for one that comes with Weft. */
  created_at: string | null;
  /** The body of a request that creates a workflow, with its placeholders. */
  workflow: Record<string, unknown>;
  /** All versions of this name, the newest first. */
  versions: string[];
};

/** One page of a list. */
export type TemplateList = {
  templates: TemplateSummary[];
  pagination: Pagination;
};

/** What an instance may choose. */
export type TemplateParameter = {
  name: string;
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'select' | 'secret';
  required: boolean;
  /** The only values taken. Empty: any. */
  options: unknown[];
  /** Taken when none is given. */
  default?: unknown;
  description?: string;
};

/** What an instance may choose. */
export type TemplateParameterInput = {
  name: string;
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'select' | 'secret';
  /** Default: false. */
  required?: boolean | undefined;
  /** The only values taken. Empty or absent: any. */
  options?: unknown[] | undefined;
  /** Taken when none is given. */
  default?: unknown;
  description?: string | undefined;
};

/** A template in a list. */
export type TemplateSummary = {
  templateName: string;
  /** major.minor.patch */
  version: string;
  description: string;
  parameters: TemplateParameter[];
  /** It comes with Weft, and is there for everyone. */
  builtin: boolean;
  /** Null for one that comes with Weft. */
  created_at: string | null;
};

/** What starts a workflow. */
export type Trigger = {
  node_id: string;
  type: 'manual' | 'webhook' | 'schedule' | 'polling' | 'event' | 'error' | 'sub_workflow' | 'retry';
  /** Of a webhook. */
  url?: string;
  /** Of a webhook. */
  method?: string;
  /** Of a schedule, or of polling. */
  next_run_at?: string | null;
  /** Why a schedule or a poll could not be served. */
  last_error?: string | null;
};

export type UpdateConnectionInput = {
  name?: unknown;
  /** Fills in what is known of it; what is given beside it counts more. */
  provider?: 'github' | 'google' | 'hubspot' | 'salesforce' | 'slack' | null | undefined;
  /** authorization_code (default): a person lets Weft use an account. client_credentials: the app itself is the account. */
  grant_type?: 'authorization_code' | 'client_credentials' | undefined;
  /** Where the person is asked. Required without a provider. */
  authorization_url?: string | null | undefined;
  /** Where tokens are given out. Required without a provider. */
  token_url?: string | undefined;
  /** Of the app at the provider. Required. */
  client_id?: string | undefined;
  /** Stored encrypted, and never shown. Null or absent: a public client, which PKCE protects. */
  client_secret?: string | null | undefined;
  scopes?: string[] | undefined;
  /** How the secret is sent to the token endpoint. Default: as the provider has it, else basic, and in the body once that is refused. */
  client_authentication?: 'basic' | 'body' | null | undefined;
  /** Whether a proof key (S256) goes along. Default: true, but for Slack. */
  pkce?: boolean | undefined;
  /** Added to the address where the person is asked, such as {"audience": "…"}. */
  authorization_params?: Record<string, string> | undefined;
  /** Where the API is that connector nodes call. Null or absent: the provider's, or what came with the tokens. */
  base_url?: string | null | undefined;
  /** What a test asks for with the token (GET). Null or absent: the provider's, or only whether there is a token. */
  test_url?: string | null | undefined;
  /** The only hosts that the token is sent to. Null or absent: any. */
  hosts?: string[] | null | undefined;
  description?: string | undefined;
  status?: unknown;
  error?: unknown;
  granted_scopes?: unknown;
  expires_at?: unknown;
  refreshable?: unknown;
  authorized_at?: unknown;
  refreshed_at?: unknown;
  has_client_secret?: unknown;
  redirect_uri?: unknown;
  connect_url?: unknown;
  created_at?: unknown;
  updated_at?: unknown;
};

export type UpdateUserInput = {
  email?: string | undefined;
  password?: string | undefined;
  name?: string | undefined;
  role?: 'admin' | 'member' | undefined;
  plan?: 'standard' | 'pro' | 'enterprise' | undefined;
  id?: unknown;
  created_at?: unknown;
};

export type UpdateWorkflowInput = {
  name?: string | undefined;
  description?: string | undefined;
  definition?: DefinitionInput | undefined;
  status?: 'active' | 'inactive' | 'draft' | undefined;
  settings?: WorkflowSettingsInput | undefined;
  tags?: string[] | undefined;
  /** When given, it must be the current one; a stale one is a `CONFLICT`. */
  version?: number | undefined;
  /** `false` saves a definition of an active workflow as a version that is not live yet. */
  publish?: boolean | undefined;
  /** `true` checks the request and answers as if it had been carried out, or with the error; nothing is stored. */
  dry_run?: boolean | undefined;
};

/** A person with an account. */
export type User = {
  id: string;
  email: string;
  name: string;
  role: 'admin' | 'member';
  plan: 'standard' | 'pro' | 'enterprise';
  /** ISO 8601, UTC. */
  created_at: string;
};

/** One page of a list. */
export type UserList = {
  users: User[];
  pagination: Pagination;
};

/** A workflow with everything. */
export type Workflow = {
  id: string;
  name: string;
  description: string;
  status: 'active' | 'inactive' | 'draft';
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  node_count: number;
  execution_count: number;
  /** The newest version; one more at every change. */
  version: number;
  /** What triggers run; null unless active. */
  active_version: number | null;
  tags: string[];
  definition: Definition;
  issues: Issue[];
  triggers: Trigger[];
  owner_id: string;
  settings: WorkflowSettings;
};

/** One page of a list. */
export type WorkflowList = {
  workflows: WorkflowSummary[];
  pagination: Pagination;
};

/** What holds for all executions of a workflow. */
export type WorkflowSettings = {
  /** A duration, such as `30s`. */
  timeout: string | null;
  max_concurrency: number | null;
  on_failure_workflow: string | null;
  /** A duration, such as `14d`. */
  retention: string | null;
};

/** What holds for all executions of a workflow; null is the default of the instance. */
export type WorkflowSettingsInput = {
  /** How long an execution may take, from its creation: a duration such as `30s`. */
  timeout?: string | null | undefined;
  /** Executions that run at once; more are queued. */
  max_concurrency?: number | null | undefined;
  /** The id of the workflow that is started with the error when an execution fails; it is one's own. */
  on_failure_workflow?: string | null | undefined;
  /** How long ended executions stay: a duration such as `14d`. */
  retention?: string | null | undefined;
};

/** A workflow in a list. */
export type WorkflowSummary = {
  id: string;
  name: string;
  description: string;
  status: 'active' | 'inactive' | 'draft';
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  node_count: number;
  execution_count: number;
  /** The newest version; one more at every change. */
  version: number;
  /** What triggers run; null unless active. */
  active_version: number | null;
  tags: string[];
};

/** A workflow as it was saved once. */
export type WorkflowVersion = {
  workflow_id: string;
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  node_count: number;
  definition: Definition;
};

/** One page of a list. */
export type WorkflowVersionList = {
  versions: WorkflowVersionSummary[];
  pagination: Pagination;
};

/** A version in a list. */
export type WorkflowVersionSummary = {
  version: number;
  /** ISO 8601, UTC. */
  created_at: string;
  node_count: number;
};

/** Every code of an error that the service sends. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'PAYLOAD_TOO_LARGE'
  | 'CONFLICT'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'EXECUTION_FAILED'
  | 'STORAGE_FULL'
  | 'STORAGE_UNAVAILABLE'
  | 'INTERNAL_ERROR';
