// Made from the routes and schemas of the service by `npx vitest run scripts/client-source.test.ts -u`.

/** An API key, without the key itself. */
export type ApiKey = {
  id: string;
  name: string;
  /** The first characters of the key. */
  prefix: string;
  /** Null: all permissions of its owner. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'decisions:write' | 'audit:read' | 'admin')[] | null;
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

/** The execution asks people. */
export type ApprovalEvent = {
  type: 'approval';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  /** For `POST /decisions/{id}/respond`. */
  decision_id: string;
  title: string;
  message: string | null;
  choices: DecisionChoice[];
  /** When the event is sent. */
  status: 'open' | 'decided' | 'expired' | 'cancelled';
  /** The choice that was made. */
  choice: string | null;
  deadline: string | null;
};

/** Who acted. */
export type AuditActor = {
  /** Null for callers without an account, and for the service itself. */
  user_id: string | null;
  /** The e-mail address at the time of the event. For a refused sign-in: the one that was entered. */
  email: string | null;
  /** `password`: a sign-in. `link`: the signed link of an e-mail. `client_secret`: the credentials of an OAuth client. `none`: the caller was not authenticated. `system`: the service itself or its operator. */
  credential: 'session' | 'api_key' | 'oauth' | 'password' | 'link' | 'slack' | 'client_secret' | 'none' | 'system';
  /** The id of the session, API key, OAuth client or decision. */
  credential_id: string | null;
  /** The IP address of the client, by the rule of `WEFT_TRUST_PROXY`. */
  address: string | null;
  /** The `User-Agent` header, shortened to 256 characters. */
  user_agent: string | null;
};

/** An entry of the audit log. It never changes. */
export type AuditEvent = {
  id: string;
  /** ISO 8601, UTC. */
  created_at: string;
  /** See the guide on the audit log. */
  action: 'session.created' | 'session.ended' | 'user.created' | 'user.updated' | 'user.password_changed' | 'user.deleted' | 'api_key.created' | 'api_key.deleted' | 'oauth_client.created' | 'oauth_client.deleted' | 'oauth_grant.created' | 'oauth_grant.deleted' | 'oauth_token.created' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'connection.created' | 'connection.updated' | 'connection.connected' | 'connection.deleted' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.deactivated' | 'workflow.published' | 'workflow.version_restored' | 'workflow.version_named' | 'workflow.deleted' | 'workflow.undeleted' | 'pinned_output.updated' | 'pinned_output.deleted' | 'thread.deleted' | 'vector_collection.deleted' | 'template.created' | 'template.deleted' | 'node.created' | 'node.deleted' | 'pack.installed' | 'pack.deleted' | 'pack.app_updated' | 'pack.app_deleted' | 'model_prices.updated' | 'decision.responded';
  /** `failure`: the attempt was refused. */
  outcome: 'success' | 'failure';
  actor: AuditActor;
  target: AuditTarget;
  /** Which fields changed, and values that are not secret. */
  details: Record<string, unknown>;
};

/** One page of a list. */
export type AuditEventList = {
  audit_events: AuditEvent[];
  pagination: Pagination;
};

/** What was changed. */
export type AuditTarget = {
  /** The part of the action before the dot. */
  type: string;
  /** Null if the target is unknown, as in a refused sign-in. */
  id: string | null;
  /** The name at the time of the event. */
  name: string | null;
};

export type AuthorizeConnectionInput = {
  /** A path of this Weft instance, such as /connections, to which the browser is redirected at the end, with ?connection= and status= or error=. */
  return_to?: string | undefined;
};

export type ChangePasswordInput = {
  current_password: string;
  new_password: string;
};

/** The result of closing test URLs. */
export type ClosedListeners = {
  /** The number of test URLs that were open. */
  closed: number;
};

/** A connection to an account at another service. */
export type ConnectedAccount = {
  /** The name that nodes use. */
  name: string;
  description: string;
  /** The id of a provider in the catalog. */
  provider: string | null;
  provider_fields: Record<string, string>;
  grant_type: 'authorization_code' | 'client_credentials' | 'fields';
  /** Null for client_credentials and fields. */
  authorization_url: string | null;
  /** Null for fields. */
  token_url: string | null;
  /** Null for fields. */
  client_id: string | null;
  has_client_secret: boolean;
  authentication: ConnectionAuthentication | null;
  /** The names of the fields, whose values are never returned. Null for OAuth. */
  field_names: string[] | null;
  /** The requested scopes. */
  scopes: string[];
  client_authentication: 'basic' | 'body' | null;
  pkce: boolean;
  authorization_params: Record<string, string>;
  /** As configured. */
  base_url: string | null;
  /** As configured. */
  test_url: string | null;
  test_method: 'GET' | 'HEAD' | 'POST';
  /** The status that a successful test has. Null: any from 200 to 299. */
  test_status: number | null;
  /** The hosts that the token or the fields may be sent to. Null: any host. */
  hosts: string[] | null;
  /** The redirect URI to register for the app at the provider. */
  redirect_uri: string;
  /** pending: not authorized yet. needs_reauthorization: a user must authorize it again. failing: the last token request, or the last test of fields, was rejected; the next use tries again. */
  status: 'pending' | 'connected' | 'needs_reauthorization' | 'failing';
  /** Why it is not connected. */
  error: string | null;
  /** Null: not reported by the provider. */
  granted_scopes: string[] | null;
  /** Whether Weft can refresh the token. */
  refreshable: boolean;
  /** Expiry of the access token. Null: no token, or not reported by the provider. */
  expires_at: string | null;
  /** When a user last authorized it. */
  authorized_at: string | null;
  /** When the newest token or the newest fields were stored. */
  refreshed_at: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  /** When the settings were last changed. */
  updated_at: string;
};

/** One page of a list. */
export type ConnectedAccountList = {
  connections: ConnectedAccount[];
  /** The redirect URI to register for an app at a provider, the same for all connections. */
  redirect_uri: string;
  pagination: Pagination;
};

/** An edge from an output port to an input port. */
export type Connection = {
  from: string;
  to: string;
  sourcePort?: string;
  targetPort?: string;
};

/** How a connection of named fields authenticates a request. */
export type ConnectionAuthentication = {
  type: 'header' | 'query' | 'basic' | 'bearer' | 'custom';
  /** The name of the header or of the query parameter. Null for other types. */
  name: string | null;
  /** Text before the value. Null for types other than header. */
  prefix: string | null;
  /** Where each field is sent. Null for types other than custom. */
  placements: ConnectionPlacement[] | null;
};

export type ConnectionAuthenticationInput = {
  /** header and query: the field value. bearer: the field token. basic: the fields username and password. custom: the fields of placements. */
  type: 'header' | 'query' | 'basic' | 'bearer' | 'custom';
  /** For header and query: the name of the header or of the query parameter. */
  name?: string | null | undefined;
  /** For header: text before the value, such as "Token ". */
  prefix?: string | null | undefined;
  /** For custom: where each field is sent. */
  placements?: ConnectionPlacementInput[] | null | undefined;
};

/** An edge from an output port to an input port; an omitted port is the first port. */
export type ConnectionInput = {
  from: string;
  to: string;
  sourcePort?: string | undefined;
  targetPort?: string | undefined;
};

/** A URL at which a user authorizes Weft to use an account. */
export type ConnectionInvitation = {
  /** The URL to open in a browser. It can be used once. */
  connect_url: string;
  /** ISO 8601, UTC. */
  expires_at: string;
};

/** Where the value of a field is sent. */
export type ConnectionPlacement = {
  in: 'header' | 'query';
  /** The name of the header or of the query parameter. */
  name: string;
  /** The name of the field. */
  field: string;
  /** Text before the value. */
  prefix: string;
};

export type ConnectionPlacementInput = {
  /** Whether it is a header or a query parameter. */
  in: 'header' | 'query';
  /** The name of the header or of the query parameter. */
  name: string;
  /** The name of the field whose value is sent. */
  field: string;
  /** Text before the value, such as "Token ". */
  prefix?: string | null | undefined;
};

/** A service of the catalog: how its accounts are connected. */
export type ConnectionProvider = {
  /** The value of `provider` in a connection. */
  id: string;
  title: string;
  /** With `{name}` in place of each field. */
  authorization_url: string;
  /** With `{name}` in place of each field. */
  token_url: string;
  scope_separator: ' ' | ',';
  /** Null: not known. Weft tries basic, then the body. */
  client_authentication: 'basic' | 'body' | null;
  pkce: boolean;
  /** Additional parameters of the authorization URL. */
  authorization_params: Record<string, string>;
  fields: ConnectionProviderField[];
  /** Domains of the API. */
  hosts: string[];
  base_url: string | null;
  test_url: string | null;
  reviewed: ConnectionProviderReview | null;
};

/** A value that is part of the URLs of a provider. */
export type ConnectionProviderField = {
  name: string;
  title: string;
  /** A regular expression that the whole value matches. */
  pattern: string;
  example: string;
  /** Null: a connection must set the field. */
  default: string | null;
};

/** One page of a list. */
export type ConnectionProviderList = {
  providers: ConnectionProvider[];
  pagination: Pagination;
};

/** The comparison of an entry with a document of the provider. */
export type ConnectionProviderReview = {
  /** As YYYY-MM-DD. */
  date: string;
  /** The URL of the document. */
  source: string;
};

/** The result of a connection test. */
export type ConnectionTest = {
  ok: boolean;
  /** What was tested, and the result. */
  message: string;
  /** The status of the provider's response. Null: no request was sent, or no response was received. */
  http_status: number | null;
  /** The status of the connection after the test. */
  status: 'pending' | 'connected' | 'needs_reauthorization' | 'failing';
};

/** A session whose token is only in the cookie. */
export type CookieLogin = {
  /** Seconds until the session must be renewed. */
  expires_in: number;
  user: LoginUser;
};

export type CreateApiKeyInput = {
  name: string;
  /** The key's permissions. Null or absent: all permissions of its owner, except actions that require a session. */
  scopes?: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'decisions:write' | 'audit:read' | 'admin')[] | null | undefined;
  /** Null or absent: never. */
  expires_at?: string | null | undefined;
};

