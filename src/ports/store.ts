import type { Json, JsonObject } from '../lib/json.ts';
import type { Definition, WorkflowSettings, WorkflowStatus } from '../contract/definition.ts';
import type { ExecutionStatus, ExecutionTrigger, NodeError } from '../contract/execution.ts';
import type { ProviderName } from '../contract/connection-providers.ts';
import type { ConnectionStatus } from '../contract/resources-connection.ts';
import type { ConnectionGrantType } from '../contract/schemas-connection.ts';
import type { Role, SubscriptionPlan } from '../contract/principal.ts';
import type { CustomNode } from '../contract/schemas-node.ts';
import type { TemplateParameter } from '../contract/schemas-template.ts';

/*
 * What persistence must do, in verbs of the domain. Every verb is one transaction and is on disk when it resolves.
 * Every verb that loads by id takes the owner too: another user's thing answers exactly as a missing one (null).
 * Verbs throw WeftError STORAGE_FULL when the disk is full; any other Error is a fault of the store.
 * All times are ms since the epoch.
 */

// ---- executions -----------------------------------------------------------------------------------------------

/** A key that must be new for the execution to be created: an Idempotency-Key, a webhook's delivery id. */
export type DedupeKey = {
  /** `execute:<workflow id>` or `webhook:<workflow id>:<node id>`; keys of other scopes do not collide. */
  scope: string;
  key: string;
  /** Fingerprint of the request; the caller compares it when the key was used before. */
  fingerprint: string;
  expiresAt: number;
};

/** A schedule tick that this creation consumes: only the caller that moves `due` to `next` creates the execution. */
export type TickClaim = { workflowId: string; nodeId: string; due: number; next: number | null };

/** The right to one poll of a polling trigger. It ends when another one takes it, or when the workflow changes. */
export type PollClaim = { workflowId: string; nodeId: string; fence: number };
/** The item of a poll that this creation is for: it counts as seen in the same transaction, from the poll `number`. */
export type PolledItem = PollClaim & { key: string; number: number };

export type ExecutionRow = {
  id: string;
  ownerId: string;
  workflowId: string;
  workflowVersion: number;
  status: ExecutionStatus;
  trigger: ExecutionTrigger;
  error: NodeError | null;
  progress: number;
  currentNode: string | null;
  createdAt: number;
  startTime: number | null;
  endTime: number | null;
  parentId: string | null;
  retryOf: string | null;
};

/** The fields of an execution that are fixed at its creation. */
export type NewExecution = Pick<
  ExecutionRow,
  'id' | 'ownerId' | 'workflowId' | 'workflowVersion' | 'trigger' | 'createdAt' | 'parentId' | 'retryOf'
> & {
  /** When it may be deleted, counted from its end: ms. */
  retention: number;
  dedupe: DedupeKey | null;
  tick: TickClaim | null;
  polled?: PolledItem;
  /** What came with its input: the rows are written with the execution or not at all. Their contents are in the file store. */
  files?: readonly NewFile[];
};

/** A node run of an execution, by its path. */
export type Wake = { executionId: string; path: string };

/** `taken`: there is one for this path already. `missing`: no such execution, or another owner's. */
export type SignalResult = 'stored' | 'taken' | 'settled' | 'missing';

/**
 * What is to start because an execution ended. `nodeId` is the trigger that it enters by; null: the one that fits, of a workflow
 * that a setting names.
 */
export type Follower = { workflowId: string; nodeId: string | null; kind: 'event' | 'error' };
/** One that was written with the end of `executionId`, and has not been started yet. */
export type PendingFollower = Follower & { ownerId: string; executionId: string };

/** One row of the journal with its consequences for the projection: written together or not at all. */
export type Checkpoint = {
  executionId: string;
  /** Present in the first checkpoint of an execution: creates its row, owned by `worker` with fence 1 unless queued. */
  create: NewExecution | null;
  worker: string;
  /** Must be the execution's current fence, else nothing is written and the result is `stale`. */
  fence: number;
  /** The journal row's number, 0 for the first; the events as JSON text. */
  seq: number;
  events: string;
  /** The projection after this checkpoint. Status `queued` and `waiting` release the lease. */
  status: ExecutionStatus;
  error: NodeError | null;
  progress: number;
  currentNode: string | null;
  startTime: number | null;
  endTime: number | null;
  /** Timers of this execution by node path: set (replacing one of the same path) and cleared. */
  setTimers: { path: string; dueAt: number }[];
  clearTimers: string[];
  /** Contents (hashes) in the file store that this row's events refer to. */
  blobs: string[];
  /** With an end: the node run of another execution that waits for it. Its timer becomes due in the same transaction. */
  wake?: Wake;
  /** With an end: what is to start, kept in the same transaction until `followed`. */
  follow?: readonly Follower[];
};

