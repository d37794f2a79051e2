import type { Definition, WorkflowSettings, WorkflowStatus } from '../contract/definition.ts';
import type { ExecutionStatus, ExecutionTrigger, NodeError } from '../contract/execution.ts';
import type { Role, SubscriptionPlan } from '../contract/principal.ts';
import type { Json } from '../lib/json/json.ts';
import type { ApiKeyRow } from '../ports/store/accounts/api-keys.ts';
import type { ExecutionRow } from '../ports/store/execution-row.ts';
import type { FileRow } from '../ports/store/files.ts';
import type { ScheduleRow, WebhookRoute } from '../ports/store/active-triggers.ts';
import type { SecretRow } from '../ports/store/secrets.ts';
import type { SessionRow } from '../ports/store/accounts/sessions.ts';
import type { UserRow } from '../ports/store/accounts/users.ts';
import type {
  DeletedWorkflowRow,
  VersionAuthor,
  WorkflowRow,
  WorkflowVersionRow,
} from '../ports/store/workflows.ts';

/* Rows as stored in the database (snake_case, JSON as text) and as named by the port. */

export type ExecutionRecord = {
  id: string;
  owner_id: string;
  workflow_id: string;
  workflow_version: number;
  status: ExecutionStatus;
  started_by: string;
  error: string | null;
  progress: number;
  current_node: string | null;
  created_at: number;
  start_time: number | null;
  end_time: number | null;
  parent_id: string | null;
  retry_of: string | null;
};

export function toExecution(r: ExecutionRecord): ExecutionRow {
  return {
    id: r.id,
    ownerId: r.owner_id,
    workflowId: r.workflow_id,
    workflowVersion: r.workflow_version,
    status: r.status,
    trigger: JSON.parse(r.started_by) as ExecutionTrigger,
    error: r.error === null ? null : (JSON.parse(r.error) as NodeError),
    progress: r.progress,
    currentNode: r.current_node,
    createdAt: r.created_at,
    startTime: r.start_time,
    endTime: r.end_time,
    parentId: r.parent_id,
    retryOf: r.retry_of,
  };
}

export type WorkflowRecord = {
  id: string;
  owner_id: string;
  name: string;
  description: string;
  status: WorkflowStatus;
  version: number;
  active_version: number | null;
  settings: string;
  tags: string;
  node_count: number;
  execution_count: number;
  created_at: number;
  updated_at: number;
};

export function toWorkflow(r: WorkflowRecord): WorkflowRow {
  return {
    id: r.id,
    ownerId: r.owner_id,
    name: r.name,
    description: r.description,
    status: r.status,
    version: r.version,
    activeVersion: r.active_version,
    // Most workflows have no settings, and lists read many.
    settings: r.settings === '{}' ? {} : (JSON.parse(r.settings) as WorkflowSettings),
    tags: r.tags === '[]' ? [] : (JSON.parse(r.tags) as string[]),
    nodeCount: r.node_count,
    executionCount: r.execution_count,
    createdAt: r.created_at,
    updatedAt: r.updated_at,
  };
}

export type DeletedWorkflowRecord = WorkflowRecord & {
  deleted_at: number;
  deleted_by: string | null;
  purge_at: number;
};

export function toDeletedWorkflow(r: DeletedWorkflowRecord): DeletedWorkflowRow {
  return { ...toWorkflow(r), deletedAt: r.deleted_at, deletedBy: r.deleted_by, purgeAt: r.purge_at };
}

export type VersionRecord = {
  workflow_id: string;
  version: number;
  name: string | null;
  definition: string;
  created_at: number;
} & AuthorColumns;

export type AuthorColumns = { author_type: VersionAuthor['type'] | null; author_name: string | null };

export function toVersionAuthor({
  author_type: type,
  author_name: name,
}: AuthorColumns): VersionAuthor | null {
  return type === null || name === null ? null : { type, name };
}

