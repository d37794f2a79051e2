import type { HttpResponse, NodeContext } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { DataError } from '../data/data-error.ts';
import { runDocument } from '../files/run-document.ts';
import { withoutQuery } from '../http/url.ts';

/** The header `accept` of a request for a feed. */
export const FEED_TYPES =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/** A feed in the form that `src/runner/documents/feed.ts` writes. */
export type Feed = { title: Json; link: Json; description: Json; updated: Json; items: Json[] };

/** Reads a feed from a response. @throws {DataError} naming the field `url` */
export async function readFeed(ctx: NodeContext, response: HttpResponse): Promise<Feed> {
  const charset = CHARSET.exec(response.headers['content-type'] ?? '')?.[1] ?? null;
  try {
    const feed = await runDocument(ctx, {
      program: 'markup',
      task: { operation: 'feed', charset },
      content: response.body,
    });
    return JSON.parse(feed.toString('utf8')) as Feed;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    const where = withoutQuery(response.url);
    throw new DataError(
      'url',
      `must return a feed, and the response of ${where} ${error.message}`,
      error.type,
    );
  }
}