/**
 * - `written`.
 * - `stale`: the fence is not current (taken over, stopped or deleted), or the status cannot follow on the stored one: the
 *   worker drops the execution.
 * - `duplicate`: the dedupe key exists; the execution that holds it, and its fingerprint. Nothing was written.
 * - `tick_taken`: someone else consumed the tick, has the poll, or took the item. Nothing was written.
 * - `workflow_gone`: the workflow was deleted before its execution could be created. Nothing was written.
 */
export type CheckpointResult =
  | { kind: 'written' }
  | { kind: 'stale' }
  | { kind: 'duplicate'; executionId: string; fingerprint: string }
  | { kind: 'tick_taken' }
  | { kind: 'workflow_gone' };

/**
 * What a worker needs to go on with an execution that it has just claimed. `settings` are the workflow's of now; `due` are the
 * paths of its timers that are due.
 */
export type ClaimedExecution = ExecutionRow & {
  fence: number;
  nextSeq: number;
  settings: WorkflowSettings;
  due: string[];
};

export type Claim = ({ kind: 'claimed' } & ClaimedExecution) | { kind: 'full'; workflowId: string };

/** A process that lives on this store, as far as its lease says. */
export type LiveProcess = { id: string; leaseUntil: number };

export type DueTimer = { executionId: string; path: string; dueAt: number };

export type ExecutionFilter = {
  workflowId?: string;
  status?: ExecutionStatus;
  /** On createdAt: from inclusive, to exclusive. */
  from?: number;
  to?: number;
};

export type JournalRow = { seq: number; events: string };
/** The first rows of one execution's journal, in order. */
export type JournalOf = { executionId: string; rows: JournalRow[] };

export type ExecutionStore = {
  /**
   * Writes a batch in one transaction with one fsync; each checkpoint stands or falls alone (a stale one does not
   * hinder the others), in the order given. Totals (`count`) move in the same transaction.
   */
  commit(batch: readonly Checkpoint[]): Promise<CheckpointResult[]>;
  /** A live dedupe key's execution, to answer a repeat without running anything. */
  findDedupe(
    ownerId: string,
    scope: string,
    key: string,
    now: number,
  ): Promise<{ executionId: string; fingerprint: string } | null>;
  /** Ids that could be claimed now: queued (but for those of some workflows), or running under a lease that is over. Oldest first. */
  runnable(
    now: number,
    limit: number,
    excludeWorkflows: readonly string[],
  ): Promise<{ id: string; workflowId: string }[]>;
  /** Timers due at `now`, earliest first; but for those of executions under the live lease of another than `worker`, unless that is null. */
  dueTimers(now: number, limit: number, worker: string | null): Promise<DueTimer[]>;
  /** The due time of the earliest timer, or null. */
  nextTimer(): Promise<number | null>;
  /**
   * Takes an execution for `worker`: its fence grows by one. Null when it is settled, gone or under another worker's
   * live lease. An execution that is queued becomes running only with its next checkpoint. `full` names its workflow: it is
   * queued, and as many executions of that as `max_concurrency` says are at work already, whoever works on them.
   */
  claim(id: string, worker: string, now: number): Promise<Claim | null>;
  /** The same for several, in one transaction; the answers stand in the order of `ids`. */
  claimMany(ids: readonly string[], worker: string, now: number): Promise<(Claim | null)[]>;
  /** Extends the lease of all that `worker` holds. */
  heartbeat(worker: string, until: number): Promise<void>;
  /** All whose lease is not over at `now`, by their ids. */
  processes(now: number): Promise<LiveProcess[]>;
  /** Gives up all that `worker` holds, so that others may claim it at once. */
  release(worker: string): Promise<void>;
  /**
   * Settles an execution as stopped whoever holds it: the fence grows, so later writes of its worker are stale; a
   * journal row with `events` is added; timers go. `missing`: not there or not the owner's. `settled`: it had ended.
   */
  stop(
    ownerId: string,
    id: string,
    at: number,
    events: string,
  ): Promise<
    | { kind: 'stopped'; row: ExecutionRow }
    | { kind: 'settled'; status: ExecutionStatus }
    | { kind: 'missing' }
  >;
  /**
   * Leaves a value (JSON text) for the node run at `path`, and makes its timer due. The first one for a path stays as long as
   * the execution.
   */
  signal(ownerId: string, id: string, path: string, value: string, at: number): Promise<SignalResult>;
  signalOf(ownerId: string, id: string, path: string): Promise<string | null>;
  /** Unsettled executions whose parent this is. */
  childrenOf(ownerId: string, id: string, limit: number): Promise<string[]>;
  /** What is to start, in a fixed order, from behind `after`; null: from the first. */
  pendingFollowers(after: PendingFollower | null, limit: number): Promise<PendingFollower[]>;
  /** It has been started, or never will be. */
  followed(follower: PendingFollower): Promise<void>;
  /** For doors. */
  get(ownerId: string, id: string): Promise<ExecutionRow | null>;
  /** Newest first. */
  list(
    ownerId: string,
    filter: ExecutionFilter,
    offset: number,
    limit: number,
  ): Promise<{ rows: ExecutionRow[]; total: number }>;
  /** The journal of an execution from `fromSeq` on, in order. */
  journal(ownerId: string, id: string, fromSeq: number, limit: number): Promise<JournalRow[]>;
  /** The first `limit` rows of each of these executions' journals, in a fixed number of statements. */
  journals(ownerId: string, ids: readonly string[], limit: number): Promise<JournalOf[]>;
  /** The newest `limit` executions of each of these workflows, newest first within one, in a fixed number of statements. */
  newestOf(ownerId: string, workflowIds: readonly string[], limit: number): Promise<ExecutionRow[]>;
  /** Executions per status, over all owners. */
  statusCounts(): Promise<Record<ExecutionStatus, number>>;
  /** Unsettled executions of a workflow, to stop them before it is deleted. */
  unsettled(ownerId: string, workflowId: string, limit: number): Promise<string[]>;
};

