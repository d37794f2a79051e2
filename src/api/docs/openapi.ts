import { scopes } from '../../contract/scopes.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { RouteGroup } from '../rest/routes.ts';
import { CSRF_HEADER } from '../http/session-cookie.ts';
import { createComponents } from './components.ts';
import { describeOtherApiPaths, otherApiTags } from './openapi-other-apis.ts';
import { headerComponents } from './headers.ts';
import { createOperation } from './operation.ts';
import { addExamples } from './add-examples.ts';
import { scopeTexts } from './scope-texts.ts';

export type DocumentOptions = {
  /** The version of the package. */
  readonly version: string;
  /** The public URL, ending with `/v1`. */
  readonly baseUrl: string;
  /** The base URL of webhooks, if different. */
  readonly webhookBaseUrl?: string | null;
  readonly groups: readonly RouteGroup[];
};

/** Creates the OpenAPI 3.1 document of the HTTP API: all REST routes, and the other APIs in brief. */
export function createOpenapiDocument({
  version,
  baseUrl,
  webhookBaseUrl = null,
  groups,
}: DocumentOptions): JsonObject {
  const components = createComponents();
  const paths: Record<string, JsonObject> = {};
  for (const { title, routes } of groups) {
    for (const route of routes) {
      const item = (paths[route.path] ??= {});
      item[route.method.toLowerCase()] = createOperation(route, title, components);
    }
  }
  const origin = new URL(baseUrl).origin;
  for (const [path, item] of Object.entries(describeOtherApiPaths(origin, components)))
    paths[path] = item as JsonObject;
  if (webhookBaseUrl !== null) {
    for (const [path, item] of Object.entries(paths))
      if (/^\/(?:webhooks|listen|resume)\//.test(path)) item['servers'] = [{ url: webhookBaseUrl }];
  }
  const schemas = components.all();
  addExamples(paths, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weft',
      version,
      summary: 'Durable workflow automation: acknowledged work is completed.',
      description: introduction,
      contact: { name: 'The maintainers of Weft' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...groups.map(({ title, description }) => ({ name: title, description })), ...otherApiTags],
    paths: paths as Record<string, Json>,
    components: {
      schemas,
      headers: headerComponents,
      securitySchemes: securitySchemes(origin),
    },
  };
}

const introduction = [
  'Bodies are JSON. Unknown fields and unknown query parameters are rejected with their name. Lists accept `page` (from 1) and `limit` (1 to 100) and return the newest first.',
  'Timestamps are ISO 8601 in UTC with milliseconds; durations in responses are whole milliseconds, durations in configurations are strings with a unit (`500ms`, `5s`, `2m`, `1h`, `1d`).',
  'Every error has the same body. `HEAD` is supported wherever `GET` is; `OPTIONS` returns the methods of a path in `Allow`.',
].join('\n\n');

function securitySchemes(origin: string): JsonObject {
  const texts = Object.fromEntries(scopes.map((scope) => [scope, scopeTexts[scope]]));
  return {
    session: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The token that `POST /auth/login` returns. It has all scopes of its user.',
    },
    sessionCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-weft_session',
      description:
        'Set by `POST /auth/session` for pages of the service. Without HTTPS its name is `weft_session_PORT`. Used only without `Authorization` and `X-API-Key`, and only together with `csrf`.',
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: CSRF_HEADER,
      description:
        'Any value is accepted. CORS allows the header to no other origin, so it proves that a page of the service sent the request.',
    },
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'A key that `POST /api-keys` returns, limited to its scopes.',
    },
    oauth2: {
      type: 'oauth2',
      description: `OAuth 2.0 with PKCE (S256). Metadata: ${origin}/.well-known/oauth-authorization-server`,
      flows: {
        authorizationCode: {
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: `${origin}/oauth/token`,
          refreshUrl: `${origin}/oauth/token`,
          scopes: texts,
        },
        clientCredentials: { tokenUrl: `${origin}/oauth/token`, scopes: texts },
      },
    },
  };
}
