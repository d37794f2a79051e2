import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';
import type { WorkflowActivity } from '../../services/workflows/workflow-activity.ts';
import type { WorkflowView } from '../../services/workflows/workflow-reads.ts';
import type { DeletedWorkflowPage } from '../../services/workflows/deleted-workflows.service.ts';
import type { WorkflowVersions } from '../../services/workflows/workflows.service.ts';
import type { PinnedOutput } from '../../ports/store/pinned-outputs.ts';
import type { DeletedWorkflowRow, WorkflowRow, WorkflowVersionRow } from '../../ports/store/workflows.ts';

/** A workflow in a list. */
export function presentWorkflowSummary(row: WorkflowRow, { lastExecution, nextDueAt }: WorkflowActivity) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    status: row.status,
    created_at: formatIsoTime(row.createdAt),
    updated_at: formatIsoTime(row.updatedAt),
    node_count: row.nodeCount,
    execution_count: row.executionCount,
    version: row.version,
    active_version: row.activeVersion,
    tags: row.tags,
    last_execution:
      lastExecution === null
        ? null
        : {
            id: lastExecution.id,
            status: lastExecution.status,
            started_at: formatIsoTimeOrNull(lastExecution.startedAt),
          },
    next_due_at: formatIsoTimeOrNull(nextDueAt),
  };
}

/** A complete workflow; `definition` is user data and passed unchanged. */
export function presentWorkflow({ row, definition, issues, triggers, activity }: WorkflowView) {
  return {
    ...presentWorkflowSummary(row, activity),
    definition,
    issues,
    triggers: triggers.map((trigger) => ({
      node_id: trigger.nodeId,
      type: trigger.type,
      ...(trigger.url === undefined ? {} : { url: trigger.url }),
      ...(trigger.links === undefined
        ? {}
        : { links: trigger.links.map(({ name, url, expiresAt }) => ({ name, url, expires_at: expiresAt })) }),
      ...(trigger.method === undefined ? {} : { method: trigger.method }),
      ...(trigger.nextRunAt === undefined ? {} : { next_run_at: formatIsoTimeOrNull(trigger.nextRunAt) }),
      ...(trigger.lastError === undefined ? {} : { last_error: trigger.lastError }),
    })),
    owner_id: row.ownerId,
    settings: {
      timeout: row.settings.timeout ?? null,
      max_concurrency: row.settings.max_concurrency ?? null,
      on_failure_workflow: row.settings.on_failure_workflow ?? null,
      retention: row.settings.retention ?? null,
      max_cost_per_day: row.settings.max_cost_per_day ?? null,
      max_tokens_per_day: row.settings.max_tokens_per_day ?? null,
    },
  };
}

export function presentDeletedWorkflows({ rows, retention, pagination }: DeletedWorkflowPage) {
  return { workflows: rows.map(presentDeletedWorkflow), retention, pagination };
}

function presentDeletedWorkflow(row: DeletedWorkflowRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    status: row.status,
    created_at: formatIsoTime(row.createdAt),
    updated_at: formatIsoTime(row.updatedAt),
    node_count: row.nodeCount,
    version: row.version,
    tags: row.tags,
    deleted_at: formatIsoTime(row.deletedAt),
    deleted_by: row.deletedBy,
    purge_at: formatIsoTime(row.purgeAt),
  };
}

export function presentVersions({ rows, pagination }: WorkflowVersions) {
  return {
    versions: rows.map((row) => ({
      version: row.version,
      name: row.name,
      author: row.author,
      created_at: formatIsoTime(row.createdAt),
      node_count: row.nodeCount,
    })),
    pagination,
  };
}

export function presentVersion(version: WorkflowVersionRow) {
  return {
    workflow_id: version.workflowId,
    version: version.version,
    name: version.name,
    author: version.author,
    created_at: formatIsoTime(version.createdAt),
    node_count: version.definition.nodes.length,
    definition: version.definition,
  };
}

export function presentPinnedOutput({ nodeId, output, ports, pinnedAt }: PinnedOutput) {
  return { node_id: nodeId, output, ports, pinned_at: formatIsoTime(pinnedAt) };
}
