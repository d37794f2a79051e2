import type { Json } from '../lib/json/json.ts';
import type { Notification } from './events.ts';

/**
 * A notification for a user. It is displayed with the user's secrets redacted, and truncated when it is too
 * long.
 */
export type NewNotification = {
  ownerId: string;
  level: Notification['level'];
  message: string;
  data?: Json;
};

/** Why a trigger of an active workflow does not work. */
export type TriggerFailure = {
  ownerId: string;
  workflowId: string;
  nodeId: string;
  kind:
    | 'schedule'
    | 'polling'
    | 'email'
    | 'webhook'
    | 'form'
    | 'tool'
    | 'chat'
    | 'event'
    | 'error'
    | 'on_failure_workflow';
  /** A sentence. */
  issue: string;
};

/** Notifies a user who is currently subscribed. Never throws, never blocks, and stores nothing. */
export type Notifier = { notify(notification: NewNotification): void };
