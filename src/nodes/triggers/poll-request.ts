import { parseUpstreamJson } from '../../contract/json-input.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { HttpFailure } from '../../contract/node-type.ts';
import type { HttpResponse, NodeContext, Outcome } from '../../contract/node-type.ts';
import { readPath } from '../../lib/json/json-path.ts';
import type { Json } from '../../lib/json/json.ts';
import { toOutcome } from '../data/time-slice.ts';
import { defineNode } from '../define-node.ts';
import { FEED_TYPES, readFeed } from '../feeds/read-feed.ts';
import { toStatusFailure } from '../http/response.ts';
import { authenticateUrl, createCredentials } from '../http/authentication.ts';
import type { Credentials } from '../http/authentication.ts';
import { buildUrl, withoutQuery } from '../http/url.ts';
import { done, invalid } from '../outcome.ts';
import { compileCachedPath } from '../path-cache.ts';
import { closed } from '../schema.ts';
import { pollRequestFields, pollSecrets } from './polling-config.ts';

/** Maximum length of a stored validator (ETag, Last-Modified), in characters. */
const MAX_VALIDATOR_LENGTH = 1_000;

const config = closed({
  ...pollRequestFields,
  etag: Type.Union([Type.String(), Type.Null()]),
  lastModified: Type.Union([Type.String(), Type.Null()]),
  maxBytes: Type.Integer(),
  maxListed: Type.Integer(),
});
type Config = Static<typeof config>;
type PolledRequest = Omit<Config, 'format' | 'items' | 'maxListed'>;

/** The result of a poll; null if nothing changed since the given validators. */
export type PollResult = { items: Json[]; etag: string | null; lastModified: string | null } | null;

/**
 * The request of a polling trigger. It is not listed in the catalog: the polling service runs it as a node,
 * so that the same secrets, egress policy and limits apply.
 */
export const pollRequest = defineNode({
  type: 'poll_request',
  version: '1.0.0',
  name: 'Poll',
  category: 'trigger',
  description: 'Fetches the items of a polling trigger.',
  icon: 'refresh-cw',
  config,
  templates: {
    url: 'url',
    method: 'literal',
    format: 'literal',
    items: 'literal',
    'authentication.type': 'literal',
    'authentication.grant_type': 'literal',
    'authentication.token_url': 'url',
    'authentication.credential': 'literal',
    'authentication.connection': 'literal',
  },
  outputs: [{ name: 'out', type: 'object', description: 'A PollResult' }],
  effects: 'external',
  secrets: pollSecrets,
  async run(ctx, given) {
    try {
      return await poll(ctx, given);
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      return toOutcome(error);
    }
  },
  examples: [],
});

async function poll(ctx: NodeContext, given: Config): Promise<Outcome> {
  const isFeed = given.format === 'feed';
  const response = await requestPolled(ctx, given, isFeed ? FEED_TYPES : 'application/json');
  if ('kind' in response) return response;
  if (response.status === 304) return done(null);
  const where = withoutQuery(response.url);
  const items = isFeed ? (await readFeed(ctx, response)).items : readItems(given, response, where);
  if (!Array.isArray(items)) return items;
  if (items.length > given.maxListed)
    return invalid(
      isFeed ? 'url' : 'items',
      `must be a list of at most ${given.maxListed} items, and has ${items.length}`,
    );
  const { etag, 'last-modified': lastModified } = response.headers;
  return done({ items, etag: readValidator(etag), lastModified: readValidator(lastModified) });
}

function readItems(given: Config, response: HttpResponse, where: string): Json[] | Outcome {
  const body = response.status === 204 ? [] : readJson(response.body);
  if (body === undefined) return invalid('url', `must return JSON, and ${where} did not`);
  const items = given.items === undefined ? body : readPath(compileCachedPath(given.items), body).value;
  return Array.isArray(items)
    ? items
    : invalid('items', `must be the path of a list, and the response of ${where} has none there`);
}

/** Sends the request, and renews a token once. Returns an outcome if there is no content to read. */
export async function requestPolled(
  ctx: NodeContext,
  given: PolledRequest,
  accept: string,
): Promise<HttpResponse | Outcome> {
  const url = buildUrl(given.url, given.query);
  if (url === null) return invalid('url', 'must be an http or https URL');
  const credentials = createCredentials(ctx, given.authentication);
  let response = await send(ctx, given, url, credentials, accept);
  // Renew once; the second response is final.
  if (response.status === 401 && (await credentials.renew()))
    response = await send(ctx, given, url, credentials, accept);
  if (response.status === 304) return response;
  const failure = toStatusFailure(ctx, given, response);
  if (failure !== null) return failure;
  if (response.status >= 300)
    return invalid(
      'url',
      `must return a list, and ${withoutQuery(response.url)} responded with ${response.status}`,
    );
  return response;
}

async function send(
  ctx: NodeContext,
  given: PolledRequest,
  url: string,
  credentials: Credentials,
  accept: string,
): Promise<HttpResponse> {
  const own = Object.fromEntries(
    Object.entries(given.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const proof = await credentials.proof();
  return ctx.http.send({
    method: given.method ?? 'GET',
    url: authenticateUrl(url, proof.query),
    headers: {
      accept,
      ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(given.etag === null ? {} : { 'if-none-match': given.etag }),
      ...(given.lastModified === null ? {} : { 'if-modified-since': given.lastModified }),
      ...own,
      ...proof.headers,
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    maxBytes: given.maxBytes,
  });
}

function readJson(bytes: Uint8Array): Json | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
  return parseUpstreamJson(text);
}

function readValidator(text: string | undefined): string | null {
  return text === undefined || text.length > MAX_VALIDATOR_LENGTH ? null : text;
}