// ---- workflows ------------------------------------------------------------------------------------------------

export type WorkflowRow = {
  id: string;
  ownerId: string;
  name: string;
  description: string;
  status: WorkflowStatus;
  /** The newest saved version. */
  version: number;
  /** The version that triggers run; null unless active. */
  activeVersion: number | null;
  settings: WorkflowSettings;
  tags: string[];
  nodeCount: number;
  executionCount: number;
  createdAt: number;
  updatedAt: number;
};
export type WorkflowVersionRow = {
  workflowId: string;
  version: number;
  definition: Definition;
  createdAt: number;
};

export type VersionKey = { workflowId: string; version: number };

/** A webhook address of an active workflow. `shape` is `endpoint` with every `:parameter` as `:`. */
export type WebhookRoute = {
  workflowId: string;
  nodeId: string;
  ownerId: string;
  version: number;
  method: string;
  endpoint: string;
  shape: string;
};
/** A schedule of an active workflow. `spec` is the trigger's configuration. */
export type ScheduleRow = {
  workflowId: string;
  nodeId: string;
  ownerId: string;
  version: number;
  spec: Json;
  nextRunAt: number | null;
  lastError: string | null;
};

/**
 * From the end of an execution to what starts then. `source` is the workflow whose ends count; null: all of the owner's. It
 * belongs to `workflowId`: the target's trigger node `nodeId`, or the source's setting (`nodeId` null).
 */
export type EventRoute = {
  workflowId: string;
  nodeId: string | null;
  ownerId: string;
  kind: 'event' | 'error';
  on: 'completed' | 'failed';
  source: string | null;
  target: string;
};

/** What is live of a workflow after a change: replaces all of its routes and schedules. */
export type LiveTriggers = {
  webhooks: WebhookRoute[];
  schedules: ScheduleRow[];
  events: EventRoute[];
  polls: LivePoll[];
};

/**
 * A polling trigger of an active workflow. `memory` says what stays of earlier polls: all; the items that were seen, while the
 * next answer is asked for whole; or nothing, as if there had been none.
 */
export type LivePoll = ScheduleRow & { memory: 'all' | 'items' | 'nothing' };

