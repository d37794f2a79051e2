import type { HttpHead, HttpResponse } from '../../contract/node-type.ts';
import { parseMediaType } from '../../lib/network/media-type.ts';
import type { Receive } from './egress-client.ts';

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

/**
 * Sends a request for a library that uses `fetch`. A successful response that is a stream of events is
 * returned with its head, and `pass` writes its body while it arrives; every other response is read into
 * memory.
 */
export function sendForEvents(
  send: (receive: Receive) => Promise<HttpResponse>,
  maxBytes: number,
  pass: (body: AsyncIterable<Uint8Array>, writer: WritableStreamDefaultWriter<Uint8Array>) => Promise<void>,
): Promise<Response> {
  return new Promise<Response>((resolve, reject) => {
    const receive: Receive = ({ status, headers }) => {
      if (parseMediaType(headers['content-type']) !== 'text/event-stream') return null;
      if (status >= 400) return null;
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      resolve(new Response(readable, { status, headers }));
      return {
        maxBytes,
        async take(body) {
          await pass(body, writable.getWriter());
          return null;
        },
      };
    };
    send(receive).then((response) => resolve(createFetchResponse(response)), reject);
  });
}
