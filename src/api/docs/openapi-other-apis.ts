import { Type } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import { AnyJson, defineResource } from '../../contract/resources/resource.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { groupErrorsByStatus } from '../rest/route-errors.ts';
import type { Components } from './components.ts';
import { describeGraphqlPath } from './graphql-path.ts';
import { describeHeaders } from './headers.ts';
import { describeOAuthPaths } from './oauth-paths.ts';
import { describeErrorResponse } from './operation.ts';

/** The APIs that are not REST routes, in brief. They have documents of their own, which `x-api` names. */

export const otherApiTags: Json[] = [
  {
    name: 'Webhooks',
    description: 'The endpoints of webhook triggers. Each trigger has its own authentication.',
  },
  { name: 'Slack', description: 'The endpoint that Slack calls when a person uses a button of a decision.' },
  { name: 'GraphQL', description: 'The schema is at `/schema.graphql`.' },
  { name: 'OAuth 2.0', description: 'The authorization server, at the root of the origin.' },
  { name: 'Documents', description: 'The descriptions of the APIs.' },
  { name: 'Metrics', description: 'Metrics of the service.' },
];

const WebhookStarted = defineResource('WebhookStarted', 'An execution was started, or has this status.', {
  execution_id: Type.String(),
  status: Type.Optional(Type.String({ description: 'Present when the execution did not complete in time.' })),
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

export function describeOtherApiPaths(origin: string, components: Components): JsonObject {
  return {
    '/webhooks/{endpoint}': { post: webhook('callWebhook', [endpoint], components) },
    '/webhooks/{workflow_id}/{endpoint}': {
      post: webhook('callWebhookOfWorkflow', [workflowId, endpoint], components),
    },
    '/listen/{token}': { post: webhook('callTestAddress', [token], components) },
    '/slack/interactions': { post: slackInteraction(components) },
    '/graphql': describeGraphqlPath(components),
    '/openapi.json': {
      get: document(
        'getOpenapi',
        'Get this document',
        'OpenAPI 3.1, with the URLs of this service.',
        'application/json',
        components,
      ),
    },
    '/asyncapi.json': {
      get: document(
        'getAsyncapi',
        'Get the AsyncAPI document of the WebSocket and the event streams',
        'AsyncAPI 3.0, with the URLs of this service.',
        'application/json',
        components,
      ),
    },
    '/schema.graphql': {
      get: document(
        'getGraphqlSchema',
        'Get the GraphQL schema',
        'In the schema definition language (SDL), with descriptions.',
        'text/plain',
        components,
      ),
    },
    '/docs': {
      get: document(
        'getDocs',
        'Open the documentation site',
        'Reference pages of REST, GraphQL, WebSocket, nodes and templates.',
        'text/html',
        components,
      ),
    },
    ...describeOAuthPaths(origin),
    '/metrics': {
      servers: [{ url: origin }],
      get: {
        ...document(
          'getMetrics',
          'Get metrics for Prometheus, if enabled in the settings',
          'The text format of Prometheus. If `WEFT_METRICS_TOKEN` is set, requires it in `Authorization: Bearer`.',
          'text/plain',
          components,
        ),
        tags: ['Metrics'],
        'x-api': 'metrics',
      },
    },
  };
}

const endpoint: JsonObject = {
  name: 'endpoint',
  in: 'path',
  required: true,
  description: 'The endpoint of the trigger. It may have several segments and `:parameters`.',
  schema: { type: 'string', minLength: 1 },
  example: 'orders',
};
const token: JsonObject = {
  name: 'token',
  in: 'path',
  required: true,
  description:
    'The token of `listenToWebhook`. If the endpoint has `:parameters`, the endpoint with their values follows.',
  schema: { type: 'string', minLength: 1 },
  example: 'kq3oXKxw0mVtQbq1n5mYp0fJr7sLzD2c',
};
const workflowId: JsonObject = {
  name: 'workflow_id',
  in: 'path',
  required: true,
  description: 'The id of the workflow. This URL never collides with that of another workflow.',
  schema: { type: 'string', minLength: 1 },
  example: 'wf_01kjqv8w2mzr4c',
};

function webhook(operationId: string, parameters: Json[], components: Components): JsonObject {
  return {
    operationId,
    tags: ['Webhooks'],
    summary: 'Call a webhook with the method of its trigger',
    description:
      'GET, POST, PUT, PATCH and DELETE are supported. The trigger defines the authentication (`basic`, `bearer`, `api_key`, `hmac` or `none`), the content of the body, and when the response is sent. A `respond` node may send any status and body, and the headers that are allowed. Every response has `Content-Security-Policy: sandbox`.',
    'x-api': 'webhooks',
    security: [],
    parameters: [
      ...parameters,
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'The same key and body return the same execution for 24 h.',
        schema: { type: 'string' },
      },
    ],
    requestBody: {
      required: false,
      description: 'JSON, a form or text of at most 16 MiB.',
      content: {
        'application/json': { schema: {}, example: { id: 'o-17', total: 720 } },
        'application/x-www-form-urlencoded': { schema: { type: 'object', additionalProperties: true } },
        'text/plain': { schema: { type: 'string' } },
      },
    },
    responses: {
      '200': {
        description:
          'Depending on `respond` of the trigger: immediately with the id of the execution, or on completion with its output.',
        headers: {
          ...describeHeaders(200, false),
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

function slackInteraction(components: Components): JsonObject {
  const header = (name: string, description: string, example: string): JsonObject => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  });
  return {
    operationId: 'receiveSlackInteraction',
    tags: ['Slack'],
    summary: 'Respond to a decision with a button in Slack',
    description:
      'The interactivity URL of a Slack app. Only Slack calls it. The signature of the app of the node that asked is the credential. A response of 200 means that the click was processed; who is refused sees the reason in Slack.',
    'x-api': 'slack',
    security: [],
    parameters: [
      header('X-Slack-Signature', 'The signature `v0=…` of the body.', `v0=${'a2114d57'.repeat(8)}`),
      header('X-Slack-Request-Timestamp', 'Seconds since 1970, at most five minutes ago.', '1531420618'),
    ],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: {
            type: 'object',
            required: ['payload'],
            properties: {
              payload: { type: 'string', description: 'JSON with `block_actions` of one button.' },
            },
          },
        },
      },
    },
    responses: {
      '200': { description: 'The click was processed.', headers: describeHeaders(200, false) },
      ...errors(
        [
          'VALIDATION_ERROR',
          'UNAUTHORIZED',
          'PAYLOAD_TOO_LARGE',
          'RATE_LIMITED',
          'STORAGE_FULL',
          'STORAGE_UNAVAILABLE',
          'INTERNAL_ERROR',
        ],
        false,
        components,
      ),
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
    'x-api': 'documents',
    security: [],
    responses: {
      '200': {
        description: `${summary}.`,
        headers: describeHeaders(200, false),
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
    [...groupErrorsByStatus(codes)].map(([status, list]) => [
      String(status),
      describeErrorResponse(status, list, isGuarded, components),
    ]),
  );
}
