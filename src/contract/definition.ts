import type { Json, JsonObject } from '../lib/json/json.ts';

/** A node in a workflow. `version` is the version of its node type, set when the workflow is saved. */
export type NodeEntry = {
  id: string;
  type: string;
  position?: { x: number; y: number };
  config?: JsonObject;
  name?: string;
  disabled?: boolean;
  notes?: string;
  version?: string;
};

/** An edge from an output port to an input port; an omitted port is the first port. */
export type Connection = { from: string; to: string; sourcePort?: string; targetPort?: string };

/** The graph as stored, one per workflow version. Immutable once an execution uses it. */
export type Definition = { nodes: NodeEntry[]; connections: Connection[]; annotations?: Json[] };

/** Settings for all executions of a workflow. Durations are strings with a unit. */
export type WorkflowSettings = {
  timeout?: string;
  max_concurrency?: number;
  on_failure_workflow?: string;
  retention?: string;
  max_cost_per_day?: number;
  max_tokens_per_day?: number;
};

/** A validation error in the content of a node. A draft may contain it; it blocks running and activation. */
export type Issue = { node_id: string | null; field: string; issue: string };

export const workflowStatuses = ['active', 'inactive', 'draft'] as const;
export type WorkflowStatus = (typeof workflowStatuses)[number];

/** The fields by which lists of workflows are sorted. */
export const workflowSorts = ['name', 'created_at', 'updated_at', 'last_execution'] as const;
export type WorkflowSort = (typeof workflowSorts)[number];
