import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { noMetrics, type Metrics } from '../../ports/metrics.ts';
import type { EventSink, EventStream } from '../rest/route.ts';

/** Bytes buffered for a slow client before it is disconnected. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** How long a client may take to read its buffered events. */
const DRAIN_TIMEOUT_MS = 30_000;
/** Interval of the comments that keep proxies from closing an idle stream. */
const HEARTBEAT_INTERVAL_MS = 15_000;

/** The open event streams, which a drain closes. */
export type OpenStreams = {
  /**
   * `userId` is null for a public stream. @throws {WeftError} RATE_LIMITED when too many streams are open.
   */
  /** The error with which `serve` would refuse a stream now; null: it would not. */
  findRefusal(userId: string | null): WeftError | null;
  serve(stream: EventStream, userId: string | null, request: FastifyRequest, reply: FastifyReply): void;
  closeAll(): void;
};

export function createEventStreams(
  clock: Clock,
  metrics: Pick<Metrics, 'connectionOpened'> = noMetrics,
): OpenStreams {
  const open = new Map<EventSink, EventStream>();
  const countsByUser = new Map<string | null, number>();
  const changeCount = (userId: string | null, change: 1 | -1): void => {
    const now = (countsByUser.get(userId) ?? 0) + change;
    if (now === 0) countsByUser.delete(userId);
    else countsByUser.set(userId, now);
  };
  function findRefusal(userId: string | null): WeftError | null {
    if (open.size >= limits.streams)
      return createLimitError('Too many event streams are open on this server.');
    return (countsByUser.get(userId) ?? 0) >= limits.streamsPerUser
      ? createLimitError('You have too many open event streams.')
      : null;
  }
  return {
    closeAll() {
      for (const [sink, stream] of open) {
        stream.beforeDrain(sink);
        sink.close();
      }
    },
    findRefusal,
    serve(stream, userId, request, reply) {
      const refusal = findRefusal(userId);
      if (refusal !== null) throw refusal;
      reply.hijack();
      const headers = reply.getHeaders() as Record<string, string | string[]>;
      reply.raw.writeHead(200, {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      if (request.method === 'HEAD') {
        reply.raw.end();
        return;
      }
      reply.raw.flushHeaders();
      const closed = metrics.connectionOpened('event_stream');
      const sink = createSink(reply, clock, () => {
        open.delete(sink);
        changeCount(userId, -1);
        closed();
      });
      open.set(sink, stream);
      changeCount(userId, 1);
      void runStream(stream, sink, request);
    },
  };
}

function createLimitError(message: string): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity', retry_after: 5 });
}

async function runStream(stream: EventStream, sink: EventSink, request: FastifyRequest): Promise<void> {
  try {
    await stream.run(sink);
  } catch (error) {
    request.log.error({ err: error }, 'event stream failed');
    sink.close();
  }
}

/** A server-sent event. */
export function formatEvent(data: Json, event?: string, id?: string): string {
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

function createSink(reply: FastifyReply, clock: Clock, onEnd: () => void): EventSink {
  const { raw } = reply;
  const listeners: (() => void)[] = [];
  let waiting: (() => void)[] = [];
  let closed = false;
  let cancelHeartbeat = (): void => {};
  let cancelWait = (): void => {};

  function resolveWaiting(): void {
    const list = waiting;
    waiting = [];
    cancelWait();
    for (const resolve of list) resolve();
  }
  function finish(): void {
    if (closed) return;
    closed = true;
    resolveWaiting();
    cancelHeartbeat();
    onEnd();
    for (const listener of listeners) listener();
  }
  function write(text: string): void {
    if (closed) return;
    raw.write(text);
    if (raw.writableLength > MAX_BUFFERED_BYTES) {
      finish();
      raw.destroy();
    }
  }
  function sendHeartbeat(): void {
    write(': keep-alive\n\n');
    if (!closed) cancelHeartbeat = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat);
  }
  cancelHeartbeat = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat);
  // Also called for a client that disconnected before the stream was served.
  finished(raw, finish);
  raw.on('drain', resolveWaiting);
  raw.on('error', finish);

  return {
    send: (data, event, id) => write(formatEvent(data, event, id)),
    sendFormatted: write,
    sendLine: (data) => write(`data: ${data}\n\n`),
    ready() {
      if (closed || !raw.writableNeedDrain) return Promise.resolve();
      if (waiting.length === 0) {
        cancelWait = clock.after(DRAIN_TIMEOUT_MS, () => {
          finish();
          raw.destroy();
        });
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    close() {
      if (closed) return;
      finish();
      raw.end();
    },
    get closed() {
      return closed;
    },
    onClose(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
  };
}
