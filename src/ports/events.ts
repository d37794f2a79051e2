import type { Json } from '../lib/json/json.ts';
import type { DecisionStatus } from '../contract/decisions/decisions.ts';
import type { ExecutionStatus, LogEntry } from '../contract/execution.ts';

/** Published only after the commit of the change; in order within one execution. */
export type ExecutionUpdate = {
  kind: 'execution_update';
  ownerId: string;
  executionId: string;
  workflowId: string;
  status: ExecutionStatus;
  /** Fraction of the graph's nodes that ended, 0 to 1. */
  progress: number;
  /** Empty when there is none. */
  currentNode: string;
  timestamp: number;
};
export type ExecutionLogged = { kind: 'log'; ownerId: string; executionId: string; entries: LogEntry[] };
export type Notification = {
  kind: 'notification';
  ownerId: string;
  level: 'info' | 'success' | 'warning' | 'error';
  message: string;
  timestamp: number;
  data?: Json;
};
/** `ownerId` is the receiver: the owner of the execution, or a user who was asked (`isAssigned`). */
export type DecisionChange = {
  kind: 'decision';
  ownerId: string;
  decisionId: string;
  executionId: string;
  workflowId: string;
  title: string;
  status: DecisionStatus;
  choice: string | null;
  isAssigned: boolean;
  timestamp: number;
};
export type WeftEvent = ExecutionUpdate | ExecutionLogged | Notification | DecisionChange;

/** Distributes events to the subscribers of one owner. A subscriber must not throw and must not block. */
export type Events = {
  publish(event: WeftEvent): void;
  /**
   * Whether an event of this owner has a subscriber. Callers on hot paths skip building the event otherwise.
   */
  hasSubscriber(ownerId: string): boolean;
  subscribe(ownerId: string, receive: (event: WeftEvent) => void): () => void;
};
