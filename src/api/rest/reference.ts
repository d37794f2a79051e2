import type { TSchema } from 'typebox';
import { errorCatalog } from '../../contract/errors.ts';
import { formatMarkdownTable } from '../../lib/text/markdown-table.ts';
import { createComponents, type Components } from '../docs/components.ts';
import { groupErrorsByStatus, listRouteErrors } from './route-errors.ts';
import type { Route } from './route.ts';
import type { RouteGroup } from './routes.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  'x-issue'?: string;
};

const requiredCredentials: Record<string, string> = {
  public: 'no credential',
  any: 'any credential',
  session: 'a session',
};

/** Renders the REST reference page in Markdown. `groups` are in the order of the page. */
export function formatRestReference(groups: readonly RouteGroup[]): string {
  const components = createComponents();
  const rows = groups.flatMap(({ title, routes }) => [
    `## ${title}`,
    '',
    ...routes.flatMap((route) => renderRoute(route, components)),
  ]);
  return [
    '# REST',
    '',
    'Generated from the route tables in `src/api/rest/routes.ts`; a test checks that it is up to date.',
    '',
    'Paths are relative to `{base_url}`, which is `http://127.0.0.1:8080/v1` by default. Bodies are JSON. Unknown fields and unknown query parameters are rejected with their name. Lists accept `page` (from 1, default 1) and `limit` (1 to 100, default 10) and return `{<name>: […], pagination: {page, limit, total, total_pages}}`, newest first; logs are returned oldest first. Errors: [errors.md](errors.md). Credentials: [authentication.md](../authentication.md).',
    '',
    'Webhook endpoints are not in the tables. `{method} {base_url}/webhooks/{endpoint}` and `…/webhooks/{workflow_id}/{endpoint}` accept webhooks with the authentication of their trigger, and so does the test URL `…/listen/{token}`. `OPTIONS` on any path below returns its methods in `Allow`; `HEAD` is supported wherever `GET` is.',
    '',
    ...commonHeaders,
    ...rows,
    '## Resources',
    '',
    'The objects in responses and nested in request bodies. Timestamps are ISO 8601 in UTC with milliseconds; durations are whole milliseconds.',
    '',
    ...renderResources(components),
  ].join('\n');
}

const commonHeaders = [
  '## Every response',
  '',
  ...formatMarkdownTable(
    ['header', 'on', 'value'],
    [
      ['`X-Request-Id`', 'every response', 'the id of the request, which its log lines contain'],
      ['`Weft-Version`', 'every response', 'the version of the service'],
      [
        '`X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset`',
        'requests with a credential',
        'the hourly request limit of the plan, the remaining requests, and the end of the window (Unix seconds); absent for unlimited plans',
      ],
      ['`Retry-After`', '429', 'seconds to wait before the next attempt'],
      ['`WWW-Authenticate`', '401', 'how to authenticate'],
    ],
  ),
  '',
];

function describeScopes(route: Route): string {
  const also = route.scope === 'public' ? undefined : route.additionalScope;
  return also === undefined
    ? `the scope \`${route.scope}\``
    : `the scopes \`${route.scope}\` and \`${also}\``;
}

function renderRoute(route: Route, components: Components): string[] {
  const { method, path, status, scope, summary, query, body, bodyOptional, response, events } = route;
  const result =
    response === 'bytes'
      ? 'the bytes of the file'
      : response === 'events'
        ? 'server-sent events'
        : describeType(components.use(response) as Schema);
  const errors = [...groupErrorsByStatus(listRouteErrors(route))].flatMap(([, codes]) => codes);
  return [
    `### ${method} ${path}`,
    '',
    `${summary.replace(/\.$/, '')}. Requires ${requiredCredentials[scope] ?? describeScopes(route)}. Returns ${status} with ${result}.`,
    '',
    ...(events === undefined
      ? []
      : [
          `${response === 'events' ? 'The' : 'With `Accept: text/event-stream` the'} data of each event is ${describeType(components.use(events) as Schema)}.`,
          '',
        ]),
    ...renderFieldTable('query', query, components),
    ...renderFieldTable(bodyOptional === true ? 'body (optional)' : 'body', body, components),
    ...renderHeaderTable('header', route.requestHeaders),
    ...renderHeaderTable('response header', route.responseHeaders),
    `Errors: ${errors.map((code) => `${errorCatalog[code].status} \`${code}\``).join(', ')}.`,
    '',
  ];
}

function renderHeaderTable(title: string, headers: Route['requestHeaders'] = []): string[] {
  if (headers.length === 0) return [];
  const rows = headers.map(({ name, description }) => [`\`${name}\``, description]);
  return [...formatMarkdownTable([title, ''], rows), ''];
}

/** The named schemas that the routes refer to, with their fields. */
function renderResources(components: Components): string[] {
  return Object.entries(components.all()).flatMap(([name, schema]) => {
    const { description, properties = {}, required = [] } = schema as Schema;
    const rows = Object.entries(properties).map(([field, inner]) => [
      `\`${field}\``,
      required.includes(field) ? 'yes' : '',
      describeType(inner),
      describeField(inner),
    ]);
    return [
      `### Resource: ${name}`,
      '',
      ...(description === undefined ? [] : [description, '']),
      ...formatMarkdownTable(['field', 'always', 'is', ''], rows),
      '',
    ];
  });
}

function renderFieldTable(title: string, schema: TSchema | undefined, components: Components): string[] {
  if (schema === undefined) return [];
  // The fields are listed in place, so the schema is not registered under its name.
  const { title: _, ...shape } = schema as TSchema & { title?: string };
  const { properties, required = [] } = components.use(shape) as Schema;
  if (properties === undefined) return [];
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    required.includes(name) ? 'yes' : '',
    // A field of the resource that requests cannot set.
    Object.keys(field).length === 0 ? 'anything (ignored)' : describeType(field),
    describeField(field),
  ]);
  return [...formatMarkdownTable([title, 'required', 'takes', ''], rows), ''];
}

/** Describes the type of a value; named schemas become links. */
function describeType(schema: Schema): string {
  const { $ref: reference, anyOf: variants, type } = schema;
  if (reference !== undefined) {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return `[${name}](#resource-${name.toLowerCase()})`;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (variants !== undefined) return variants.map(describeType).join('; or ');
  if (Array.isArray(type)) return type.map((one) => describeType({ ...schema, type: one })).join('; or ');
  switch (type) {
    case 'string':
      return schema.format === 'date-time' ? 'a timestamp' : `text${describeLength(schema)}`;
    case 'integer':
    case 'number':
      return `${type === 'integer' ? 'a whole number' : 'a number'}${describeRange(schema)}`;
    case 'boolean':
      return '`true` or `false`';
    case 'null':
      return '`null`';
    case 'array':
      return `a list of ${schema.items === undefined ? 'anything' : describeType(schema.items)}`;
    case 'object':
      return describeObject(schema);
    default:
      return 'anything';
  }
}

function describeObject({ properties, additionalProperties: values }: Schema): string {
  if (properties !== undefined) return `{${Object.keys(properties).join(', ')}}`;
  if (typeof values !== 'object' || Object.keys(values).length === 0) return 'an object';
  return `an object of ${describeType(values)} by name`;
}

function describeLength({ minLength = 0, maxLength }: Schema): string {
  if (maxLength === undefined) return '';
  return minLength > 0 ? `, ${minLength} to ${maxLength} characters` : `, at most ${maxLength} characters`;
}

function describeRange({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function describeField(schema: Schema): string {
  const { description, 'x-issue': issue } = schema;
  return description ?? (issue === undefined ? '' : `It ${issue}.`);
}
