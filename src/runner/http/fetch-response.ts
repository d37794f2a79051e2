import type { HttpHead, HttpResponse } from '../../contract/node-type.ts';

/** Statuses of a response without a body, for which `Response` accepts none. */
const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** The response of the egress client for a library that uses `fetch`. */
export function createFetchResponse({ status, headers, body }: HttpResponse): Response {
  const head: HttpHead['headers'] = { ...headers };
  // The body is decoded.
  delete head['content-encoding'];
  delete head['content-length'];
  return new Response(EMPTY_STATUSES.has(status) ? null : (body as Uint8Array<ArrayBuffer>), {
    status,
    headers: head,
  });
}
