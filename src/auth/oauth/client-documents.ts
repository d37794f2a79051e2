import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { HttpFailure, type HttpRequest, type HttpResponse } from '../../contract/node-type.ts';
import { createAddressLimit } from '../../lib/limits/address-limit.ts';
import { getClientNetwork } from '../../lib/network/client-network.ts';
import { parseMediaType } from '../../lib/network/media-type.ts';
import { isDocumentUrl } from './document-url.ts';

/** The size that the draft recommends as the maximum. */
export const MAX_DOCUMENT_BYTES = 5 * 1024;
/** A valid document is cached as its headers state, within these limits. Others are not cached. */
export const DOCUMENT_CACHE_S = { min: 300, max: 86_400 };
const MAX_URL_LENGTH = 1_000;
const FETCH_TIMEOUT_MS = 5_000;
const MINUTE_MS = 60_000;
/** Fetches that requests from one address may cause. */
const FETCHES_PER_MINUTE = 30;
const MAX_CONCURRENT_FETCHES = 20;
const DOCUMENT_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;
/** Headers from which the library reads how long it may cache the document. */
const CACHE_HEADERS = ['cache-control', 'expires'] as const;

export type ClientDocumentsOptions = {
  /** Sends a request through the egress policy. Rejects with HttpFailure. */
  readonly send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;
  readonly now: () => number;
};

/**
 * Fetches the metadata documents of clients whose ID is a URL. Anyone can name such a URL, so the fetches are
 * limited per address and in total. The library validates the documents and caches the valid ones.
 */
export function createClientDocuments({ send, now }: ClientDocumentsOptions) {
  const addresses = createAddressLimit(FETCHES_PER_MINUTE, MINUTE_MS, now);
  const fetchedFor = new WeakSet<KoaContextWithOIDC>();
  let fetches = 0;

  return {
    /**
     * `ctx` undefined: a page of an authorization that has already begun.
     * @throws TemporarilyUnavailable above the limit of the address.
     */
    allowFetch(ctx: KoaContextWithOIDC | undefined, clientId: string): boolean {
      if (!isDocumentUrl(clientId) || clientId.length > MAX_URL_LENGTH) return false;
      if (ctx === undefined) return true;
      // After an error, the library looks up the client again for the same request.
      if (fetchedFor.has(ctx)) return false;
      fetchedFor.add(ctx);
      if (addresses.hit(getClientNetwork(ctx.ip)) !== null)
        throw new errors.TemporarilyUnavailable(
          'too many clients with a metadata document from this address',
        );
      return true;
    },

    /** For the library, which treats a rejection as an unknown client: see `isDocumentUnavailable`. */
    async fetch(url: string | URL | Request): Promise<Response> {
      if (fetches >= MAX_CONCURRENT_FETCHES)
        throw new errors.TemporarilyUnavailable('too many metadata documents are being fetched');
      fetches++;
      try {
        const request: HttpRequest = {
          method: 'GET',
          url: url instanceof Request ? url.url : String(url),
          headers: { accept: 'application/json' },
          redirect: 'return',
          timeout: FETCH_TIMEOUT_MS,
          maxBytes: MAX_DOCUMENT_BYTES,
        };
        // The signal of the library aborts after 2.5 s: too early for the first request over a slow proxy.
        return toDocumentResponse(await send(request, new AbortController().signal));
      } catch (error) {
        throw isTransient(error)
          ? new errors.TemporarilyUnavailable('the metadata document of the client could not be fetched')
          : error;
      } finally {
        fetches--;
      }
    },
  };
}

/** Whether a client is unknown only because its document cannot be fetched now. */
export function isDocumentUnavailable(error: Error): boolean {
  return [error, error.cause].some((one) => one instanceof errors.TemporarilyUnavailable);
}

function toDocumentResponse({ status, headers, body }: HttpResponse): Response {
  if (status === 429 || status >= 500)
    throw new errors.TemporarilyUnavailable(`the host of the metadata document responded with ${status}`);
  // The library rejects it.
  if (status !== 200) return new Response(null, { status });
  if (!DOCUMENT_TYPE.test(parseMediaType(headers['content-type'])))
    throw new Error('The metadata document is not of the type application/json.');
  const cacheHeaders = CACHE_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value]];
  });
  return new Response(body as Uint8Array<ArrayBuffer>, { headers: cacheHeaders });
}

function isTransient(error: unknown): boolean {
  return error instanceof HttpFailure && ['network', 'timeout'].includes(error.failure.type);
}
