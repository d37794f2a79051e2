import type { Json } from '../../lib/json/json.ts';

/**
 * A schedule tick that a new execution consumes: only the caller that moves `due` to `next` creates the
 * execution.
 */
export type TickClaim = { workflowId: string; nodeId: string; due: number; next: number | null };

/**
 * A webhook path of an active workflow. `shape` is `endpoint` with every `:parameter` as `:`. An endpoint
 * that begins with a parameter is served only below the workflow's id, with which its shape begins.
 */
export type WebhookRoute = {
  workflowId: string;
  nodeId: string;
  ownerId: string;
  version: number;
  method: string;
  endpoint: string;
  shape: string;
};

/** A schedule of an active workflow. `spec` is the trigger's configuration. */
export type ScheduleRow = {
  workflowId: string;
  nodeId: string;
  ownerId: string;
  version: number;
  spec: Json;
  nextRunAt: number | null;
  lastError: string | null;
  /** Of a trigger of a pack that receives requests: the last part of its URL. */
  address?: string;
};

/** `queuedUntil`: the last tick that was ever queued, also before a restart; null: none. */
export type DueSchedule = ScheduleRow & { queuedUntil: number | null };

/**
 * A polling trigger of an active workflow. `memory`: the state of earlier polls. `items`: the seen items,
 * while the next request fetches everything; `nothing`: as for a new trigger.
 */
export type PollingTrigger = ScheduleRow & { memory: 'all' | 'items' | 'nothing' };

/**
 * Starts an execution when another one ends. `source` is the workflow whose ends count; null: all of the
 * owner's. It belongs to `workflowId`: to the target's trigger node `nodeId`, or to the source's
 * setting (`nodeId` null).
 */
export type CompletionTrigger = {
  workflowId: string;
  nodeId: string | null;
  ownerId: string;
  kind: 'event' | 'error';
  on: 'completed' | 'failed';
  source: string | null;
  target: string;
};

/** The active triggers of a workflow after a change. They replace all earlier ones. */
export type ActiveTriggers = {
  webhooks: WebhookRoute[];
  schedules: ScheduleRow[];
  completionTriggers: CompletionTrigger[];
  pollingTriggers: PollingTrigger[];
};

/** Active triggers of active workflows. Saving a workflow replaces its triggers as a whole. */
export type TriggerStore = {
  /** Every active webhook route, to build the router. */
  listWebhooks(): Promise<WebhookRoute[]>;
  /** Every completion trigger of active workflows. */
  listCompletionTriggers(): Promise<CompletionTrigger[]>;
  /**
   * The active webhooks and completion triggers of one workflow; empty when the workflow does not exist.
   */
  listWebhooksAndCompletionTriggers(
    workflowId: string,
  ): Promise<Pick<ActiveTriggers, 'webhooks' | 'completionTriggers'>>;
  /** Includes polling triggers, and paused ones (`nextRunAt` null). */
  schedules(ownerId: string, workflowId: string): Promise<ScheduleRow[]>;
  schedulesOfMany(ownerId: string, workflowIds: readonly string[]): Promise<ScheduleRow[]>;
  dueSchedules(now: number, limit: number): Promise<DueSchedule[]>;
  nextSchedule(): Promise<number | null>;
  /** Records that ticks up to `to` came due and are queued until they can start. */
  queueTicks(workflowId: string, nodeId: string, to: number): Promise<void>;
  /** Advances a schedule without an execution (a skipped tick), or records why it could not be served. */
  moveSchedule(tick: TickClaim, lastError: string | null): Promise<boolean>;
};