export type WorkflowChange = {
  /** The row as it shall be (`version` already counted up). */
  row: Omit<WorkflowRow, 'nodeCount' | 'executionCount'>;
  /** The definition of `row.version`. */
  definition: Definition;
  /** The version that must still be the current one; null creates. */
  expected: number | null;
  live: LiveTriggers;
};

export type WorkflowFilter = { status?: WorkflowStatus; search?: string; tag?: string };

export type WorkflowStore = {
  /** `stale`: the version moved on. `taken`: another active workflow has this method and endpoint. */
  save(
    change: WorkflowChange,
  ): Promise<
    | { kind: 'saved' }
    | { kind: 'stale'; current: number }
    | { kind: 'missing' }
    | { kind: 'taken'; method: string; endpoint: string }
  >;
  get(ownerId: string, id: string): Promise<WorkflowRow | null>;
  /** Newest first; `search` is a case-insensitive substring of name or description. */
  list(
    ownerId: string,
    filter: WorkflowFilter,
    offset: number,
    limit: number,
  ): Promise<{ rows: WorkflowRow[]; total: number }>;
  version(ownerId: string, id: string, version: number): Promise<WorkflowVersionRow | null>;
  /** Those of these workflows and versions that are there, in no order, in a fixed number of statements. */
  many(ownerId: string, ids: readonly string[]): Promise<WorkflowRow[]>;
  manyVersions(ownerId: string, wanted: readonly VersionKey[]): Promise<WorkflowVersionRow[]>;
  /** Newest first, without definitions. */
  versions(
    ownerId: string,
    id: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: { version: number; createdAt: number; nodeCount: number }[]; total: number } | null>;
  /** Deletes the workflow with its versions, executions, journal, keys and live triggers. False: not there. */
  remove(ownerId: string, id: string): Promise<boolean>;
  /** Every live webhook route, to build the router. */
  webhooks(): Promise<WebhookRoute[]>;
  /** Every live event route. */
  eventRoutes(): Promise<EventRoute[]>;
  /** What is live of one workflow, but for its schedules; of one that is gone, nothing. */
  routesOf(workflowId: string): Promise<Pick<LiveTriggers, 'webhooks' | 'events'>>;
  /** Polling triggers too, also those that are paused (`nextRunAt` null). */
  schedules(ownerId: string, workflowId: string): Promise<ScheduleRow[]>;
  schedulesOfMany(ownerId: string, workflowIds: readonly string[]): Promise<ScheduleRow[]>;
  dueSchedules(now: number, limit: number): Promise<ScheduleRow[]>;
  nextSchedule(): Promise<number | null>;
  /** Moves a schedule on without an execution (a skipped tick), or notes why it could not be served. */
  moveSchedule(tick: TickClaim, lastError: string | null): Promise<boolean>;
  /** How many unsettled executions the workflow has (for schedule overlap). */
  running(workflowId: string): Promise<number>;
};

// ---- people ---------------------------------------------------------------------------------------------------

export type UserRow = {
  id: string;
  email: string;
  name: string;
  passwordHash: string;
  role: Role;
  plan: SubscriptionPlan;
  createdAt: number;
};
/**
 * A login. `tokenId` is the newest token; `previousTokenId` the one it replaced at `rotatedAt`, which gets the same
 * new token for 60 s; any other is spent.
 */
export type SessionRow = {
  id: string;
  userId: string;
  tokenId: string;
  previousTokenId: string | null;
  rotatedAt: number;
  createdAt: number;
  expiresAt: number;
  endedAt: number | null;
};
export type ApiKeyRow = {
  id: string;
  ownerId: string;
  name: string;
  /** Hex SHA-256 of the key; `prefix` is its first characters, for people to recognise it. */
  hash: string;
  prefix: string;
  scopes: string[] | null;
  expiresAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
};
/** `value` is encrypted before it comes here. */
export type SecretRow = {
  ownerId: string;
  name: string;
  value: string;
  hosts: string[] | null;
  description: string;
  createdAt: number;
  updatedAt: number;
};

