import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type Result,
} from '@modelcontextprotocol/server';
import type { WorkflowTool } from '../../contract/ai/workflow-tool.ts';
import { WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { QuestionResponse } from '../../services/mcp/tool-questions.ts';
import type { ToolCallState, WorkflowTools } from '../../services/mcp/workflow-tools.service.ts';
import type { McpCall } from './mcp-call.ts';
import {
  createEarlierTaskResult,
  createTaskResult,
  describeQuestion,
  toEarlierTask,
  createInputRequests,
  requireTasks,
  toTaskResult,
  createTasksUnsupportedError,
  createUnknownTaskError,
  withTask,
} from './tasks.ts';
import { toErrorResult, createOutputResult, createTextResult, type FileReader } from './tool-result.ts';

/** How long a call may take before it becomes a task, ms. */
const GRACE_MS = 500;
/** How long a request for a task waits for the execution to end or to ask, ms. */
const SETTLE_MS = 200;
/** How long a call without tasks waits for the execution, in ms: less than most clients' time-outs. */
export const MAX_WAIT_MS = 50_000;
/** How long a request for the result of a task waits, in versions before 2026-07-28, ms. */
const MAX_RESULT_WAIT_MS = 600_000;

/** Calls of workflows as tools, and the tasks that they become. */
export function createWorkflowCalls(deps: { readonly tools: WorkflowTools; readonly reader: FileReader }) {
  const { tools } = deps;

  async function presentResult(
    { principal }: McpCall,
    { execution: { row, output } }: ToolCallState & { kind: 'ended' },
    tool: WorkflowTool | null,
  ): Promise<CallToolResult> {
    if (row.status === 'stopped') return createTextResult(`The execution ${row.id} was stopped.`, true);
    if (row.status === 'failed') {
      const { type = 'internal', message = '', node_id: nodeId = null } = row.error ?? {};
      return createTextResult(
        JSON.stringify({ error: { type, message, node_id: nodeId, execution_id: row.id } }),
        true,
      );
    }
    const issue = tool === null ? null : tools.findOutputIssue(tool, output);
    if (issue !== null)
      return createTextResult(`The output of the execution ${row.id} is not valid: ${issue}`, true);
    return createOutputResult(principal, output, deps.reader);
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
      ? { ...createTextResult(text), structuredContent: { execution_id: id, status: state.row.status } }
      : createTextResult(text, true);
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
        inputRequests: createInputRequests(state.questions),
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

  async function findTool(principal: Principal, name: string): Promise<WorkflowTool> {
    return tools.get(principal, name).catch((error: unknown) => {
      if (error instanceof WeftError && error.code === 'NOT_FOUND')
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
      throw error;
    });
  }

  /** The result of an execution that has ended; null for another one. */
  async function findResult(call: McpCall, state: ToolCallState): Promise<CallToolResult | null> {
    if (state.kind !== 'ended') return null;
    const tool = await tools.findTool(call.principal, state.execution.row.id);
    return presentResult(call, state, tool);
  }

  async function findTask(call: McpCall, params: unknown): Promise<ToolCallState> {
    if (!call.isEarlier) requireTasks(call);
    const state = await tools.read(call.principal, readTaskId(params)).catch((error: unknown) => {
      throw error instanceof WeftError && error.code === 'NOT_FOUND' ? createUnknownTaskError() : error;
    });
    const row = state.kind === 'ended' ? state.execution.row : state.row;
    if (row.trigger.type !== 'tool') throw createUnknownTaskError();
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
      const tool = await findTool(principal, name);
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

    /**
     * Starts an execution as a task of the version 2025-11-25.
     * @throws {ProtocolError} for an unknown tool, one without tasks, and arguments that do not match
     */
    async startTask(call: McpCall, name: string, args: JsonObject): Promise<CallToolResult> {
      const { principal, idempotencyKey } = call;
      if ((await findTool(principal, name)).taskSupport === 'forbidden')
        throw createTasksUnsupportedError(name);
      const id = await tools.start(principal, name, args, idempotencyKey).catch((error: unknown) => {
        if (error instanceof WeftError && (error.code === 'VALIDATION_ERROR' || error.code === 'CONFLICT'))
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, error.details);
        throw error;
      });
      return createEarlierTaskResult(await tools.read(principal, id));
    },

    /** The methods for tasks of the version 2025-11-25. @throws {ProtocolError} for an unknown task. */
    earlierTasks: {
      async get(call: McpCall, params: unknown): Promise<Result> {
        const state = await findTask(call, params);
        return toEarlierTask(state, await findResult(call, state));
      },

      /** Waits until the task ends. Its questions are asked in the inbox. */
      async result(call: McpCall, params: unknown): Promise<Result> {
        const { principal, signal, onProgress } = call;
        const until = performance.now() + MAX_RESULT_WAIT_MS;
        const declined = new Set<string>();
        let state = await findTask(call, params);
        const taskId = readTaskId(params);
        while (state.kind !== 'ended') {
          const wait = until - performance.now();
          if (signal.aborted || wait <= 0)
            throw new ProtocolError(
              ProtocolErrorCode.InternalError,
              'The task has not ended yet: ask again for its result.',
            );
          if (state.kind === 'input_required') for (const { path } of state.questions) declined.add(path);
          state = await tools.follow(principal, taskId, {
            wait,
            signal,
            declined,
            ...(onProgress !== undefined && { onProgress }),
          });
        }
        return withTask((await findResult(call, state))!, taskId);
      },

      /** Stops the execution. @throws {ProtocolError} for a task that has ended */
      async cancel(call: McpCall, params: unknown): Promise<Result> {
        const taskId = readTaskId(params);
        if ((await findTask(call, params)).kind === 'ended')
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The task has ended already.');
        await tools.stop(call.principal, taskId);
        const state = await tools.read(call.principal, taskId);
        return toEarlierTask(state, await findResult(call, state));
      },
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
        return toTaskResult(state, await findResult(call, state));
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
  if (typeof taskId !== 'string') throw createUnknownTaskError();
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
