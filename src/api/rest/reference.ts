import type { TSchema } from 'typebox';
import { errorCatalogue } from '../../contract/errors.ts';
import { markdownTable } from '../../lib/text/markdown-table.ts';
import { createComponents, type Components } from '../docs/components.ts';
import { errorsByStatus, errorsOf } from './route-errors.ts';
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

const needs: Record<string, string> = {
  public: 'nothing',
  any: 'any credential',
  session: 'a session',
};

/** The page of the whole REST table in Markdown. `groups` are the rows by subject, in the order of the page. */
export function restReference(groups: readonly RouteGroup[]): string {
  const components = createComponents();
  const rows = groups.flatMap(({ title, routes }) => [
    `## ${title}`,
    '',
    ...routes.flatMap((route) => routeLines(route, components)),
  ]);
  return [
    '# REST',
    '',
    'Generated from the route tables in `src/api/rest/routes.ts`; a test holds it fresh.',
    '',
    'Paths stand below `{base_url}`, which is `http://127.0.0.1:8080/v1` unless the settings say otherwise. Bodies are JSON. Unknown fields and unknown query parameters are refused by name. Lists take `page` (from 1, default 1) and `limit` (1 to 100, default 10), answer `{<name>: […], pagination: {page, limit, total, total_pages}}`, and have the newest first; logs have the oldest first. Errors: [errors.md](errors.md). Credentials: [authentication.md](../authentication.md).',
    '',
    'Two doors are not in the tables. `{method} {base_url}/webhooks/{endpoint}` and `…/webhooks/{workflow_id}/{endpoint}` take webhooks, by the authentication of their trigger, and so does `…/listen/{token}`, a test address. `OPTIONS` on any path below says in `Allow` what it takes; `HEAD` works wherever `GET` does.',
    '',
    ...everyAnswer,
    ...rows,
    '## Resources',
    '',
    'The shapes of answers, and of bodies where they are nested. Timestamps are ISO 8601 in UTC with milliseconds; durations are whole milliseconds.',
    '',
    ...resourceLines(components),
  ].join('\n');
}

const everyAnswer = [
  '## Every answer',
  '',
  ...markdownTable(
    ['header', 'on', 'says'],
    [
      [
        '`X-Request-Id`',
        'every answer',
        'the id of the request; the lines of the log that belong to it have the same',
      ],
      ['`Weft-Version`', 'every answer', 'the version of the service'],
      [
        '`X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset`',
        'what needs a credential',
        'requests an hour of the plan, those left, and when the window ends (Unix seconds); an unlimited plan leaves them out',
      ],
      ['`Retry-After`', '429', 'seconds to wait before the next try'],
      ['`WWW-Authenticate`', '401', 'how to authenticate'],
    ],
  ),
  '',
];

function scopesText(route: Route): string {
  const also = route.scope === 'public' ? undefined : route.alsoNeeds;
  return also === undefined
    ? `the scope \`${route.scope}\``
    : `the scopes \`${route.scope}\` and \`${also}\``;
}

function routeLines(route: Route, components: Components): string[] {
  const { method, path, status, scope, summary, query, body, bodyOptional, answer, events } = route;
  const result = answer === 'bytes' ? 'the bytes' : takes(components.use(answer) as Schema);
  const errors = [...errorsByStatus(errorsOf(route))].flatMap(([, codes]) => codes);
  return [
    `### ${method} ${path}`,
    '',
    `${summary.replace(/\.$/, '')}. Needs ${needs[scope] ?? scopesText(route)}; answers ${status} with ${result}.`,
    '',
    ...(events === undefined
      ? []
      : [
          `With \`Accept: text/event-stream\` each event has as its data ${takes(components.use(events) as Schema)}.`,
          '',
        ]),
    ...fieldTable('query', query, components),
    ...fieldTable(bodyOptional === true ? 'body (may be left out)' : 'body', body, components),
    ...headerTable('header', route.takesHeaders),
    ...headerTable('header of the answer', route.givesHeaders),
    `Errors: ${errors.map((code) => `${errorCatalogue[code].status} \`${code}\``).join(', ')}.`,
    '',
  ];
}

function headerTable(title: string, headers: Route['takesHeaders'] = []): string[] {
  if (headers.length === 0) return [];
  const rows = headers.map(({ name, description }) => [`\`${name}\``, description]);
  return [...markdownTable([title, ''], rows), ''];
}

/** Every named shape that stands in the rows, with its fields. */
function resourceLines(components: Components): string[] {
  return Object.entries(components.all()).flatMap(([name, schema]) => {
    const { description, properties = {}, required = [] } = schema as Schema;
    const rows = Object.entries(properties).map(([field, inner]) => [
      `\`${field}\``,
      required.includes(field) ? 'yes' : '',
      takes(inner),
      note(inner),
    ]);
    return [
      `### Resource: ${name}`,
      '',
      ...(description === undefined ? [] : [description, '']),
      ...markdownTable(['field', 'always', 'is', ''], rows),
      '',
    ];
  });
}

function fieldTable(title: string, schema: TSchema | undefined, components: Components): string[] {
  if (schema === undefined) return [];
  // The table stands here, so the schema itself needs no name.
  const { title: _, ...shape } = schema as TSchema & { title?: string };
  const { properties, required = [] } = components.use(shape) as Schema;
  if (properties === undefined) return [];
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    required.includes(name) ? 'yes' : '',
    // What an answer shows and nobody may set.
    Object.keys(field).length === 0 ? 'anything (ignored)' : takes(field),
    note(field),
  ]);
  return [...markdownTable([title, 'required', 'takes', ''], rows), ''];
}

/** What a value is, in words; named shapes as links to theirs. */
function takes(schema: Schema): string {
  const { $ref: reference, anyOf: variants, type } = schema;
  if (reference !== undefined) {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return `[${name}](#resource-${name.toLowerCase()})`;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (variants !== undefined) return variants.map(takes).join('; or ');
  if (Array.isArray(type)) return type.map((one) => takes({ ...schema, type: one })).join('; or ');
  switch (type) {
    case 'string':
      return schema.format === 'date-time' ? 'a timestamp' : `text${lengths(schema)}`;
    case 'integer':
    case 'number':
      return `${type === 'integer' ? 'a whole number' : 'a number'}${range(schema)}`;
    case 'boolean':
      return '`true` or `false`';
    case 'null':
      return '`null`';
    case 'array':
      return `a list of ${schema.items === undefined ? 'anything' : takes(schema.items)}`;
    case 'object':
      return objectText(schema);
    default:
      return 'anything';
  }
}

function objectText({ properties, additionalProperties: values }: Schema): string {
  if (properties !== undefined) return `{${Object.keys(properties).join(', ')}}`;
  if (typeof values !== 'object' || Object.keys(values).length === 0) return 'an object';
  return `an object of ${takes(values)} by name`;
}

function lengths({ minLength = 0, maxLength }: Schema): string {
  if (maxLength === undefined) return '';
  return minLength > 0 ? `, ${minLength} to ${maxLength} characters` : `, at most ${maxLength} characters`;
}

function range({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function note(schema: Schema): string {
  const { description, 'x-issue': issue } = schema;
  return description ?? (issue === undefined ? '' : `It ${issue}.`);
}