export type PeopleStore = {
  countUsers(): Promise<number>;
  /** False: the email is taken. Emails are compared in lower case. */
  createUser(user: UserRow): Promise<boolean>;
  userById(id: string): Promise<UserRow | null>;
  userByEmail(email: string): Promise<UserRow | null>;
  listUsers(offset: number, limit: number): Promise<{ rows: UserRow[]; total: number }>;
  /** Sets the fields given; `endSessions` ends all of the user's sessions but `exceptSession`. False: not there. */
  updateUser(
    id: string,
    fields: Partial<Pick<UserRow, 'email' | 'name' | 'passwordHash' | 'role' | 'plan'>>,
    endSessions?: { at: number; exceptSession: string | null },
  ): Promise<boolean>;
  /** Deletes the user with everything owned; false: there was no such user. What is owned goes in any case. */
  removeUser(id: string): Promise<boolean>;
  createSession(session: SessionRow): Promise<void>;
  session(id: string): Promise<SessionRow | null>;
  /** Replaces the newest token, only while `expectedTokenId` still is it. False: lost the race. */
  rotateSession(
    id: string,
    expectedTokenId: string,
    next: { tokenId: string; at: number; expiresAt: number },
  ): Promise<boolean>;
  endSession(id: string, at: number): Promise<boolean>;
  createApiKey(key: ApiKeyRow): Promise<void>;
  apiKeyByHash(hash: string): Promise<ApiKeyRow | null>;
  apiKey(ownerId: string, id: string): Promise<ApiKeyRow | null>;
  listApiKeys(ownerId: string, offset: number, limit: number): Promise<{ rows: ApiKeyRow[]; total: number }>;
  removeApiKey(ownerId: string, id: string): Promise<boolean>;
  touchApiKey(id: string, at: number): Promise<void>;
  /** Creates or replaces. */
  putSecret(secret: SecretRow): Promise<{ created: boolean }>;
  secret(ownerId: string, name: string): Promise<SecretRow | null>;
  listSecrets(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: Omit<SecretRow, 'value'>[]; total: number }>;
  removeSecret(ownerId: string, name: string): Promise<boolean>;
};

// ---- OAuth ----------------------------------------------------------------------------------------------------

/** Who may ask for tokens. `ownerId` null: it registered itself. `metadata` in the names of RFC 7591, without the secret. */
export type OAuthClientRow = {
  id: string;
  ownerId: string | null;
  name: string;
  /** Hex SHA-256; null for a public client. */
  secretHash: string | null;
  metadata: Record<string, Json>;
  createdAt: number;
  lastUsedAt: number | null;
};
/** What the authorization server keeps for a time. `id`, `uid` and `grantId` are hashes; `payload` is sealed. */
export type OAuthRecordRow = {
  model: string;
  id: string;
  /** Within one model and bucket, only the newest records are kept. */
  bucket: string;
  payload: string;
  grantId: string | null;
  uid: string | null;
  clientId: string | null;
  accountId: string | null;
  scope: string | null;
  createdAt: number;
  expiresAt: number;
  consumedAt: number | null;
};
/** What a user allowed a client. `id` is a hash; `clientOwnerId` null: the client registered itself. */
export type OAuthGrantRow = {
  id: string;
  clientId: string;
  clientName: string;
  clientOwnerId: string | null;
  scope: string | null;
  createdAt: number;
  expiresAt: number;
};
/** An access token. `userId` is who it acts as; null: nobody, it proves nothing. */
export type OAuthTokenRow = {
  id: string;
  clientId: string;
  grantId: string | null;
  userId: string | null;
  scope: string | null;
  expiresAt: number;
};

export type OAuthStore = {
  /** False: too many clients registered themselves, and none of them is idle. */
  createClient(client: OAuthClientRow): Promise<boolean>;
  client(id: string): Promise<OAuthClientRow | null>;
  listClients(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: OAuthClientRow[]; total: number }>;
  /** With all that it was given. */
  removeClient(ownerId: string, id: string): Promise<boolean>;
  touchClient(id: string, at: number): Promise<void>;
  /** Creates or replaces; of its bucket the newest `keep` stay. What was consumed stays consumed. */
  putRecord(record: OAuthRecordRow, keep: number): Promise<void>;
  record(model: string, id: string): Promise<OAuthRecordRow | null>;
  recordByUid(model: string, uid: string): Promise<OAuthRecordRow | null>;
  /** Not `won`: it was consumed before, and now everything of its grant (`grantId`) is gone; or it is not there. */
  consumeRecord(model: string, id: string, at: number): Promise<{ won: boolean; grantId: string | null }>;
  removeRecord(model: string, id: string): Promise<void>;
  removeRecordsOfGrant(model: string, grantId: string): Promise<void>;
  /** Those of which a token is alive, newest first. */
  listGrants(
    accountId: string,
    now: number,
    offset: number,
    limit: number,
  ): Promise<{ rows: OAuthGrantRow[]; total: number }>;
  /** With all of its tokens. */
  removeGrant(accountId: string, id: string): Promise<boolean>;
  /** An access token whose client and grant are there; whether it has expired is the caller's to see. */
  token(id: string, now: number): Promise<OAuthTokenRow | null>;
};

