import { Type, type Static, type TObject } from 'typebox';
import { executionStatuses } from '../execution.ts';
import { ErrorBodyResource } from '../resources/resource-error.ts';
import { OneOf, Text, Time, nullable, resource } from '../resources/resource.ts';

/*
 * Every message of the WebSocket at /v1/ws, both ways. Each has a `type`; all but `ping` and `pong` carry `data`, and `auth` its
 * token beside its type.
 */

function message<T extends string, S extends TObject>(type: T, title: string, description: string, data: S) {
  return resource(title, description, { type: Type.Literal(type), data });
}

const idText = { minLength: 1, maxLength: 200 };

/** Which executions a client wants to hear of: with both ids, that execution of that workflow; with none, all of one's own. */
export const NarrowingSchema = Type.Object(
  {
    workflow_id: Type.Optional(Type.String({ ...idText, description: 'Executions of this workflow.' })),
    execution_id: Type.Optional(Type.String({ ...idText, description: 'This execution.' })),
  },
  { title: 'Narrowing', description: 'All of one’s own when empty.', additionalProperties: false },
);
export type Narrowing = Static<typeof NarrowingSchema>;

// ---- from the client --------------------------------------------------------------------------------------------

export const AuthMessage = resource('AuthMessage', 'Has to be the first message, within 10 s.', {
  type: Type.Literal('auth'),
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8_192,
      description:
        'A session token, an API key or an OAuth access token. Left out by pages of the service whose session is a cookie.',
    }),
  ),
});
export const SubscribeMessage = message(
  'subscribe',
  'SubscribeMessage',
  'Narrows the execution updates; several narrowings add up.',
  NarrowingSchema,
);
export const UnsubscribeMessage = message(
  'unsubscribe',
  'UnsubscribeMessage',
  'Takes the narrowing with the same data back. Without any, everything comes again.',
  NarrowingSchema,
);
export const PingMessage = resource('PingMessage', 'Asks for a pong.', { type: Type.Literal('ping') });

/** What a client may send, by `type`. */
export const clientMessages = {
  auth: AuthMessage,
  subscribe: SubscribeMessage,
  unsubscribe: UnsubscribeMessage,
  ping: PingMessage,
} as const;
export type ClientMessage = Static<(typeof clientMessages)[keyof typeof clientMessages]>;

/** What all of them have in common; what further fields there are, the type says. */
export const ClientMessageHead = Type.Object({ type: Type.Enum(Object.keys(clientMessages)) });

// ---- from the service -------------------------------------------------------------------------------------------

export const notificationLevels = ['info', 'success', 'warning', 'error'] as const;

export const ExecutionUpdateResource = resource('ExecutionUpdate', 'Where the execution stands.', {
  execution_id: Text(),
  workflow_id: Text(),
  status: OneOf(executionStatuses),
  progress: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "The fraction of the graph's nodes that ended.",
  }),
  current_node: Text('Empty where there is none.'),
  timestamp: Time(),
});
export const NotificationResource = resource('Notification', 'What happened.', {
  level: OneOf(notificationLevels),
  message: Text(),
  timestamp: Time(),
});

export const AuthSuccessMessage = message(
  'auth_success',
  'AuthSuccessMessage',
  'The credential was proved; events follow.',
  resource('AuthSuccess', 'Who it is, and until when.', {
    user_id: Text(),
    expires_at: nullable(Time('When the connection ends unless it is renewed; null: never.')),
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
  'Something that a person should know.',
  NotificationResource,
);
export const SubscribedMessage = message(
  'subscribed',
  'SubscribedMessage',
  'The narrowing holds.',
  NarrowingSchema,
);
export const UnsubscribedMessage = message(
  'unsubscribed',
  'UnsubscribedMessage',
  'The narrowing is taken back.',
  NarrowingSchema,
);
export const PongMessage = resource('PongMessage', 'The answer to ping.', { type: Type.Literal('pong') });
export const ErrorMessage = message(
  'error',
  'ErrorMessage',
  'Why a message was refused; with UNAUTHORIZED the connection is closed.',
  ErrorBodyResource.properties.error,
);

/** What the service may send, by `type`. */
export const serverMessages = {
  auth_success: AuthSuccessMessage,
  execution_update: ExecutionUpdateMessage,
  notification: NotificationMessage,
  subscribed: SubscribedMessage,
  unsubscribed: UnsubscribedMessage,
  pong: PongMessage,
  error: ErrorMessage,
} as const;
export type ServerMessage = Static<(typeof serverMessages)[keyof typeof serverMessages]>;

/** Why the service closes a connection. */
export const closeCodes = {
  1001: 'The service is stopping; connect again.',
  1007: 'A text was not valid UTF-8.',
  1009: 'A message was larger than 64 KiB.',
  4401: 'No credential, a wrong one, or one that has ended.',
  4429: 'The client was too slow to take its events, sent too many messages, or its user has too many connections.',
} as const;