export type CreateConnectionInput = {
  name: string;
  /** The id of a provider from the catalog, which presets the fields below; explicit values override it. */
  provider?: string | null | undefined;
  /** Values of the provider's fields, which are part of its URLs, such as {"subdomain": "acme"}. */
  provider_fields?: Record<string, string> | undefined;
  /** authorization_code (default): a user authorizes Weft to use an account. client_credentials: the app itself is the account. fields: an API key, a password or several values, without OAuth. It cannot be changed to or from fields. */
  grant_type?: 'authorization_code' | 'client_credentials' | 'fields' | undefined;
  /** The authorization endpoint. Required without a provider. */
  authorization_url?: string | null | undefined;
  /** The token endpoint. Required without a provider. */
  token_url?: string | null | undefined;
  /** The client id of the app at the provider. Required for OAuth. */
  client_id?: string | null | undefined;
  /** Stored encrypted and never returned. Null or absent: a public client, protected by PKCE. */
  client_secret?: string | null | undefined;
  scopes?: string[] | undefined;
  /** How the secret is sent to the token endpoint. Default: the provider's method, or basic, with a fallback to the body when basic is rejected. */
  client_authentication?: 'basic' | 'body' | null | undefined;
  /** Whether to use PKCE (S256). Default: as the provider has it, otherwise true. */
  pkce?: boolean | undefined;
  /** Additional parameters of the authorization URL, such as {"audience": "…"}. */
  authorization_params?: Record<string, string> | undefined;
  /** The base URL of the API that connector nodes call. Null or absent: the provider's, or the one in the token response. */
  base_url?: string | null | undefined;
  /** The URL that a test requests. Null or absent: the provider's; without one, the test only obtains a token. */
  test_url?: string | null | undefined;
  /** The method of the test request. Default: GET. */
  test_method?: 'GET' | 'HEAD' | 'POST' | undefined;
  /** The status that a successful test has. Null or absent: any from 200 to 299. */
  test_status?: number | null | undefined;
  /** For grant type fields: how the fields authenticate a request. Required for it. */
  authentication?: ConnectionAuthenticationInput | null | undefined;
  /** For grant type fields: the values by the names of the fields, such as {"value": "…"}. Stored encrypted and never returned. An update keeps the values of omitted fields. */
  fields?: Record<string, string> | undefined;
  /** The hosts that the token or the fields may be sent to. Null or absent: any host; required for grant type fields. */
  hosts?: string[] | null | undefined;
  description?: string | undefined;
  /** A path of this Weft instance, such as /connections, to which the browser is redirected at the end, with ?connection= and status= or error=. */
  return_to?: string | undefined;
  status?: unknown;
  error?: unknown;
  granted_scopes?: unknown;
  expires_at?: unknown;
  refreshable?: unknown;
  authorized_at?: unknown;
  refreshed_at?: unknown;
  has_client_secret?: unknown;
  field_names?: unknown;
  redirect_uri?: unknown;
  connect_url?: unknown;
  created_at?: unknown;
  updated_at?: unknown;
};

export type CreateOAuthClientInput = {
  /** Shown on the consent page. */
  name: string;
  /** `authorization_code` adds `refresh_token`. Absent: `authorization_code` with `redirect_uris`, otherwise `client_credentials`. */
  grant_types?: ('client_credentials' | 'authorization_code' | 'refresh_token')[] | undefined;
  /** URIs to which codes may be sent; compared exactly. */
  redirect_uris?: string[] | undefined;
  /** The maximum scopes of its tokens. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'decisions:write' | 'audit:read' | 'admin')[];
};

export type CreateTemplateInput = {
  templateName: string;
  /** major.minor.patch; default 1.0.0. */
  version?: string | undefined;
  description?: string | undefined;
  parameters?: TemplateParameterInput[] | undefined;
  /** The body of a request that creates a workflow; its strings may contain {{ parameters.NAME }}. */
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
  /** `true` validates the request and returns the response that it would get, or the error; nothing is stored. */
  dry_run?: boolean | undefined;
};

export type CustomNodeFieldInput = {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any';
  required?: boolean | undefined;
  description?: string | undefined;
  validation?: Record<string, unknown> | undefined;
};

/** What the node does. */
export type CustomNodeImplementationInput = {
  runtime: 'javascript';
  /** An ES module whose default export is called with the inputs by name. */
  handler: string;
  /** All required npm packages by install path: `{"lodash": {"version": "4.17.21", "integrity": "sha512-…"}}`. They are downloaded, verified and bundled with the handler once, when it is registered; their scripts do not run. */
  dependencies?: Record<string, LockedPackageInput> | undefined;
};

/** A question that an execution asks people. */
export type Decision = {
  id: string;
  title: string;
  /** What people need to know to decide, in Markdown. Values of the execution in it are escaped. */
  message: string | null;
  /** Files that help to decide; often none. */
  attachments: DecisionAttachment[];
  /** `open`: waits for responses. `decided`: a choice was made. `expired`: the deadline passed first. `cancelled`: the execution ended, or the node no longer waits. */
  status: 'open' | 'decided' | 'expired' | 'cancelled';
  /** The choice that was made. */
  choice: string | null;
  choices: DecisionChoice[];
  /** What people fill in; often none. */
  fields: DecisionField[];
  /** Whose responses decide. */
  policy: 'anyone' | 'everyone' | 'at_least';
  /** How many people must make the first choice. */
  required: number;
  /** The people who were asked, by e-mail address. */
  assignees: DecisionAssignee[];
  /** The page on which you fill in the form; null: the decision has no pages of its own, or you cannot respond. */
  form_url: string | null;
  /** Whether you were asked, have not responded, and it is open. */
  can_respond: boolean;
  workflow_id: string;
  workflow_name: string;
  execution_id: string;
  node_id: string;
  /** ISO 8601, UTC. */
  created_at: string;
  /** When the execution continues without a decision. */
  deadline: string | null;
  /** When it was decided, expired or was cancelled. */
  closed_at: string | null;
};

/** A person who was asked, and the response. */
export type DecisionAssignee = {
  /** Null for a person without an account, who responds by a link. */
  user_id: string | null;
  email: string;
  /** The role by which the person was asked. Null: by address. */
  role: string | null;
  /** Null: no response yet. */
  choice: string | null;
  comment: string | null;
  /** What the person filled in. */
  values: Record<string, unknown> | null;
  /** How the response was given. */
  via: 'session' | 'api_key' | 'oauth' | 'link' | 'slack' | null;
  responded_at: string | null;
};

/** A file of the execution that helps to decide. */
export type DecisionAttachment = {
  /** The id of the file, by which `getDecisionAttachment` downloads it. */
  id: string;
  name: string;
  content_type: string;
  /** In bytes. */
  size: number;
};

/** A decision that you were asked for, or that your execution asked for, was created, responded to or closed. */
export type DecisionChange = {
  decision_id: string;
  execution_id: string;
  workflow_id: string;
  title: string;
  status: 'open' | 'decided' | 'expired' | 'cancelled';
  /** The choice that was made. */
  choice: string | null;
  /** Whether you were asked. */
  assigned: boolean;
  /** ISO 8601, UTC. */
  timestamp: string;
};

/** A possible response. */
export type DecisionChoice = {
  /** The value of `choice` in a response, and the output port of the node. */
  name: string;
  /** The text of the button. */
  label: string;
};

/** A field that people fill in. */
export type DecisionField = {
  name: string;
  type: 'text' | 'long_text' | 'email' | 'number' | 'date' | 'time' | 'date_time' | 'choice' | 'choices' | 'consent' | 'file' | 'hidden' | 'page';
  label: string;
  hint: string | null;
  /** For the first choice, while the field is shown. */
  required: boolean;
  /** Of the types choice and choices. */
  options: string[];
  /** The initial value; empty: none. */
  default: string;
  min: number | null;
  max: number | null;
  show_when: DecisionFieldCondition | null;
};

/** When a field is shown. */
export type DecisionFieldCondition = {
  /** The name of an earlier field. */
  field: string;
  /** The option that was chosen, or true or false for a consent. */
  equals: unknown;
};

/** One page of a list. */
export type DecisionList = {
  decisions: Decision[];
  pagination: Pagination;
};

/** The graph: nodes joined by connections. */
export type Definition = {
  nodes: NodeEntry[];
  connections: Connection[];
  /** Notes on the canvas. */
  annotations?: unknown[];
};

/** The graph: nodes joined by connections. */
export type DefinitionInput = {
  nodes?: NodeEntryInput[] | undefined;
  connections?: ConnectionInput[] | undefined;
  /** Notes on the canvas. */
  annotations?: unknown[] | undefined;
};

export type DeleteConnectionQuery = {
  /** Delete it even if active workflows use it. Default: false. */
  force?: boolean | undefined;
};

export type DeleteNodeQuery = {
  /** Exactly this version. Default: all versions. */
  version?: string | undefined;
};

export type DeletePackQuery = {
  /** Exactly this version. Default: all versions. */
  version?: string | undefined;
};

export type DeleteTemplateQuery = {
  /** Default: all of them. */
  version?: string | undefined;
};

export type DeleteWorkflowQuery = {
  /** `true` deletes the workflow at once and permanently, also one that is already deleted and could be restored. */
  permanent?: boolean | undefined;
};

/** The resource was deleted. */
export type Deleted = {
  id: string;
  deleted: true;
};

/** The resource was deleted. */
export type DeletedByName = {
  name: string;
  deleted: true;
};

/** The template was deleted. */
export type DeletedTemplate = {
  templateName: string;
  deleted: true;
};

/** A deleted workflow that can be restored. Its executions have been deleted. */
export type DeletedWorkflow = {
  id: string;
  name: string;
  description: string;
  /** The status after it is restored. */
  status: 'inactive' | 'draft';
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  node_count: number;
  version: number;
  tags: string[];
  /** ISO 8601, UTC. */
  deleted_at: string;
  /** The id of the user who deleted it. */
  deleted_by: string | null;
  /** When it is deleted permanently. */
  purge_at: string;
};