// ---- connected accounts ---------------------------------------------------------------------------------------

/** As they were given, with the defaults of the provider filled in but for what a null leaves to it. */
export type StoredConnectionSettings = {
  provider: ProviderName | null;
  grantType: ConnectionGrantType;
  authorizationUrl: string | null;
  tokenUrl: string;
  clientId: string;
  scopes: string[];
  clientAuthentication: 'basic' | 'body' | null;
  pkce: boolean;
  authorizationParams: Record<string, string>;
  baseUrl: string | null;
  testUrl: string | null;
  hosts: string[] | null;
};
export type ConnectionState = {
  status: ConnectionStatus;
  error: string | null;
  grantedScopes: string[] | null;
  refreshable: boolean;
  expiresAt: number | null;
  authorizedAt: number | null;
  refreshedAt: number | null;
};
export type ConnectionRow = {
  ownerId: string;
  name: string;
  description: string;
  settings: StoredConnectionSettings;
  /** Sealed; null: none. */
  clientSecret: string | null;
  state: ConnectionState;
  createdAt: number;
  updatedAt: number;
};

/** `connection:NAME`, or `request:` and a digest of what a configuration holds. */
export type TokenSlot = { ownerId: string; slot: string };
/** `sealed` null: nothing was given out yet. `revision` grows with every change of it. */
export type TokenRow = TokenSlot & {
  sealed: string | null;
  expiresAt: number | null;
  storedAt: number | null;
  revision: number;
  unsureSince: number | null;
};
/** A person on the way to a provider and back. `id` is the hash of the `state`. */
export type AuthorizationRow = {
  id: string;
  ownerId: string;
  name: string;
  sealed: string;
  createdAt: number;
  expiresAt: number;
};

export type ConnectionStore = {
  /** With an empty slot for its tokens. */
  create(row: ConnectionRow, most: number): Promise<'created' | 'exists' | 'full'>;
  get(ownerId: string, name: string): Promise<ConnectionRow | null>;
  /** Newest first. */
  list(ownerId: string, offset: number, limit: number): Promise<{ rows: ConnectionRow[]; total: number }>;
  /**
   * Writes description, settings, client secret and `updatedAt`. With `disconnect` also the state, and then the tokens go, and
   * whoever asks for new ones or is on the way to the provider comes too late. False: not there.
   */
  update(row: ConnectionRow, disconnect: boolean): Promise<boolean>;
  /** With its tokens. */
  remove(ownerId: string, name: string): Promise<boolean>;
  /** Why a person's way to the provider came to nothing; a connection that is connected stays as it is. */
  noteError(ownerId: string, name: string, error: string): Promise<void>;
  /** Of one connection the newest `keep` stay. */
  beginAuthorization(row: AuthorizationRow, keep: number): Promise<void>;
  /** Gives it once, and only before it ends. */
  takeAuthorization(id: string, now: number): Promise<AuthorizationRow | null>;
  tokens(at: TokenSlot): Promise<TokenRow | null>;
  /**
   * The right to ask for new tokens, for one worker at a time. `stale`: the revision is another one by now, or the connection is
   * gone. `busy`: another worker has it. A slot of a configuration is made when it is missing; of one owner the `keep` that were
   * used last stay.
   */
  lease(
    at: TokenSlot,
    revision: number,
    lease: { worker: string; now: number; until: number },
    keep: number,
  ): Promise<
    { kind: 'leased'; unsureSince: number | null } | { kind: 'stale' } | { kind: 'busy'; until: number }
  >;
  /**
   * Stores tokens, and the state of the connection that they are of, in one transaction. With `worker` only while that one has the
   * lease; null: whoever has it comes too late. False: the revision moved on, or the lease or the connection is gone.
   */
  putTokens(
    at: TokenSlot,
    expected: { revision: number; worker: string } | null,
    tokens: { sealed: string; expiresAt: number | null; storedAt: number },
    state: ConnectionState | null,
  ): Promise<boolean>;
  /** Gives the lease up. `answered`: the endpoint answered, so that nothing is unsure. With `state` the connection gets it. */
  releaseLease(
    at: TokenSlot,
    worker: string,
    answered: boolean,
    state: ConnectionState | null,
  ): Promise<boolean>;
  /** What must not show of an owner: sealed client secrets by name, and sealed tokens by slot. */
  sealed(ownerId: string): Promise<{
    clientSecrets: { name: string; sealed: string }[];
    tokens: { slot: string; sealed: string }[];
  }>;
};

