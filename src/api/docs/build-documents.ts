import type { NodeType } from '../../contract/node-type.ts';
import type { RouteGroup } from '../rest/routes.ts';
import { createAsyncapiDocument } from './asyncapi.ts';
import { createOpenapiDocument } from './openapi.ts';
import { script } from './site/script.ts';
import { renderSite } from './site/site.ts';
import { style } from './site/style.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A document below `/v1`; its text is created on request. */
export type Content = { readonly path: string; readonly type: string; readonly text: () => string };

export type DocumentsBuildOptions = {
  readonly version: string;
  readonly webhookBaseUrl?: string | null;
  readonly groups: readonly RouteGroup[];
  readonly nodeTypes: readonly NodeType[];
  /** The GraphQL schema in SDL. */
  readonly sdl: string;
};

/**
 * Creates every document and the pages of the site with their assets. `base` is the public URL, ending with
 * `/v1`.
 */
export function buildDocuments(
  { version, webhookBaseUrl = null, groups, nodeTypes, sdl }: DocumentsBuildOptions,
  base: string,
): Content[] {
  const openapi = createOpenapiDocument({ version, baseUrl: base, webhookBaseUrl, groups });
  const asyncapi = createAsyncapiDocument({ version, baseUrl: base });
  const pages = renderSite({
    version,
    baseUrl: base,
    titles: groups.map(({ title }) => title),
    openapi,
    asyncapi,
    nodeTypes,
    sdl,
  });
  return [
    { path: '/openapi.json', type: JSON_TYPE, text: () => `${JSON.stringify(openapi, null, 2)}\n` },
    { path: '/asyncapi.json', type: JSON_TYPE, text: () => `${JSON.stringify(asyncapi, null, 2)}\n` },
    { path: '/docs/style.css', type: 'text/css; charset=utf-8', text: () => style },
    { path: '/docs/script.js', type: 'text/javascript; charset=utf-8', text: () => script },
    ...[...pages].map(([path, text]) => ({ path: `/docs${path}`, type: 'text/html; charset=utf-8', text })),
  ];
}