/** One page of a list. */
export type DeletedWorkflowList = {
  workflows: DeletedWorkflow[];
  /** How long a workflow that is deleted now can be restored, in ms; 0: it is deleted permanently. */
  retention: number;
  pagination: Pagination;
};

/** The request succeeded. */
export type Done = {
  success: true;
};

/** The execution ended. The last event. */
export type DoneEvent = {
  type: 'done';
  /** ISO 8601, UTC. */
  timestamp: string;
  status: 'completed' | 'failed' | 'stopped';
  output: unknown;
  error: NodeError | null;
};

/** Percentiles of the duration of completed and failed executions from their start to their end, with an error of less than 20 %. Null: there are none. */
export type DurationPercentiles = {
  /** The median. */
  p50: number | null;
  /** The 95th percentile. */
  p95: number | null;
};

/** An error response. */
export type Error = {
  error: ErrorBody;
};

/** What went wrong. */
export type ErrorBody = {
  code: 'VALIDATION_ERROR' | 'PAYLOAD_TOO_LARGE' | 'CONFLICT' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'EXECUTION_FAILED' | 'STORAGE_FULL' | 'STORAGE_UNAVAILABLE' | 'INTERNAL_ERROR';
  /** For people. */
  message: string;
  /** May be empty; `field`, `issue` and `errors` for a `VALIDATION_ERROR`. */
  details: Record<string, unknown>;
};

export type EvaluateTemplateInput = {
  /** Such as `Dear {{ input.name }}`. */
  template: string;
  /** The execution whose data the template uses. */
  execution_id?: string | undefined;
  /** The node of the execution at which it is evaluated; its newest run is used. */
  node_id?: string | undefined;
  /** The node run at which it is evaluated: `loop[17]/x`. */
  path?: string | undefined;
  /** The node's input. */
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

/** The result of a template. */
export type Evaluated = {
  /** A template that is a single placeholder returns the value with its type; any other returns a string. */
  value: unknown;
};

export type ExecuteWorkflowInput = {
  /** The output of the trigger. */
  input?: Record<string, unknown> | undefined;
  /** How long to wait for the execution to end: a duration of at most `60s`. */
  wait?: string | undefined;
  /** A node id: only this node and the nodes that lead to it run. */
  until?: string | undefined;
  definition?: TestDefinitionInput | undefined;
  /** With an `until` in a body: the values with which the body of each container around it runs, outermost first. Each body runs once, only up to the node. Default: the containers run as a whole. */
  iterations?: IterationInput[] | undefined;
  /** Outputs by node id, used instead of running the node. In a body, a node id stands for all runs of the node, and a path such as `loop[7]/call` for one of them. */
  pins?: Record<string, unknown> | undefined;
  /** The output ports of pins, by node id. With several, the pin is an object by port. Default: the first port of the node. */
  pin_ports?: Record<string, string[]> | undefined;
};

/** One run of a workflow. */
export type Execution = {
  id: string;
  workflow_id: string;
  /** Negative: a definition that was run as a test, and is not a version of the workflow. */
  workflow_version: number;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  trigger: ExecutionTrigger;
  /** The fraction of the graph's nodes that have ended. */
  progress: number;
  current_node: string | null;
  start_time: string | null;
  end_time: string | null;
  /** From start to end, in milliseconds. */
  duration: number | null;
  parent_execution_id: string | null;
  retry_of: string | null;
  input: unknown;
  /** The end node's output; with several end nodes, the outputs by node id. */
  output: unknown;
  error: NodeError | null;
};

/** One run of a workflow, with its node runs. */
export type ExecutionDetail = {
  id: string;
  workflow_id: string;
  /** Negative: a definition that was run as a test, and is not a version of the workflow. */
  workflow_version: number;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  trigger: ExecutionTrigger;
  /** The fraction of the graph's nodes that have ended. */
  progress: number;
  current_node: string | null;
  start_time: string | null;
  end_time: string | null;
  /** From start to end, in milliseconds. */
  duration: number | null;
  parent_execution_id: string | null;
  retry_of: string | null;
  input: unknown;
  /** The end node's output; with several end nodes, the outputs by node id. */
  output: unknown;
  error: NodeError | null;
  /** The newest 10 retries of the execution, newest first. */
  retries: ExecutionRetry[];
  usage: ModelUsageSum | null;
  /** The first 1,000 node runs, or as many as fit in 32 MiB, those in bodies in 4 MiB; `/executions/{id}/nodes` lists all of them by page. */
  nodes: NodeRun[];
  /** The number of all node runs. */
  nodes_total: number;
};

/** One page of a list. */
export type ExecutionList = {
  executions: ExecutionSummary[];
  pagination: Pagination;
  /** Where a search stopped at its limit: executions created before this time were not searched. Null when all were searched, and without a search. To search further, repeat the request with this time as `to`. */
  searched_from: string | null;
};

/** An execution that retries another. */
export type ExecutionRetry = {
  id: string;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  start_time: string | null;
};

/** The number of ended executions and their duration over time. Each execution counts in the interval in which it was created. */
export type ExecutionStatistics = {
  interval: 'hour' | 'day';
  /** All intervals of the range, oldest first, also those without executions. */
  intervals: StatisticsInterval[];
  totals: StatisticsTotals;
};

/** An execution in a list. */
export type ExecutionSummary = {
  id: string;
  workflow_id: string;
  /** Negative: a definition that was run as a test, and is not a version of the workflow. */
  workflow_version: number;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  trigger: ExecutionTrigger;
  /** The fraction of the graph's nodes that have ended. */
  progress: number;
  current_node: string | null;
  start_time: string | null;
  end_time: string | null;
  /** From start to end, in milliseconds. */
  duration: number | null;
  parent_execution_id: string | null;
  retry_of: string | null;
  /** The newest 10 retries of the execution, newest first. */
  retries: ExecutionRetry[];
  error: NodeErrorSummary | null;
};

/** What started an execution; further fields depend on the type. */
export type ExecutionTrigger = {
  type: 'manual' | 'webhook' | 'form' | 'tool' | 'chat' | 'schedule' | 'polling' | 'email' | 'event' | 'error' | 'sub_workflow' | 'retry';
  node_id?: string;
  [name: string]: unknown;
};

/** The state of an execution. */
export type ExecutionUpdate = {
  execution_id: string;
  workflow_id: string;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  /** The fraction of the graph's nodes that have ended. */
  progress: number;
  /** Empty when there is none. */
  current_node: string;
  /** ISO 8601, UTC. */
  timestamp: string;
};

export type ExportAuditEventsQuery = {
  /** The id or the e-mail address of a user. */
  actor?: string | undefined;
  /** Only events of this action. */
  action?: 'session.created' | 'session.ended' | 'user.created' | 'user.updated' | 'user.password_changed' | 'user.deleted' | 'api_key.created' | 'api_key.deleted' | 'oauth_client.created' | 'oauth_client.deleted' | 'oauth_grant.created' | 'oauth_grant.deleted' | 'oauth_token.created' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'connection.created' | 'connection.updated' | 'connection.connected' | 'connection.deleted' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.deactivated' | 'workflow.published' | 'workflow.version_restored' | 'workflow.version_named' | 'workflow.deleted' | 'workflow.undeleted' | 'pinned_output.updated' | 'pinned_output.deleted' | 'thread.deleted' | 'vector_collection.deleted' | 'template.created' | 'template.deleted' | 'node.created' | 'node.deleted' | 'pack.installed' | 'pack.deleted' | 'pack.app_updated' | 'pack.app_deleted' | 'model_prices.updated' | 'decision.responded' | undefined;
  /** Only actions on targets of this type. */
  target_type?: 'session' | 'user' | 'api_key' | 'oauth_client' | 'oauth_grant' | 'oauth_token' | 'secret' | 'connection' | 'workflow' | 'pinned_output' | 'thread' | 'vector_collection' | 'template' | 'node' | 'pack' | 'model_prices' | 'decision' | undefined;
  /** The id of a target, such as a workflow. */
  target_id?: string | undefined;
  /** Default: both. */
  outcome?: 'success' | 'failure' | undefined;
  /** Only events at or after this ISO 8601 time. */
  from?: string | undefined;
  /** Only events before this ISO 8601 time. */
  to?: string | undefined;
};

/** A link with which a form can be opened. */
export type FormLink = {
  name: string;
  /** Any holder of it can open the page until it expires or is removed. */
  url: string;
  /** As in the configuration: a date, whose end in UTC it is, or a time. */
  expires_at: string;
};

export type GetModelUsageQuery = {
  /** The first day (UTC): ISO 8601. Default: 29 days before the last day. */
  from?: string | undefined;
  /** The last day (UTC): ISO 8601. Default: today. */
  to?: string | undefined;
  /** What the calls are summed by: day, workflow, user and model, separated by commas. */
  group_by?: string | undefined;
  /** Only calls of this workflow, which may be deleted. */
  workflow_id?: string | undefined;
  /** Only calls of this model: `provider/model`. */
  model?: string | undefined;
  /** The calls of the workflows of this user, or of all users with `all`. Administrators only. Default: your own. */
  user_id?: string | undefined;
  /** The maximum number of groups. Default: 100. */
  limit?: number | undefined;
};

export type GetPackOperationQuery = {
  /** Default: the newest. */
  version?: string | undefined;
};

export type GetPackQuery = {
  /** Default: the newest. */
  version?: string | undefined;
};

export type GetStatisticsQuery = {
  /** The start of the first interval, rounded down to a full hour or day: ISO 8601. Default: 24 hours or 30 days before `to`. */
  from?: string | undefined;
  /** The end of the last interval, rounded up: ISO 8601. Default: now. */
  to?: string | undefined;
  /** The length of an interval. Days begin at midnight UTC. Hours are available for the last 30 days. Default: `hour`. */
  interval?: 'hour' | 'day' | undefined;
};

export type GetTemplateQuery = {
  /** Default: the newest. */
  version?: string | undefined;
};

export type GetWorkflowStatisticsQuery = {
  /** The start of the first interval, rounded down to a full hour or day: ISO 8601. Default: 24 hours or 30 days before `to`. */
  from?: string | undefined;
  /** The end of the last interval, rounded up: ISO 8601. Default: now. */
  to?: string | undefined;
  /** The length of an interval. Days begin at midnight UTC. Hours are available for the last 30 days. Default: `hour`. */
  interval?: 'hour' | 'day' | undefined;
};

/** The health of the service. */
export type Health = {
  status: 'ok' | 'degraded';
  version: string;
  uptime: number;
  checks: Record<string, Record<string, unknown>>;
};

export type InstallPackInput = {
  /** The text of an OpenAPI 3.0, OpenAPI 3.1 or Swagger 2 document, in JSON or YAML. Exactly one of `document`, `url`, `package` and `archive` is required. */
  document?: string | undefined;
  /** The URL from which the document is loaded, through the egress policy. */
  url?: string | undefined;
  /** The name of an npm package with actions (an Activepieces piece), whose `version` is loaded from the registry. */
  package?: string | undefined;
  /** The integrity that the archive of the package has. Required when the registry publishes no signing keys. */
  integrity?: string | undefined;
  /** The archive of an npm package (.tgz), in base64, instead of one from the registry. */
  archive?: string | undefined;
  /** The name of the pack. Default: from the title of the document or from the name of the package. */
  name?: string | undefined;
  /** major.minor.patch. Required for `package`: exactly this version. Default: the version that has the same document, otherwise from the version of the document. An installed version never changes. */
  version?: string | undefined;
  /** Whether only to show what would be installed. Default: false. */
  dry_run?: boolean | undefined;
};

export type InstantiateTemplateInput = {
  /** Values by name. */
  parameters?: Record<string, unknown> | undefined;
  /** Default: the newest. */
  version?: string | undefined;
};

/** A validation error in a definition, which a draft may contain. */
export type Issue = {
  node_id: string | null;
  /** A dotted path within the node. */
  field: string;
  issue: string;
};

export type IterationInput = {
  /** The input of the first node of the body. */
  input: unknown;
  /** The value of `item` in templates. Default: none. */
  item?: unknown;
  /** The value of `index` in templates. Default: 0. */
  index?: number | undefined;
};

/** The newest execution of a workflow. */
export type LastExecution = {
  id: string;
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  started_at: string | null;
};

export type ListApiKeysQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListAuditEventsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** The id or the e-mail address of a user. */
  actor?: string | undefined;
  /** Only events of this action. */
  action?: 'session.created' | 'session.ended' | 'user.created' | 'user.updated' | 'user.password_changed' | 'user.deleted' | 'api_key.created' | 'api_key.deleted' | 'oauth_client.created' | 'oauth_client.deleted' | 'oauth_grant.created' | 'oauth_grant.deleted' | 'oauth_token.created' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'connection.created' | 'connection.updated' | 'connection.connected' | 'connection.deleted' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.deactivated' | 'workflow.published' | 'workflow.version_restored' | 'workflow.version_named' | 'workflow.deleted' | 'workflow.undeleted' | 'pinned_output.updated' | 'pinned_output.deleted' | 'thread.deleted' | 'vector_collection.deleted' | 'template.created' | 'template.deleted' | 'node.created' | 'node.deleted' | 'pack.installed' | 'pack.deleted' | 'pack.app_updated' | 'pack.app_deleted' | 'model_prices.updated' | 'decision.responded' | undefined;
  /** Only actions on targets of this type. */
  target_type?: 'session' | 'user' | 'api_key' | 'oauth_client' | 'oauth_grant' | 'oauth_token' | 'secret' | 'connection' | 'workflow' | 'pinned_output' | 'thread' | 'vector_collection' | 'template' | 'node' | 'pack' | 'model_prices' | 'decision' | undefined;
  /** The id of a target, such as a workflow. */
  target_id?: string | undefined;
  /** Default: both. */
  outcome?: 'success' | 'failure' | undefined;
  /** Only events at or after this ISO 8601 time. */
  from?: string | undefined;
  /** Only events before this ISO 8601 time. */
  to?: string | undefined;
};

