import type { Json } from '../lib/json/json.ts';

export const executionStatuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** Nothing leaves these. */
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
 * The types of node errors. The first seven can be named in `retryConditions`; the rest are never retried by a
 * policy unless it says `any`: `template` (a template could not be evaluated), `forbidden` (the egress gate or a
 * secret's hosts refused), `interrupted` (the process crashed again and again while it ran the node in isolation), `limit` (a bound
 * of the engine), `stopped` (a `stop` node that ends as failed), `internal` (a fault of Weft).
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

/** The error of a node run and of a failed execution, and what flows out of an `error` port. */
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
  'schedule',
  'polling',
  'event',
  'error',
  'sub_workflow',
  'retry',
] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** What started an execution; `node_id` is the trigger node it entered by, when there is one. */
export type ExecutionTrigger = { type: TriggerType; node_id?: string; [key: string]: Json | undefined };

/** The node run that waits for the end of an execution with this trigger; null when none does. */
export function waitingParent(trigger: ExecutionTrigger): { executionId: string; path: string } | null {
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

/** One line of an execution's log. `timestamp` in milliseconds since the epoch. */
export type LogEntry = {
  timestamp: number;
  level: LogLevel;
  nodeId: string | null;
  message: string;
  data: Json;
};

/** The answer for a waiting webhook. */
export type HttpAnswer = { status: number; headers: Record<string, string>; body: Json };