// ---- files ----------------------------------------------------------------------------------------------------

export type FileRow = {
  id: string;
  ownerId: string;
  executionId: string;
  hash: string;
  name: string;
  contentType: string;
  size: number;
  createdAt: number;
};
/** A file of an execution that is about to be created. */
export type NewFile = Omit<FileRow, 'ownerId' | 'executionId'>;
export type FileRows = {
  saveFile(file: FileRow): Promise<void>;
  file(ownerId: string, id: string): Promise<FileRow | null>;
  /** Which of these contents no row refers to. */
  unreferenced(hashes: readonly string[]): Promise<string[]>;
};

// ---- polling --------------------------------------------------------------------------------------------------

/** What a poll goes by. `number` counts those that came through before it: 0 is the first one. */
export type Poll = PollClaim & {
  /** When it was due, whoever had it before. */
  dueAt: number;
  number: number;
  failures: number;
  etag: string | null;
  lastModified: string | null;
};
/** What a poll came to. `failures` in a row; `number` from now on. */
export type PollEnd = Omit<Poll, keyof PollClaim | 'dueAt'> & {
  next: number | null;
  lastError: string | null;
  /** Keys of items for which nothing starts. */
  remember: readonly string[];
  /** All keys of the answer: they stay when the oldest are forgotten. Null: there was no answer. */
  listed: readonly string[] | null;
};

/** Polling triggers: who may poll, and which items were seen. Items are told apart by digests. */
export type PollStore = {
  due(now: number, limit: number): Promise<ScheduleRow[]>;
  next(): Promise<number | null>;
  /** Takes a poll that is due at `due`; it is due again at `until`, unless the claim is renewed or settled. Null: it is taken. */
  claim(workflowId: string, nodeId: string, due: number, until: number): Promise<Poll | null>;
  /** False: the claim is lost. */
  renew(claim: PollClaim, until: number): Promise<boolean>;
  /** It is due again, as it was before the claim. False: the claim was lost. */
  giveUp(claim: PollClaim): Promise<boolean>;
  /** Those of these keys that were seen. */
  seen(workflowId: string, nodeId: string, keys: readonly string[]): Promise<string[]>;
  /** Ends the claim. False: it was lost, and nothing is written. */
  settle(claim: PollClaim, end: PollEnd): Promise<boolean>;
};

// ---- throttling -----------------------------------------------------------------------------------------------

/** The requests of a user in the window that ends at `endsAt`. */
export type RateWindowRow = { userId: string; endsAt: number; used: number };
/** Failed logins in a row by what was tried: `key` stands for an email without showing it. */
export type LoginFailuresRow = { key: string; count: number; lastAt: number };

/** Counts that shall survive a restart. Whoever counts keeps them in memory and writes them now and then. */
export type ThrottlingStore = {
  /** Creates or replaces; forgets some of what has ended at `now`. */
  saveRateWindows(rows: readonly RateWindowRow[], now: number): Promise<void>;
  /** Windows that end after `now`, the first to end first, behind `after`. */
  rateWindows(now: number, after: RateWindowRow | null, limit: number): Promise<RateWindowRow[]>;
  /** Creates or replaces; forgets some of what is older than `since`. */
  saveLoginFailures(rows: readonly LoginFailuresRow[], since: number): Promise<void>;
  /** Not older than `since`, the newest first. */
  loginFailures(since: number, limit: number): Promise<LoginFailuresRow[]>;
};

// ---- custom nodes ---------------------------------------------------------------------------------------------

/** One version of a node type that its owner registered. */
export type CustomNodeRow = { ownerId: string; node: CustomNode; createdAt: number };

/** A workflow that was saved with a node, in these of its versions. */
export type NodeUse = { workflowId: string; name: string; versions: number[] };

