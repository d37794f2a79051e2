import type { TSchema } from 'typebox';
import { markdownTable } from '../../lib/markdown-table.ts';
import type { Route } from './route.ts';
import type { RouteGroup } from './routes.ts';

type Schema = TSchema & {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};

const needs: Record<string, string> = {
  public: 'nothing',
  any: 'any credential',
  session: 'a session',
};

/** The page of the whole REST table in Markdown. `groups` are the rows by subject, in the order of the page. */
export function restReference(groups: readonly RouteGroup[]): string {
  return [
    '# REST',
    '',
    'Generated from the route tables in `src/api/rest/routes.ts`; a test holds it fresh.',
    '',
    'Paths stand below `{base_url}`, which is `http://127.0.0.1:8080/v1` unless the settings say otherwise. Bodies are JSON. Unknown fields and unknown query parameters are refused by name. Lists take `page` (from 1, default 1) and `limit` (1 to 100, default 10), answer `{<name>: […], pagination: {page, limit, total, total_pages}}`, and have the newest first; logs have the oldest first. Errors: [errors.md](errors.md). Credentials: [authentication.md](../authentication.md).',
    '',
    'Two doors are not in the tables. `{method} {base_url}/webhooks/{endpoint}` and `…/webhooks/{workflow_id}/{endpoint}` take webhooks, by the authentication of their trigger, and so does `…/listen/{token}`, a test address. `OPTIONS` on any path below says in `Allow` what it takes; `HEAD` works wherever `GET` does.',
    '',
    ...groups.flatMap(({ title, routes }) => [`## ${title}`, '', ...routes.flatMap(routeLines)]),
  ].join('\n');
}

function routeLines(route: Route): string[] {
  const { method, path, status, scope, summary, query, body, bodyOptional } = route;
  return [
    `### ${method} ${path}`,
    '',
    `${summary.replace(/\.$/, '')}. Needs ${needs[scope] ?? `the scope \`${scope}\``}; answers ${status}.`,
    '',
    ...fieldTable('query', query),
    ...fieldTable(bodyOptional === true ? 'body (may be left out)' : 'body', body),
  ];
}

function fieldTable(title: string, schema: TSchema | undefined): string[] {
  const { properties, required = [] } = (schema ?? {}) as Schema;
  if (properties === undefined) return [];
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    required.includes(name) ? 'yes' : '',
    takes(field),
    note(field),
  ]);
  return [...markdownTable([title, 'required', 'takes', ''], rows), ''];
}

/** What a field takes, in words; objects with known fields by their names. */
function takes(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(takes).join('; or ');
  switch (schema.type) {
    case 'string':
      return `text${lengths(schema)}`;
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'a whole number' : 'a number'}${range(schema)}`;
    case 'boolean':
      return '`true` or `false`';
    case 'null':
      return '`null`';
    case 'array':
      return `a list of ${schema.items === undefined ? 'anything' : takes(schema.items)}`;
    case 'object':
      return schema.properties === undefined ? 'an object' : `{${Object.keys(schema.properties).join(', ')}}`;
    default:
      return 'anything (ignored)';
  }
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
  const issue: unknown = (schema as Record<string, unknown>)['x-issue'];
  return schema.description ?? (typeof issue === 'string' ? `It ${issue}.` : '');
}
