import { Type } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import { JsonObject as AnyObject } from '../../contract/resources/resource.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { errorsByStatus } from '../rest/route-errors.ts';
import type { Components } from './components.ts';
import { headersOf } from './headers.ts';
import { errorResponse } from './operation.ts';

const GraphqlRequest = Type.Object(
  {
    query: Type.String(),
    variables: Type.Optional(Type.Union([AnyObject(), Type.Null()])),
    operationName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { title: 'GraphqlRequest', description: 'An operation with its variables.' },
);
const GraphqlAnswer = Type.Object(
  {
    data: Type.Optional(Type.Union([AnyObject(), Type.Null()])),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            message: Type.String(),
            extensions: Type.Optional(AnyObject('`code` and `details`, as in every error.')),
          },
          { title: 'GraphqlError', description: 'One error; `path` and `locations` may stand beside.' },
        ),
      ),
    ),
  },
  { title: 'GraphqlAnswer', description: 'The result of an operation.' },
);

const errorCodes: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
];
const example: JsonObject = { data: { workflow: { name: 'Large orders', status: 'active' } } };
const query = 'query ($id: ID!) { workflow(id: $id) { name status } }';
const variables = { id: 'wf_01kjqv8w2mzr4c' };

/** GraphQL over HTTP, which has ways of its own: errors stand in `errors`, whatever the status. */
export function graphqlPath(components: Components): JsonObject {
  const common = {
    tags: ['GraphQL'],
    'x-door': 'graphql',
    security: [{ session: [] }, { sessionCookie: [], csrf: [] }, { apiKey: [] }, { oauth2: [] }],
  };
  const answer = components.use(GraphqlAnswer);
  const errors = [...errorsByStatus(errorCodes)].map(([status, codes]) => {
    const response = errorResponse(status, codes, true, components);
    return [String(status), { ...response, content: contentOf(answer) }] as const;
  });
  const ran = {
    description: 'The operation ran; `errors` tell what of it failed.',
    headers: headersOf(200, true),
    content: {
      ...contentOf(answer, example),
      'text/event-stream': { schema: { type: 'string', description: 'The events of a subscription.' } },
    },
  };
  return {
    post: {
      ...common,
      operationId: 'graphql',
      summary: 'Run a GraphQL operation',
      description:
        'Queries and mutations. Subscriptions run over server-sent events with `Accept: text/event-stream`, and over a WebSocket at the same path with `graphql-transport-ws`. The few fields that need no credential work without one.',
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: components.use(GraphqlRequest), example: { query, variables } },
        },
      },
      responses: Object.fromEntries([['200', ran], ...errors]),
    },
    get: {
      ...common,
      operationId: 'graphqlByGet',
      summary: 'Run a GraphQL query; in a browser without a query, the page to try it out',
      description:
        'Queries alone: mutations are refused. Subscriptions run over server-sent events with `Accept: text/event-stream`.',
      parameters: [
        {
          name: 'query',
          in: 'query',
          required: false,
          schema: { type: 'string' },
          description: 'The document.',
        },
        {
          name: 'variables',
          in: 'query',
          required: false,
          schema: { type: 'string' },
          description: 'As JSON.',
        },
        {
          name: 'operationName',
          in: 'query',
          required: false,
          schema: { type: 'string' },
          description: 'Which of several operations.',
        },
      ],
      responses: Object.fromEntries([
        ['200', { ...ran, content: { ...ran.content, 'text/html': { schema: { type: 'string' } } } }],
        ...errors,
        [
          '405',
          {
            description: 'A mutation needs `POST`.',
            headers: {
              ...headersOf(405, true),
              Allow: { description: '`POST`.', schema: { type: 'string' } },
            },
            content: contentOf(answer),
          },
        ],
      ]),
    },
  };
}

function contentOf(schema: JsonObject, value?: JsonObject): JsonObject {
  const media = isObject(value) ? { schema, example: value } : { schema };
  return { 'application/json': media, 'application/graphql-response+json': media };
}