export type ListConnectionProvidersQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** Text in the id, the title or a host, ignoring case. */
  search?: string | undefined;
};

export type ListConnectionsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListDecisionsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** `assigned`: decisions that you were asked for. `owned`: those that your executions asked for. Default: assigned. */
  view?: 'assigned' | 'owned' | undefined;
  /** `open`: waiting for responses. `closed`: decided, expired or cancelled. Default: both. */
  status?: 'open' | 'closed' | undefined;
  /** Text that the title contains. */
  search?: string | undefined;
};

export type ListDeletedWorkflowsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListExecutionsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  status?: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped' | undefined;
  /** Created at or after this ISO 8601 time. */
  from?: string | undefined;
  /** Created before this ISO 8601 time. */
  to?: string | undefined;
  /** Only executions of this workflow. */
  workflow_id?: string | undefined;
  /** The beginning of an execution id; or words that all occur in the error message, or all in the values: the input, and the outputs of nodes. Case does not matter. `q`, `node_id` and `trigger` search the newest 10,000 executions that match the other parameters: see `searched_from`. */
  q?: string | undefined;
  /** Only executions that failed at this node. */
  node_id?: string | undefined;
  /** Only executions started by this type of trigger. */
  trigger?: 'manual' | 'webhook' | 'form' | 'tool' | 'chat' | 'schedule' | 'polling' | 'email' | 'event' | 'error' | 'sub_workflow' | 'retry' | undefined;
};

export type ListLogsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** Only lines of this level. */
  level?: 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Only lines of this node. */
  node_id?: string | undefined;
};

export type ListMcpToolsInput = {
  /** The URL of the server. It may use `{{ secrets.NAME }}`. */
  url: string;
  /** How requests authenticate, as in the node `mcp_tool`: `{"type": "connection", "connection": "TRACKER"}`. It may use `{{ secrets.NAME }}`. */
  authentication?: Record<string, unknown> | undefined;
  /** The http or https URL of a proxy. */
  proxy?: string | undefined;
  /** Whether to load the list from the server instead of the cache. Default: false. A list is cached for five minutes. */
  refresh?: boolean | undefined;
};

export type ListNodeRunsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListNodesQuery = {
  category?: 'trigger' | 'flow' | 'data' | 'http' | 'connector' | 'code' | 'ai' | 'custom' | undefined;
  /** Text in the name, the description or a keyword, ignoring case. */
  search?: string | undefined;
  /** Exactly this version. Default: the newest of each. */
  version?: string | undefined;
};

export type ListOAuthClientsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListOAuthGrantsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListPackChoicesInput = {
  /** Default: the newest. */
  version?: string | undefined;
  /** The operation that has the field. Exactly one of `operation` and `event` is required. */
  operation?: string | undefined;
  /** The trigger that has the field. */
  event?: string | undefined;
  /** A field of the configuration whose schema has `loads` in the keyword `x-ui`. */
  field: string;
  /** How the node authenticates: `{"type": "connection", "connection": "slack"}`. It may use `{{ secrets.NAME }}`. */
  authentication?: Record<string, unknown> | undefined;
  /** The values of other fields of the configuration, at least of those in `loads`. Default: none. */
  values?: Record<string, unknown> | undefined;
  /** Text to search for, which the pack may ignore. Default: none. */
  search?: string | undefined;
  /** Whether to load from the service instead of the cache. Default: false. Choices are cached for one minute. */
  refresh?: boolean | undefined;
};

export type ListPackOperationNamesQuery = {
  /** Default: the newest. */
  version?: string | undefined;
};

export type ListPackOperationsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** Default: the newest. */
  version?: string | undefined;
  /** Words that the id, title, path or tags contain, ignoring case. */
  search?: string | undefined;
};

export type ListPackWorkflowsQuery = {
  /** Exactly this version. Default: all versions. */
  version?: string | undefined;
};

export type ListPacksQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** Text in the name, the title or the description, ignoring case. */
  search?: string | undefined;
};

export type ListProviderModelsInput = {
  /** The protocol of the provider. */
  provider: 'openai' | 'anthropic' | 'google' | 'openai_compatible';
  /** The URL to which `/models` is added. It may use `{{ secrets.NAME }}`. Required for `openai_compatible`. Default: the provider's own address. */
  base_url?: string | undefined;
  /** The API key, as a stored secret: `{{ secrets.NAME }}`. */
  credentials?: string | undefined;
  /** The name of a connection, instead of credentials. */
  connection?: string | undefined;
  /** Whether to load the list from the provider instead of the cache. Default: false. A list is cached for five minutes. */
  refresh?: boolean | undefined;
};

export type ListSecretsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListTemplatesQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  search?: string | undefined;
};

export type ListThreadsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** Only threads of this workflow. */
  workflow_id?: string | undefined;
  /** Only threads of this namespace. */
  namespace?: string | undefined;
  /** Text that the key contains. */
  search?: string | undefined;
};

export type ListUsersQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListVectorCollectionsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  /** Text that the name contains. */
  search?: string | undefined;
};

export type ListWorkflowExecutionsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  status?: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped' | undefined;
  /** Created at or after this ISO 8601 time. */
  from?: string | undefined;
  /** Created before this ISO 8601 time. */
  to?: string | undefined;
  /** Only executions of this workflow. */
  workflow_id?: string | undefined;
  /** The beginning of an execution id; or words that all occur in the error message, or all in the values: the input, and the outputs of nodes. Case does not matter. `q`, `node_id` and `trigger` search the newest 10,000 executions that match the other parameters: see `searched_from`. */
  q?: string | undefined;
  /** Only executions that failed at this node. */
  node_id?: string | undefined;
  /** Only executions started by this type of trigger. */
  trigger?: 'manual' | 'webhook' | 'form' | 'tool' | 'chat' | 'schedule' | 'polling' | 'email' | 'event' | 'error' | 'sub_workflow' | 'retry' | undefined;
};

export type ListWorkflowVersionsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
};