export function toVersion(r: VersionRecord): WorkflowVersionRow {
  const definition = JSON.parse(r.definition) as Definition;
  const { workflow_id: workflowId, version, name, created_at: createdAt } = r;
  return { workflowId, version, name, author: toVersionAuthor(r), definition, createdAt };
}

export type WebhookRecord = {
  workflow_id: string;
  node_id: string;
  owner_id: string;
  version: number;
  method: string;
  endpoint: string;
  shape: string;
};

export function toWebhook(r: WebhookRecord): WebhookRoute {
  return {
    workflowId: r.workflow_id,
    nodeId: r.node_id,
    ownerId: r.owner_id,
    version: r.version,
    method: r.method,
    endpoint: r.endpoint,
    shape: r.shape,
  };
}

export type ScheduleRecord = {
  workflow_id: string;
  node_id: string;
  owner_id: string;
  version: number;
  spec: string;
  next_run_at: number | null;
  last_error: string | null;
  address?: string | null;
};

export function toSchedule(r: ScheduleRecord): ScheduleRow {
  return {
    workflowId: r.workflow_id,
    nodeId: r.node_id,
    ownerId: r.owner_id,
    version: r.version,
    spec: JSON.parse(r.spec) as Json,
    nextRunAt: r.next_run_at,
    lastError: r.last_error,
    ...(r.address === undefined || r.address === null ? {} : { address: r.address }),
  };
}

export type UserRecord = {
  id: string;
  email: string;
  name: string;
  password_hash: string;
  role: Role;
  plan: SubscriptionPlan;
  created_at: number;
};

export function toUser(r: UserRecord): UserRow {
  return {
    id: r.id,
    email: r.email,
    name: r.name,
    passwordHash: r.password_hash,
    role: r.role,
    plan: r.plan,
    createdAt: r.created_at,
  };
}

export type SessionRecord = {
  id: string;
  user_id: string;
  token_id: string;
  previous_token_id: string | null;
  rotated_at: number;
  created_at: number;
  expires_at: number;
  ended_at: number | null;
};

export function toSession(r: SessionRecord): SessionRow {
  return {
    id: r.id,
    userId: r.user_id,
    tokenId: r.token_id,
    previousTokenId: r.previous_token_id,
    rotatedAt: r.rotated_at,
    createdAt: r.created_at,
    expiresAt: r.expires_at,
    endedAt: r.ended_at,
  };
}

export type ApiKeyRecord = {
  id: string;
  owner_id: string;
  name: string;
  hash: string;
  prefix: string;
  scopes: string | null;
  expires_at: number | null;
  created_at: number;
  last_used_at: number | null;
};

export function toApiKey(r: ApiKeyRecord): ApiKeyRow {
  return {
    id: r.id,
    ownerId: r.owner_id,
    name: r.name,
    hash: r.hash,
    prefix: r.prefix,
    scopes: r.scopes === null ? null : (JSON.parse(r.scopes) as string[]),
    expiresAt: r.expires_at,
    createdAt: r.created_at,
    lastUsedAt: r.last_used_at,
  };
}

export type SecretRecord = {
  owner_id: string;
  name: string;
  hosts: string | null;
  description: string;
  created_at: number;
  updated_at: number;
};

export function toSecret(r: SecretRecord): Omit<SecretRow, 'value'> {
  return {
    ownerId: r.owner_id,
    name: r.name,
    hosts: r.hosts === null ? null : (JSON.parse(r.hosts) as string[]),
    description: r.description,
    createdAt: r.created_at,
    updatedAt: r.updated_at,
  };
}

export type FileRecord = {
  id: string;
  owner_id: string;
  execution_id: string;
  hash: string;
  name: string;
  content_type: string;
  size: number;
  created_at: number;
};

export function toFile(r: FileRecord): FileRow {
  return {
    id: r.id,
    ownerId: r.owner_id,
    executionId: r.execution_id,
    hash: r.hash,
    name: r.name,
    contentType: r.content_type,
    size: r.size,
    createdAt: r.created_at,
  };
}
