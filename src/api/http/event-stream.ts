import type { FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { noMetrics, type Metrics } from '../../ports/metrics.ts';
import type { EventSink, EventStream } from '../rest/route.ts';

/** Bytes that may wait for a slow reader before it is cut off. */
const MAX_BUFFERED = 1024 * 1024;
/** ms that a reader may take to empty what waits for it. */
const DRAIN_TIMEOUT = 30_000;
/** ms between comments that keep proxies from closing a quiet stream. */
const HEARTBEAT = 15_000;

/** The streams that are open, so that a drain can end them. */
export type OpenStreams = {
  /** `userId` is null for a stream that anyone may have. @throws {WeftError} RATE_LIMITED when too many are open. */
  serve(stream: EventStream, userId: string | null, request: FastifyRequest, reply: FastifyReply): void;
  closeAll(): void;
};

export function createEventStreams(
  clock: Clock,
  metrics: Pick<Metrics, 'connectionOpened'> = noMetrics,
): OpenStreams {
  const open = new Set<EventSink>();
  const ofUser = new Map<string | null, number>();
  const count = (userId: string | null, change: 1 | -1): void => {
    const now = (ofUser.get(userId) ?? 0) + change;
    if (now === 0) ofUser.delete(userId);
    else ofUser.set(userId, now);
  };
  return {
    closeAll() {
      for (const sink of open) sink.close();
    },
    serve(stream, userId, request, reply) {
      if (open.size >= limits.streams) throw full('Too many streams are open.');
      if ((ofUser.get(userId) ?? 0) >= limits.streamsPerUser) throw full('You have too many streams open.');
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
        count(userId, -1);
        closed();
      });
      open.add(sink);
      count(userId, 1);
      void run(stream, sink, request);
    },
  };
}

function full(message: string): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity', retry_after: 5 });
}

async function run(stream: EventStream, sink: EventSink, request: FastifyRequest): Promise<void> {
  try {
    await stream.run(sink);
  } catch (error) {
    request.log.error({ err: error }, 'event stream failed');
    sink.close();
  }
}

function createSink(reply: FastifyReply, clock: Clock, ended: () => void): EventSink {
  const { raw } = reply;
  const listeners: (() => void)[] = [];
  let waiting: (() => void)[] = [];
  let closed = false;
  let cancelBeat = (): void => {};
  let cancelWait = (): void => {};

  function letGo(): void {
    const list = waiting;
    waiting = [];
    cancelWait();
    for (const resolve of list) resolve();
  }
  function finish(): void {
    if (closed) return;
    closed = true;
    letGo();
    cancelBeat();
    ended();
    for (const listener of listeners) listener();
  }
  function write(text: string): void {
    if (closed) return;
    raw.write(text);
    if (raw.writableLength > MAX_BUFFERED) {
      finish();
      raw.destroy();
    }
  }
  function beat(): void {
    write(': keep-alive\n\n');
    if (!closed) cancelBeat = clock.after(HEARTBEAT, beat);
  }
  cancelBeat = clock.after(HEARTBEAT, beat);
  raw.once('close', finish);
  raw.on('drain', letGo);
  raw.on('error', finish);

  return {
    send(data, event, id) {
      const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
      write(`${head}data: ${JSON.stringify(data)}\n\n`);
    },
    ready() {
      if (closed || !raw.writableNeedDrain) return Promise.resolve();
      if (waiting.length === 0) {
        cancelWait = clock.after(DRAIN_TIMEOUT, () => {
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
