import type { Json } from '../lib/json/json.ts';

export const executionStatuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** Final statuses. */
export const settledStatuses = ['completed', 'failed', 'stopped'] as const;
export type SettledStatus = (typeof settledStatuses)[number];

export function isSettled(status: ExecutionStatus): status is SettledStatus {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}

export const nodeRunStatuses = [
  'pending',
  'running',
  'waiting',
  'completed',
  'failed',
  'skipped',
  'stopped',
] as const;
export type NodeRunStatus = (typeof nodeRunStatuses)[number];

/**
 * The types of node errors. `retryConditions` can name the first seven; a policy retries the others only with
 * `any`: `template` (a template could not be evaluated), `forbidden` (the egress policy or the hosts of a
 * secret blocked a request), `interrupted` (the process crashed repeatedly while it ran the node in
 * isolation, or it ended while the node ran and the node must not be repeated), `limit` (an engine limit),
 * `stopped` (a `stop` node that ends as failed), `internal` (an internal error of Weft).
 */
export const nodeErrorTypes = [
  'timeout',
  'network',
  'rate_limited',
  'server_error',
  'client_error',
  'validation',
  'code',
  'template',
  'forbidden',
  'interrupted',
  'limit',
  'stopped',
  'internal',
] as const;
export type NodeErrorType = (typeof nodeErrorTypes)[number];

/** The error of a node run or of a failed execution; also the value that an `error` port emits. */
export type NodeError = {
  type: NodeErrorType;
  message: string;
  node_id: string;
  attempt: number;
  status?: number;
  data?: Json;
};

export const triggerTypes = [
  'manual',
  'webhook',
  'form',
  'tool',
  'chat',
  'schedule',
  'polling',
  'email',
  'event',
  'error',
  'sub_workflow',
  'retry',
] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** What started an execution; `node_id` is the trigger node at which it started, if any. */
export type ExecutionTrigger = { type: TriggerType; node_id?: string; [key: string]: Json | undefined };

/** The node run that waits for the execution with this trigger to end; null when there is none. */
export function findWaitingParent(trigger: ExecutionTrigger): { executionId: string; path: string } | null {
  const { type, execution_id: executionId, path, waits } = trigger;
  return type === 'sub_workflow' &&
    waits === true &&
    typeof executionId === 'string' &&
    typeof path === 'string'
    ? { executionId, path }
    : null;
}

export const logLevels = ['debug', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One entry of an execution's log. `timestamp` in milliseconds since the epoch. */
export type LogEntry = {
  timestamp: number;
  level: LogLevel;
  nodeId: string | null;
  message: string;
  data: Json;
};

/** The response for a waiting webhook. */
export type ExecutionResponse = { status: number; headers: Record<string, string>; body: Json };
