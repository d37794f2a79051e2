import { readWorkflowTool, type WorkflowTool } from '../../contract/ai/workflow-tool.ts';
import { isObject } from '../../lib/json/json.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import { createNamedEndpoints, type NamedEndpointsDeps } from '../triggers/named-endpoints.ts';
import { TOOL_METHOD } from '../webhooks/webhook-endpoint.ts';

/** The tools of active workflows. */
export function createToolRegistry(deps: NamedEndpointsDeps) {
  return {
    ...createNamedEndpoints(deps, TOOL_METHOD, 'tool', readWorkflowTool),

    /** The tool that started an execution, as its workflow version declares it; null for other triggers. */
    async findStarter({
      ownerId,
      workflowId,
      workflowVersion,
      trigger,
    }: ExecutionRow): Promise<WorkflowTool | null> {
      if (trigger.type !== 'tool') return null;
      const stored = await deps.workflows.version(ownerId, workflowId, workflowVersion);
      const config = stored?.definition.nodes.find((node) => node.id === trigger.node_id)?.config;
      return isObject(config) ? readWorkflowTool(config) : null;
    },
  };
}

export type ToolRegistry = ReturnType<typeof createToolRegistry>;
