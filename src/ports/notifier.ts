import type { Json } from '../lib/json/json.ts';
import type { Notification } from './events.ts';

/** What a user shall be told. It is shown with the user's secrets masked, and cut where it is too long. */
export type NewNotification = {
  ownerId: string;
  level: Notification['level'];
  message: string;
  data?: Json;
};

/** Why a trigger of an active workflow does not do what it is there for. */
export type TriggerFailure = {
  ownerId: string;
  workflowId: string;
  nodeId: string;
  kind: 'schedule' | 'polling' | 'webhook' | 'event' | 'error' | 'on_failure_workflow';
  /** A sentence. */
  issue: string;
};

/** Tells a user something, if the user listens now. Never throws, never blocks, and keeps nothing. */
export type Notifier = { notify(notification: NewNotification): void };
