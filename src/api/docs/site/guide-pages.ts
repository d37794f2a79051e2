import { scopes } from '../../../contract/scopes.ts';
import { MAX_PAGE_SIZE } from '../../../contract/paging.ts';
import { limits } from '../../../ports/limits.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { markup } from '../../oauth/markup.ts';
import { exampleResponses } from '../example-responses.ts';
import { orderDefinition } from '../example-bodies.ts';
import { scopeTexts } from '../scope-texts.ts';
import { renderCurl, renderJson, renderPanel } from './code.ts';
import { renderHeading, renderSection, type Page } from './layout.ts';
import { findPath } from './rest-page.ts';
import { renderBullets, renderParagraphs, renderTable } from './prose.ts';

export type GuideParts = {
  readonly root: string;
  readonly baseUrl: string;
  readonly socketUrl: string;
  /** The OpenAPI document. */
  readonly document: JsonObject;
};

const formatBytes = (count: number): string => `${count / 1024 / 1024} MiB`;

export function createOverviewPage({ root, baseUrl, socketUrl, document }: GuideParts): Page {
  const card = (path: string, title: string, text: string) =>
    markup`<li><a href="${root}${path}"><strong>${title}</strong><span>${text}</span></a></li>`;
  return {
    path: '',
    title: 'Overview',
    part: 'Start',
    entries: [
      { id: 'first-calls', label: 'First calls' },
      { id: 'addresses', label: 'Addresses' },
      { id: 'conventions', label: 'Conventions' },
      { id: 'limits', label: 'Limits' },
      { id: 'versioning', label: 'Versioning' },
    ],
    body: () => markup`${renderHeading(1, 'overview', 'Weft documentation')}
<p class="lead">Weft runs workflows: graphs of nodes that are started by a webhook, a schedule or an API call. Acknowledged executions complete, even after a crash.</p>
<ul class="cards">
${card(findPath(document, '', 'listWorkflows').split('#', 1)[0]!, 'REST', 'Every route with its parameters, responses and errors')}
${card('/websocket', 'WebSocket', 'Live updates of executions and notifications')}
${card('/graphql', 'GraphQL', 'The same resources in one query, with subscriptions')}
${card('/webhooks', 'Webhooks', 'How other services start your workflows and authenticate')}
${card('/nodes', 'Nodes', 'The catalog of node types and their configuration')}
${card('/errors', 'Errors', 'All error codes, their causes and how to handle them')}
</ul>
${renderSection(
  markup`${renderHeading(2, 'first-calls', 'First calls')}
${renderParagraphs(
  'Log in with email and password. The response contains a token that is valid for an hour. Send it with all other requests.',
  'A workflow is created with its definition: nodes, and the connections between them. Without a `status` it is a draft. Run it manually, or set it to `active` so that its triggers start it.',
)}
<p>The definition on the right receives a webhook, checks the total, and calls the warehouse for large orders only. All nodes are in the <a href="${root}/nodes">catalog</a>.</p>`,
  markup`${renderPanel(
    'Log in',
    renderCurl({
      method: 'POST',
      url: `${baseUrl}/auth/login`,
      credential: null,
      body: { email: 'ada@example.com', password: 'correct horse battery staple' },
    }),
  )}${renderPanel(
    'Create a workflow',
    renderCurl({
      method: 'POST',
      url: `${baseUrl}/workflows`,
      credential: 'session',
      body: { name: 'Large orders', definition: orderDefinition },
    }),
  )}${renderPanel(
    'Run it and wait for the result',
    renderCurl({
      method: 'POST',
      url: `${baseUrl}/workflows/wf_01kjqv8w2mzr4c/execute`,
      credential: 'session',
      body: { input: { body: { id: 'o-17', total: 720 } }, wait: '30s' },
    }),
  )}`,
)}
${renderSection(
  markup`${renderHeading(2, 'addresses', 'Addresses')}${renderTable(
    'Addresses',
    ['API', 'address'],
    [
      ['REST', `\`${baseUrl}\``],
      ['GraphQL', `\`${baseUrl}/graphql\``],
      ['WebSocket', `\`${socketUrl}\``],
      ['Webhooks', `\`${baseUrl}/webhooks/{endpoint}\``],
      ['OpenAPI', `[\`${baseUrl}/openapi.json\`](${baseUrl}/openapi.json)`],
      ['AsyncAPI', `[\`${baseUrl}/asyncapi.json\`](${baseUrl}/asyncapi.json)`],
      ['GraphQL schema', `[\`${baseUrl}/schema.graphql\`](${baseUrl}/schema.graphql)`],
    ],
  )}`,
  null,
)}
${renderSection(
  markup`${renderHeading(2, 'conventions', 'Conventions')}${renderBullets(
    'Bodies are JSON. Names are in snake_case; GraphQL has the same names in camelCase. Names within a definition are the same in all APIs.',
    'Identifiers are opaque strings with a prefix: `wf_…` for workflows, `ex_…` for executions, `usr_…` for users, `key_…` for API keys.',
    'Timestamps are ISO 8601 in UTC with milliseconds. Durations in responses are whole milliseconds; in configurations they are strings with a unit: `500ms`, `5s`, `2m`, `1h`, `1d`.',
    `Lists accept \`page\` from 1 and \`limit\` from 1 to ${MAX_PAGE_SIZE} (default 10) and return the newest first; logs are returned oldest first. A page past the end is empty.`,
    'Unknown fields of a body and unknown query parameters are rejected with their name, so that typing errors are reported. Read-only fields are accepted and ignored in a `PUT`, so that a resource can be fetched, edited and sent back.',
    'Every response has `X-Request-Id`, which the log lines of the request contain.',
    '`HEAD` is supported wherever `GET` is. `OPTIONS` returns the methods of a path in `Allow`.',
  )}`,
  renderPanel(
    'A page of a list',
    renderJson({
      workflows: [exampleResponses['WorkflowSummary']!],
      pagination: { page: 1, limit: 10, total: 1, total_pages: 1 },
    }),
  ),
)}
${renderSection(
  markup`${renderHeading(2, 'limits', 'Limits')}${renderParagraphs(
    'Requests are counted for each user over REST and GraphQL together, in windows of an hour that begin with the first request. Every authenticated response has the current count; the headers are absent for unlimited plans. Webhooks and open WebSockets are not counted.',
  )}${renderTable(
    'Plans',
    ['plan', 'requests per hour (default)'],
    [
      ['Standard', '1,000'],
      ['Pro', '10,000'],
      ['Enterprise', '1,000,000'],
    ],
  )}${renderTable(
    'Bounds',
    ['value', 'maximum'],
    [
      ['Request body', formatBytes(limits.requestBodyBytes)],
      ['Webhook body', formatBytes(limits.webhookBodyBytes)],
      ['JSON nesting levels in a body', String(limits.json.depth)],
      [
        'JSON values in a body; in an authenticated webhook',
        `${limits.json.values}; ${limits.verifiedWebhookJson.values}`,
      ],
      [
        'Distinct JSON keys in a body; in an authenticated webhook',
        `${limits.json.names}; ${limits.verifiedWebhookJson.names}`,
      ],
      ['Body of a public route', `${limits.publicBodyBytes} bytes`],
      ['Nodes in a definition', limits.nodes.toLocaleString('en')],
      ['Connections in a definition', limits.connections.toLocaleString('en')],
      ['Output of a node', formatBytes(limits.nodeOutputBytes)],
      ['Queued executions', limits.queuedExecutions.toLocaleString('en')],
    ],
  )}`,
  renderPanel(
    'Response headers',
    markup`X-RateLimit-Limit: 1000
X-RateLimit-Remaining: 997
X-RateLimit-Reset: 1772445600
X-Request-Id: req_01kjqvk3d8f0ws
Weft-Version: 0.1.0`,
  ),
)}
${renderSection(
  markup`${renderHeading(2, 'versioning', 'Versioning')}${renderParagraphs(
    'The API version is in the URL: `v1` is current and stable. Breaking changes are released as a new version. Fields may be added to responses at any time; clients should ignore unknown fields.',
    '`Weft-Version` in every response is the version of the service. Node types are versioned separately: a workflow keeps the versions that it was saved with.',
  )}`,
  null,
)}`,
  };
}

