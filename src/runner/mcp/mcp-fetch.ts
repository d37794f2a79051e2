import type { HttpRequest } from '../../contract/node-type.ts';
import type { McpProof, McpServer } from '../../contract/ai/mcp.ts';
import { authenticateUrl } from '../../nodes/http/authentication.ts';
import { limits } from '../../ports/limits.ts';
import { sendForEvents } from '../http/fetch-response.ts';
import type { McpChannel } from './mcp-channel.ts';
import type { ListeningLimit } from './listening-limit.ts';
import { createStatusFailure } from './mcp-failure.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The end of a stream of events that responds to a POST. `body` is the message of the POST. `error` null: the
 * server ended it. `isResumable`: it has an id from which it can be resumed.
 */
export type StreamEnd = { body: string; error: unknown; isResumable: boolean };

/**
 * The `fetch` of the protocol library: sends its requests through the channel, with the credentials of the
 * server. A 401 is tried once more with renewed credentials.
 */
export function createMcpFetch(
  channel: McpChannel,
  server: McpServer,
  streamEnded: (end: StreamEnd) => void,
  listening: ListeningLimit,
): Fetch {
  const { origin } = new URL(server.url);
  const exchange = (url: string, init: RequestInit, proof: McpProof): Promise<Response> => {
    const body = typeof init.body === 'string' ? init.body : null;
    const method = init.method ?? 'GET';
    const request: HttpRequest = {
      method,
      url: authenticateUrl(url, proof.query),
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...proof.headers },
      ...(body === null ? {} : { body }),
      redirect: 'return',
      timeout: server.timeout,
      maxBytes: limits.mcpResponseBytes,
      ...(server.proxy === undefined ? {} : { proxy: server.proxy }),
    };
    return sendForEvents(
      (receive) => channel.send(request, init.signal ?? channel.signal, receive),
      limits.mcpResponseBytes,
      async (stream, writer) => {
        const end = await pump(stream, writer);
        if (body !== null) streamEnded({ body, ...end });
      },
    );
  };
  /** The stream of messages that belong to no request; the library opens it when the session begins. */
  const listen = async (url: string, init: RequestInit): Promise<Response> => {
    const leave = listening.acquire(origin);
    // As a server that has no such stream.
    if (leave === null) return new Response(null, { status: 405 });
    init.signal?.addEventListener('abort', leave, { once: true });
    return exchange(url, init, await server.credentials.proof());
  };
  return async (url, init = {}) => {
    const { credentials } = server;
    if (init.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
      return listen(String(url), init);
    let response = await exchange(String(url), init, await credentials.proof());
    if (response.status === 401 && (await credentials.renew()))
      response = await exchange(String(url), init, await credentials.proof());
    // The library would wait for the rest of a stream that the server cannot resume.
    if (response.status === 405 && init.method === 'GET') return new Response(null, { status: 404 });
    // The library handles the statuses of other requests itself.
    if (response.status >= 400 && init.method === 'POST')
      throw await createStatusFailure(channel, server, response);
    return response;
  };
}

/** Passes a stream of events on as it is read, and looks for an id in it. */
async function pump(
  body: AsyncIterable<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<Omit<StreamEnd, 'body'>> {
  const ids = new EventIdFinder();
  try {
    for await (const chunk of body) {
      ids.read(chunk);
      await writer.ready;
      await writer.write(chunk);
    }
    await writer.close();
    return { error: null, isResumable: ids.isFound };
  } catch (error) {
    // Either the reader no longer needs the rest, or the connection failed.
    await writer.abort(error).catch(() => {});
    return { error, isResumable: ids.isFound };
  }
}

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];
const ID_FIELD = Buffer.from('id:');

/** Finds a line of a stream of events that starts with `id:`. */
class EventIdFinder {
  isFound = false;
  /** How many bytes of the field the current line matches; null: it is another line. */
  #matched: number | null = 0;

  read(chunk: Uint8Array): void {
    if (this.isFound) return;
    for (const byte of chunk) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.#matched = 0;
      else if (this.#matched !== null) {
        this.#matched = byte === ID_FIELD[this.#matched] ? this.#matched + 1 : null;
        if (this.#matched !== ID_FIELD.length) continue;
        this.isFound = true;
        return;
      }
    }
  }
}
