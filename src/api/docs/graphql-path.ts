import { Type } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import { JsonObject as AnyObject } from '../../contract/resources/resource.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { groupErrorsByStatus } from '../rest/route-errors.ts';
import type { Components } from './components.ts';
import { describeHeaders } from './headers.ts';
import { describeErrorResponse } from './operation.ts';

const GraphqlRequest = Type.Object(
  {
    query: Type.String(),
    variables: Type.Optional(Type.Union([AnyObject(), Type.Null()])),
    operationName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { title: 'GraphqlRequest', description: 'An operation with its variables.' },
);
const GraphqlResult = Type.Object(
  {
    data: Type.Optional(Type.Union([AnyObject(), Type.Null()])),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            message: Type.String(),
            extensions: Type.Optional(AnyObject('`code` and `details`, as in every error.')),
          },
          { title: 'GraphqlError', description: 'An error, optionally with `path` and `locations`.' },
        ),
      ),
    ),
  },
  { title: 'GraphqlResponse', description: 'The result of an operation.' },
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

/** The path of GraphQL over HTTP. Its errors are in `errors`, whatever the status is. */
export function describeGraphqlPath(components: Components): JsonObject {
  const common = {
    tags: ['GraphQL'],
    'x-api': 'graphql',
    security: [{ session: [] }, { sessionCookie: [], csrf: [] }, { apiKey: [] }, { oauth2: [] }],
  };
  const reply = components.use(GraphqlResult);
  const errors = [...groupErrorsByStatus(errorCodes)].map(([status, codes]) => {
    const response = describeErrorResponse(status, codes, true, components);
    return [String(status), { ...response, content: createContent(reply) }] as const;
  });
  const successResponse = {
    description: 'The operation ran; `errors` lists the fields that failed.',
    headers: describeHeaders(200, true),
    content: {
      ...createContent(reply, example),
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
      responses: Object.fromEntries([['200', successResponse], ...errors]),
    },
    get: {
      ...common,
      operationId: 'graphqlByGet',
      summary: 'Run a GraphQL query. Without a query, browsers get the GraphQL explorer',
      description:
        'Queries only: mutations are rejected. Subscriptions run over server-sent events with `Accept: text/event-stream`.',
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
          description: 'The variables as JSON.',
        },
        {
          name: 'operationName',
          in: 'query',
          required: false,
          schema: { type: 'string' },
          description: 'The operation to run, if the document has several.',
        },
      ],
      responses: Object.fromEntries([
        [
          '200',
          {
            ...successResponse,
            content: { ...successResponse.content, 'text/html': { schema: { type: 'string' } } },
          },
        ],
        ...errors,
        [
          '405',
          {
            description: 'A mutation requires `POST`.',
            headers: {
              ...describeHeaders(405, true),
              Allow: { description: '`POST`.', schema: { type: 'string' } },
            },
            content: createContent(reply),
          },
        ],
      ]),
    },
  };
}

function createContent(schema: JsonObject, value?: JsonObject): JsonObject {
  const media = isObject(value) ? { schema, example: value } : { schema };
  return { 'application/json': media, 'application/graphql-response+json': media };
}
