import type { Json, JsonObject } from '../lib/json/json.ts';

/** One placed step of a workflow. `version` is that of its node type, fixed when the workflow is saved. */
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

/** A directed connection from an output port to an input port; an omitted port is the first one. */
export type Connection = { from: string; to: string; sourcePort?: string; targetPort?: string };

/** The graph as stored. Immutable once an execution has started on it (it is kept by workflow version). */
export type Definition = { nodes: NodeEntry[]; connections: Connection[]; annotations?: Json[] };

/** What a workflow may set for all of its executions. Durations are strings with a unit. */
export type WorkflowSettings = {
  timeout?: string;
  max_concurrency?: number;
  on_failure_workflow?: string;
  retention?: string;
};

/** A fault of content of one node; it may be saved in a draft and blocks running and activation. */
export type Issue = { node_id: string | null; field: string; issue: string };

export const workflowStatuses = ['active', 'inactive', 'draft'] as const;
export type WorkflowStatus = (typeof workflowStatuses)[number];
