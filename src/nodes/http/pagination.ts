import type { DeferredTemplate, HttpResponse, NodeContext, Outcome } from '../../contract/node-type.ts';
import { readPath } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { done, invalid } from '../outcome.ts';
import { compileCachedPath } from '../path-cache.ts';
import { readResponse } from './response.ts';
import { DEFAULT_PAGES, type Pagination } from './pagination-schema.ts';
import { withoutQuery } from './url.ts';

/** Maximum size of all pages together; the same limit as for one response. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ITEMS = 1_000_000;

/**
 * Fetches `url` as page `number`, counted from 1. `maxBytes` limits the response. An Outcome is a failure.
 */
type Fetch = (url: string, number: number, maxBytes: number) => Promise<HttpResponse | Outcome>;

/**
 * Fetches all pages in order. If one fails, all fail. If `maxPages` is reached, `next` is the page not
 * fetched.
 */
export async function fetchPages(
  ctx: NodeContext,
  { next, items, maxPages = DEFAULT_PAGES }: Pagination,
  first: string,
  fetch: Fetch,
): Promise<Outcome> {
  const all: Json[] = [];
  const seen = new Set<string>();
  let url = URL.parse(first)?.href ?? first;
  let bytes = 0;
  for (let number = 1; ; number++) {
    seen.add(url);
    const response = await fetch(url, number, MAX_BYTES - bytes);
    if ('kind' in response) return response;
    bytes += response.body.byteLength;
    const page = await readResponse(ctx, response);
    const list =
      items === undefined ? page['body'] : readPath(compileCachedPath(items), page['body'] ?? null).value;
    if (!Array.isArray(list))
      return invalid(
        'pagination.items',
        `must be the path of a list, and page ${number} (${withoutQuery(url)}) has none there`,
      );
    if (all.length + list.length > MAX_ITEMS)
      return invalid('pagination', `must return at most ${MAX_ITEMS} items`);
    for (const item of list) all.push(item);
    const after = readNext(ctx, next, page);
    const isLast = after === null || after === '' || after === false;
    if (isLast || number === maxPages) {
      if (!isLast) ctx.log('warning', `Stopped after ${number} pages; more pages are available`);
      return done({ ...page, body: all, pages: number, next: isLast ? null : after });
    }
    const following = resolveNextUrl(after, url, response.url);
    if (following === null)
      return invalid('pagination.next', 'must be a URL, an object of query parameters, or null');
    // The request carries credentials, so a response must not redirect it to another origin.
    if (new URL(following).origin !== new URL(first).origin)
      return invalid('pagination.next', `must not lead to another origin (${withoutQuery(following)})`);
    if (seen.has(following))
      return invalid(
        'pagination.next',
        `must not lead back to a page already fetched (${withoutQuery(following)})`,
      );
    url = following;
  }
}

function readNext(ctx: NodeContext, next: string | undefined, page: JsonObject): Json {
  const template = next as string | DeferredTemplate | undefined;
  if (template === undefined) return parseNextLink(page['headers']);
  return typeof template === 'string' ? template : ctx.evaluate(template, { value: page });
}

/** Returns the target of `rel="next"` (RFC 8288). */
function parseNextLink(headers: Json | undefined): string | null {
  const link = isObject(headers) ? headers['link'] : undefined;
  if (typeof link !== 'string') return null;
  for (const [, target = '', parameters = ''] of link.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    if ((rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(' ').includes('next')) return target;
  }
  return null;
}

function resolveNextUrl(after: Json, current: string, base: string): string | null {
  if (typeof after === 'string') return URL.parse(after, base)?.href ?? null;
  if (!isObject(after)) return null;
  const url = new URL(current);
  for (const [name, value] of Object.entries(after)) {
    url.searchParams.delete(name);
    if (value !== null)
      url.searchParams.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return url.href;
}
