import type { TSchema } from 'typebox';
import { errorCatalog, type ErrorCode } from '../../contract/errors.ts';
import { ErrorBodyResource } from '../../contract/resources/resource-error.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { groupErrorsByStatus, listRouteErrors } from '../rest/route-errors.ts';
import type { Route } from '../rest/route.ts';
import type { Components } from './components.ts';
import { bodyExamples } from './example-bodies.ts';
import { formatJson } from './json-text.ts';
import { describeHeaders } from './headers.ts';
import { describePathParameters } from './path-parameters.ts';

/** Creates the OpenAPI operation of a route. */
export function createOperation(route: Route, tag: string, components: Components): JsonObject {
  const parameters = [
    ...describePathParameters(route.path),
    ...queryParameters(route.query, components),
    ...(route.requestHeaders ?? []).map(({ name, description }) => ({
      name,
      in: 'header',
      description,
      required: false,
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: route.operation,
    tags: [tag],
    summary: route.summary.replace(/\.$/, ''),
    description: describeCredentials(route),
    'x-scope': route.scope,
    security: createSecurity(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: createBody(route, route.body, components) }),
    responses: createResponses(route, components),
  };
}

function createSecurity(route: Route): Json[] {
  if (route.scope === 'public') return [];
  const bySession = [{ session: [] }, { sessionCookie: [], csrf: [] }];
  if (route.scope === 'session') return bySession;
  const needs = listScopes(route);
  return [...bySession, { apiKey: [...needs] }, { oauth2: [...needs] }];
}

function listScopes(route: Route): string[] {
  if (route.scope === 'public' || route.scope === 'session' || route.scope === 'any') return [];
  const { scope, additionalScope } = route;
  return additionalScope === undefined ? [scope] : [scope, additionalScope];
}

function describeCredentials(route: Route): string {
  if (route.scope === 'public') return 'Requires no credential.';
  if (route.scope === 'session') return 'Requires a session token; API keys and OAuth tokens are rejected.';
  const scopes = listScopes(route).map((scope) => `\`${scope}\``);
  if (scopes.length === 0) return 'Requires any credential: a session token, an API key or an OAuth token.';
  return `Requires the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(' and ')}.`;
}

function queryParameters(query: TSchema | undefined, components: Components): JsonObject[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...shape } = components.use(schema);
    return {
      name,
      in: 'query',
      ...(description === undefined ? {} : { description }),
      required: required.includes(name),
      schema: shape,
    };
  });
}

function createBody(route: Route, body: TSchema, components: Components): JsonObject {
  const name = `${route.operation[0]!.toUpperCase()}${route.operation.slice(1)}Input`;
  const examples = bodyExamples[route.operation] ?? [];
  return {
    required: route.bodyOptional !== true,
    content: {
      'application/json': {
        schema: isAnything(body) ? {} : components.useAs(name, body),
        ...(examples.length === 0 ? {} : { examples: exampleMap(examples) }),
      },
    },
  };
}

function isAnything(schema: TSchema): boolean {
  return Object.keys(schema).length === 0;
}

function exampleMap(examples: readonly { title: string; value: Json }[]): JsonObject {
  return Object.fromEntries(
    examples.map(({ title, value }, index) => [`example${index + 1}`, { summary: title, value }]),
  );
}

function createResponses(route: Route, components: Components): JsonObject {
  const isGuarded = route.scope !== 'public';
  const responses: JsonObject = { [String(route.status)]: createSuccess(route, components, isGuarded) };
  for (const [status, codes] of groupErrorsByStatus(listRouteErrors(route)))
    responses[String(status)] = describeErrorResponse(status, codes, isGuarded, components);
  for (const { status, response, description } of route.otherResponses ?? []) {
    const error = responses[String(status)];
    if (response === 'bytes') {
      responses[String(status)] = { ...createSuccess(route, components, isGuarded), description };
      continue;
    }
    const schema = components.use(response);
    responses[String(status)] = {
      ...(isObject(error) ? error : { headers: describeHeaders(status, isGuarded) }),
      description: isObject(error) ? `${description} Or ${formatJson(error['description'])}` : description,
      content: {
        'application/json': {
          schema: isObject(error) ? { oneOf: [schema, components.use(ErrorBodyResource)] } : schema,
        },
      },
    };
  }
  return responses;
}

function createSuccess(route: Route, components: Components, isGuarded: boolean): JsonObject {
  const { response, events, responseHeaders = [] } = route;
  const own = responseHeaders.map(({ name, description }) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const content: JsonObject =
    response === 'bytes'
      ? { '*/*': { schema: { type: 'string', format: 'binary' } } }
      : response === 'events'
        ? {}
        : { 'application/json': { schema: components.use(response) } };
  if (events !== undefined)
    content['text/event-stream'] = {
      schema: {
        type: 'string',
        description: 'Server-sent events; the data of each event is one such value as JSON.',
      },
      'x-event-data': components.use(events),
    };
  const description =
    response === 'bytes'
      ? 'The bytes.'
      : response === 'events'
        ? 'Server-sent events.'
        : (response as { description?: string }).description;
  return {
    description: description ?? 'Success.',
    headers: { ...describeHeaders(route.status, isGuarded), ...(Object.fromEntries(own) as JsonObject) },
    content,
  };
}

/** The response for errors with this status; `x-codes` lists the possible codes. */
export function describeErrorResponse(
  status: number,
  codes: readonly ErrorCode[],
  isGuarded: boolean,
  components: Components,
): JsonObject {
  const meaning = codes.map((code) => `\`${code}\`: ${errorCatalog[code].when}`).join(' ');
  const examples = codes.map((code) => ({ title: code, value: errorExample(code) }));
  return {
    description: meaning,
    'x-codes': [...codes],
    headers: describeHeaders(status, isGuarded),
    content: {
      'application/json': {
        schema: components.use(ErrorBodyResource),
        examples: Object.fromEntries(examples.map(({ title, value }) => [title, { summary: title, value }])),
      },
    },
  };
}

const details: Partial<Record<ErrorCode, JsonObject>> = {
  VALIDATION_ERROR: {
    field: 'name',
    issue: 'is required',
    errors: [{ field: 'name', issue: 'is required' }],
  },
  PAYLOAD_TOO_LARGE: { limit: 5_242_880 },
  FORBIDDEN: { scope: 'workflows:write' },
  RATE_LIMITED: { reason: 'plan', limit: 1000, retry_after: 1800 },
  EXECUTION_FAILED: { execution_id: 'ex_01kjqvk3d8f0ws', status: 'failed' },
};

function errorExample(code: ErrorCode): JsonObject {
  const message = code === 'VALIDATION_ERROR' ? 'name: is required' : errorCatalog[code].message;
  return { error: { code, message, details: details[code] ?? {} } };
}
