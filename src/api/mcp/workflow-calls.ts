import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type Result,
} from '@modelcontextprotocol/server';
import type { WorkflowTool } from '../../contract/ai/workflow-tool.ts';
import { WeftError } from '../../contract/errors.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { QuestionResponse } from '../../services/mcp/tool-questions.ts';
import type { ToolCallState, WorkflowTools } from '../../services/mcp/workflow-tools.service.ts';
import type { McpCall } from './mcp-call.ts';
import {
  createTaskResult,
  describeQuestion,
  inputRequests,
  requireTasks,
  taskResult,
  unknownTask,
} from './tasks.ts';
import { toErrorResult, outputResult, textResult, type FileReader } from './tool-result.ts';

/** How long a call may take before it becomes a task, ms. */
const GRACE_MS = 500;
/** How long a request for a task waits for the execution to end or to ask, ms. */
const SETTLE_MS = 200;
/** How long a call without tasks waits for the execution, in ms: less than most clients' time-outs. */
export const MAX_WAIT_MS = 50_000;

/** Calls of workflows as tools, and the tasks that they become. */
export function createWorkflowCalls(deps: { readonly tools: WorkflowTools; readonly reader: FileReader }) {
  const { tools } = deps;

  async function presentResult(
    { principal }: McpCall,
    { execution: { row, output } }: ToolCallState & { kind: 'ended' },
    tool: WorkflowTool | null,
  ): Promise<CallToolResult> {
    if (row.status === 'stopped') return textResult(`The execution ${row.id} was stopped.`, true);
    if (row.status === 'failed') {
      const { type = 'internal', message = '', node_id: nodeId = null } = row.error ?? {};
      return textResult(
        JSON.stringify({ error: { type, message, node_id: nodeId, execution_id: row.id } }),
        true,
      );
    }
    const issue = tool === null ? null : tools.findOutputIssue(tool, output);
    if (issue !== null)
      return textResult(`The output of the execution ${row.id} is not valid: ${issue}`, true);
    return outputResult(principal, output, deps.reader);
  }

  /** A result for clients without tasks, so that the model can ask for the end. */
  function presentUnfinished(
    state: Exclude<ToolCallState, { kind: 'ended' }>,
    tool: WorkflowTool,
  ): CallToolResult {
    const { id } = state.row;
    const asked =
      state.kind === 'input_required'
        ? ` It waits for a person: ${state.questions.map(describeQuestion).join('; ')}`
        : '';
    const text = `The execution ${id} has not ended yet.${asked} Do not call ${tool.name} again for it: ask for its result with weft_get_execution and {"id": "${id}"}.`;
    // Without a structured result, clients accept only an error from a tool with an output schema.
    return tool.outputSchema === null
      ? { ...textResult(text), structuredContent: { execution_id: id, status: state.row.status } }
      : textResult(text, true);
  }

  async function waitForResult(
    call: McpCall,
    tool: WorkflowTool,
    executionId: string,
    declined?: ReadonlySet<string>,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { principal, signal, onProgress } = call;
    const isTask = call.supportsTasks && tool.taskSupport !== 'forbidden';
    if (isTask && tool.taskSupport === 'required')
      return createTaskResult(await tools.read(principal, executionId));
    const state = await tools.follow(principal, executionId, {
      wait: isTask ? GRACE_MS : MAX_WAIT_MS,
      signal,
      ...(onProgress !== undefined && { onProgress }),
      ...(declined !== undefined && { declined }),
    });
    if (state.kind === 'ended') return presentResult(call, state, tool);
    if (state.kind === 'input_required' && call.supportsElicitation)
      return {
        resultType: 'input_required',
        inputRequests: inputRequests(state.questions),
        requestState: tools.createState(state.row, state.questions),
      };
    return isTask ? createTaskResult(state) : presentUnfinished(state, tool);
  }

  async function respond(call: McpCall, executionId: string): Promise<Set<string>> {
    try {
      return await tools.respond(call.principal, executionId, readResponses(call.inputResponses));
    } catch (error) {
      if (error instanceof WeftError && error.code === 'VALIDATION_ERROR')
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, error.details);
      // The question got a response or expired in the meantime.
      if (error instanceof WeftError && error.code === 'CONFLICT') return new Set();
      throw error;
    }
  }

  async function findTask(call: McpCall, params: unknown): Promise<ToolCallState> {
    requireTasks(call);
    const state = await tools.read(call.principal, readTaskId(params)).catch((error: unknown) => {
      throw error instanceof WeftError && error.code === 'NOT_FOUND' ? unknownTask() : error;
    });
    const row = state.kind === 'ended' ? state.execution.row : state.row;
    if (row.trigger.type !== 'tool') throw unknownTask();
    return state;
  }

  return {
    /**
     * Starts an execution and waits for it. `state`: the execution of an earlier round, which asked the
     * client.
     * @throws {ProtocolError} for an unknown tool, or without a capability that the tool needs
     */
    async call(
      call: McpCall,
      name: string,
      args: JsonObject,
      state: unknown,
    ): Promise<CallToolResult | InputRequiredResult> {
      const { principal } = call;
      const tool = await tools.get(principal, name).catch((error: unknown) => {
        if (error instanceof WeftError && error.code === 'NOT_FOUND')
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
        throw error;
      });
      if (tool.taskSupport === 'required') requireTasks(call);
      if (typeof state === 'string') {
        const executionId = await findExecution(call, name, state);
        return waitForResult(call, tool, executionId, await respond(call, executionId));
      }
      try {
        return await waitForResult(call, tool, await tools.start(principal, name, args, call.idempotencyKey));
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        return toErrorResult(error);
      }
    },

    /** The methods for tasks. @throws {ProtocolError} for an unknown task, or without the extension. */
    tasks: {
      async get(call: McpCall, params: unknown): Promise<Result> {
        const found = await findTask(call, params);
        // It may just continue with a response, and ask again at once.
        const state =
          found.kind === 'running'
            ? await tools.follow(call.principal, found.row.id, { wait: SETTLE_MS, signal: call.signal })
            : found;
        const tool =
          state.kind === 'ended' ? await tools.findTool(call.principal, state.execution.row.id) : null;
        return taskResult(state, state.kind === 'ended' ? await presentResult(call, state, tool) : null);
      },

      /** Passes the responses of the client to the execution. */
      async update(call: McpCall, params: unknown): Promise<Result> {
        await findTask(call, params);
        await respond(call, readTaskId(params));
        return {};
      },

      /** Stops the execution. */
      async cancel(call: McpCall, params: unknown): Promise<Result> {
        await findTask(call, params);
        await tools.stop(call.principal, readTaskId(params));
        return {};
      },
    },
  };

  /** The execution of an earlier round. @throws {ProtocolError} for the state of another tool or user. */
  async function findExecution(call: McpCall, name: string, state: string): Promise<string> {
    const executionId = tools.readState(call.principal, state);
    const tool = executionId === null ? null : await tools.findTool(call.principal, executionId);
    if (executionId === null || tool?.name !== name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
    return executionId;
  }
}

/** @throws {ProtocolError} */
function readTaskId(params: unknown): string {
  const taskId = isObject(params as Json) ? (params as JsonObject)['taskId'] : undefined;
  if (typeof taskId !== 'string') throw unknownTask();
  return taskId;
}

function readResponses(given: unknown): Map<string, QuestionResponse> {
  const responses = new Map<string, QuestionResponse>();
  for (const [key, value] of Object.entries(isObject(given as Json) ? (given as JsonObject) : {})) {
    if (!isObject(value)) continue;
    const { action, content } = value;
    if (action === 'accept' || action === 'decline' || action === 'cancel')
      responses.set(key, { action, content: isObject(content) ? content : {} });
  }
  return responses;
}