export type ListWorkflowsQuery = {
  /** Page number, starting at 1. Default: 1. */
  page?: number | undefined;
  /** Items per page. Default: 10. */
  limit?: number | undefined;
  status?: 'active' | 'inactive' | 'draft' | undefined;
  /** Text in the name or the description, ignoring case. */
  search?: string | undefined;
  /** Only workflows with this tag. */
  tag?: string | undefined;
  /** The field by which the list is sorted. `last_execution`: by the creation of the newest execution; a workflow that never ran counts as the one that ran longest ago. Default: `created_at`. */
  sort?: 'name' | 'created_at' | 'updated_at' | 'last_execution' | undefined;
  /** Default: `asc` for `name`, otherwise `desc`. */
  direction?: 'asc' | 'desc' | undefined;
};

export type ListenToWebhookInput = {
  /** The webhook trigger; required when the workflow has several. */
  node_id?: string | undefined;
};

/** A test URL that accepts one request. */
export type Listener = {
  /** Treat it as a password until it is used or expires. */
  url: string;
  method: string;
  /** ISO 8601, UTC. */
  expires_at: string;
  node_id: string;
};

/** The process is responding. */
export type Live = {
  status: 'ok';
};

export type LockedPackageInput = {
  version: string;
  integrity: string;
};

/** One entry of an execution's log. */
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
  /** Lifetime of the token, in seconds. */
  expires_in: number;
  user: LoginUser;
};

export type LoginInput = {
  email: string;
  password: string;
};

/** The user who logged in. */
export type LoginUser = {
  id: string;
  email: string;
  name: string;
};

/** What the server states about itself. */
export type McpServerInfo = {
  name: string;
  title: string;
  version: string;
};

/** A tool of an MCP server. */
export type McpTool = {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of its arguments, as forms and the validation of the node use it. */
  input_schema: Record<string, unknown>;
  /** JSON Schema of its structured content; null if the server states none. */
  output_schema: Record<string, unknown> | null;
  /** Whether the server states that a call changes nothing. */
  read_only: boolean;
  /** Whether the server states that repeating a call has no further effect. */
  idempotent: boolean;
  /** Whether a call may change or delete what exists. */
  destructive: boolean;
  /** Whether the node calls it again if the service stopped during a call. */
  repeatable: boolean;
};

/** The tools of an MCP server. */
export type McpToolList = {
  server: McpServerInfo;
  /** The version of the protocol that was negotiated, such as `2025-11-25`. */
  protocol_version: string;
  /** When the list was loaded from the server. */
  listed_at: string;
  tools: McpTool[];
};

/** US dollars for a million tokens. */
export type ModelPrice = {
  /** `provider/model`, which may end with `*`. The longest one that matches applies. */
  model: string;
  /** The price of input. */
  input: number;
  /** The price of cached input; null: as input. */
  cached_input: number | null;
  /** The price of output. */
  output: number;
  /** `stored`: an administrator stored it. `setting`: from `WEFT_MODEL_PRICES`. */
  source: 'stored' | 'setting';
};

export type ModelPriceInput = {
  /** `provider/model`, which may end with `*`. The longest one that matches applies. */
  model: string;
  /** US dollars for a million tokens of input. */
  input: number;
  /** US dollars for a million cached tokens. Default: the price of input. */
  cached_input?: number | null | undefined;
  /** US dollars for a million tokens of output. */
  output: number;
};

/** The prices of language models. */
export type ModelPrices = {
  /** By model. */
  prices: ModelPrice[];
};

/** Tokens of the call. */
export type ModelUsage = {
  input_tokens: number;
  /** Part of the input. */
  cached_input_tokens: number;
  output_tokens: number;
  /** Part of the output. */
  reasoning_tokens: number;
};

/** The calls of a group. */
export type ModelUsageGroup = {
  /** A day in UTC: `2026-01-31`. Null, as all fields by which is not grouped. */
  day: string | null;
  workflow_id: string | null;
  /** Null also if the workflow is deleted or belongs to another user. */
  workflow_name: string | null;
  /** The owner of the workflow. */
  user_id: string | null;
  /** `provider/model` */
  model: string | null;
  calls: number;
  /** Calls of models without a price, which `cost` does not include. */
  unpriced_calls: number;
  /** Includes cached tokens. */
  input_tokens: number;
  cached_input_tokens: number;
  /** Includes reasoning tokens. */
  output_tokens: number;
  reasoning_tokens: number;
  /** US dollars. */
  cost: number;
};

/** Completed calls of language models over a range of days. Each counts once, on the day (UTC) on which its node run recorded it. */
export type ModelUsageReport = {
  /** The first day. */
  from: string;
  /** The last day. */
  to: string;
  /** The newest day first, then by cost. Groups without calls are not among them. */
  groups: ModelUsageGroup[];
  /** Whether there are more groups than `limit`. */
  has_more: boolean;
  totals: ModelUsageSum;
};

/** Completed calls of language models. */
export type ModelUsageSum = {
  calls: number;
  /** Calls of models without a price, which `cost` does not include. */
  unpriced_calls: number;
  /** Includes cached tokens. */
  input_tokens: number;
  cached_input_tokens: number;
  /** Includes reasoning tokens. */
  output_tokens: number;
  reasoning_tokens: number;
  /** US dollars. */
  cost: number;
};

export type NameWorkflowVersionInput = {
  /** The name; null removes it. */
  name: string | null;
};

/** A new API key. */
export type NewApiKey = {
  id: string;
  name: string;
  /** The first characters of the key. */
  prefix: string;
  /** Null: all permissions of its owner. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'decisions:write' | 'audit:read' | 'admin')[] | null;
  expires_at: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  last_used_at: string | null;
  /** Returned only in this response. */
  key: string;
};

/** A new connection. */
export type NewConnectedAccount = {
  /** The name that nodes use. */
  name: string;
  description: string;
  /** The id of a provider in the catalog. */
  provider: string | null;
  provider_fields: Record<string, string>;
  grant_type: 'authorization_code' | 'client_credentials' | 'fields';
  /** Null for client_credentials and fields. */
  authorization_url: string | null;
  /** Null for fields. */
  token_url: string | null;
  /** Null for fields. */
  client_id: string | null;
  has_client_secret: boolean;
  authentication: ConnectionAuthentication | null;
  /** The names of the fields, whose values are never returned. Null for OAuth. */
  field_names: string[] | null;
  /** The requested scopes. */
  scopes: string[];
  client_authentication: 'basic' | 'body' | null;
  pkce: boolean;
  authorization_params: Record<string, string>;
  /** As configured. */
  base_url: string | null;
  /** As configured. */
  test_url: string | null;
  test_method: 'GET' | 'HEAD' | 'POST';
  /** The status that a successful test has. Null: any from 200 to 299. */
  test_status: number | null;
  /** The hosts that the token or the fields may be sent to. Null: any host. */
  hosts: string[] | null;
  /** The redirect URI to register for the app at the provider. */
  redirect_uri: string;
  /** pending: not authorized yet. needs_reauthorization: a user must authorize it again. failing: the last token request, or the last test of fields, was rejected; the next use tries again. */
  status: 'pending' | 'connected' | 'needs_reauthorization' | 'failing';
  /** Why it is not connected. */
  error: string | null;
  /** Null: not reported by the provider. */
  granted_scopes: string[] | null;
  /** Whether Weft can refresh the token. */
  refreshable: boolean;
  /** Expiry of the access token. Null: no token, or not reported by the provider. */
  expires_at: string | null;
  /** When a user last authorized it. */
  authorized_at: string | null;
  /** When the newest token or the newest fields were stored. */
  refreshed_at: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  /** When the settings were last changed. */
  updated_at: string;
  /** URL at which a user authorizes the connection, valid for ten minutes. Null for client_credentials and fields. */
  connect_url: string | null;
};

/** A newly registered client. */
export type NewOAuthClient = {
  client_id: string;
  name: string;
  grant_types: ('client_credentials' | 'authorization_code' | 'refresh_token')[];
  redirect_uris: string[];
  /** The maximum scopes of its tokens. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'decisions:write' | 'audit:read' | 'admin')[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** When it last obtained a token, to the hour. */
  last_used_at: string | null;
  /** Returned only in this response. */
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
  /** JSON Schema of its configuration. For a pack only the field `operation`: GET /packs/{name}/operations/{id} has the schema of each. */
  config_schema: Record<string, unknown>;
  icon: string;
  /** Other words that people search for, most important first. */
  keywords: string[];
  custom: boolean;
  effects: 'none' | 'external';
  /** The fields that may use `{{ secrets.NAME }}`. For a pack those of all operations: GET /packs/{name}/operations/{id} has all of each. */
  secret_fields: string[];
  pack: NodePack | null;
  implementation: NodeImplementation | null;
};

/** A package bundled with the handler. */
export type NodeDependency = {
  /** Its install path, such as `a/node_modules/b`. */
  path: string;
  version: string;
  /** The verified hash of its archive. */
  integrity: string;
  /** Size of its archive, in bytes. */
  archive_size: number;
  /** Total size of its files, in bytes. */
  unpacked_size: number;
  /** Size of its part of the bundle, in bytes. */
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
  /** JSON Schema of its configuration. For a pack only the field `operation`: GET /packs/{name}/operations/{id} has the schema of each. */
  config_schema: Record<string, unknown>;
  icon: string;
  /** Other words that people search for, most important first. */
  keywords: string[];
  custom: boolean;
  effects: 'none' | 'external';
  /** The fields that may use `{{ secrets.NAME }}`. For a pack those of all operations: GET /packs/{name}/operations/{id} has all of each. */
  secret_fields: string[];
  pack: NodePack | null;
  implementation: NodeImplementation | null;
  /** The code of a custom node as it was registered, without its packages; null for every other node. */
  handler: string | null;
};

/** A node in a workflow. */
export type NodeEntry = {
  id: string;
  type: string;
  position?: Position;
  /** The configuration, as its node type defines it. */
  config?: Record<string, unknown>;
  name?: string;
  /** Whether the node is disabled and passes its input through. */
  disabled?: boolean;
  notes?: string;
  /** The version of its node type. */
  version?: string;
};

