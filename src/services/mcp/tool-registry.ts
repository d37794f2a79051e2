import { readWorkflowTool, type WorkflowTool } from '../../contract/ai/workflow-tool.ts';
import type { WorkflowSettings } from '../../contract/definition.ts';
import { notFound } from '../../contract/errors.ts';
import { isObject } from '../../lib/json/json.ts';
import type { LiveTriggers, WebhookRoute } from '../../ports/store/active-triggers.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { TOOL_METHOD } from '../webhooks/webhook-endpoint.ts';
import { WebhookRegistry } from '../webhooks/webhook-registry.ts';

export type ToolEndpoint = { route: WebhookRoute; settings: WorkflowSettings; tool: WorkflowTool };

/** The tools of active workflows. */
export function createToolRegistry(deps: {
  workflows: Pick<WorkflowStore, 'webhooks' | 'get' | 'version'>;
  /** Reloads the active tools after a possible change by another process; returns whether they changed. */
  refresh?(): Promise<boolean>;
}) {
  const live = new WebhookRegistry<ToolEndpoint>(
    deps.workflows,
    (route) => route.method === TOOL_METHOD,
    (route, settings, config) => ({ route, settings, tool: readWorkflowTool(config) }),
  );
  return {
    /** Builds the index from the active triggers, initially or again. No tool is found before. */
    open: (): Promise<void> => live.open(),

    /** Replaces the active tools of a workflow; null removes them. */
    change: (workflowId: string, triggers: Pick<LiveTriggers, 'webhooks'> | null): void =>
      live.change(workflowId, triggers),

    /** Some tools of a user, by name, and the name after which more follow; null if none do. */
    async list(
      ownerId: string,
      after: string,
      limit: number,
    ): Promise<{ tools: WorkflowTool[]; next: string | null }> {
      const nameOf = ({ route }: { route: WebhookRoute }): string => route.endpoint.slice(ownerId.length + 1);
      const rest = live
        .list(ownerId)
        .filter((endpoint) => nameOf(endpoint) > after)
        .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
      const page = rest.slice(0, limit);
      const endpoints = await Promise.all(
        page.map(async (endpoint) => endpoint.ready ?? (await live.loadEndpoint(endpoint))),
      );
      return {
        tools: endpoints.flatMap((endpoint) => (endpoint === null ? [] : [endpoint.tool])),
        next: rest.length > page.length ? nameOf(page.at(-1)!) : null,
      };
    },

    /** The tool that started an execution, as its version of the workflow declares it; null if another trigger did. */
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

    /** @throws {WeftError} NOT_FOUND */
    async find(ownerId: string, name: string): Promise<ToolEndpoint> {
      const path = `${ownerId}/${encodeURIComponent(name)}`;
      let found = live.find(TOOL_METHOD, path);
      // Another process may just have activated it.
      if (found === null && (await deps.refresh?.()) === true) found = live.find(TOOL_METHOD, path);
      const target = found === null ? null : (found.value.ready ?? (await live.loadEndpoint(found.value)));
      if (target === null) throw notFound('tool');
      return target;
    },
  };
}

export type ToolRegistry = ReturnType<typeof createToolRegistry>;
