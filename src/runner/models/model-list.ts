import type { ModelServer, ProviderModel } from '../../contract/ai/models.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import type { ModelChannel } from './model-channel.ts';
import { createModelFetch, findBaseUrl } from './model-fetch.ts';

export type ModelList = { readonly models: readonly ProviderModel[]; readonly listedAt: number };

/** The length that the field `model` of the nodes accepts. */
const MAX_ID_LENGTH = 200;
const PAGE_SIZE = '1000';
const PREFIX_OF_GOOGLE = 'models/';

/** Reads all pages of the list of a provider's models. @throws {HttpFailure} */
export async function requestModels(
  channel: ModelChannel,
  server: Omit<ModelServer, 'model'>,
  now: number,
): Promise<ModelList> {
  const fetch = createModelFetch(channel, server);
  const found = new Map<string, ProviderModel>();
  const seen = new Set<string>();
  let chars = 0;
  let next: string | null = '';
  while (next !== null && !seen.has(next)) {
    seen.add(next);
    const url = createPageUrl(server, next);
    const response = await fetch(url, { headers: HEADERS[server.provider] });
    const text = await response.text();
    chars += text.length;
    const page = readPage(server, text);
    for (const model of page.models) if (!found.has(model.id)) found.set(model.id, model);
    if (found.size > limits.providerModels || chars > limits.providerModelChars)
      throw httpFailure(
        'limit',
        `${url.host} must list at most ${limits.providerModels} models with ${limits.providerModelChars} characters`,
        false,
      );
    next = page.models.length === 0 ? null : page.next;
  }
  const models = [...found.values()].toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  return { models, listedAt: now };
}

const HEADERS: Readonly<Record<ModelServer['provider'], Record<string, string>>> = {
  openai: {},
  openai_compatible: {},
  anthropic: { 'anthropic-version': '2023-06-01' },
  google: {},
};

function createPageUrl(server: Pick<ModelServer, 'provider' | 'baseUrl'>, next: string): URL {
  const url = new URL(findBaseUrl(server));
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`;
  const { provider } = server;
  if (provider === 'anthropic') {
    url.searchParams.set('limit', PAGE_SIZE);
    if (next !== '') url.searchParams.set('after_id', next);
  } else if (provider === 'google') {
    url.searchParams.set('pageSize', PAGE_SIZE);
    if (next !== '') url.searchParams.set('pageToken', next);
  }
  return url;
}

/** A page, and from where the next one continues; null for the last page. */
type Page = { readonly models: readonly ProviderModel[]; readonly next: string | null };

/**
 * Reads {data: [{id, display_name}], has_more, last_id}, or Google's {models: [{name, displayName}],
 * nextPageToken}.
 */
function readPage(server: Omit<ModelServer, 'model'>, text: string): Page {
  const page = parsePage(text);
  const isGoogle = server.provider === 'google';
  const list = page?.[isGoogle ? 'models' : 'data'] ?? (page !== null && isGoogle ? [] : null);
  if (page === null || !Array.isArray(list))
    throw new HttpFailure({
      type: 'server_error',
      message: `${new URL(findBaseUrl(server)).host} did not respond with a list of models`,
      retryable: false,
    });
  const next = isGoogle ? page['nextPageToken'] : page['has_more'] === true ? page['last_id'] : null;
  return {
    models: list.flatMap((entry) => readModel(entry, isGoogle)),
    next: typeof next === 'string' && next !== '' ? next : null,
  };
}

function parsePage(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function readModel(entry: Json, isGoogle: boolean): ProviderModel[] {
  if (!isObject(entry)) return [];
  const given = entry[isGoogle ? 'name' : 'id'];
  const name = entry[isGoogle ? 'displayName' : 'display_name'];
  if (typeof given !== 'string') return [];
  const id = isGoogle && given.startsWith(PREFIX_OF_GOOGLE) ? given.slice(PREFIX_OF_GOOGLE.length) : given;
  if (id === '' || id.length > MAX_ID_LENGTH) return [];
  return [
    {
      id,
      name: typeof name === 'string' && name !== '' && name !== id ? name.slice(0, MAX_ID_LENGTH) : null,
    },
  ];
}