/** They go with their owner. */
export type CustomNodeStore = {
  /**
   * `exists`: this version is there, and stays as it is. `deleted`: it was there once, and does not come back. `full`: the owner
   * has no room for it.
   */
  create(
    row: CustomNodeRow,
    most: { versions: number; bytes: number },
  ): Promise<'created' | 'exists' | 'deleted' | 'full'>;
  /** A number that grows whenever the owner's nodes change; 0: there never were any. */
  changes(ownerId: string): Promise<number>;
  /** At most `most` workflows that have a node of this type in any of their versions; version null: of any version. */
  uses(ownerId: string, nodeType: string, version: string | null, most: number): Promise<NodeUse[]>;
  /**
   * Deletes one version, or all. `used`: a workflow that changed since `checkedAt` has it. `full`: the owner deleted `most` versions.
   */
  remove(
    ownerId: string,
    nodeType: string,
    version: string | null,
    times: { deletedAt: number; checkedAt: number },
    most: number,
  ): Promise<'removed' | 'missing' | 'used' | 'full'>;
  /** By type, and of one type by version. */
  all(ownerId: string): Promise<CustomNodeRow[]>;
};

// ---- templates ------------------------------------------------------------------------------------------------

/** One version of a workflow template. `workflow` is the body of a create request, with its placeholders. */
export type TemplateRow = {
  ownerId: string;
  name: string;
  /** major.minor.patch without zeros in front; the greatest is the newest. */
  version: string;
  description: string;
  parameters: TemplateParameter[];
  workflow: JsonObject;
  createdAt: number;
};
export type TemplateSummaryRow = Omit<TemplateRow, 'workflow'>;

export type TemplateStore = {
  /** `exists`: this version is there, and stays as it is. `full`: the owner has `most` versions of templates. */
  create(template: TemplateRow, most: number): Promise<'created' | 'exists' | 'full'>;
  /** The newest version of each name, the last registered first; `search` is as in lists of workflows. */
  list(
    ownerId: string,
    search: string | null,
    offset: number,
    limit: number,
  ): Promise<{ rows: TemplateSummaryRow[]; total: number }>;
  /** `version` null: the newest. */
  get(ownerId: string, name: string, version: string | null): Promise<TemplateRow | null>;
  /** The newest first; empty when there is no such template. */
  versions(ownerId: string, name: string): Promise<string[]>;
  /** `version` null: all of them. False: not there. */
  remove(ownerId: string, name: string, version: string | null): Promise<boolean>;
};

// ---- processes ------------------------------------------------------------------------------------------------

/** A process of Weft that works on this store. `shares`: it knows of others, by a queue and events that they share. */
export type ProcessRow = {
  id: string;
  role: string;
  version: string;
  /** Of the machine. */
  host: string;
  pid: number;
  shares: boolean;
  startedAt: number;
  aliveUntil: number;
};
/** `place`: a small number, from 0, that no two live processes share. */
export type PlacedProcess = ProcessRow & { place: number };

export type ProcessStore = {
  /** Enters a process, or says that it is still alive; gives its place. */
  beat(row: ProcessRow, now: number): Promise<number>;
  /** Those whose `aliveUntil` is not over, the oldest first. */
  live(now: number): Promise<PlacedProcess[]>;
  leave(id: string): Promise<void>;
};

// ---- life of the data -----------------------------------------------------------------------------------------

export type Upkeep = {
  /**
   * Deletes settled executions whose retention is over (with journal, files, keys), at most `limit`, and expired
   * dedupe keys. Returns how many went and which contents may now be unreferenced.
   */
  prune(now: number, limit: number): Promise<{ executions: number; hashes: string[] }>;
  /** Gives freed pages back to the file system, a bounded piece at a time. True: there is more. */
  shrink(): Promise<boolean>;
  /** A consistent copy of the database into `file`, while it runs. */
  backup(file: string): Promise<void>;
  /** Writes and reads back something small: throws when the store does not work. */
  check(): Promise<void>;
  /** A name of this data that never changes: `candidate`, when it had none. */
  identity(candidate: string): Promise<string>;
};

export type Store = {
  executions: ExecutionStore;
  workflows: WorkflowStore;
  people: PeopleStore;
  oauth: OAuthStore;
  connections: ConnectionStore;
  files: FileRows;
  throttling: ThrottlingStore;
  polls: PollStore;
  templates: TemplateStore;
  customNodes: CustomNodeStore;
  processes: ProcessStore;
  upkeep: Upkeep;
  close(): Promise<void>;
};
