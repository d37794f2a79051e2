import type { TSchema } from 'typebox';
import { ErrorBodyResource } from '../../contract/resources/resource-error.ts';
import { LogEndResource, LogEntryResource } from '../../contract/resources/execution.ts';
import { clientMessages, closeCodes, serverMessages } from '../../contract/requests/websocket.ts';
import { scopes } from '../../contract/scopes.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { createComponents, type Components } from './components.ts';
import { messageExamples } from './example-messages.ts';
import { describePathParameters } from './path-parameters.ts';
import { scopeTexts } from './scope-texts.ts';

/** The server messages that reply to a client message. */
const repliesByMessage: Readonly<
  Record<keyof typeof clientMessages, readonly (keyof typeof serverMessages)[]>
> = {
  auth: ['auth_success', 'error'],
  subscribe: ['subscribed', 'error'],
  unsubscribe: ['unsubscribed', 'error'],
  ping: ['pong', 'error'],
};
/** Messages that the server pushes. */
const pushedMessages: readonly (keyof typeof serverMessages)[] = [
  'execution_update',
  'notification',
  'decision',
  'error',
];

/** Messages of the live log. */
const logMessages = ['log_entry', 'log_end', 'log_error'];

/** Creates the AsyncAPI 3.0 document of the WebSocket and of the live log over server-sent events. */
export function createAsyncapiDocument({
  version,
  baseUrl,
}: {
  version: string;
  baseUrl: string;
}): JsonObject {
  const components = createComponents();
  const { host, protocol, pathname, origin } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  const messages = allMessages(components);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Weft events',
      version,
      description:
        'The events of the service. Messages are JSON in text frames. The HTTP API is described by the OpenAPI document at `/openapi.json`.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      socket: {
        host,
        pathname,
        protocol: isSecure ? 'wss' : 'ws',
        description: 'Messages in both directions.',
      },
      http: { host, pathname, protocol: isSecure ? 'https' : 'http', description: 'Server-sent events.' },
    },
    channels: {
      socket: {
        address: '/ws',
        title: 'WebSocket',
        description: socketText,
        servers: [{ $ref: '#/servers/socket' }],
        messages: references([...Object.keys(clientMessages), ...Object.keys(serverMessages)]),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
        'x-close-codes': Object.fromEntries(Object.entries(closeCodes)),
      },
      log: {
        address: '/executions/{id}/logs',
        title: 'Live log of an execution',
        description:
          'With `Accept: text/event-stream`. Each entry is one event, whose `id` is its index in the log. A client that sends `Last-Event-ID` resumes after that entry. The last event is `end`, or `error` when the credential ends first.',
        servers: [{ $ref: '#/servers/http' }],
        parameters: Object.fromEntries(
          describePathParameters('/executions/{id}/logs').map(({ name, description, example }) => [
            name as string,
            { description: description!, examples: [example!] },
          ]),
        ),
        messages: references(logMessages),
      },
    },
    operations: {
      ...Object.fromEntries(
        Object.keys(clientMessages).map((type) => [
          `receive_${type}`,
          {
            action: 'receive',
            summary: readDescription(clientMessages[type as keyof typeof clientMessages]),
            channel: { $ref: '#/channels/socket' },
            messages: [{ $ref: `#/channels/socket/messages/${type}` }],
            reply: {
              channel: { $ref: '#/channels/socket' },
              messages: repliesByMessage[type as keyof typeof clientMessages].map((reply) => ({
                $ref: `#/channels/socket/messages/${reply}`,
              })),
            },
          },
        ]),
      ),
      ...Object.fromEntries(
        pushedMessages.map((type) => [
          `send_${type}`,
          {
            action: 'send',
            summary: readDescription(serverMessages[type]),
            channel: { $ref: '#/channels/socket' },
            messages: [{ $ref: `#/channels/socket/messages/${type}` }],
          },
        ]),
      ),
      send_log: {
        action: 'send',
        summary: 'New entries of the log, then its end or the error that ended the stream.',
        channel: { $ref: '#/channels/log' },
        messages: logMessages.map((type) => ({ $ref: `#/channels/log/messages/${type}` })),
        security: [
          { $ref: '#/components/securitySchemes/session' },
          { $ref: '#/components/securitySchemes/apiKey' },
          { $ref: '#/components/securitySchemes/oauth2' },
        ],
      },
    },
    components: {
      schemas: components.all(),
      messages,
      securitySchemes: securitySchemes(origin),
    },
  };
}

const socketText = [
  'The first message is `auth`, within 10 seconds; any other message before it closes the connection with 4401. Its token is a session token, an API key or an OAuth access token; without a token, the session cookie of the upgrade is used if its `Origin` is the service.',
  'After `auth_success`, every change of the user’s executions is sent as `execution_update`, in order for each execution. `subscribe` restricts them to a workflow or an execution; several subscriptions add up.',
  'An invalid message gets an `error` with the same codes and details as in all APIs. A client that reads too slowly is closed with 4429.',
].join('\n\n');

function readDescription(schema: TSchema): string {
  return (schema as { description?: string }).description ?? '';
}

function references(types: readonly string[]): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }]));
}

function allMessages(components: Components): JsonObject {
  const sources: [string, TSchema][] = [
    ...Object.entries(clientMessages),
    ...Object.entries(serverMessages),
    ['log_entry', LogEntryResource],
    ['log_end', LogEndResource],
    ['log_error', ErrorBodyResource],
  ];
  return Object.fromEntries(
    sources.map(([type, schema]): [string, Json] => [
      type,
      {
        name: type,
        title: (schema as { title?: string }).title ?? type,
        summary: readDescription(schema),
        contentType: 'application/json',
        payload: components.use(schema),
        examples: (messageExamples[type] ?? []).map((payload, index) => ({
          name: `${type}_${index + 1}`,
          payload,
        })),
      },
    ]),
  );
}

function securitySchemes(origin: string): JsonObject {
  const texts = Object.fromEntries(scopes.map((scope) => [scope, scopeTexts[scope]]));
  return {
    session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    apiKey: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' },
    oauth2: {
      type: 'oauth2',
      scopes: ['executions:read'],
      flows: {
        authorizationCode: {
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: `${origin}/oauth/token`,
          availableScopes: texts,
        },
        clientCredentials: { tokenUrl: `${origin}/oauth/token`, availableScopes: texts },
      },
    },
  };
}
