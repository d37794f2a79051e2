import {
  buildSchema,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { markup, nothing, type Markup } from '../../oauth/markup.ts';
import { renderCurl, renderJson, renderPanel } from './code.ts';
import { renderHeading, renderSection, type Entry, type Page } from './layout.ts';
import { renderLine, renderParagraphs } from './prose.ts';
import type { RestParts } from './rest-page.ts';

type Root = { title: string; id: string; type: GraphQLObjectType };

/** The GraphQL page, from the SDL. */
export function createGraphqlPage(parts: RestParts, sdl: string): Page {
  const schema = buildSchema(sdl);
  const roots = listRoots(schema);
  const types = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !type.name.startsWith('__') && !roots.some((root) => root.type === type));
  return {
    path: '/graphql',
    title: 'GraphQL',
    part: 'Other APIs',
    entries: [
      { id: 'request', label: 'Requests' },
      ...roots.flatMap(({ type, id }): Entry[] =>
        Object.keys(type.getFields()).map((name) => ({ id: `${id}-${name}`, label: name })),
      ),
      { id: 'types', label: 'Types' },
    ],
    body: () => markup`${renderHeading(1, 'graphql', 'GraphQL')}
<p class="lead">The same resources as in REST, with names in camelCase, in one query. Errors have the same codes. Try it at <a href="${parts.baseUrl}/graphql">${parts.baseUrl}/graphql</a>; the schema is at <a href="${parts.baseUrl}/schema.graphql">schema.graphql</a>.</p>
${renderSection(
  markup`${renderHeading(2, 'request', 'Requests')}${renderParagraphs(
    '`POST` with `{query, variables, operationName}`, or `GET` for queries only. `Accept` may be `application/graphql-response+json` or `application/json`.',
    'Subscriptions run over a WebSocket at the same path with the protocol `graphql-transport-ws`, whose `connection_init` contains `{"Authorization": "Bearer …"}` or `{"X-API-Key": …}`, and over server-sent events.',
    'One operation counts as one request of the plan. A query may be 12 levels deep, and its cost is limited.',
  )}`,
  markup`${renderPanel(
    'A query',
    renderCurl({
      method: 'POST',
      url: `${parts.baseUrl}/graphql`,
      credential: 'any',
      body: {
        query:
          'query ($id: ID!) { workflow(id: $id) { name status executions(limit: 5) { id status duration } } }',
        variables: { id: 'wf_01kjqv8w2mzr4c' },
      },
    }),
  )}${renderPanel(
    'Response',
    renderJson({
      data: {
        workflow: {
          name: 'Large orders',
          status: 'active',
          executions: [{ id: 'ex_01kjqvk3d8f0ws', status: 'completed', duration: 358 }],
        },
      },
    }),
  )}`,
)}
${roots.map(
  ({ title, id, type }) =>
    markup`<h2 class="group">${title}</h2>${Object.values(type.getFields()).map((field) => fieldSection(id, field))}`,
)}
${renderSection(
  markup`${renderHeading(2, 'types', 'Types')}${types.map(
    (type) =>
      markup`<details><summary><code>${type.name}</code></summary>${renderDescription(type.description)}${fieldList(
        Object.values(type.getFields()).map(({ name, type: of, description }) => ({
          name,
          type: String(of),
          description,
        })),
      )}</details>`,
  )}`,
  null,
)}`,
  };
}

function listRoots(schema: GraphQLSchema): Root[] {
  const roots: [string, string, GraphQLObjectType | null | undefined][] = [
    ['Queries', 'query', schema.getQueryType()],
    ['Mutations', 'mutation', schema.getMutationType()],
    ['Subscriptions', 'subscription', schema.getSubscriptionType()],
  ];
  return roots.flatMap(([title, id, type]) =>
    type === null || type === undefined ? [] : [{ title, id, type }],
  );
}

function fieldSection(root: string, field: GraphQLField<unknown, unknown>): Markup {
  const args = field.args.map(({ name, type, description }) => ({ name, type: String(type), description }));
  const call =
    args.length === 0 ? '' : `(\n${args.map(({ name, type }) => `  ${name}: ${type}`).join('\n')}\n)`;
  return renderSection(
    markup`${renderHeading(2, `${root}-${field.name}`, markup`<code>${field.name}</code>`)}${renderDescription(field.description)}${
      args.length === 0 ? nothing : markup`<h3>Arguments</h3>${fieldList(args)}`
    }<p class="needs">Returns <code>${String(field.type)}</code></p>`,
    renderPanel(root, markup`${field.name}${call}: <span class="k">${String(field.type)}</span>`),
  );
}

type DescribedField = { name: string; type: string; description: string | null | undefined };

function fieldList(fields: readonly DescribedField[]): Markup {
  return markup`<ul class="fields">${fields.map(
    ({ name, type, description }) =>
      markup`<li><div class="field"><code class="name">${name}</code> <span class="type">${type}</span></div>${renderDescription(description)}</li>`,
  )}</ul>`;
}

function renderDescription(description: string | null | undefined): Markup {
  return description === null || description === undefined || description === ''
    ? nothing
    : markup`<p>${renderLine(description)}</p>`;
}
