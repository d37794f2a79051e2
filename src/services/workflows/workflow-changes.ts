import { CHAT_METHOD, TOOL_METHOD } from '../webhooks/webhook-endpoint.ts';
import type { Definition, Issue, WorkflowStatus } from '../../contract/definition.ts';
import {
  createConflictError,
  createNotFoundError,
  createValidationError,
  WeftError,
} from '../../contract/errors.ts';
import { isJsonEqual } from '../../lib/json/json-equal.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import { limits } from '../../ports/limits.ts';
import type { ActiveTriggers, ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { WorkflowChange, WorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import type { DefinitionValidator } from './validate-definition.ts';
import { isPackWebhook } from '../triggers/pack-poll.ts';
import { listActiveTriggers, withTriggerSync } from '../triggers/active-triggers.ts';
import type { WorkflowReads } from './workflow-reads.ts';
import { refuseNewSecretUse } from './secret-right.ts';
import { checkTransition, toIssues } from './lifecycle.ts';
import { listChangedFields, type AuditLog } from '../audit/audit-log.ts';
import type { AuditAction, AuditEvent } from '../../contract/audit/audit-event.ts';
import type { Principal } from '../../contract/principal.ts';

/**
 * The fields of a change; null leaves a field unchanged. A null `publish` applies the default for the status.
 */
export type Change = {
  name: string | null;
  description: string | null;
  definition: Definition | null;
  status: WorkflowStatus | null;
  settings: WorkflowRow['settings'] | null;
  tags: string[] | null;
  version: number | null;
  publish: boolean | null;
  /** Creates a version even if the definition is unchanged. */
  isRestore?: boolean;
  /** Validates everything and stores nothing. */
  isDryRun?: boolean;
  /** If false, nodes that use a secret or a connection must stay unchanged. */
  mayUseSecrets: boolean;
};

export const unchanged: Change = {
  name: null,
  description: null,
  definition: null,
  status: null,
  settings: null,
  tags: null,
  version: null,
  publish: null,
  mayUseSecrets: true,
};

/** A version to save; the store computes the omitted fields. */
type NewVersion = Omit<WorkflowRow, 'nodeCount' | 'executionCount'>;
type Changed = { row: WorkflowRow; definition: Definition };

/** Maximum number of attempts when a change without a version races with another change. */
const MAX_CHANGE_ATTEMPTS = 5;

/**
 * Saves versions of workflows: validates each as its status requires, and updates the workflow's active
 * triggers in the same transaction.
 */
export function createWorkflowChanges(deps: {
  workflows: Pick<WorkflowStore, 'save' | 'remove' | 'version' | 'schedules'>;
  reads: Pick<WorkflowReads, 'load'>;
  nodeTypes: NodeTypes;
  validator: DefinitionValidator;
  audit: Pick<AuditLog, 'describe'>;
  clock: Pick<Clock, 'now'>;
  timezone: string;
  /** Whether services can send requests to this one. */
  hasPublicUrl: boolean;
  /** Whether the user still exists. */
  isUser(id: string): Promise<boolean>;
  /** Called after every change of the active triggers; null when the workflow was deleted. */
  changed(workflowId: string, live: ActiveTriggers | null): void;
}) {
  const { workflows, validator, clock } = deps;

  /**
   * @throws {WeftError} VALIDATION_ERROR for form errors, and for content errors where the status does not
   * allow them.
   */
  async function rejectInvalid(
    ownerId: string,
    definition: Definition,
    includesContent: boolean,
  ): Promise<void> {
    const found = await validator.find(ownerId, definition);
    if (found.form.length > 0) throw createValidationError(found.form);
    if (includesContent && found.issues.length > 0)
      throw createValidationError(toIssues(found.issues, definition));
  }

  /**
   * Returns `stale` when another change was saved first. A null `event` is a dry run.
   * @throws {WeftError} CONFLICT when another workflow has the endpoint.
   */
  async function save(
    row: NewVersion,
    definition: Definition,
    liveDefinition: Definition | null,
    expected: number | null,
    principal: Principal,
    event: AuditEvent | null,
  ): Promise<'saved' | 'stale'> {
    const isDryRun = event === null;
    const live: ActiveTriggers =
      liveDefinition === null || row.activeVersion === null
        ? { webhooks: [], schedules: [], completionTriggers: [], pollingTriggers: [] }
        : listActiveTriggers(row, liveDefinition, row.activeVersion, deps.nodeTypes, {
            now: clock.now(),
            timezone: deps.timezone,
            previous: expected === null ? [] : await workflows.schedules(row.ownerId, row.id),
          });
    const pushed = deps.hasPublicUrl ? [] : live.pollingTriggers.filter(isPackWebhook);
    if (pushed.length > 0 && liveDefinition !== null)
      throw createValidationError(toIssues(pushed.map(toUnreachable), liveDefinition));
    live.completionTriggers.push(...withTriggerSync(row, row.settings));
    const result = await workflows.save(
      { row, definition, expected, live, author: getAuthor(principal), isDryRun },
      event,
    );
    // A user who was deleted during the request must leave no active workflow.
    if (result.kind === 'saved' && !isDryRun && !(await deps.isUser(row.ownerId))) {
      await workflows.remove(row.ownerId, row.id);
      deps.changed(row.id, null);
      throw new WeftError('UNAUTHORIZED');
    }
    if (result.kind === 'missing') throw createNotFoundError('workflow');
    if (result.kind === 'taken') {
      const { method, endpoint } = result;
      if (method === TOOL_METHOD || method === CHAT_METHOD) {
        const what = method === TOOL_METHOD ? 'tool' : 'model';
        throw createConflictError(
          `Another active workflow already is the ${what} ${endpoint.split('/').at(-1)}.`,
          {
            field: 'definition',
          },
        );
      }
      throw createConflictError(`Another active workflow already receives ${method} ${endpoint}.`, {
        field: 'definition',
        method,
        endpoint,
      });
    }
    if (result.kind === 'reserved') {
      throw createConflictError(
        `The first path segment of the endpoint ${result.endpoint} belongs to another user's workflow; choose another one.`,
        { field: 'definition', endpoint: result.endpoint },
      );
    }
    if (result.kind === 'too_many_segments') {
      throw createConflictError(
        `A workflow may use at most ${limits.webhookSegments} different first path segments of webhook endpoints, former ones included.`,
        { field: 'definition', limit: limits.webhookSegments },
      );
    }
    if (result.kind === 'saved' && !isDryRun) deps.changed(row.id, live);
    return result.kind;
  }

  return {
    /** Saves the first version. */
    async create(
      principal: Principal,
      row: NewVersion,
      definition: Definition,
      { isDryRun, mayUseSecrets }: { isDryRun: boolean; mayUseSecrets: boolean },
    ): Promise<Changed> {
      if (!mayUseSecrets) await refuseNewSecretUse(validator, row.ownerId, definition, null);
      await rejectInvalid(row.ownerId, definition, row.status !== 'draft');
      const { id, name, status } = row;
      const event = isDryRun
        ? null
        : deps.audit.describe(principal, 'workflow.created', { id, name }, { version: 1, status });
      await save(row, definition, status === 'active' ? definition : null, null, principal, event);
      return { row: { ...row, nodeCount: definition.nodes.length, executionCount: 0 }, definition };
    },

    /**
     * Saves the next version, or returns the newest one when the change contains nothing new.
     * @throws {WeftError} CONFLICT when `version` is not the newest one, or when every attempt lost a race.
     */
    async change(principal: Principal, id: string, wanted: Change): Promise<Changed> {
      const ownerId = principal.userId;
      for (let attempt = 1; ; attempt++) {
        const { row, definition: before } = await deps.reads.load(ownerId, id);
        if (wanted.version !== null && wanted.version !== row.version)
          throw staleVersion(wanted.version, row.version);
        const status = wanted.status ?? row.status;
        checkTransition(row.status, status);
        const definition = wanted.definition ?? before;
        if (wanted.definition !== null && !wanted.mayUseSecrets)
          await refuseNewSecretUse(validator, ownerId, definition, before);
        const version = row.version + 1;
        const goesLive = status === 'active' && publishes(row, wanted);
        const isPublished = goesLive && row.activeVersion !== row.version;
        // A draft may have content errors, and so may a version of an active workflow that is not published
        // yet.
        const mayBeInvalid = status === 'draft' || (status === 'active' && !goesLive);
        // An unchanged definition is not validated again: resources that it references may have been deleted
        // since.
        const isKept = status === row.status && !isPublished && isJsonEqual(definition, before);
        if (!isKept && (wanted.definition !== null || isPublished))
          await rejectInvalid(ownerId, definition, !mayBeInvalid);
        const isSame = status === row.status && !isPublished && isUnchanged(row, before, wanted);
        if (isSame && wanted.isRestore !== true) return { row, definition: before };
        const activeVersion = status !== 'active' ? null : goesLive ? version : row.activeVersion;
        if (status === 'active' && activeVersion === null) {
          throw createValidationError([
            { field: 'publish', issue: 'cannot be false while the workflow is being activated' },
          ]);
        }
        const next: NewVersion = {
          id,
          ownerId,
          name: wanted.name ?? row.name,
          description: wanted.description ?? row.description,
          status,
          version,
          activeVersion,
          settings: wanted.settings ?? row.settings,
          tags: wanted.tags ?? row.tags,
          createdAt: row.createdAt,
          updatedAt: clock.now(),
        };
        let live: Definition | null = null;
        if (goesLive) live = definition;
        else if (activeVersion !== null)
          live = (await workflows.version(ownerId, id, activeVersion))?.definition ?? null;
        const fields = listChangedFields(describeRow(row, before), describeRow(next, definition));
        const details = {
          version,
          fields,
          ...(status !== row.status && { status: { from: row.status, to: status } }),
        };
        const event =
          wanted.isDryRun === true
            ? null
            : deps.audit.describe(
                principal,
                selectAction(row, next, wanted, fields.length),
                { id, name: next.name },
                details,
              );
        if ((await save(next, definition, live, row.version, principal, event)) === 'saved')
          return { row: { ...row, ...next, nodeCount: definition.nodes.length }, definition };
        if (wanted.version !== null || attempt >= MAX_CHANGE_ATTEMPTS)
          throw staleVersion(wanted.version ?? row.version, null);
      }
    },
  };
}

export function getAuthor({
  userId,
  via,
  keyId,
  clientId,
}: Principal): NonNullable<WorkflowChange['author']> {
  if (via === 'api_key' && keyId !== undefined) return { type: 'api_key', id: keyId };
  if (via === 'oauth' && clientId !== undefined) return { type: 'oauth_client', id: clientId };
  return { type: 'user', id: userId };
}

function describeRow(row: NewVersion, definition: Definition) {
  const { name, description, status, settings, tags } = row;
  return { name, description, definition, status, settings, tags };
}

/** The action of a change that may do several things: the one with the most effect. */
function selectAction(row: WorkflowRow, next: NewVersion, wanted: Change, changes: number): AuditAction {
  if (next.status === 'active' && row.status !== 'active') return 'workflow.activated';
  if (next.status !== 'active' && row.status === 'active') return 'workflow.deactivated';
  if (wanted.isRestore === true) return 'workflow.version_restored';
  return changes === 0 && next.activeVersion === next.version ? 'workflow.published' : 'workflow.updated';
}

/**
 * Whether the new version becomes the active one: it replaces the active version, unless the active version
 * is kept beside a draft.
 */
function publishes(row: WorkflowRow, wanted: Change): boolean {
  if (wanted.publish !== null) return wanted.publish;
  return row.status !== 'active' || wanted.definition !== null || row.activeVersion === row.version;
}

/** Whether every given field equals its current value: the change then creates no version. */
function isUnchanged(row: WorkflowRow, definition: Definition, wanted: Change): boolean {
  const pairs: [unknown, unknown][] = [
    [wanted.name, row.name],
    [wanted.description, row.description],
    [wanted.definition, definition],
    [wanted.settings, row.settings],
    [wanted.tags, row.tags],
  ];
  return pairs.every(([next, now]) => next === null || isJsonEqual(next as Json, now as Json));
}

function staleVersion(given: number, current: number | null): WeftError {
  const now = current === null ? 'it has just been changed' : `the current one is ${current}`;
  return createConflictError(
    `Version ${given} is not the workflow's current version: ${now}. Get it again and repeat the change.`,
    {
      field: 'version',
      ...(current === null ? {} : { current_version: current }),
    },
  );
}

function toUnreachable({ nodeId }: ScheduleRow): Issue {
  return {
    node_id: nodeId,
    field: 'config.event',
    issue:
      'must be an event that is polled, unless WEFT_PUBLIC_URL is set: its service sends requests to that URL',
  };
}
