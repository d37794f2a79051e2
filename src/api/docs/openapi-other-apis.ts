import { Type } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import { AnyJson, resource } from '../../contract/resources/resource.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { errorsByStatus } from '../rest/route-errors.ts';
import type { Components } from './components.ts';
import { graphqlPath } from './graphql-path.ts';
import { headersOf } from './headers.ts';
import { oauthPaths } from './oauth-paths.ts';
import { errorResponse } from './operation.ts';

/** The doors beside the REST table, in brief. They have documents of their own; `x-door` names them. */

export const otherApiTags: Json[] = [
  { name: 'Webhooks', description: 'What others call. Each trigger has its own authentication.' },
  { name: 'GraphQL', description: 'Its schema is at `/schema.graphql`.' },
  { name: 'OAuth 2.0', description: 'The authorization server, at the root of the origin.' },
  { name: 'Documents', description: 'What describes this interface.' },
  { name: 'Metrics', description: 'What the service measures of itself.' },
];

const WebhookStarted = resource('WebhookStarted', 'An execution was started, or stands like this.', {
  execution_id: Type.String(),
  status: Type.Optional(Type.String({ description: 'When its end did not come in time.' })),
});

const webhookErrors: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
  'CONFLICT',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'EXECUTION_FAILED',
  'STORAGE_FULL',
  'STORAGE_UNAVAILABLE',
  'INTERNAL_ERROR',
];

export function otherApiPaths(origin: string, components: Components): JsonObject {
  return {
    '/webhooks/{endpoint}': { post: webhook('callWebhook', [endpoint], components) },
    '/webhooks/{workflow_id}/{endpoint}': {
      post: webhook('callWebhookOfWorkflow', [workflowId, endpoint], components),
    },
    '/listen/{token}': { post: webhook('callTestAddress', [token], components) },
    '/graphql': graphqlPath(components),
    '/openapi.json': {
      get: document(
        'getOpenapi',
        'This document',
        'OpenAPI 3.1, with the addresses of this service.',
        'application/json',
        components,
      ),
    },
    '/asyncapi.json': {
      get: document(
        'getAsyncapi',
        'The WebSocket and the streams of events, as AsyncAPI',
        'AsyncAPI 3.0, with the addresses of this service.',
        'application/json',
        components,
      ),
    },
    '/schema.graphql': {
      get: document(
        'getGraphqlSchema',
        'The GraphQL schema',
        'In the schema definition language, with descriptions.',
        'text/plain',
        components,
      ),
    },
    '/docs': {
      get: document(
        'getDocs',
        'These documents as pages for people',
        'Reference pages of REST, GraphQL, WebSocket, nodes and templates.',
        'text/html',
        components,
      ),
    },
    ...oauthPaths(origin),
    '/metrics': {
      servers: [{ url: origin }],
      get: {
        ...document(
          'getMetrics',
          'Numbers for Prometheus, where the settings turn them on',
          'The text format of Prometheus. Needs `Authorization: Bearer` with `WEFT_METRICS_TOKEN` where that is set.',
          'text/plain',
          components,
        ),
        tags: ['Metrics'],
        'x-door': 'metrics',
      },
    },
  };
}

const endpoint: JsonObject = {
  name: 'endpoint',
  in: 'path',
  required: true,
  description: 'The endpoint of the trigger; it may have several segments, and `:parameters`.',
  schema: { type: 'string', minLength: 1 },
  example: 'orders',
};
const token: JsonObject = {
  name: 'token',
  in: 'path',
  required: true,
  description:
    'From `listenToWebhook`; where the endpoint has `:parameters`, it stands behind, with their values.',
  schema: { type: 'string', minLength: 1 },
  example: 'kq3oXKxw0mVtQbq1n5mYp0fJr7sLzD2c',
};
const workflowId: JsonObject = {
  name: 'workflow_id',
  in: 'path',
  required: true,
  description: 'The id of the workflow: this address never collides with that of another one.',
  schema: { type: 'string', minLength: 1 },
  example: 'wf_01kjqv8w2mzr4c',
};

function webhook(operationId: string, parameters: Json[], components: Components): JsonObject {
  return {
    operationId,
    tags: ['Webhooks'],
    summary: 'Call a webhook, with the method that its trigger takes',
    description:
      'GET, POST, PUT, PATCH and DELETE work alike. The trigger says how the caller proves who it is (`basic`, `bearer`, `api_key`, `hmac` or `none`), what the body must hold, and when the answer comes. A `respond` node may answer with any status and body, and with the headers that it allows. Every answer carries `Content-Security-Policy: sandbox`.',
    'x-door': 'webhooks',
    security: [],
    parameters: [
      ...parameters,
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'The same key and body answer with the same execution for 24 h.',
        schema: { type: 'string' },
      },
    ],
    requestBody: {
      required: false,
      description: 'JSON, a form or text, at most 16 MiB.',
      content: {
        'application/json': { schema: {}, example: { id: 'o-17', total: 720 } },
        'application/x-www-form-urlencoded': { schema: { type: 'object', additionalProperties: true } },
        'text/plain': { schema: { type: 'string' } },
      },
    },
    responses: {
      '200': {
        description:
          'As `respond` of the trigger has it: at once with the id of the execution, or on completion with its output.',
        headers: {
          ...headersOf(200, false),
          'X-Weft-Execution-Id': { description: 'The id of the execution.', schema: { type: 'string' } },
        },
        content: {
          'application/json': {
            schema: { anyOf: [components.use(WebhookStarted), components.use(AnyJson('The output.'))] },
            example: { execution_id: 'ex_01kjqvk3d8f0ws' },
          },
        },
      },
      ...errors(webhookErrors, false, components),
    },
  };
}

function document(
  operationId: string,
  summary: string,
  description: string,
  type: string,
  components: Components,
): JsonObject {
  return {
    operationId,
    tags: ['Documents'],
    summary,
    description,
    'x-door': 'documents',
    security: [],
    responses: {
      '200': {
        description: `${summary}.`,
        headers: headersOf(200, false),
        content: {
          [type]: { schema: type === 'application/json' ? { type: 'object' } : { type: 'string' } },
        },
      },
      // A host that is not served.
      ...errors(['VALIDATION_ERROR'], false, components),
    },
  };
}

function errors(codes: readonly ErrorCode[], isGuarded: boolean, components: Components): JsonObject {
  return Object.fromEntries(
    [...errorsByStatus(codes)].map(([status, list]) => [
      String(status),
      errorResponse(status, list, isGuarded, components),
    ]),
  );
}
