import { Type, type Static, type TObject } from 'typebox';
import { decisionStatuses } from '../decisions/decisions.ts';
import { executionStatuses } from '../execution.ts';
import { ErrorBodyResource } from '../resources/resource-error.ts';
import { OneOf, Text, Time, nullable, defineResource } from '../resources/resource.ts';

/*
 * Every message of the WebSocket at /v1/ws, in both directions. Each has a `type`; all except `ping` and
 * `pong` have `data`, and `auth` has its token next to its type.
 */

function message<T extends string, S extends TObject>(type: T, title: string, description: string, data: S) {
  return defineResource(title, description, { type: Type.Literal(type), data });
}

const idText = { minLength: 1, maxLength: 200 };

/**
 * Which executions a client subscribes to: with both ids, that execution of that workflow; with none, all of
 * the user's executions.
 */
export const SubscriptionFilterSchema = Type.Object(
  {
    workflow_id: Type.Optional(Type.String({ ...idText, description: 'Executions of this workflow.' })),
    execution_id: Type.Optional(Type.String({ ...idText, description: 'This execution.' })),
  },
  {
    title: 'SubscriptionFilter',
    description: "All of the user's executions when empty.",
    additionalProperties: false,
  },
);
export type SubscriptionFilter = Static<typeof SubscriptionFilterSchema>;

// ---- from the client
// --------------------------------------------------------------------------------------------

export const AuthMessage = defineResource('AuthMessage', 'Must be the first message, within 10 s.', {
  type: Type.Literal('auth'),
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8_192,
      description:
        'A session token, an API key or an OAuth access token. Omitted by pages of the service with a session cookie.',
    }),
  ),
});
export const SubscribeMessage = message(
  'subscribe',
  'SubscribeMessage',
  'Subscribes to a subset of the execution updates; several subscriptions are combined.',
  SubscriptionFilterSchema,
);
export const UnsubscribeMessage = message(
  'unsubscribe',
  'UnsubscribeMessage',
  'Removes the subscription with the same data. Without any subscription, all updates are sent.',
  SubscriptionFilterSchema,
);
export const PingMessage = defineResource('PingMessage', 'Requests a pong.', { type: Type.Literal('ping') });

/** Messages from the client, by `type`. */
export const clientMessages = {
  auth: AuthMessage,
  subscribe: SubscribeMessage,
  unsubscribe: UnsubscribeMessage,
  ping: PingMessage,
} as const;
export type ClientMessage = Static<(typeof clientMessages)[keyof typeof clientMessages]>;

/** The common fields; the type determines all others. */
export const ClientMessageHead = Type.Object({ type: Type.Enum(Object.keys(clientMessages)) });

// ---- from the service
// -------------------------------------------------------------------------------------------

export const notificationLevels = ['info', 'success', 'warning', 'error'] as const;

export const ExecutionUpdateResource = defineResource('ExecutionUpdate', 'The state of an execution.', {
  execution_id: Text(),
  workflow_id: Text(),
  status: OneOf(executionStatuses),
  progress: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "The fraction of the graph's nodes that have ended.",
  }),
  current_node: Text('Empty when there is none.'),
  timestamp: Time(),
});
export const NotificationResource = defineResource('Notification', 'What happened.', {
  level: OneOf(notificationLevels),
  message: Text(),
  timestamp: Time(),
});

export const DecisionChangeResource = defineResource(
  'DecisionChange',
  'A decision that you were asked for, or that your execution asked for, was created, responded to or closed.',
  {
    decision_id: Text(),
    execution_id: Text(),
    workflow_id: Text(),
    title: Text(),
    status: OneOf(decisionStatuses),
    choice: nullable(Text('The choice that was made.')),
    assigned: Type.Boolean({ description: 'Whether you were asked.' }),
    timestamp: Time(),
  },
);

export const AuthSuccessMessage = message(
  'auth_success',
  'AuthSuccessMessage',
  'Authentication succeeded; events follow.',
  defineResource('AuthSuccess', 'The authenticated user and the expiry.', {
    user_id: Text(),
    expires_at: nullable(Time('When the connection closes unless it is renewed; null: never.')),
  }),
);
export const ExecutionUpdateMessage = message(
  'execution_update',
  'ExecutionUpdateMessage',
  'An execution changed its status, or one of its nodes started or ended.',
  ExecutionUpdateResource,
);
export const NotificationMessage = message(
  'notification',
  'NotificationMessage',
  'A notification for the user.',
  NotificationResource,
);
export const DecisionMessage = message(
  'decision',
  'DecisionMessage',
  'A decision changed.',
  DecisionChangeResource,
);
export const SubscribedMessage = message(
  'subscribed',
  'SubscribedMessage',
  'The subscription is active.',
  SubscriptionFilterSchema,
);
export const UnsubscribedMessage = message(
  'unsubscribed',
  'UnsubscribedMessage',
  'The subscription was removed.',
  SubscriptionFilterSchema,
);
export const PongMessage = defineResource('PongMessage', 'The response to ping.', {
  type: Type.Literal('pong'),
});
export const ErrorMessage = message(
  'error',
  'ErrorMessage',
  'Why a message was rejected; with UNAUTHORIZED the connection is closed.',
  ErrorBodyResource.properties.error,
);

/** Messages from the service, by `type`. */
export const serverMessages = {
  auth_success: AuthSuccessMessage,
  execution_update: ExecutionUpdateMessage,
  notification: NotificationMessage,
  decision: DecisionMessage,
  subscribed: SubscribedMessage,
  unsubscribed: UnsubscribedMessage,
  pong: PongMessage,
  error: ErrorMessage,
} as const;
export type ServerMessage = Static<(typeof serverMessages)[keyof typeof serverMessages]>;

/** Reasons why the service closes a connection. */
export const closeCodes = {
  1001: 'The service is stopping; connect again.',
  1007: 'A text was not valid UTF-8.',
  1009: 'A message was larger than 64 KiB.',
  4401: 'The credential is missing, invalid or expired.',
  4429: 'The client received its events too slowly, sent too many messages, or its user has too many connections.',
} as const;
