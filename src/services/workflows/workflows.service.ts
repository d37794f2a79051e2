import type { Static } from 'typebox';
import type {
  Definition,
  WorkflowSettings,
  WorkflowSort,
  WorkflowStatus,
} from '../../contract/definition.ts';
import { validate } from '../../contract/validate.ts';
import { createConflictError, createNotFoundError } from '../../contract/errors.ts';
import { PageQuery, toPage, toPagination, type Pagination } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import {
  CreateWorkflowSchema,
  NameVersionSchema,
  readOnlyWorkflowFields,
  type SettingsSchema,
  UpdateWorkflowSchema,
  WorkflowQuerySchema,
} from '../../contract/requests/workflow.ts';
import { isObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { NodeTypes, UserNodeTypes } from '../../ports/node-types.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { ActiveTriggers } from '../../ports/store/active-triggers.ts';
import type {
  WorkflowRow,
  WorkflowStore,
  WorkflowVersionRow,
  WorkflowVersionSummary,
} from '../../ports/store/workflows.ts';
import type { DefinitionValidator } from './validate-definition.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';
import { createWorkflowChanges, unchanged, type Change } from './workflow-changes.ts';
import { createActivityReads, type WorkflowActivity } from './workflow-activity.ts';
import type { FormLinks } from '../forms/form-links.ts';
import { createWorkflowReads, type WorkflowContent, type WorkflowView } from './workflow-reads.ts';
import { mayUseSecrets } from './secret-right.ts';
import { checkSettings, completeDefinition } from './lifecycle.ts';

export type WorkflowList = { rows: WorkflowRow[]; pagination: Pagination };
export type WorkflowVersions = {
  rows: WorkflowVersionSummary[];
  pagination: Pagination;
};

export type WorkflowsDeps = {
  workflows: WorkflowStore;
  executions: Pick<ExecutionStore, 'listLast'>;
  /** The built-in node types: every trigger is one of them. */
  nodeTypes: NodeTypes;
  ownTypes: UserNodeTypes;
  validator: DefinitionValidator;
  audit: Pick<AuditLog, 'describe'>;
  clock: Pick<Clock, 'now'>;
  ids: Ids;
  /** The public base URL, ending with /v1. */
  baseUrl(): string;
  formLinks: FormLinks;
  timezone: string;
  /** Whether services can send requests to this one. */
  hasPublicUrl: boolean;
  /** Whether the user still exists. */
  isUser(id: string): Promise<boolean>;
  /** Called after every change of the active triggers; null when the workflow was deleted. */
  changed(workflowId: string, live: ActiveTriggers | null): void;
};

export type Workflows = ReturnType<typeof createWorkflows>;

/** Workflows: definitions, versions, status. A workflow of another owner is NOT_FOUND, like a missing one. */
export function createWorkflows(deps: WorkflowsDeps) {
  const { workflows, clock } = deps;
  const reads = createWorkflowReads(deps);
  const activity = createActivityReads(deps);
  const changes = createWorkflowChanges({ ...deps, reads });

  async function view(principal: Principal, row: WorkflowRow, definition: Definition): Promise<WorkflowView> {
    const [content, [known]] = await Promise.all([reads.view(row, definition), activity(principal, [row])]);
    return { ...content, activity: known! };
  }

  async function change(principal: Principal, id: string, wanted: Change): Promise<WorkflowView> {
    const { row, definition } = await changes.change(principal, id, wanted);
    return view(principal, row, definition);
  }

  /**
   * Unchanged settings (`kept`) are not validated again: the workflow that they name may have been deleted
   * since.
   */
  function toStoredSettings(
    ownerId: string,
    given: Static<typeof SettingsSchema> = {},
    kept: string | null = null,
  ): Promise<WorkflowSettings> {
    return checkSettings(
      given,
      async (other) => other === kept || (await workflows.get(ownerId, other)) !== null,
    );
  }

  return {
    /** Creates a workflow. Only the name is required. */
    async create(principal: Principal, input: unknown): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      const given = validate(CreateWorkflowSchema, input);
      const settings = await toStoredSettings(principal.userId, given.settings);
      const definition = completeDefinition(given.definition, await deps.ownTypes.of(principal.userId));
      const status = given.status ?? 'draft';
      const now = clock.now();
      const first = {
        id: deps.ids.next('workflow'),
        ownerId: principal.userId,
        name: given.name,
        description: given.description ?? '',
        status,
        version: 1,
        activeVersion: status === 'active' ? 1 : null,
        settings,
        tags: given.tags ?? [],
        createdAt: now,
        updatedAt: now,
      };
      const created = await changes.create(principal, first, definition, {
        isDryRun: given.dry_run === true,
        mayUseSecrets: mayUseSecrets(principal),
      });
      return view(principal, created.row, created.definition);
    },

    async list(principal: Principal, input: unknown): Promise<WorkflowList> {
      requireScope(principal, 'workflows:read');
      const query = validate(WorkflowQuerySchema, input);
      const page = toPage(query);
      const filter = {
        ...(query.status === undefined ? {} : { status: query.status as WorkflowStatus }),
        ...(query.search === undefined || query.search === '' ? {} : { search: query.search }),
        ...(query.tag === undefined ? {} : { tag: query.tag }),
        ...readOrder(query as { sort?: WorkflowSort; direction?: 'asc' | 'desc' }),
      };
      const { rows, total } = await workflows.list(principal.userId, filter, page.offset, page.limit);
      return { rows, pagination: toPagination(page, total) };
    },

    /** Returns the existing rows of these ids in few statements, unordered. */
    async rows(principal: Principal, ids: readonly string[]): Promise<WorkflowRow[]> {
      requireScope(principal, 'workflows:read');
      return workflows.getMany(principal.userId, ids);
    },

    /**
     * Returns the newest definitions of the caller's workflows in few statements, in the order of `rows`;
     * null for a workflow that was deleted meanwhile.
     */
    async definitions(principal: Principal, rows: readonly WorkflowRow[]): Promise<(Definition | null)[]> {
      requireScope(principal, 'workflows:read');
      return reads.definitions(principal.userId, rows);
    },

    /** Does the same with issues and triggers. */
    async views(principal: Principal, rows: readonly WorkflowRow[]): Promise<(WorkflowContent | null)[]> {
      requireScope(principal, 'workflows:read');
      return reads.views(principal.userId, rows);
    },

    /** The last and next run of the caller's workflows, in few statements, in the order of `rows`. */
    async activity(principal: Principal, rows: readonly WorkflowRow[]): Promise<WorkflowActivity[]> {
      requireScope(principal, 'workflows:read');
      return activity(principal, rows);
    },

    async get(principal: Principal, id: string): Promise<WorkflowView> {
      requireScope(principal, 'workflows:read');
      const { row, definition } = await reads.load(principal.userId, id);
      return view(principal, row, definition);
    },

    /** Replaces the given fields. `version`, if given, must be the current one. */
    async update(principal: Principal, id: string, input: unknown): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      // The response contains the whole workflow.
      requireScope(principal, 'workflows:read');
      const given = validate(UpdateWorkflowSchema, withoutReadOnly(input));
      const named = given.settings?.on_failure_workflow;
      const before = typeof named === 'string' ? await workflows.get(principal.userId, id) : null;
      const kept = before?.settings.on_failure_workflow ?? null;
      const settings = await toStoredSettings(principal.userId, given.settings, kept);
      return change(principal, id, {
        name: given.name ?? null,
        description: given.description ?? null,
        definition:
          given.definition === undefined
            ? null
            : completeDefinition(given.definition, await deps.ownTypes.of(principal.userId)),
        status: (given.status ?? null) as WorkflowStatus | null,
        settings: given.settings === undefined ? null : settings,
        tags: given.tags ?? null,
        version: given.version ?? null,
        publish: given.publish ?? null,
        isDryRun: given.dry_run === true,
        mayUseSecrets: mayUseSecrets(principal),
      });
    },

    /**
     * Makes the newest version the one that triggers run. @throws {WeftError} CONFLICT unless the workflow is
     * active.
     */
    async publish(principal: Principal, id: string): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      // The response contains the whole workflow.
      requireScope(principal, 'workflows:read');
      const { row, definition } = await reads.load(principal.userId, id);
      if (row.status !== 'active') {
        throw createConflictError(`Only an active workflow can be published; this one is ${row.status}.`, {
          status: row.status,
        });
      }
      if (row.activeVersion === row.version) return view(principal, row, definition);
      return change(principal, id, { ...unchanged, publish: true });
    },

    async versions(principal: Principal, id: string, input: unknown): Promise<WorkflowVersions> {
      requireScope(principal, 'workflows:read');
      const page = toPage(validate(PageQuery, input));
      const found = await workflows.versions(principal.userId, id, page.offset, page.limit);
      if (found === null) throw createNotFoundError('workflow');
      return { rows: found.rows, pagination: toPagination(page, found.total) };
    },

    async version(principal: Principal, id: string, version: string): Promise<WorkflowVersionRow> {
      requireScope(principal, 'workflows:read');
      return reads.loadVersion(principal.userId, id, version);
    },

    /** Sets or removes the name of a version. */
    async nameVersion(
      principal: Principal,
      id: string,
      version: string,
      input: unknown,
    ): Promise<WorkflowVersionRow> {
      requireScope(principal, 'workflows:write');
      // The response contains the definition.
      requireScope(principal, 'workflows:read');
      const { name } = validate(NameVersionSchema, input);
      const { userId: ownerId } = principal;
      const [row, found] = await Promise.all([
        workflows.get(ownerId, id),
        reads.loadVersion(ownerId, id, version),
      ]);
      if (row === null) throw createNotFoundError('workflow');
      if (found.version < 0) throw createNotFoundError('version of a workflow');
      const event = deps.audit.describe(
        principal,
        'workflow.version_named',
        { id, name: row.name },
        { version: found.version, name },
      );
      const key = { ownerId, workflowId: id, version: found.version };
      if (!(await workflows.nameVersion(key, name, event)))
        throw createNotFoundError('version of a workflow');
      return { ...found, name };
    },

    /** Saves the definition of an old version as the newest version. */
    async restore(principal: Principal, id: string, version: string): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      // The response contains the whole workflow.
      requireScope(principal, 'workflows:read');
      const { definition } = await reads.loadVersion(principal.userId, id, version);
      return change(principal, id, {
        ...unchanged,
        definition,
        isRestore: true,
        mayUseSecrets: mayUseSecrets(principal),
      });
    },
  };
}

function readOrder(query: { sort?: WorkflowSort; direction?: 'asc' | 'desc' }) {
  const { sort = 'created_at', direction = sort === 'name' ? 'asc' : 'desc' } = query;
  return { sort, direction };
}

function withoutReadOnly(input: unknown): unknown {
  if (!isObject(input)) return input;
  const readOnly = new Set<string>(readOnlyWorkflowFields);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !readOnly.has(name)));
}
