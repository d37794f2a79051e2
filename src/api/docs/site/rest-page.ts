import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { markup, nothing, type Markup } from '../../oauth/markup.ts';
import { formatJson } from '../json-text.ts';
import { renderCurl, renderJson, renderPanel } from './code.ts';
import { renderBadge, renderHeading, renderSection, type Entry, type Method, type Page } from './layout.ts';
import { join, renderLine, toSlug } from './prose.ts';
import type { SchemaView } from './schema-view.ts';

export type RestParts = {
  readonly document: JsonObject;
  readonly view: SchemaView;
  readonly root: string;
  readonly baseUrl: string;
};

type Operation = JsonObject & {
  operationId: string;
  summary: string;
  parameters?: JsonObject[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
};
type Media = {
  schema: JsonObject;
  example?: Json;
  examples?: Record<string, { summary: string; value: Json }>;
};
type Response = JsonObject & { description: string; content?: Record<string, Media>; headers?: JsonObject };
type FoundOperation = { method: Method; path: string; operation: Operation };

/** One page for each tag of the OpenAPI document with REST routes. */
export function createRestPages(parts: RestParts, titles: readonly string[]): Page[] {
  return titles.map((title) => {
    const found = listOperations(parts.document, title);
    return {
      path: `/rest/${toSlug(title)}`,
      title,
      part: 'REST',
      entries: found.map(createEntry),
      body: () => markup`${renderHeading(1, toSlug(title), title)}
<p class="lead">${overview(found)}</p>${found.map((one) => renderOperation(parts, one))}`,
    };
  });
}

/** The path of the documentation of an operation. */
export function findPath(document: JsonObject, root: string, operationId: string): string {
  for (const item of Object.values(document['paths'] as JsonObject))
    for (const operation of Object.values(item as JsonObject))
      if (isObject(operation) && operation['operationId'] === operationId)
        return `${root}/rest/${toSlug(formatJson((operation['tags'] as Json[])[0]))}#${operationId}`;
  throw new Error(`The document must contain the operation ${operationId}.`);
}

/** The operations with a tag, in the order of the document. */
export function listOperations(document: JsonObject, tag: string): FoundOperation[] {
  return Object.entries(document['paths'] as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Json>).flatMap(([method, operation]) =>
      isObject(operation) && Array.isArray(operation['tags']) && operation['tags'].includes(tag)
        ? [{ method: method.toUpperCase() as Method, path, operation: operation as Operation }]
        : [],
    ),
  );
}

export function createEntry({ method, operation }: FoundOperation): Entry {
  return { id: operation.operationId, label: toTitle(operation), method };
}

/** Converts an operation id to words: `listWorkflowVersions` becomes "List workflow versions". */
function toTitle({ operationId }: Operation): string {
  const words = operationId
    .replaceAll('OAuth', 'Oauth')
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .join(' ')
    .replaceAll('oauth', 'OAuth')
    .replaceAll(/\bapi\b/g, 'API')
    .replaceAll(/\bgraphql\b/g, 'GraphQL');
  return words[0]!.toUpperCase() + words.slice(1);
}

function overview(found: readonly FoundOperation[]): Markup {
  return markup`<span class="routes">${found.map(
    ({ method, path, operation }) =>
      markup`<a href="#${operation.operationId}">${renderBadge(method)}<code>${path}</code></a>`,
  )}</span>`;
}

/** Describes an operation on the left; command and example response are on the right. */
export function renderOperation(parts: RestParts, { method, path, operation }: FoundOperation): Markup {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const [success] = Object.entries(responses).find(([status]) => /^[23]/.test(status)) ?? ['200'];
  const title = toTitle(operation);
  const words = markup`${renderHeading(2, operationId, title)}
<p class="route">${renderBadge(method)}<code>${allowBreaks(path)}</code></p>
<p>${renderLine(`${summary}.`)}</p>${
    // The description of a REST route only names its credentials, as the next paragraph does.
    'x-api' in operation ? markup`<p>${renderLine(formatJson(description))}</p>` : nothing
  }<p class="needs">${renderCredential(parts, operation)}</p>
${['path', 'query', 'header'].map((location) => parameterList(parts, parameters, location))}
${renderBody(parts, requestBody)}
${renderResponse(parts, success, responses[success])}
${renderErrors(parts, responses)}`;
  return renderSection(words, codes(parts, method, path, operation, success));
}

/** Allows line breaks after slashes. */
function allowBreaks(path: string): Markup {
  return join(
    path.split(/(?<=\/)/).map((part, index) => (index < 2 ? markup`${part}` : markup`<wbr>${part}`)),
  );
}

function renderCredential({ root }: RestParts, operation: Operation): Markup {
  const { 'x-scope': scope, security } = operation;
  const link = `${root}/authentication`;
  if (Array.isArray(security) && security.length === 0) return markup`Requires no credential.`;
  if (scope === 'session') return markup`Requires a <a href="${link}">session</a>; API keys are rejected.`;
  if (scope === 'any' || scope === undefined) return markup`Requires any <a href="${link}">credential</a>.`;
  const keyed = Array.isArray(security) ? security.find((one) => isObject(one) && 'apiKey' in one) : null;
  const scopes = isObject(keyed ?? null) ? (keyed as { apiKey: string[] }).apiKey : [formatJson(scope)];
  const names = scopes.map((name) => markup`<code>${name}</code> `);
  return markup`Requires the ${scopes.length === 1 ? 'scope' : 'scopes'} <a href="${link}#scopes">${names}</a>.`;
}

