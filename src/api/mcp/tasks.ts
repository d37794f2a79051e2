import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequests, Result } from '@modelcontextprotocol/server';
import type { NodeErrorType } from '../../contract/execution.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/time/iso-time.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import { questionSchema, type ToolQuestion } from '../../services/mcp/tool-questions.ts';
import type { ToolCallState } from '../../services/mcp/workflow-tools.service.ts';
import { TASKS_EXTENSION, type McpCall } from './mcp-call.ts';

/** How often a client should ask for a task, ms. */
const POLL_INTERVAL_MS = 1_000;

/** Errors of an execution that did not run to its end. Any other is an error of the tool. */
const ABORTED: ReadonlySet<NodeErrorType> = new Set(['internal', 'interrupted', 'timeout', 'limit']);

/** @throws {ProtocolError} -32021 */
export function requireTasks({ supportsTasks }: McpCall): void {
  if (!supportsTasks)
    throw new MissingRequiredClientCapabilityError({
      requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    });
}

/** A call whose result the client asks for later: the id of the task is that of the execution. */
export function createTaskResult(state: ToolCallState): CallToolResult {
  // The library types the results of tools without extensions, and passes their result types on.
  return { ...describeTask(state), resultType: 'task' } as unknown as CallToolResult;
}

/** The state of a task. `result` is that of the tool. */
export function taskResult(state: ToolCallState, result: CallToolResult | null): Result {
  const task = describeTask(state);
  if (task['status'] === 'completed') return { ...task, result };
  if (task['status'] === 'input_required' && state.kind === 'input_required')
    return { ...task, inputRequests: inputRequests(state.questions) };
  if (task['status'] !== 'failed' || state.kind !== 'ended') return task;
  const { error } = state.execution.row;
  return {
    ...task,
    error: { code: ProtocolErrorCode.InternalError, message: error?.message ?? 'The execution failed.' },
  };
}

function describeTask(state: ToolCallState): JsonObject {
  const row = state.kind === 'ended' ? state.execution.row : state.row;
  const { id, createdAt, startTime, endTime } = row;
  return {
    taskId: id,
    status: taskStatus(state, row),
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(endTime ?? startTime ?? createdAt),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

function taskStatus({ kind }: ToolCallState, { status, error }: ExecutionRow): string {
  if (kind === 'input_required') return 'input_required';
  if (kind === 'running') return 'working';
  if (status === 'stopped') return 'cancelled';
  return status === 'failed' && error !== null && ABORTED.has(error.type) ? 'failed' : 'completed';
}

/** The questions of an execution as forms that the client shows. */
export function inputRequests(questions: readonly ToolQuestion[]): InputRequests {
  return Object.fromEntries(
    questions.map((question) => {
      const params = {
        mode: 'form',
        message: describeQuestion(question),
        requestedSchema: questionSchema(question),
      };
      return [question.path, { method: 'elicitation/create', params }];
    }),
  ) as InputRequests;
}

export function describeQuestion(question: ToolQuestion): string {
  if (question.kind === 'event') return `The workflow waits for data at the node ${question.nodeId}.`;
  const { title, question: asked } = question.decision;
  return asked.message === null ? title : `${title}\n\n${asked.message}`;
}

export function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'This task does not exist.');
}
