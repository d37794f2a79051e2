import { Type } from 'typebox';
import type { Static } from 'typebox';
import { HttpFailure } from '../../contract/node-type.ts';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import { defineNode } from '../define-node.ts';
import { toOutcome } from '../data/time-slice.ts';
import { authenticationSecrets, listNamedConnections } from '../http/authentication.ts';
import { validateRequest } from '../http/request-check.ts';
import { done } from '../outcome.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { pollRequestFields } from '../triggers/polling-config.ts';
import { requestPolled } from '../triggers/poll-request.ts';
import { FEED_TYPES, readFeed } from './read-feed.ts';

/** Maximum size of a feed in bytes, as for a polling trigger. */
const MAX_FEED_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

const { url, query, headers, authentication } = pollRequestFields;
const config = closed({
  url,
  query,
  headers,
  authentication,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      ...ui({ advanced: true }),
      description: 'The maximum number of entries to return, in the order of the feed. Default: all.',
    }),
  ),
});
type Config = Static<typeof config>;

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const date = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

export const rss = defineNode({
  type: 'rss',
  version: '1.0.0',
  name: 'RSS feed',
  category: 'http',
  description:
    'Reads the entries of a feed: RSS, Atom or JSON Feed. To start a workflow for each new entry, use a polling trigger with the format feed.',
  icon: 'rss',
  keywords: ['feed', 'atom', 'news', 'blog', 'podcast', 'json feed', 'entries'],
  config,
  output: Type.Object({
    title: textOrNull,
    link: textOrNull,
    description: textOrNull,
    updated: date,
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        title: textOrNull,
        link: textOrNull,
        published: date,
        updated: date,
        summary: textOrNull,
        content: textOrNull,
        author: textOrNull,
        categories: Type.Array(Type.String()),
        enclosures: Type.Array(
          Type.Object({
            url: Type.String(),
            type: textOrNull,
            size: Type.Union([Type.Integer(), Type.Null()]),
          }),
        ),
      }),
    ),
  }),
  templates: {
    url: 'url',
    'authentication.type': 'literal',
    'authentication.grant_type': 'literal',
    'authentication.token_url': 'url',
    'authentication.credential': 'literal',
  },
  outputs: [{ name: 'out', type: 'object', description: '{title, link, description, updated, items}' }],
  effects: 'external',
  secrets: { url: 'request', query: 'request', headers: 'request', ...authenticationSecrets },
  connections: listNamedConnections,
  timeout: TIMEOUT_MS,
  check: validateRequest,
  async run(ctx, given) {
    try {
      return await read(ctx, given);
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      return toOutcome(error);
    }
  },
  examples: [
    {
      title: 'Read the newest entries',
      config: { url: 'https://news.example.com/feed.xml', limit: 1 },
      input: {},
      outputs: {
        out: {
          title: 'News',
          link: 'https://news.example.com/',
          description: 'All the news',
          updated: '2026-01-05T10:00:00.000Z',
          items: [
            {
              id: 'n-17',
              title: 'Tea is cheaper',
              link: 'https://news.example.com/17',
              published: '2026-01-05T10:00:00.000Z',
              updated: null,
              summary: 'Since today.',
              content: null,
              author: 'Ada',
              categories: ['prices'],
              enclosures: [],
            },
          ],
        },
      },
    },
  ],
});

async function read(ctx: NodeContext, given: Config): Promise<Outcome> {
  const request = { ...given, etag: null, lastModified: null, maxBytes: MAX_FEED_BYTES };
  const response = await requestPolled(ctx, request, FEED_TYPES);
  if ('kind' in response) return response;
  const feed = await readFeed(ctx, response);
  return done({ ...feed, items: feed.items.slice(0, given.limit) });
}
