import type { Agent, Dispatcher } from 'undici';
import { httpFailure } from './http-failure.ts';

/** One request and its answer on the wire, nothing followed and nothing decoded. */
export type RawResponse = { status: number; headers: Record<string, string>; body: Buffer };

export type RawRequest = {
  origin: string;
  path: string;
  host: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
  maxBytes: number;
  signal: AbortSignal;
};

const NO_BODY = Buffer.alloc(0);

/**
 * Sends a request over the pool and collects the answer up to `maxBytes`. An abort ends it at once and closes its
 * socket. Rejects with what undici says, or with an HttpFailure for a limit.
 */
export function exchange(agent: Agent, request: RawRequest): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const collector = new Collector(request, resolve, reject);
    if (request.signal.aborted) {
      collector.abort();
      return;
    }
    try {
      agent.dispatch(
        {
          origin: request.origin,
          path: request.path,
          method: request.method,
          headers: request.headers,
          body: request.body,
        },
        collector,
      );
    } catch (error) {
      collector.onResponseError(null, error);
    }
  });
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #request: RawRequest;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onAbort = (): void => this.abort();
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(
    request: RawRequest,
    resolve: (response: RawResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  abort(): void {
    this.#fail(this.#request.signal.reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('The request was given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx come before the answer.
    if (status < 200) return;
    this.#status = status;
    this.#headers = joined(headers);
    const announced = Number(this.#headers['content-length'] ?? 0);
    if (announced > this.#request.maxBytes && this.#request.method !== 'HEAD') this.#fail(this.#tooLarge());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#request.maxBytes) this.#fail(this.#tooLarge());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#settled) return;
    this.#settle();
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 ? (first ?? NO_BODY) : Buffer.concat(this.#chunks, this.#length);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#settled) return;
    this.#settle();
    this.#reject(error);
  }

  #fail(error: unknown): void {
    if (this.#settled) return;
    this.#settle();
    this.#reject(error);
    this.#controller?.abort(error instanceof Error ? error : new Error('The request was given up'));
  }

  #settle(): void {
    this.#settled = true;
    this.#request.signal.removeEventListener('abort', this.#onAbort);
  }

  #tooLarge(): Error {
    return httpFailure(
      'limit',
      `${this.#request.host} answered with more than ${this.#request.maxBytes} bytes`,
      false,
    );
  }
}

/** Lower-case names; several values of one name are joined. */
function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (name === '__proto__' || value === undefined) continue;
    result[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return result;
}