/** A node in a workflow. */
export type NodeEntryInput = {
  /** Unique in the definition. */
  id: string;
  /** The id of a node type in the catalog. */
  type: string;
  position?: PositionInput | undefined;
  /** The configuration, as its node type defines it. */
  config?: Record<string, unknown> | undefined;
  name?: string | undefined;
  /** Whether the node is disabled and passes its input through. */
  disabled?: boolean | undefined;
  notes?: string | undefined;
  /** The version of its node type. Default: the newest. */
  version?: string | undefined;
};

/** Why a node run or an execution failed. */
export type NodeError = {
  type: 'timeout' | 'network' | 'rate_limited' | 'server_error' | 'client_error' | 'validation' | 'code' | 'template' | 'forbidden' | 'interrupted' | 'limit' | 'stopped' | 'internal';
  message: string;
  /** Empty when no single node is the cause. */
  node_id: string;
  /** The number of attempts made. */
  attempt: number;
  /** The HTTP status of the response. */
  status?: number;
  data?: unknown;
};

/** The error without its data. */
export type NodeErrorSummary = {
  type: 'timeout' | 'network' | 'rate_limited' | 'server_error' | 'client_error' | 'validation' | 'code' | 'template' | 'forbidden' | 'interrupted' | 'limit' | 'stopped' | 'internal';
  message: string;
  /** Empty when no single node is the cause. */
  node_id: string;
  /** The number of attempts made. */
  attempt: number;
  /** The HTTP status of the response. */
  status?: number;
};

/** The code of a custom node, as it runs; null for every other node. */
export type NodeImplementation = {
  runtime: 'javascript';
  /** Size of the code with its packages, in bytes. */
  size: number;
  /** SHA-256 of the code, in hex. */
  sha256: string;
  dependencies: NodeDependency[];
};

/** An input port. */
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

/** An output port. */
export type NodeOutput = {
  name: string;
  type: string;
  description: string;
};

/** The pack that the node type belongs to; null for every other node. */
export type NodePack = {
  name: string;
  /** Number of operations. */
  operations: number;
};

/** One run of a node within an execution. */
export type NodeRun = {
  node_id: string;
  /** Identifies the iteration: `loop[17]/x`. */
  path: string;
  type: string;
  status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'stopped';
  /** The number of attempts made. */
  attempt: number;
  start_time: string | null;
  end_time: string | null;
  duration: number | null;
  input: unknown;
  output: unknown;
  /** The output ports, and the fields used as ports, that delivered a value. */
  output_ports: string[];
  error: NodeError | null;
};

/** One page of a list. */
export type NodeRunList = {
  nodes: NodeRun[];
  pagination: Pagination;
};

/** The result of a custom node that ran once. */
export type NodeTest = {
  status: 'completed' | 'failed';
  /** The declared outputs by name; null after a failure. */
  output: unknown;
  error: NodeTestError | null;
  logs: NodeTestLog[];
  /** The time in milliseconds, with the wait for a free sandbox. */
  duration: number;
};

/** Why it failed. */
export type NodeTestError = {
  /** As in the error of a node run. */
  type: string;
  message: string;
  /** Details, such as the line of an exception; null if there are none. */
  data: unknown;
};

/** An entry that the code logged. */
export type NodeTestLog = {
  level: 'debug' | 'info' | 'warning' | 'error';
  message: string;
};

/** All versions of a node type, newest first. */
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

/** An OAuth client, without its secret. */
export type OAuthClient = {
  client_id: string;
  name: string;
  grant_types: ('client_credentials' | 'authorization_code' | 'refresh_token')[];
  redirect_uris: string[];
  /** The maximum scopes of its tokens. */
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'decisions:write' | 'audit:read' | 'admin')[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** When it last obtained a token, to the hour. */
  last_used_at: string | null;
};

/** One page of a list. */
export type OAuthClientList = {
  clients: OAuthClient[];
  pagination: Pagination;
};

