import type {
  Definition,
  WorkflowSettings,
  WorkflowSort,
  WorkflowStatus,
} from '../../contract/definition.ts';
import type { ActiveTriggers, TriggerStore } from './active-triggers.ts';
import type { AuditedChange } from './audit.ts';

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
  /** Given by a user. */
  name: string | null;
  /** Null: saved before authors were stored. */
  author: VersionAuthor | null;
  definition: Definition;
  createdAt: number;
};

/** A version without its definition. */
export type WorkflowVersionSummary = {
  version: number;
  name: string | null;
  author: VersionAuthor | null;
  createdAt: number;
  nodeCount: number;
};

/** Who saved a version, with the name that the user, API key or OAuth client had then. */
export type VersionAuthor = { type: 'user' | 'api_key' | 'oauth_client'; name: string };

/** A definition that is run as a test, without being saved as a version of its workflow. */
export type TestDefinition = {
  ownerId: string;
  workflowId: string;
  definition: Definition;
  author: NonNullable<WorkflowChange['author']>;
  createdAt: number;
};

export type VersionKey = { workflowId: string; version: number };

export type WorkflowChange = {
  /** The new row (`version` already incremented). */
  row: Omit<WorkflowRow, 'nodeCount' | 'executionCount'>;
  /** The definition of `row.version`. */
  definition: Definition;
  /** The version that must still be current; null creates the workflow. */
  expected: number | null;
  live: ActiveTriggers;
  /** Who saves it; the store adds the name. Null: the version has no author. */
  author?: { type: VersionAuthor['type']; id: string } | null;
  /** Only checks whether it could be saved. */
  isDryRun?: boolean;
};

export type WorkflowFilter = {
  status?: WorkflowStatus;
  search?: string;
  tag?: string;
  /** Default: `created_at`. A workflow that never ran counts as the one that ran longest ago. */
  sort?: WorkflowSort;
  /** Default: `desc`. */
  direction?: 'asc' | 'desc';
};

/** A deleted workflow that can be restored. */
export type DeletedWorkflowRow = WorkflowRow & Deletion;
export type Deletion = {
  deletedAt: number;
  /** The id of the user. */
  deletedBy: string | null;
  /** When it is deleted permanently. */
  purgeAt: number;
};

export type WorkflowStore = TriggerStore & {
  /**
   * `stale`: the version has changed. `taken`: another active workflow has this method and endpoint.
   * `reserved`: the first segment of the endpoint belongs to another user. `too_many_segments`: the workflow
   * has reached its limit of segments. Saving a active webhook reserves its first segment for the owner until
   * the workflow is removed.
   */
  save(
    change: WorkflowChange,
    event?: AuditedChange,
  ): Promise<
    | { kind: 'saved' }
    | { kind: 'stale'; current: number }
    | { kind: 'missing' }
    | { kind: 'taken'; method: string; endpoint: string }
    | { kind: 'reserved'; endpoint: string }
    | { kind: 'too_many_segments' }
  >;
  get(ownerId: string, id: string): Promise<WorkflowRow | null>;
  /** `search` is a case-insensitive substring of name or description. */
  list(
    ownerId: string,
    filter: WorkflowFilter,
    offset: number,
    limit: number,
  ): Promise<{ rows: WorkflowRow[]; total: number }>;
  version(ownerId: string, id: string, version: number): Promise<WorkflowVersionRow | null>;
  /** The existing ones of these workflows and versions, unordered, in a fixed number of statements. */
  getMany(ownerId: string, ids: readonly string[]): Promise<WorkflowRow[]>;
  getManyVersions(ownerId: string, wanted: readonly VersionKey[]): Promise<WorkflowVersionRow[]>;
  /** Newest first, without definitions. */
  versions(
    ownerId: string,
    id: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: WorkflowVersionSummary[]; total: number } | null>;
  /**
   * Stores a definition until no execution uses it any more. Returns its number, which is negative and never
   * used again; null: the workflow does not exist. `versions` does not list it.
   */
  saveTest(test: TestDefinition): Promise<number | null>;
  /** Sets or removes the name of a version. False: not found. */
  nameVersion(
    key: VersionKey & { ownerId: string },
    name: string | null,
    event?: AuditedChange,
  ): Promise<boolean>;
  /**
   * Deletes the workflow with its versions, executions, journal, keys and active triggers, also one that was
   * deleted and can be restored. False: not found.
   */
  remove(ownerId: string, id: string, event?: AuditedChange): Promise<boolean>;
  /**
   * Deletes the executions, journal, keys and active triggers of the workflow, and hides it from every other
   * operation; its versions, settings, tags and pinned outputs are kept until `purgeAt`. False: not found.
   */
  markDeleted(ownerId: string, id: string, deletion: Deletion, event?: AuditedChange): Promise<boolean>;
  /** Restores a deleted workflow, inactive or as a draft, with these active triggers. False: not found. */
  undelete(ownerId: string, id: string, live: ActiveTriggers, event?: AuditedChange): Promise<boolean>;
  deleted(ownerId: string, id: string): Promise<DeletedWorkflowRow | null>;
  /** Last deleted first. */
  listDeleted(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: DeletedWorkflowRow[]; total: number }>;
  /** The number of unsettled executions of the workflow (for schedule overlap). */
  running(workflowId: string): Promise<number>;
};
