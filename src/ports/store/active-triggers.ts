import type { Json } from '../../lib/json/json.ts';

/** A schedule tick that a new execution consumes: only the caller that moves `due` to `next` creates the execution. */
export type TickClaim = { workflowId: string; nodeId: string; due: number; next: number | null };

/**
 * A webhook address of an active workflow. `shape` is `endpoint` with every `:parameter` as `:`; an endpoint that begins with a
 * parameter is served below the workflow's id only, and its shape begins with that id.
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
};

/** `heldTo`: the last of its ticks that was kept for later, now or before a restart; null: none ever was. */
export type DueSchedule = ScheduleRow & { heldTo: number | null };

/**
 * A polling trigger of an active workflow. `memory` says what stays of earlier polls: all; the items that were seen, while the
 * next answer is asked for whole; or nothing, as if there had been none.
 */
export type LivePoll = ScheduleRow & { memory: 'all' | 'items' | 'nothing' };

/**
 * From the end of an execution to what starts then. `source` is the workflow whose ends count; null: all of the owner's. It
 * belongs to `workflowId`: the target's trigger node `nodeId`, or the source's setting (`nodeId` null).
 */
export type EventRoute = {
  workflowId: string;
  nodeId: string | null;
  ownerId: string;
  kind: 'event' | 'error';
  on: 'completed' | 'failed';
  source: string | null;
  target: string;
};

/** What is live of a workflow after a change: replaces all of its routes and schedules. */
export type LiveTriggers = {
  webhooks: WebhookRoute[];
  schedules: ScheduleRow[];
  events: EventRoute[];
  polls: LivePoll[];
};

/** What is live of active workflows. `save` of a workflow replaces what is live of it as a whole. */
export type TriggerStore = {
  /** Every live webhook route, to build the router. */
  webhooks(): Promise<WebhookRoute[]>;
  /** Every live event route. */
  eventRoutes(): Promise<EventRoute[]>;
  /** What is live of one workflow, but for its schedules; of one that is gone, nothing. */
  routesOf(workflowId: string): Promise<Pick<LiveTriggers, 'webhooks' | 'events'>>;
  /** Polling triggers too, also those that are paused (`nextRunAt` null). */
  schedules(ownerId: string, workflowId: string): Promise<ScheduleRow[]>;
  schedulesOfMany(ownerId: string, workflowIds: readonly string[]): Promise<ScheduleRow[]>;
  dueSchedules(now: number, limit: number): Promise<DueSchedule[]>;
  nextSchedule(): Promise<number | null>;
  /** Ticks up to this one came due, and are kept until they can start. */
  holdTicks(workflowId: string, nodeId: string, to: number): Promise<void>;
  /** Moves a schedule on without an execution (a skipped tick), or notes why it could not be served. */
  moveSchedule(tick: TickClaim, lastError: string | null): Promise<boolean>;
};