/** The access that a user granted to a client. */
export type OAuthGrant = {
  id: string;
  client_id: string;
  /** As the client registered it. With a metadata document: its URL. */
  client_name: string;
  /** Who registered the client. `document`: its `client_id` is the URL of its metadata document. */
  registered_by: 'user' | 'itself' | 'document';
  scopes: ('workflows:read' | 'workflows:write' | 'executions:read' | 'executions:write' | 'nodes:read' | 'nodes:write' | 'secrets:read' | 'secrets:write' | 'secrets:use' | 'decisions:write' | 'audit:read' | 'admin')[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** When the grant expires; refreshing a token does not extend it. */
  expires_at: string;
};

/** One page of a list. */
export type OAuthGrantList = {
  grants: OAuthGrant[];
  pagination: Pagination;
};

/** A connector that is installed for all users. */
export type Pack = {
  name: string;
  /** major.minor.patch */
  version: string;
  /** openapi: made from a document. npm: a package that runs in a process of its own. */
  kind: 'openapi' | 'npm';
  /** The type by which workflows use it, such as `openapi.petstore`. A package without actions has that of its triggers. */
  node_type: string;
  title: string;
  description: string;
  /** Number of operations. */
  operations: number;
  document: PackDocument;
  /** The id of a user; null for a dry run. */
  installed_by: string | null;
  /** Null for a dry run. */
  installed_at: string | null;
  /** All installed versions, newest first. */
  versions: string[];
};

/** The app of a pack at its service, which sends the events of all accounts to one address. */
export type PackApp = {
  /** The name of the pack. */
  pack: string;
  /** The address to enter in the settings of the app at the service. */
  url: string;
  /** When the signing secret was entered. */
  updated_at: string;
};

/** A way to authenticate. */
export type PackAuthentication = {
  id: string;
  kind: 'api_key' | 'basic' | 'bearer' | 'oauth2' | 'secret_text' | 'fields' | 'other';
  description: string;
  /** The field of a configuration that takes it: `apiKeys.key` or `authentication`. Null: no field does. */
  field: string | null;
  /** Where an API key is sent; null for other kinds. */
  in: 'header' | 'query' | 'cookie' | null;
  /** The name under which an API key is sent; null for other kinds. */
  name: string | null;
  /** Empty for other kinds than `oauth2`. */
  grants: PackGrant[];
  /** Empty for other kinds than `fields`. */
  fields: PackAuthenticationField[];
};

/** A value with which a package authenticates. */
export type PackAuthenticationField = {
  /** The name of the field of a connection. */
  name: string;
  title: string;
  description: string;
  required: boolean;
  secret: boolean;
};

/** The differences between two versions. Each list has at most 500 entries. */
export type PackChanges = {
  /** The newest installed version; null when there is none. */
  from_version: string | null;
  /** Number of added operations. */
  added_count: number;
  /** Number of removed operations. */
  removed_count: number;
  /** Number of changed operations. */
  changed_count: number;
  added: PackOperationName[];
  removed: PackOperationName[];
  changed: PackOperationChange[];
};

/** A value that the field accepts. */
export type PackChoice = {
  label: string;
  /** The value for the configuration. */
  value: unknown;
};

/** What a pack loaded for a field. */
export type PackChoices = {
  /** In the order of the pack; null for a field that is an object. */
  options: PackChoice[] | null;
  /** Whether the pack states that the field takes no value now. */
  disabled: boolean;
  /** What the pack states about the list, such as why it is empty. */
  placeholder: string | null;
  /** JSON Schema of the value of a field that is an object; null for others. */
  config_schema: Record<string, unknown> | null;
  /** When it was loaded from the service. */
  loaded_at: string;
};

/** A pack, with what its document states about the API. */
export type PackDetail = {
  name: string;
  /** major.minor.patch */
  version: string;
  /** openapi: made from a document. npm: a package that runs in a process of its own. */
  kind: 'openapi' | 'npm';
  /** The type by which workflows use it, such as `openapi.petstore`. A package without actions has that of its triggers. */
  node_type: string;
  title: string;
  description: string;
  /** Number of operations. */
  operations: number;
  document: PackDocument;
  /** The id of a user; null for a dry run. */
  installed_by: string | null;
  /** Null for a dry run. */
  installed_at: string | null;
  /** All installed versions, newest first. */
  versions: string[];
  /** The version as the document states it. */
  document_version: string;
  /** The first is the default. Empty: each node names the base URL. */
  servers: PackServer[];
  authentication: PackAuthentication[];
  package: PackPackage | null;
  /** Empty for a pack from a document. */
  triggers: PackTrigger[];
  /** Parts of the document that were left out or simplified. */
  warnings: string[];
};

/** The document or the archive that the pack was made from. */
export type PackDocument = {
  /** In hex. */
  sha256: string;
  /** In bytes. */
  size: number;
  /** The URL that it was loaded from; null when there is none, or when the caller is not an administrator. */
  url: string | null;
};

/** A way to obtain a token of OAuth 2.0. */
export type PackGrant = {
  grant_type: 'authorization_code' | 'client_credentials';
  authorization_url: string | null;
  token_url: string | null;
  scopes: PackScope[];
  /** Additional parameters of the authorization URL, for a connection. */
  authorization_params: Record<string, string>;
  /** Whether the service supports PKCE; null: not stated. */
  pkce: boolean | null;
};

/** The result of an installation or a dry run. */
export type PackInstallation = {
  /** installed: the version is new. unchanged: it was installed before, with the same document. conflict (only in a dry run): it was installed before, with another document. */
  outcome: 'installed' | 'unchanged' | 'conflict';
  dry_run: boolean;
  pack: PackDetail;
  changes: PackChanges;
  /** The version of the pack if it is free; otherwise one after the newest. */
  suggested_version: string;
};

/** One page of a list. */
export type PackList = {
  packs: Pack[];
  pagination: Pagination;
};

/** An operation of a pack. */
export type PackOperation = {
  id: string;
  title: string;
  /** Null for an action of a package. */
  method: string | null;
  /** Below the URL of the server, with `{name}` for path parameters. Null for an action of a package. */
  path: string | null;
  tags: string[];
  deprecated: boolean;
  description: string;
  /** Whether the package states that the action may run twice. Otherwise it is not repeated after a crash or a failure. Null for an operation of a document. */
  idempotent: boolean | null;
};

/** An operation without its description. */
export type PackOperationBrief = {
  id: string;
  title: string;
  /** Null for an action of a package. */
  method: string | null;
  /** Below the URL of the server, with `{name}` for path parameters. Null for an action of a package. */
  path: string | null;
  tags: string[];
  deprecated: boolean;
};

/** An operation that differs. A field is `query.page` or `body.title`. */
export type PackOperationChange = {
  id: string;
  title: string;
  /** Fields that are new. */
  added: string[];
  /** Fields that are gone. */
  removed: string[];
  /** Fields that accept other values. */
  changed: string[];
  /** Fields that are required now, and were not before. */
  required: string[];
  /** Other differences: `method`, `path`, `deprecated`, `response`, `security`, `servers`, `idempotent`. */
  properties: string[];
};

/** An operation of a pack, with its form. */
export type PackOperationDetail = {
  id: string;
  title: string;
  /** Null for an action of a package. */
  method: string | null;
  /** Below the URL of the server, with `{name}` for path parameters. Null for an action of a package. */
  path: string | null;
  tags: string[];
  deprecated: boolean;
  description: string;
  /** Whether the package states that the action may run twice. Otherwise it is not repeated after a crash or a failure. Null for an operation of a document. */
  idempotent: boolean | null;
  /** JSON Schema of the configuration of a node that runs the operation. */
  config_schema: Record<string, unknown>;
  /** The fields that may use `{{ secrets.NAME }}`. */
  secret_fields: string[];
  /** Alternatives. Empty: the document states none. */
  security: (PackSecurity[])[];
  /** The media type of a successful response; null when the document states none. */
  response_type: string | null;
  /** JSON Schema of the body of a successful response. */
  response_schema: Record<string, unknown> | null;
};

/** One page of a list. */
export type PackOperationList = {
  operations: PackOperation[];
  pagination: Pagination;
};

/** An operation that only one of two versions has. */
export type PackOperationName = {
  id: string;
  title: string;
};

/** All operations of a version, without descriptions, in the order of its document. */
export type PackOperationNames = {
  name: string;
  version: string;
  operations: PackOperationBrief[];
};

/** The npm package of a pack. */
export type PackPackage = {
  name: string;
  /** `sha512-` and the hash of the archive in base64. */
  integrity: string;
  /** The id of the registry's key whose signature was checked. Null: the registry has no keys, or the archive was uploaded. */
  signed_by: string | null;
  /** As the package states it; null when it states none. */
  license: string | null;
};

/** A scope that the API has. */
export type PackScope = {
  name: string;
  description: string;
};

/** A way to authenticate that the operation needs. */
export type PackSecurity = {
  /** Of an entry in `authentication` of the pack. */
  id: string;
  scopes: string[];
};

/** A base URL of the API. */
export type PackServer = {
  url: string;
  description: string;
};

/** A trigger that a package has. */
export type PackTrigger = {
  id: string;
  title: string;
  description: string;
  /** polling: Weft asks the service. webhook: the service sends requests to an address of the trigger. app_webhook: the service sends the events of all accounts to the address of the app of the pack. */
  strategy: 'polling' | 'webhook' | 'app_webhook' | null;
  /** The type of the trigger node, whose configuration has the id as `event`. Null: the trigger cannot start workflows. */
  node_type: string | null;
};

/** A workflow that uses a pack. */
export type PackWorkflow = {
  id: string;
  owner_id: string;
  /** Null for the workflow of another user. */
  name: string | null;
  /** The versions of the workflow that use the pack, at most 100. */
  versions: number[];
};

/** The workflows of all users that use a pack, at most 100. */
export type PackWorkflowList = {
  workflows: PackWorkflow[];
  /** Whether the list has all of them. */
  complete: boolean;
};

/** The position of a page in a list. */
export type Pagination = {
  page: number;
  limit: number;
  /** Number of items in the whole list. */
  total: number;
  total_pages: number;
};

export type PinOutputInput = {
  /** The output of the node. */
  output: unknown;
  /** The output ports of the pin. With several, `output` is an object by port. Default: the first port of the node. */
  ports?: string[] | undefined;
};

/** An output that runs from the editor use instead of running the node. */
export type PinnedOutput = {
  node_id: string;
  /** With several ports, an object by port. */
  output: unknown;
  /** The output ports of the pin. Null: the first port of the node. */
  ports: string[] | null;
  /** ISO 8601, UTC. */
  pinned_at: string;
};

/** The pinned outputs of a workflow. */
export type PinnedOutputs = {
  pinned_outputs: PinnedOutput[];
};

/** The position on the canvas. */
export type Position = {
  x: number;
  y: number;
};

/** The position on the canvas. */
export type PositionInput = {
  x: number;
  y: number;
};

/** A model of a provider. */
export type ProviderModel = {
  /** The name for the field `model` of a node. */
  id: string;
  /** The name for people; null if the provider states none. */
  name: string | null;
  /** Whether the model has a price, so that its calls have a cost. */
  priced: boolean;
};

/** The models that a provider lists. */
export type ProviderModelList = {
  /** When the list was loaded from the provider. */
  listed_at: string;
  models: ProviderModel[];
};

export type PutPackAppInput = {
  /** The secret with which the service signs its requests, from the settings of the app. */
  signing_secret: string;
};

export type PutSecretInput = {
  value: string;
  /** The hosts that the value may be sent to. Null or absent: any host. */
  hosts?: string[] | null | undefined;
  description?: string | undefined;
  name?: unknown;
  created_at?: unknown;
  updated_at?: unknown;
};

/** Whether the service accepts requests. */
export type Ready = {
  status: 'starting' | 'ready' | 'draining' | 'degraded';
};

/** A piece of the reasoning that a language model writes, to be added to those of the same path. */
export type ReasoningEvent = {
  type: 'reasoning';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  text: string;
};

export type RefreshInput = {
  /** The current token, unless it is in `Authorization`. */
  token?: string | undefined;
};

export type RegisterNodeInput = {
  /** The name by which workflows use it. */
  nodeType: string;
  description?: string | undefined;
  /** Other words by which people search for the node, most important first. */
  keywords?: string[] | undefined;
  /** major.minor.patch. Default: 1.0.0. A registered version never changes. */
  version?: string | undefined;
  /** Inputs by name: `type`, `required`, and in `validation` a JSON Schema for its values. */
  inputs?: Record<string, CustomNodeFieldInput> | undefined;
  /** Types by output name. The handler returns an object with all outputs. */
  outputs?: Record<string, 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any'> | undefined;
  implementation: CustomNodeImplementationInput;
};

/** A text of this node run begins anew: what was received of it is not part of the result. */
export type ResetEvent = {
  type: 'reset';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  /** The type of the events that have the text. */
  of: 'text' | 'reasoning' | 'tool_arguments';
  /** The tool call; null for texts and reasoning. */
  call_id: string | null;
};

export type RespondToDecisionInput = {
  /** The name of one of the choices of the decision. */
  choice: string;
  /** A text that is stored with the response. */
  comment?: string | undefined;
  /** The values of the fields of the decision, by name. A field that is missing here has its default; an empty string leaves it empty. Required fields are required for the first choice. */
  values?: Record<string, unknown> | undefined;
};

/** Any JSON. */
export type ResumeExecutionInput = unknown;

/** The execution was resumed. */
export type Resumed = {
  execution_id: string;
};

export type RetryExecutionInput = {
  /** `failed` (the default), `start`, a node id, the path of a node run in a body, such as `loop[7]/call`, or of a run of the body, such as `loop[7]`. */
  from?: string | undefined;
  /** The input of the node at which the retry starts. */
  input?: Record<string, unknown> | undefined;
  /** The version of the workflow's definition. Default: `original`. */
  version?: 'original' | 'current' | undefined;
};

/** A stored secret, without its value. */
export type Secret = {
  name: string;
  /** The hosts that it may be sent to. Null: any host. */
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

export type SetModelPricesInput = {
  /** All prices that are stored. */
  prices: ModelPriceInput[];
};

/** The executions that were created in an interval and have ended. */
export type StatisticsInterval = {
  /** Start of the interval. */
  start: string;
  completed: number;
  failed: number;
  stopped: number;
  duration: DurationPercentiles;
};

/** The executions of all intervals. */
export type StatisticsTotals = {
  completed: number;
  failed: number;
  stopped: number;
  duration: DurationPercentiles;
};

export type StopListeningToWebhookQuery = {
  /** Closes only the test URLs of this webhook trigger. Default: all of the workflow. */
  node_id?: string | undefined;
};

/** An event of the stream of an execution. */
export type StreamEvent = TextEvent | ReasoningEvent | ToolArgumentsEvent | ResetEvent | UsageEvent | ToolStartEvent | ToolEndEvent | ApprovalEvent | DoneEvent;

/** A workflow with parameters. */
export type Template = {
  templateName: string;
  /** major.minor.patch */
  version: string;
  description: string;
  parameters: TemplateParameter[];
  /** Whether the template is included in Weft and available to every user. */
  builtin: boolean;
  /** Null for a builtin template. */
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

/** A parameter of the template. */
export type TemplateParameter = {
  name: string;
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'select' | 'secret';
  required: boolean;
  /** The allowed values. Empty: any. */
  options: unknown[];
  /** The value when none is given. */
  default?: unknown;
  description?: string;
};

/** A parameter of the template. */
export type TemplateParameterInput = {
  name: string;
  type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'select' | 'secret';
  /** Default: false. */
  required?: boolean | undefined;
  /** The allowed values. Empty or absent: any. */
  options?: unknown[] | undefined;
  /** The value when none is given. */
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
  /** Whether the template is included in Weft and available to every user. */
  builtin: boolean;
  /** Null for a builtin template. */
  created_at: string | null;
};

/** Runs instead of the newest version, as a test. It is not saved as a version of the workflow: the `workflow_version` of the execution is negative. Needs the scope `workflows:write`. */
export type TestDefinitionInput = {
  nodes?: NodeEntryInput[] | undefined;
  connections?: ConnectionInput[] | undefined;
  /** Notes on the canvas. */
  annotations?: unknown[] | undefined;
};

export type TestNodeInput = {
  /** Inputs by name: `type`, `required`, and in `validation` a JSON Schema for its values. */
  inputs?: Record<string, CustomNodeFieldInput> | undefined;
  /** Types by output name. The handler returns an object with all outputs. */
  outputs?: Record<string, 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any'> | undefined;
  implementation: CustomNodeImplementationInput;
  /** The inputs by name, as they are: templates are not evaluated. */
  values?: Record<string, unknown> | undefined;
  /** Maximum run time, up to 30s. Default: 5s. */
  timeout?: string | undefined;
};

/** A piece of the text that a language model writes, to be added to those of the same path. */
export type TextEvent = {
  type: 'text';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  text: string;
};

/** A conversation that executions continue. */
export type Thread = {
  id: string;
  /** What the node names: a chat, a customer, a ticket. */
  key: string;
  /** The workflow that the thread belongs to; null for a thread of a namespace. */
  workflow_id: string | null;
  /** Empty for a thread of a namespace. */
  workflow_name: string;
  /** The name by which workflows share the thread. */
  namespace: string | null;
  /** The number of stored turns: one for each node run that added messages. */
  turns: number;
  /** The number of messages of all turns. */
  messages: number;
  /** An estimate for all messages: one token for four bytes. */
  tokens: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** When the last turn was added. */
  updated_at: string;
  /** When the thread is deleted unless a turn is added before; null: never. */
  expires_at: string | null;
};

/** A thread with its newest turns. */
export type ThreadDetail = {
  id: string;
  /** What the node names: a chat, a customer, a ticket. */
  key: string;
  /** The workflow that the thread belongs to; null for a thread of a namespace. */
  workflow_id: string | null;
  /** Empty for a thread of a namespace. */
  workflow_name: string;
  /** The name by which workflows share the thread. */
  namespace: string | null;
  /** The number of stored turns: one for each node run that added messages. */
  turns: number;
  /** The number of messages of all turns. */
  messages: number;
  /** An estimate for all messages: one token for four bytes. */
  tokens: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** When the last turn was added. */
  updated_at: string;
  /** When the thread is deleted unless a turn is added before; null: never. */
  expires_at: string | null;
  /** The newest turns with at most 1 MiB of messages, oldest first. */
  conversation: ThreadTurn[];
};

/** One page of a list. */
export type ThreadList = {
  threads: Thread[];
  pagination: Pagination;
};

/** What one node run added. */
export type ThreadTurn = {
  /** The execution may have been deleted since. */
  execution_id: string;
  /** The node run that added the turn. */
  node_path: string;
  /** ISO 8601, UTC. */
  created_at: string;
  /** The messages, as `{role, content}`, in the format of the conversation of an agent. */
  messages: (Record<string, unknown>)[];
};

/** A piece of the arguments of a tool call while the model writes them. `tool_start` has them as a whole. */
export type ToolArgumentsEvent = {
  type: 'tool_arguments';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  call_id: string;
  tool: string;
  /** A piece of JSON, to be added to those of the same path and call. */
  text: string;
};

/** The call of a tool has a result. */
export type ToolEndEvent = {
  type: 'tool_end';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  call_id: string;
  tool: string;
  result: unknown;
  /** The call failed, was refused, or its arguments did not fit. */
  is_error: boolean;
};

/** A language model calls a tool. */
export type ToolStartEvent = {
  type: 'tool_start';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  call_id: string;
  tool: string;
  arguments: unknown;
};

/** What starts a workflow. */
export type Trigger = {
  node_id: string;
  type: 'manual' | 'webhook' | 'form' | 'tool' | 'chat' | 'schedule' | 'polling' | 'email' | 'event' | 'error' | 'sub_workflow' | 'retry';
  /** Of a webhook, a form, or the page of a chat. */
  url?: string;
  /** Of a webhook. */
  method?: string;
  /** Of a form or a chat page with the access link. */
  links?: FormLink[];
  /** The next run of a schedule or poll. */
  next_run_at?: string | null;
  /** Why the last schedule or poll failed. */
  last_error?: string | null;
};

export type UpdateConnectionInput = {
  name?: unknown;
  /** The id of a provider from the catalog, which presets the fields below; explicit values override it. */
  provider?: string | null | undefined;
  /** Values of the provider's fields, which are part of its URLs, such as {"subdomain": "acme"}. */
  provider_fields?: Record<string, string> | undefined;
  /** authorization_code (default): a user authorizes Weft to use an account. client_credentials: the app itself is the account. fields: an API key, a password or several values, without OAuth. It cannot be changed to or from fields. */
  grant_type?: 'authorization_code' | 'client_credentials' | 'fields' | undefined;
  /** The authorization endpoint. Required without a provider. */
  authorization_url?: string | null | undefined;
  /** The token endpoint. Required without a provider. */
  token_url?: string | null | undefined;
  /** The client id of the app at the provider. Required for OAuth. */
  client_id?: string | null | undefined;
  /** Stored encrypted and never returned. Null or absent: a public client, protected by PKCE. */
  client_secret?: string | null | undefined;
  scopes?: string[] | undefined;
  /** How the secret is sent to the token endpoint. Default: the provider's method, or basic, with a fallback to the body when basic is rejected. */
  client_authentication?: 'basic' | 'body' | null | undefined;
  /** Whether to use PKCE (S256). Default: as the provider has it, otherwise true. */
  pkce?: boolean | undefined;
  /** Additional parameters of the authorization URL, such as {"audience": "…"}. */
  authorization_params?: Record<string, string> | undefined;
  /** The base URL of the API that connector nodes call. Null or absent: the provider's, or the one in the token response. */
  base_url?: string | null | undefined;
  /** The URL that a test requests. Null or absent: the provider's; without one, the test only obtains a token. */
  test_url?: string | null | undefined;
  /** The method of the test request. Default: GET. */
  test_method?: 'GET' | 'HEAD' | 'POST' | undefined;
  /** The status that a successful test has. Null or absent: any from 200 to 299. */
  test_status?: number | null | undefined;
  /** For grant type fields: how the fields authenticate a request. Required for it. */
  authentication?: ConnectionAuthenticationInput | null | undefined;
  /** For grant type fields: the values by the names of the fields, such as {"value": "…"}. Stored encrypted and never returned. An update keeps the values of omitted fields. */
  fields?: Record<string, string> | undefined;
  /** The hosts that the token or the fields may be sent to. Null or absent: any host; required for grant type fields. */
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
  field_names?: unknown;
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
  /** If given, it must be the current version; a stale version is a `CONFLICT`. */
  version?: number | undefined;
  /** `false` saves the definition of an active workflow as a version that is not active yet. */
  publish?: boolean | undefined;
  /** `true` validates the request and returns the response that it would get, or the error; nothing is stored. */
  dry_run?: boolean | undefined;
};

/** A call of a language model ended. */
export type UsageEvent = {
  type: 'usage';
  node_id: string;
  /** Identifies the node run: `agent[0]/model`. */
  path: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  model: string;
  finish_reason: string;
  usage: ModelUsage;
  /** US dollars; null if the model has no price. */
  cost: number | null;
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

/** Documents that nodes find by the similarity of their embeddings. */
export type VectorCollection = {
  name: string;
  /** The model of all its embeddings. */
  model: string;
  /** The length of each embedding. */
  dimensions: number;
  documents: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** When documents were last stored. */
  updated_at: string;
};

/** One page of a list. */
export type VectorCollectionList = {
  vector_collections: VectorCollection[];
  pagination: Pagination;
};

/** Who saved a version. */
export type VersionAuthor = {
  type: 'user' | 'api_key' | 'oauth_client';
  /** The name of the user, API key or OAuth client when the version was saved. */
  name: string;
};

/** A workflow with its definition and settings. */
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
  /** The newest version; every change increments it. */
  version: number;
  /** The version that triggers start; null unless active. */
  active_version: number | null;
  tags: string[];
  last_execution: LastExecution | null;
  /** The earliest next run of its schedules and polls. */
  next_due_at: string | null;
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

/** Settings for all executions of a workflow. */
export type WorkflowSettings = {
  /** A duration, such as `30s`. */
  timeout: string | null;
  max_concurrency: number | null;
  on_failure_workflow: string | null;
  /** A duration, such as `14d`. */
  retention: string | null;
  /** US dollars for calls of models on one day in UTC. */
  max_cost_per_day: number | null;
  /** Tokens of calls of models on one day in UTC, input and output. */
  max_tokens_per_day: number | null;
};

/** Settings for all executions of a workflow; null is the default of the instance. */
export type WorkflowSettingsInput = {
  /** How long an execution may take, from its creation: a duration such as `30s`. */
  timeout?: string | null | undefined;
  /** The maximum number of executions that run at once; others are queued. */
  max_concurrency?: number | null | undefined;
  /** The id of the workflow, of the same owner, that is started with the error when an execution fails. */
  on_failure_workflow?: string | null | undefined;
  /** How long ended executions are kept: a duration such as `14d`. */
  retention?: string | null | undefined;
  /** US dollars. No call of a model begins once the calls of a day (UTC) have cost this much. The models must have prices. */
  max_cost_per_day?: number | null | undefined;
  /** No call of a model begins once the calls of a day (UTC) have used this number of tokens, input and output. */
  max_tokens_per_day?: number | null | undefined;
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
  /** The newest version; every change increments it. */
  version: number;
  /** The version that triggers start; null unless active. */
  active_version: number | null;
  tags: string[];
  last_execution: LastExecution | null;
  /** The earliest next run of its schedules and polls. */
  next_due_at: string | null;
};

/** A saved version of a workflow. */
export type WorkflowVersion = {
  workflow_id: string;
  /** Negative: a definition that an execution runs as a test. */
  version: number;
  /** Given by a user; null: none. */
  name: string | null;
  author: VersionAuthor | null;
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
  /** Given by a user; null: none. */
  name: string | null;
  author: VersionAuthor | null;
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
