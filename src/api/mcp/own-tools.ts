import { Type, type Static, type TObject } from 'typebox';
import type { Tool } from '@modelcontextprotocol/server';
import { isSettled } from '../../contract/execution.ts';
import type { Principal } from '../../contract/principal.ts';
import { ExecuteSchema } from '../../contract/requests/execution.ts';
import { NodeQuerySchema } from '../../contract/requests/node.ts';
import {
  CreateWorkflowSchema,
  DefinitionSchema,
  UpdateWorkflowSchema,
  WorkflowQuerySchema,
} from '../../contract/requests/workflow.ts';
import type { Scope } from '../../contract/scopes.ts';
import { validate } from '../../contract/validate.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Executions } from '../../services/executions/executions.service.ts';
import type { WorkflowTools } from '../../services/mcp/workflow-tools.service.ts';
import type { Nodes } from '../../services/workflows/nodes.service.ts';
import type { Workflows } from '../../services/workflows/workflows.service.ts';
import { presentExecution, presentExecutionDetail, presentLogEntry } from '../serializers/execution.ts';
import { presentNodeDetail } from '../serializers/node.ts';
import { presentWorkflow, presentWorkflowSummary } from '../serializers/workflow.ts';
import type { McpCall } from './mcp-call.ts';
import { MAX_WAIT_MS } from './workflow-calls.ts';

/** Entries of the log that explain an execution. */
const LOG_ENTRIES = 50;

export type OwnToolServices = {
  readonly workflows: Workflows;
  readonly executions: Executions;
  readonly nodes: Nodes;
  readonly workflowTools: WorkflowTools;
};

export type OwnTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The credential needs all of them. */
  readonly scopes: readonly Exclude<Scope, 'admin' | 'audit:read'>[];
  readonly input: TObject;
  readonly hints: Tool['annotations'];
  run(call: McpCall, args: unknown): Promise<object>;
};

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;
const idField = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
const executionId = Type.Object(
  {
    id: idField('The id of the execution, such as `ex_…`.'),
    wait: Type.Optional(Type.Boolean({ description: 'Waits up to 50 seconds for its end. Default: true.' })),
  },
  { additionalProperties: false },
);

function defineTool<S extends TObject>(
  tool: Omit<OwnTool, 'input' | 'run'> & {
    input: S;
    run(call: McpCall, args: Static<S>): Promise<object>;
  },
): OwnTool {
  return { ...tool, run: (call, args) => tool.run(call, validate(tool.input, args)) };
}