const placeTitles: Readonly<Record<string, string>> = {
  path: 'Path',
  query: 'Query',
  header: 'Headers',
};

function parameterList({ view }: RestParts, parameters: readonly JsonObject[], location: string): Markup {
  const here = parameters.filter((parameter) => parameter['in'] === location);
  if (here.length === 0) return nothing;
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      here.map(({ name, schema: shape, description }) => [
        name as string,
        { ...(shape as JsonObject), ...(description === undefined ? {} : { description }) },
      ]),
    ),
    required: here.filter(({ required }) => required === true).map(({ name }) => name as string),
  };
  return markup`<h3>${placeTitles[location] ?? location}</h3>${view.fields(schema)}`;
}

function renderBody({ view }: RestParts, body: Operation['requestBody']): Markup {
  if (body === undefined) return nothing;
  const [type, media] = Object.entries(body.content)[0]!;
  const note = [
    body.required === true ? '' : 'Optional. ',
    type === 'application/json' ? '' : `As \`${type}\`.`,
  ].join('');
  return markup`<h3>Body</h3>${note === '' ? nothing : markup`<p>${renderLine(note)}</p>`}${view.fields(media.schema)}`;
}

function renderResponse({ view }: RestParts, status: string, response: Response | undefined): Markup {
  if (response === undefined) return nothing;
  const media = response.content?.['application/json'];
  const named = media === undefined ? nothing : markup` ${view.type(media.schema)}`;
  const events = Object.values(response.content ?? {}).find((one) => 'x-event-data' in one) as
    | (Media & { 'x-event-data': JsonObject })
    | undefined;
  const own = Object.entries(response.headers ?? {}).filter(
    ([, header]) => !isObject(header) || !('$ref' in header),
  );
  const shown = media === undefined ? nothing : view.fields(media.schema, 'response');
  return markup`<h3>Response</h3><p><code>${status}</code>${named}: ${renderLine(lowerFirst(response.description))}</p>${
    shown === nothing || shown.text === ''
      ? nothing
      : markup`<details class="shape"><summary>Response fields</summary>${shown}</details>`
  }${events === undefined ? nothing : markup`<p>With <code>Accept: text/event-stream</code>: one ${view.type(events['x-event-data'])} for each event.</p>`}${own.map(
    ([name, header]) =>
      markup`<p><code>${name}</code>: ${renderLine(formatJson((header as JsonObject)['description']))}</p>`,
  )}`;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text;
}

function renderErrors({ root }: RestParts, responses: Record<string, Response>): Markup {
  const errors = Object.entries(responses).filter(([, response]) => Array.isArray(response['x-codes']));
  if (errors.length === 0) return nothing;
  return markup`<h3>Errors</h3><ul class="errors">${errors.map(
    ([status, response]) =>
      markup`<li><code class="status">${status}</code> ${join(
        (response['x-codes'] as string[]).map(
          (code) => markup`<a href="${root}/errors#${code}"><code>${code}</code></a> `,
        ),
      )}</li>`,
  )}</ul>`;
}

function codes(parts: RestParts, method: Method, path: string, operation: Operation, status: string): Markup {
  const { parameters = [], requestBody, security } = operation;
  const media = requestBody?.content['application/json'];
  const examples = Object.values(media?.examples ?? {});
  const first = examples[0]?.value ?? media?.example;
  const [server] =
    ((parts.document['paths'] as JsonObject)[path] as { servers?: { url: string }[] }).servers ?? [];
  const url = `${server?.url ?? parts.baseUrl}${fillPath(path, parameters)}`;
  const isPublic = Array.isArray(security) && security.length === 0;
  const isGiven = first !== undefined && !(isObject(first) && Object.keys(first).length === 0);
  const form = requestBody?.content['application/x-www-form-urlencoded']?.example;
  const command = renderCurl({
    method,
    url,
    credential: isPublic ? null : 'any',
    ...(isGiven ? { body: first } : {}),
    ...(isObject(form) ? { form } : {}),
  });
  const reply = operation.responses[status]?.content?.['application/json']?.example;
  return markup`${renderPanel(markup`${renderBadge(method)} <span class="path">${path}</span>`, command)}${examples
    .slice(1)
    .filter(({ value }) => !isObject(value) || Object.keys(value).length > 0)
    .map(
      ({ summary, value }) =>
        markup`<details class="more"><summary>${summary}</summary>${renderPanel('Body', renderJson(value))}</details>`,
    )}${reply === undefined ? nothing : renderPanel('Response', renderJson(reply), markup`<span class="code-status">${status}</span>`)}`;
}

/** Fills a path with the examples of its parameters. */
function fillPath(path: string, parameters: readonly JsonObject[]): string {
  const query = parameters
    .filter((one) => one['in'] === 'query' && one['example'] !== undefined)
    .map((one) => `${formatJson(one['name'])}=${encodeURIComponent(formatJson(one['example']))}`)
    .join('&');
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const example = parameters.find((one) => one['name'] === name && one['in'] === 'path')?.['example'];
    return example === undefined ? whole : formatJson(example);
  });
  return query === '' ? filledPath : `${filledPath}?${query}`;
}
