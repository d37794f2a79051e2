import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpServer } from '../../contract/ai/mcp.ts';
import { onAbort } from '../../lib/async/abort.ts';
import type { Clock } from '../../ports/clock.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { httpFailure } from '../http/http-failure.ts';
import type { ListeningLimit } from './listening-limit.ts';
import type { McpChannel } from './mcp-channel.ts';
import { readHost, toFailure } from './mcp-failure.ts';
import { createMcpFetch, type StreamEnd } from './mcp-fetch.ts';

/** Time for telling the server that a call or the session has ended. */
const CLOSING_MS = 2_000;
/** Time in which the library reads the last events of a stream that has ended. */
const DRAINING_MS = 20;
/** Of a stream of events that the server ended before the response; times in ms. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 3,
};
const CLIENT_VERSION = '1.0.0';
const acceptAll: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
};
/** The message of the library for a stream that it could not resume. */
const NOT_RESUMED = /^Maximum reconnection attempts/;

/** `signal` aborts when the attempt ends, the time is over, or the response was lost. */
export type McpSession = {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The version that was negotiated. */
  readonly protocolVersion: string;
};

/**
 * Runs `work` in a session of its own. When the attempt ends or the time of the server is over, requests that
 * are open are canceled at the server. @throws {HttpFailure}
 */
export async function withMcpSession<T>(
  clock: Clock,
  channel: McpChannel,
  server: McpServer,
  listening: ListeningLimit,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  const host = readHost(server);
  const over = new AbortController();
  let isOpen = true;
  const stop = (reason: Error): void => {
    if (isOpen && !over.signal.aborted) over.abort(reason);
  };
  const lose = (): void => stop(httpFailure('network', `${host} closed the connection before it responded`));
  /** The ids of requests that have a response. */
  const completed = new Set<unknown>();
  /**
   * Whether the library resumes a response's stream, as it does the stream of messages, which may be lost.
   */
  let isResuming = false;
  const endStream = ({ body, error, isResumable }: StreamEnd): void => {
    const failure = error instanceof HttpFailure ? error : null;
    if (failure?.failure.type === 'limit') return stop(failure);
    clock.after(DRAINING_MS, () => {
      if (completed.has(readId(body))) return;
      if (isResumable) isResuming = true;
      else if (failure === null) lose();
      else stop(failure);
    });
  };
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: createMcpFetch(channel, server, endStream, listening),
    reconnectionOptions: RECONNECTION,
  });
  transport.onmessage = (message) => {
    if ('id' in message && !('method' in message)) completed.add(message.id);
  };
  const cancellations = trackCancellations(transport);
  const client = new Client(
    { name: 'weft', version: CLIENT_VERSION },
    // Code made from the schemas of a server would run in this process.
    { jsonSchemaValidator: acceptAll },
  );
  client.onerror = (error) => {
    if (isResuming && NOT_RESUMED.test(error.message)) lose();
  };
  const cancelTimer = clock.after(server.timeout, () =>
    stop(httpFailure('timeout', `${host} did not respond within ${server.timeout} ms`)),
  );
  const ignoreEnd = onAbort(channel.signal, () =>
    stop(httpFailure('timeout', `The call of ${host} was canceled`)),
  );
  const ended = new Promise<never>((_resolve, reject) => {
    onAbort(over.signal, () => reject(over.signal.reason as Error));
  });
  try {
    const run = async (): Promise<T> => {
      await client.connect(transport as Transport, { timeout: server.timeout });
      return await work({
        client,
        signal: over.signal,
        protocolVersion: transport.protocolVersion ?? '',
      });
    };
    return await Promise.race([run(), ended]);
  } catch (error) {
    throw toFailure(server, over.signal.aborted ? over.signal.reason : error);
  } finally {
    isOpen = false;
    cancelTimer();
    ignoreEnd();
    ended.catch(() => {});
    void closeSession(clock, client, transport, cancellations);
  }
}

/** The promises of notifications that cancel a request. */
function trackCancellations(transport: StreamableHTTPClientTransport): Promise<unknown>[] {
  const sent: Promise<unknown>[] = [];
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const sending = send(message, options);
    if (!Array.isArray(message) && 'method' in message && message.method === 'notifications/cancelled')
      sent.push(sending);
    return sending;
  };
  return sent;
}

/** Ends the session at the server, and everything that is still open. Never rejects. */
async function closeSession(
  clock: Clock,
  client: Client,
  transport: StreamableHTTPClientTransport,
  cancellations: readonly Promise<unknown>[],
): Promise<void> {
  const close = (): void => void client.close().catch(() => {});
  const cancelTimer = clock.after(CLOSING_MS, close);
  await Promise.allSettled(cancellations);
  // A server without sessions, or without their end, refuses it.
  await transport.terminateSession().catch(() => {});
  cancelTimer();
  close();
}

function readId(message: string): unknown {
  return (JSON.parse(message) as { id?: unknown }).id;
}
