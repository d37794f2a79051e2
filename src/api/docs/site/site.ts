import type { NodeType } from '../../../contract/node-type.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { createAuthenticationPage, createOverviewPage } from './guide-pages.ts';
import { createErrorPage } from './error-page.ts';
import { createGraphqlPage } from './graphql-page.ts';
import { layout, type Page } from './layout.ts';
import { createNodePage } from './node-page.ts';
import { createOAuthPage } from './oauth-page.ts';
import { createResourcePage } from './resource-page.ts';
import { findPath, createRestPages } from './rest-page.ts';
import { createSchemaView } from './schema-view.ts';
import { createSocketPage } from './socket-page.ts';
import { createWebhookPage } from './webhook-page.ts';

export type SiteOptions = {
  readonly version: string;
  /** The public URL, ending with `/v1`. */
  readonly baseUrl: string;
  /** The titles of the route groups, in order. */
  readonly titles: readonly string[];
  readonly openapi: JsonObject;
  readonly asyncapi: JsonObject;
  readonly nodeTypes: readonly NodeType[];
  readonly sdl: string;
};

/** All pages by their path below `/docs`. Each is rendered on request. */
export function renderSite(options: SiteOptions): Map<string, () => string> {
  const { baseUrl, openapi, asyncapi, version } = options;
  const base = new URL(baseUrl).pathname;
  const root = `${base}/docs`;
  const socketUrl = `${baseUrl.replace(/^http/, 'ws')}/ws`;
  const schemas = collectResources(asyncapi, openapi);
  const view = createSchemaView(schemas, `${root}/resources`);
  const guide = { root, baseUrl, socketUrl, document: openapi };
  const rest = { document: openapi, view, root, baseUrl };
  const pages: Page[] = [
    createOverviewPage(guide),
    createAuthenticationPage(guide),
    ...createRestPages(rest, options.titles),
    createWebhookPage(rest),
    createSocketPage(asyncapi, root, socketUrl, findPath(openapi, root, 'listLogs')),
    createGraphqlPage(rest, options.sdl),
    createOAuthPage(rest),
    createNodePage(options.nodeTypes, `${root}/resources`),
    createResourcePage(schemas, view),
    createErrorPage(),
  ];
  const site = { base, root, version, pages };
  return new Map(pages.map((page) => [page.path, () => layout(site, page)]));
}

/** The named schemas of both documents, without the messages, which have a page of their own. */
function collectResources(...documents: readonly JsonObject[]): JsonObject {
  const all = documents.flatMap((one) =>
    Object.entries((one['components'] as { schemas: JsonObject }).schemas),
  );
  const named = all.filter(([name]) => !name.endsWith('Message'));
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}