export function createAuthenticationPage({ root, baseUrl, document }: GuideParts): Page {
  return {
    path: '/authentication',
    title: 'Credentials',
    part: 'Start',
    entries: [
      { id: 'session', label: 'Session tokens' },
      { id: 'cookies', label: 'Session cookies' },
      { id: 'api-keys', label: 'API keys' },
      { id: 'oauth', label: 'OAuth 2.0' },
      { id: 'scopes', label: 'Scopes' },
    ],
    body: () => markup`${renderHeading(1, 'credentials', 'Credentials')}
<p class="lead">Every request needs one credential, except for public routes. <code>Authorization</code> takes precedence. An invalid credential is rejected; no other one is tried.</p>
${renderSection(
  markup`${renderHeading(2, 'session', 'Session tokens')}${renderParagraphs(
    '`POST /auth/login` returns a token that is valid for an hour. `POST /auth/refresh` replaces it with a new one, even if it has expired; a session ends 30 days after its last refresh. `POST /auth/logout` ends it immediately.',
    'A refreshed token cannot be used again. For 60 seconds, unless the new token has been refreshed, the old one returns the same new token, so that a lost response or a second tab causes no error. Any later refresh with the old token ends the session.',
  )}<p>A session has all scopes of its user.</p>`,
  renderPanel(
    'With a session token',
    renderCurl({ method: 'GET', url: `${baseUrl}/users/me`, credential: 'session' }),
  ),
)}
${renderSection(
  markup`${renderHeading(2, 'cookies', 'Session cookies')}${renderParagraphs(
    'For pages of the service itself, such as the editor. `POST /auth/session` sets the token as an HttpOnly cookie and does not return it. `POST /auth/session/refresh` replaces it, `DELETE /auth/session` ends the session and removes the cookie.',
    'The cookie is used only without `Authorization` and `X-API-Key`, in requests with the header `X-Weft-CSRF` (any value) from the origin of the service, which `Sec-Fetch-Site` or `Origin` must name; other requests get 403. Over WebSocket it is used when `Origin` is the service: `auth` then has no `token`, and `connection_init` no credential.',
  )}`,
  null,
)}
${renderSection(
  markup`${renderHeading(2, 'api-keys', 'API keys')}${renderParagraphs(
    'For programs. A key is returned once, when it is created, and can be limited to scopes and to a time. It cannot create other keys, change a password or log out: these need a session.',
  )}<p><a href="${findPath(document, root, 'createApiKey')}">Create and delete API keys</a>.</p>`,
  renderPanel(
    'With an API key',
    renderCurl({
      method: 'GET',
      url: `${baseUrl}/workflows`,
      credential: null,
      headers: ['X-API-Key: $WEFT_API_KEY'],
    }),
  ),
)}
${renderSection(
  markup`${renderHeading(2, 'oauth', 'OAuth 2.0')}<p>For third-party applications. Weft is an authorization server: authorization code flow with PKCE, client credentials, refresh tokens with rotation. Access tokens work as Bearer in all APIs. See <a href="${root}/oauth">OAuth 2.0</a>.</p>`,
  null,
)}
${renderSection(
  markup`${renderHeading(2, 'scopes', 'Scopes')}${renderTable(
    'Scopes',
    ['scope', 'permissions'],
    scopes.map((scope) => [`\`${scope}\``, scopeTexts[scope]]),
  )}`,
  null,
)}`,
  };
}