/** Tools with which a model builds workflows, runs them, and finds out why they fail. */
export function createOwnTools({
  workflows,
  executions,
  nodes,
  workflowTools,
}: OwnToolServices): readonly OwnTool[] {
  /** The version of the definition that an execution runs. */
  async function readDefinition(principal: Principal, workflowId: string, version: number) {
    return (await workflows.version(principal, workflowId, String(version))).definition;
  }

  return [
    defineTool({
      name: 'weft_list_node_types',
      title: 'List node types',
      description:
        'Lists the types of nodes that workflows consist of. Search by a word, such as "email", or by a category.',
      scopes: ['nodes:read'],
      input: NodeQuerySchema,
      hints: READ_ONLY,
      async run({ principal }, args) {
        const found = await nodes.list(principal, args);
        return {
          node_types: found.map(({ type, name, category, description }) => ({
            id: type,
            name,
            category,
            description,
          })),
        };
      },
    }),
    defineTool({
      name: 'weft_get_node_type',
      title: 'Get a node type',
      description:
        'Returns the schema of the configuration of a node type, its ports, and examples. Read it before you use a type in a workflow.',
      scopes: ['nodes:read'],
      input: Type.Object(
        { id: idField('The id of the type, such as `http_request`.') },
        { additionalProperties: false },
      ),
      hints: READ_ONLY,
      async run({ principal }, args) {
        const type = await nodes.get(principal, args.id);
        return { ...presentNodeDetail(type), examples: type.examples };
      },
    }),
    defineTool({
      name: 'weft_list_workflows',
      title: 'List workflows',
      description: 'Lists your workflows, newest first.',
      scopes: ['workflows:read'],
      input: WorkflowQuerySchema,
      hints: READ_ONLY,
      async run({ principal }, args) {
        const { rows, pagination } = await workflows.list(principal, args);
        const activity = await workflows.activity(principal, rows);
        return { workflows: rows.map((row, i) => presentWorkflowSummary(row, activity[i]!)), pagination };
      },
    }),
    defineTool({
      name: 'weft_get_workflow',
      title: 'Get a workflow',
      description: 'Returns a workflow with its definition, and the issues that prevent it from running.',
      scopes: ['workflows:read'],
      input: Type.Object(
        { id: idField('The id of the workflow, such as `wf_…`.') },
        { additionalProperties: false },
      ),
      hints: READ_ONLY,
      run: async ({ principal }, args) => presentWorkflow(await workflows.get(principal, args.id)),
    }),
    defineTool({
      name: 'weft_validate_workflow',
      title: 'Validate a workflow',
      description:
        'Validates a definition without saving it, and returns every issue with its node and field. Nodes have an id, a type and a config; connections have from and to. The first node is of the type trigger. Fields of a config may contain templates such as {{ input.name }} and {{ nodes.some_id.field }}.',
      scopes: ['workflows:write'],
      input: Type.Object({ definition: DefinitionSchema }, { additionalProperties: false }),
      hints: READ_ONLY,
      async run({ principal }, { definition }) {
        const { issues } = await workflows.create(principal, {
          name: 'Validation',
          definition,
          dry_run: true,
        });
        return { valid: issues.length === 0, issues };
      },
    }),
    defineTool({
      name: 'weft_create_workflow',
      title: 'Create a workflow',
      description:
        'Creates a workflow. A draft may have issues, which are in the result. With the status active, its triggers start it.',
      scopes: ['workflows:write'],
      input: CreateWorkflowSchema,
      hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: async ({ principal }, args) => presentWorkflow(await workflows.create(principal, args)),
    }),
    defineTool({
      name: 'weft_update_workflow',
      title: 'Update a workflow',
      description:
        'Replaces the given fields of a workflow. A new definition becomes a new version. The status active or inactive turns its triggers on or off.',
      scopes: ['workflows:write', 'workflows:read'],
      input: Type.Object(
        { id: idField('The id of the workflow.'), changes: UpdateWorkflowSchema },
        { additionalProperties: false },
      ),
      hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      run: async ({ principal }, { id: workflowId, changes }) =>
        presentWorkflow(await workflows.update(principal, workflowId, changes)),
    }),
    defineTool({
      name: 'weft_run_workflow',
      title: 'Run a workflow',
      description:
        'Runs a workflow, also a draft, and waits for its end as long as `wait` says. With `until`, only the nodes up to one run.',
      scopes: ['executions:write'],
      input: Type.Object(
        { id: idField('The id of the workflow.'), ...ExecuteSchema.properties },
        { additionalProperties: false },
      ),
      hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      async run({ principal, idempotencyKey }, { id: workflowId, ...input }) {
        const { execution } = await executions.execute(principal, workflowId, input, idempotencyKey);
        return presentExecution(execution);
      },
    }),
    defineTool({
      name: 'weft_get_execution',
      title: 'Get an execution',
      description: 'Returns the status, the output and the error of an execution.',
      scopes: ['executions:read'],
      input: executionId,
      hints: READ_ONLY,
      async run(call, { id: wanted, wait = true }) {
        if (wait)
          await workflowTools.follow(call.principal, wanted, {
            wait: MAX_WAIT_MS,
            signal: call.signal,
            ...(call.onProgress !== undefined && { onProgress: call.onProgress }),
          });
        return presentExecution(await executions.get(call.principal, wanted));
      },
    }),
    defineTool({
      name: 'weft_explain_execution',
      title: 'Explain an execution',
      description:
        'Returns what is needed to find out why an execution failed or waits: the nodes that failed or wait with their configuration, input and error, and the last entries of the log.',
      scopes: ['executions:read', 'workflows:read'],
      input: Type.Object({ id: idField('The id of the execution.') }, { additionalProperties: false }),
      hints: READ_ONLY,
      async run({ principal }, { id: wanted }) {
        const detail = await executions.get(principal, wanted);
        const { nodes: runs, input, output, ...rest } = presentExecutionDetail(detail);
        const { workflowId, workflowVersion } = detail.row;
        const definition = await readDefinition(principal, workflowId, workflowVersion);
        const unfinished = runs.filter(({ status }) => status !== 'completed' && status !== 'skipped');
        const { pagination } = await executions.logs(principal, wanted, { limit: 1 });
        const last = Math.max(1, Math.ceil(pagination.total / LOG_ENTRIES));
        const log = await executions.logs(principal, wanted, { limit: LOG_ENTRIES, page: last });
        return {
          execution: { ...rest, input, ...(isSettled(detail.row.status) && { output }) },
          nodes: unfinished.map((run) => ({
            ...run,
            config: definition.nodes.find((node) => node.id === run.node_id)?.config ?? null,
          })),
          completed_nodes: runs.filter(({ status }) => status === 'completed').map(({ path }) => path),
          log: log.entries.map(presentLogEntry),
        };
      },
    }),
  ];
}

export function describeOwnTool({ name, title, description, input, hints }: OwnTool): Tool {
  return {
    name,
    title,
    description,
    inputSchema: JSON.parse(JSON.stringify(input)) as Tool['inputSchema'],
    ...(hints !== undefined && { annotations: hints }),
  };
}

/** A value of a tool without its `undefined` fields. */
export function toJsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
