import type { HttpRequest } from '../../contract/node-type.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { ModelProvider, ModelServer } from '../../contract/ai/models.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { authenticateUrl } from '../../nodes/http/authentication.ts';
import { limits } from '../../ports/limits.ts';
import { sendForEvents } from '../http/fetch-response.ts';
import type { ModelChannel } from './model-channel.ts';

/** `fetch` as the providers' libraries call it. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const MAX_MESSAGE_LENGTH = 2_000;

/** Headers in which the libraries send the API key that they require. The credentials replace them. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const;

/** The addresses are stated here, because the libraries would also take them from environment variables. */
const BASE_URLS: Readonly<Record<ModelProvider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  openai_compatible: '',
};

/** The URL to which the paths of a provider are added. */
export function findBaseUrl({ provider, baseUrl }: Pick<ModelServer, 'provider' | 'baseUrl'>): string {
  return baseUrl ?? BASE_URLS[provider];
}

/**
 * The `fetch` of the providers' libraries: sends their requests through the channel, with the credentials of
 * the server. A 401 is tried once more with renewed credentials. Throws HttpFailure for a status of 400 or
 * more.
 */
export function createModelFetch(channel: ModelChannel, server: Omit<ModelServer, 'model'>): Fetch {
  const { credentials, timeout, proxy } = server;
  const exchange = async (url: string, init: RequestInit): Promise<Response> => {
    const { headers, query } = await credentials.proof();
    const own = new Headers(init.headers);
    for (const name of KEY_HEADERS) own.delete(name);
    const request: HttpRequest = {
      method: init.method ?? 'GET',
      url: authenticateUrl(url, query),
      headers: { ...Object.fromEntries(own), ...headers },
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      redirect: 'return',
      timeout,
      maxBytes: limits.modelResponseBytes,
      ...(proxy === undefined ? {} : { proxy }),
    };
    return sendForEvents((receive) => channel.send(request, receive), limits.modelResponseBytes, copyStream);
  };
  return async (given, init = {}) => {
    const url = given instanceof Request ? given.url : String(given);
    let response = await exchange(url, init);
    if (response.status === 401 && (await credentials.renew())) response = await exchange(url, init);
    if (!response.ok) throw await createStatusFailure(url, response);
    return response;
  };
}

async function copyStream(
  body: AsyncIterable<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  try {
    for await (const chunk of body) {
      await writer.ready;
      await writer.write(chunk);
    }
    await writer.close();
  } catch (error) {
    // The reader gets the error. Or it needs no more, and ended the stream.
    await writer.abort(error).catch(() => {});
  }
}

async function createStatusFailure(url: string, response: Response): Promise<HttpFailure> {
  const { status, headers } = response;
  const host = URL.parse(url)?.host ?? 'The provider';
  const words = readErrorMessage(await response.text());
  const seconds = headers.get('retry-after') ?? '';
  return new HttpFailure({
    type: status === 429 ? 'rate_limited' : status >= 500 ? 'server_error' : 'client_error',
    message: `${host} responded with ${status}${words === '' ? '' : `: ${words}`}`,
    status,
    ...(/^\d{1,9}$/.test(seconds) ? { retryAfter: Number(seconds) * 1_000 } : {}),
  });
}

/** The message of `{error: {message}}`, `{error}` or `{message}`, in an object or in a list with one. */
function readErrorMessage(text: string): string {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return /^[^<]{1,500}$/.test(text.trim()) ? text.trim() : '';
  }
  const [first] = Array.isArray(value) ? value : [value];
  const error = isObject(first) ? (first['error'] ?? first) : null;
  const message = isObject(error) ? error['message'] : error;
  return typeof message === 'string' ? truncateText(message, MAX_MESSAGE_LENGTH) : '';
}
