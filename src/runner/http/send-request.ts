import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import type { ByteSource } from '../../contract/byte-source.ts';
import type { Reservation } from '../../lib/limits/memory-budget.ts';
import { BodyStream } from './body-stream.ts';
import { createConnectionFailure, httpFailure } from './http-failure.ts';
import type { Cancellation } from './cancellation.ts';
import type { Progress } from './http-failure.ts';

/**
 * One raw request and response, without redirects or decoding. `stream`: the body as a stream, instead of
 * `body`.
 */
export type RawResponse = {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  stream: BodyStream | null;
};

export type RawRequest = {
  origin: string;
  path: string;
  host: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: string | Uint8Array | ByteSource | null;
  maxBytes: number;
  giving: Cancellation;
  /** Updated during the request. */
  progress: Progress;
  /** The memory reserved for a large response. */
  place: Reservation;
  /** Called whenever data is sent or received. */
  moved?: () => void;
  /**
   * Called with the response head. Returns the maximum number of bytes to stream, or null to buffer the body.
   */
  streams?: (status: number, headers: Record<string, string>) => number | null;
};

const NO_BODY = Buffer.alloc(0);
/** A buffered response of this size or larger waits for memory. */
export const LARGE_RESPONSE_BYTES = 1024 * 1024;

/**
 * Sends a request and buffers the response up to `maxBytes`, or resolves at the head if it is streamed.
 * Canceling ends the request and closes its socket. Rejects, and streams end, with an HttpFailure or the
 * cancellation reason.
 */
export function sendRequest(agent: Agent, request: RawRequest): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const collector = new Collector(request, resolve, reject);
    if (request.giving.isOver) {
      collector.abort();
      return;
    }
    const { body } = request;
    const isSource = body !== null && typeof body === 'object' && 'read' in body;
    try {
      agent.dispatch(
        {
          origin: request.origin,
          path: request.path,
          method: request.method,
          headers: isSource ? { ...request.headers, 'content-length': String(body.size) } : request.headers,
          body: isSource ? (body.size === 0 ? NO_BODY : iterate(body, request.moved)) : body,
        },
        collector,
      );
    } catch (error) {
      collector.onResponseError(null, error);
    }
  });
}

/** Converts the source to a stream, the type that the pool accepts. */
function iterate(source: ByteSource, moved: (() => void) | undefined): Readable {
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of source.read()) {
      moved?.();
      yield piece;
    }
  }
  return pieces() as unknown as Readable;
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #request: RawRequest;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #length = 0;
  #maxBytes: number;
  #stream: BodyStream | null = null;
  #hasAsked = false;

  constructor(
    request: RawRequest,
    resolve: (response: RawResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#maxBytes = request.maxBytes;
    request.giving.listen(() => this.abort());
  }

  abort(): void {
    this.#fail(this.#request.giving.reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#request.progress.at = 'response';
    this.#request.moved?.();
    if (this.#isSettled) controller.abort(new Error('The request was canceled'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational 1xx responses precede the response.
    if (status < 200 || this.#isSettled) return;
    const { progress, streams, moved } = this.#request;
    this.#status = status;
    this.#headers = joinHeaders(headers);
    const length = this.#headers['content-length'];
    progress.at = 'body';
    progress.announced = length === undefined ? null : Number(length);
    moved?.();
    const most = this.#streamed(streams);
    if (most === undefined) return;
    this.#maxBytes = most ?? this.#maxBytes;
    const announced = this.#headers['content-encoding'] === undefined ? (progress.announced ?? 0) : 0;
    const isHead = this.#request.method === 'HEAD';
    if (announced > this.#maxBytes && !isHead) {
      this.#fail(this.#tooLarge());
    } else if (most !== null) {
      this.#stream = new BodyStream({
        pause: () => controller.pause(),
        resume: () => controller.resume(),
        cancel: () => this.#fail(new Error('The rest of the response is not needed')),
      });
      this.#resolve({ status, headers: this.#headers, body: NO_BODY, stream: this.#stream });
    } else if ((progress.announced ?? 0) > LARGE_RESPONSE_BYTES && !isHead) this.#reserveMemory(controller);
  }

  /** Pauses the response until memory is available. Backpressure reaches the sender. */
  #reserveMemory(controller: Dispatcher.DispatchController): void {
    const { place, progress, moved } = this.#request;
    this.#hasAsked = true;
    const bytes = Math.min(progress.announced ?? this.#maxBytes, this.#maxBytes);
    const isGranted = place.ask(bytes, () => {
      progress.at = 'body';
      moved?.();
      // Resume asynchronously: the event that released memory may be the end of another response, and the
      // pool reads one at a time.
      queueMicrotask(() => {
        if (!this.#isSettled) controller.resume();
      });
    });
    if (isGranted) return;
    progress.at = 'memory';
    controller.pause();
  }

  /** Calls `streams`. Undefined if it threw, which ends the request. */
  #streamed(streams: RawRequest['streams']): number | null | undefined {
    try {
      return streams?.(this.#status, this.#headers) ?? null;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#length += chunk.length;
    this.#request.progress.received = this.#length;
    this.#request.moved?.();
    if (this.#length > this.#maxBytes) this.#fail(this.#tooLarge());
    else if (this.#stream !== null) this.#stream.push(chunk);
    else {
      this.#chunks.push(chunk);
      if (this.#length > LARGE_RESPONSE_BYTES && !this.#hasAsked) this.#reserveMemory(controller);
    }
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    this.#settle();
    if (this.#stream !== null) return this.#stream.end(null);
    if (this.#hasAsked) this.#request.place.settle(this.#length);
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 ? (first ?? NO_BODY) : Buffer.concat(this.#chunks, this.#length);
    this.#resolve({ status: this.#status, headers: this.#headers, body, stream: null });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#isSettled) return;
    const { received, announced } = this.#request.progress;
    // A server may close the connection after the last byte. While reading is paused, the pool reports that
    // as an error.
    if ((this.#stream !== null || this.#hasAsked) && received === announced) return this.onResponseEnd();
    this.#settle();
    this.#give(createConnectionFailure(this.#request.host, error, this.#request.progress));
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#give(error);
    this.#controller?.abort(error instanceof Error ? error : new Error('The request was canceled'));
  }

  #give(error: unknown): void {
    if (this.#hasAsked) this.#request.place.leave();
    if (this.#stream === null) this.#reject(error);
    else this.#stream.end(error);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#request.giving.listen(null);
  }

  #tooLarge(): Error {
    return httpFailure(
      'limit',
      `${this.#request.host} responded with more than ${this.#maxBytes} bytes`,
      false,
    );
  }
}

/** Converts header names to lower case and joins repeated headers. */
function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (name === '__proto__' || value === undefined) continue;
    result[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return result;
}
