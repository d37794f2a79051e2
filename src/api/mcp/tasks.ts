import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequests, Result } from '@modelcontextprotocol/server';
import type { NodeErrorType } from '../../contract/execution.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import { createQuestionSchema, type ToolQuestion } from '../../services/mcp/tool-questions.ts';
import type { ToolCallState } from '../../services/mcp/workflow-tools.service.ts';
import { TASKS_EXTENSION, type McpCall } from './mcp-call.ts';

/** How often a client should ask for a task, ms. */
const POLL_INTERVAL_MS = 1_000;

type Task = {
  readonly taskId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
};

/** Errors of an execution that did not run to its end. Any other is an error of the tool. */
const ABORTED: ReadonlySet<NodeErrorType> = new Set(['internal', 'interrupted', 'timeout', 'limit']);

/** `_meta` of a result that belongs to a task, in versions before 2026-07-28. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** @throws {ProtocolError} -32021; in versions before 2026-07-28 -32601 */
export function requireTasks({ supportsTasks, isEarlier }: McpCall): void {
  if (isEarlier)
    throw new ProtocolError(
      ProtocolErrorCode.MethodNotFound,
      'This tool runs only as a task: name a task in the call.',
    );
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
export function toTaskResult(state: ToolCallState, result: CallToolResult | null): Result {
  const task = describeTask(state);
  if (task.status === 'completed') return { ...task, result };
  if (task.status === 'input_required' && state.kind === 'input_required')
    return { ...task, inputRequests: createInputRequests(state.questions) };
  if (task.status !== 'failed' || state.kind !== 'ended') return task;
  const { error } = state.execution.row;
  return {
    ...task,
    error: { code: ProtocolErrorCode.InternalError, message: error?.message ?? 'The execution failed.' },
  };
}

/**
 * A task of the version 2025-11-25. `result`: that of the tool if it has ended. A result with an error is a
 * task that failed.
 */
export function toEarlierTask(state: ToolCallState, result: CallToolResult | null) {
  const { ttlMs, pollIntervalMs, status, ...task } = describeTask(state);
  const isFailed = status === 'completed' && result?.isError === true;
  return {
    ...task,
    status: isFailed ? 'failed' : status,
    ...describeStatus(state),
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  };
}

/**
 * A call that has just become a task, which begins as `working` in this version. The library requires the
 * result of a tool to have `content`.
 */
export function createEarlierTaskResult(state: ToolCallState): CallToolResult {
  const { statusMessage: _, ...task } = toEarlierTask(state, null);
  return {
    content: [{ type: 'text', text: `The execution ${task.taskId} runs as a task.` }],
    task: { ...task, status: 'working' },
  };
}

export function withTask(result: CallToolResult, taskId: string): CallToolResult {
  return { ...result, _meta: { ...result._meta, [RELATED_TASK]: { taskId } } };
}

/** What a task waits for, or why it failed. */
function describeStatus(state: ToolCallState): { statusMessage?: string } {
  if (state.kind === 'input_required')
    return {
      statusMessage: `Waits for a person, in the inbox: ${state.questions.map(describeQuestion).join('; ')}`,
    };
  const message = state.kind === 'ended' ? state.execution.row.error?.message : undefined;
  return message === undefined ? {} : { statusMessage: message };
}

function describeTask(state: ToolCallState): Task {
  const row = state.kind === 'ended' ? state.execution.row : state.row;
  const { id, createdAt, startTime, endTime } = row;
  return {
    taskId: id,
    status: taskStatus(state, row),
    createdAt: formatIsoTime(createdAt),
    lastUpdatedAt: formatIsoTime(endTime ?? startTime ?? createdAt),
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
export function createInputRequests(questions: readonly ToolQuestion[]): InputRequests {
  return Object.fromEntries(
    questions.map((question) => {
      const params = {
        mode: 'form',
        message: describeQuestion(question),
        requestedSchema: createQuestionSchema(question),
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

/** In versions before 2026-07-28, for a call that wants a task. */
export function createTasksUnsupportedError(name: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.MethodNotFound,
    `${name} does not run as a task: leave task out of the call.`,
  );
}

export function createUnknownTaskError(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'This task does not exist.');
}
