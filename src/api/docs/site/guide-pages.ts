import { scopes } from '../../../contract/scopes.ts';
import { MAX_PAGE_SIZE } from '../../../contract/paging.ts';
import { limits } from '../../../ports/limits.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { markup } from '../../oauth/markup.ts';
import { exampleResponses } from '../example-responses.ts';
import { orderDefinition } from '../example-bodies.ts';
import { scopeTexts } from '../scope-texts.ts';
import { curl, jsonCode, panel } from './code.ts';
import { heading, section, type Page } from './layout.ts';
import { placeOf } from './rest-page.ts';
import { bullets, paragraphs, table } from './prose.ts';

export type GuideParts = {
  readonly root: string;
  readonly baseUrl: string;
  readonly socketUrl: string;
  /** The OpenAPI document. */
  readonly document: JsonObject;
};

const bytes = (count: number): string => `${count / 1024 / 1024} MiB`;

export function overviewPage({ root, baseUrl, socketUrl, document }: GuideParts): Page {
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
    body: () => markup`${heading(1, 'overview', 'Weft documentation')}
<p class="lead">Weft runs workflows: graphs of steps that begin with a webhook, a time or a call of yours. What was acknowledged finishes, whatever dies in between.</p>
<ul class="cards">
${card(placeOf(document, '', 'listWorkflows').split('#', 1)[0]!, 'REST', 'Every route with its parameters, answers and errors')}
${card('/websocket', 'WebSocket', 'Updates of executions and notifications as they happen')}
${card('/graphql', 'GraphQL', 'The same things in one query, with subscriptions')}
${card('/webhooks', 'Webhooks', 'How others start your workflows, and how they prove who they are')}
${card('/nodes', 'Nodes', 'The catalogue: what steps there are and how they are configured')}
${card('/errors', 'Errors', 'Every code, when it comes and what to do')}
</ul>
${section(
  markup`${heading(2, 'first-calls', 'First calls')}
${paragraphs(
  'Log in with email and password; the answer has a token that lasts an hour. Every other request carries it.',
  'A workflow is created with its definition: nodes, and the connections between them. Created without a `status` it is a draft. Run it by hand at once, or set it `active` so that its triggers fire.',
)}
<p>The definition on the right listens at a webhook, looks at the total, and calls the warehouse for large orders only. All nodes are in the <a href="${root}/nodes">catalogue</a>.</p>`,
  markup`${panel(
    'Log in',
    curl({
      method: 'POST',
      url: `${baseUrl}/auth/login`,
      credential: null,
      body: { email: 'ada@example.com', password: 'correct horse battery staple' },
    }),
  )}${panel(
    'Create a workflow',
    curl({
      method: 'POST',
      url: `${baseUrl}/workflows`,
      credential: 'session',
      body: { name: 'Large orders', definition: orderDefinition },
    }),
  )}${panel(
    'Run it, and wait for its end',
    curl({
      method: 'POST',
      url: `${baseUrl}/workflows/wf_01kjqv8w2mzr4c/execute`,
      credential: 'session',
      body: { input: { body: { id: 'o-17', total: 720 } }, wait: '30s' },
    }),
  )}`,
)}
${section(
  markup`${heading(2, 'addresses', 'Addresses')}${table(
    'Addresses',
    ['door', 'address'],
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
${section(
  markup`${heading(2, 'conventions', 'Conventions')}${bullets(
    'Bodies are JSON. Names are in snake_case; GraphQL has the same names in camelCase. The insides of a definition keep their names everywhere.',
    'Identifiers are opaque texts with a prefix: `wf_…` of workflows, `ex_…` of executions, `usr_…` of users, `key_…` of API keys.',
    'Timestamps are ISO 8601 in UTC with milliseconds. Durations in answers are whole milliseconds; in configurations they are texts with a unit: `500ms`, `5s`, `2m`, `1h`, `1d`.',
    `Lists take \`page\` from 1 and \`limit\` from 1 to ${MAX_PAGE_SIZE} (10 unless given) and have the newest first; logs have the oldest first. A page past the end is an empty list.`,
    'Unknown fields of a body and unknown query parameters are refused by name, so that a typing error never passes in silence. What `GET` shows and nobody may set is taken in a `PUT` and ignored: get, edit, put works.',
    'Every answer carries `X-Request-Id`; the lines of the log that belong to it have the same id.',
    '`HEAD` works wherever `GET` does. `OPTIONS` says in `Allow` what a path takes.',
  )}`,
  panel(
    'One page of a list',
    jsonCode({
      workflows: [exampleResponses['WorkflowSummary']!],
      pagination: { page: 1, limit: 10, total: 1, total_pages: 1 },
    }),
  ),
)}
${section(
  markup`${heading(2, 'limits', 'Limits')}${paragraphs(
    'Requests are counted for each user over REST and GraphQL together, in windows of an hour that begin with the first request. Every authenticated answer says where the count stands; an unlimited plan leaves these headers out. Webhooks and open WebSockets are not counted.',
  )}${table(
    'Plans',
    ['plan', 'requests an hour, unless the settings say otherwise'],
    [
      ['Standard', '1,000'],
      ['Pro', '10,000'],
      ['Enterprise', '1,000,000'],
    ],
  )}${table(
    'Bounds',
    ['what', 'at most'],
    [
      ['Body of a request', bytes(limits.requestBody)],
      ['Body of a webhook', bytes(limits.webhookBody)],
      ['Levels of JSON in a body', String(limits.json.depth)],
      [
        'Values of JSON in a body; in a webhook that verifies its caller',
        `${limits.json.values}; ${limits.verifiedWebhookJson.values}`,
      ],
      [
        'Different names in JSON of a body; in a webhook that verifies its caller',
        `${limits.json.names}; ${limits.verifiedWebhookJson.names}`,
      ],
      ['A body of a route that needs no credential', `${limits.publicBody} bytes`],
      ['Nodes of a definition', limits.nodes.toLocaleString('en')],
      ['Connections of a definition', limits.connections.toLocaleString('en')],
      ['Output of one node', bytes(limits.nodeOutput)],
      ['Executions that wait in the queue', limits.queuedExecutions.toLocaleString('en')],
    ],
  )}`,
  panel(
    'Headers of an answer',
    markup`X-RateLimit-Limit: 1000
X-RateLimit-Remaining: 997
X-RateLimit-Reset: 1772445600
X-Request-Id: req_01kjqvk3d8f0ws
Weft-Version: 0.1.0`,
  ),
)}
${section(
  markup`${heading(2, 'versioning', 'Versioning')}${paragraphs(
    'The version of the interface stands in the address: `v1` is current and stable. Changes that break a caller come as a new version. Fields may be added to answers at any time; a client should ignore what it does not know.',
    '`Weft-Version` in every answer is the version of the service. Node types have versions of their own: a workflow keeps those that it was saved with.',
  )}`,
  null,
)}`,
  };
}

export function authenticationPage({ root, baseUrl, document }: GuideParts): Page {
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
    body: () => markup`${heading(1, 'credentials', 'Credentials')}
<p class="lead">Every request but the public ones carries one credential. <code>Authorization</code> is looked at first. A credential that is present and wrong fails; the next one is not tried.</p>
${section(
  markup`${heading(2, 'session', 'Session tokens')}${paragraphs(
    '`POST /auth/login` gives a token for an hour. `POST /auth/refresh` replaces it by a new one, expired or not; a session lasts 30 days from its last renewal. `POST /auth/logout` ends it at once.',
    'The old token is spent by its renewal. For 60 seconds, and until the new one is itself renewed, it gets the same new one again, so that a lost answer or a second tab does no harm. Any later use of it at renewal ends the session.',
  )}<p>A session has all scopes of its user.</p>`,
  panel('With a session token', curl({ method: 'GET', url: `${baseUrl}/users/me`, credential: 'session' })),
)}
${section(
  markup`${heading(2, 'cookies', 'Session cookies')}${paragraphs(
    'For pages of the service itself, such as the editor. `POST /auth/session` sets the token as an HttpOnly cookie and does not show it. `POST /auth/session/refresh` replaces it, `DELETE /auth/session` ends the session and removes the cookie.',
    'The cookie counts only without `Authorization` and `X-API-Key`, in requests with the header `X-Weft-CSRF` (any value) from the origin of the service, which `Sec-Fetch-Site` or `Origin` must name; others get 403. Over WebSocket it counts when `Origin` is that of the service: `auth` then has no `token`, and `connection_init` no credential.',
  )}`,
  null,
)}
${section(
  markup`${heading(2, 'api-keys', 'API keys')}${paragraphs(
    'For programs. A key is shown once, when it is made, and may be limited to scopes and to a time. It cannot make other keys, change a password or log out: these need a session.',
  )}<p><a href="${placeOf(document, root, 'createApiKey')}">Make and delete API keys</a>.</p>`,
  panel(
    'With an API key',
    curl({
      method: 'GET',
      url: `${baseUrl}/workflows`,
      credential: null,
      headers: ['X-API-Key: $WEFT_API_KEY'],
    }),
  ),
)}
${section(
  markup`${heading(2, 'oauth', 'OAuth 2.0')}<p>For applications of others. Weft is an authorization server: code flow with PKCE, client credentials, refresh tokens with rotation. Access tokens work as Bearer at every door. See <a href="${root}/oauth">OAuth 2.0</a>.</p>`,
  null,
)}
${section(
  markup`${heading(2, 'scopes', 'Scopes')}${table(
    'Scopes',
    ['scope', 'what it allows'],
    scopes.map((scope) => [`\`${scope}\``, scopeTexts[scope]]),
  )}`,
  null,
)}`,
  };
}
