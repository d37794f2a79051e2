import { setTimeout as sleep } from 'node:timers/promises';
import { HttpFailure, type HttpResponse } from '../../contract/node-type.ts';
import { formatBucketFolder, type BucketFolder } from '../../lib/network/bucket-url.ts';
import {
  readError,
  send,
  type AccessKeys,
  type Call,
  type S3Context,
} from '../../nodes/connectors/servers/s3-request.ts';
import type { Clock } from '../../ports/clock.ts';
import { BucketError } from '../../ports/files.ts';
import type { EgressClient } from '../http/egress-client.ts';

/** Time of one request, and time without any data, ms. */
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 10_000;
/** Time of a request that is not repeated, ms. */
const SINGLE_TIMEOUT_MS = 10_000;
/** No further attempt starts after this time, ms. */
const RETRY_TIMEOUT_MS = 20_000;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 4_000;
const MAX_RESPONSE_BYTES = 8 * 1024 ** 2;
/** At most one failure in this time is logged, ms. */
const WARNING_INTERVAL_MS = 10_000;
/** Statuses of a service that is busy or fails. */
const TEMPORARY = new Set([429, 500, 502, 503, 504]);

export type BucketSettings = { readonly folder: BucketFolder; readonly keys: AccessKeys };

/** `accepted`: statuses that are returned, in addition to the successful ones. */
export type RequestOptions = { readonly isTriedOnce?: boolean; readonly accepted?: readonly number[] };

export type BucketClient = {
  /** For the readers of responses. */
  readonly ctx: S3Context;
  readonly folder: BucketFolder;
  /** Sends a request, again if the service is busy. @throws {BucketError} */
  request(call: Call, options?: RequestOptions): Promise<HttpResponse>;
  /** Ends all requests. */
  close(): Promise<void>;
};

/**
 * The requests to the bucket of Weft's own files: each is bounded in time, and repeated when that may help.
 */
export function createBucketClient(deps: {
  settings: BucketSettings;
  egress: EgressClient;
  clock: Clock;
  warn: (message: string) => void;
}): BucketClient {
  const { settings, egress, clock } = deps;
  const { folder, keys } = settings;
  const closing = new AbortController();
  const ctx: S3Context = {
    now: () => clock.now(),
    signal: closing.signal,
    http: { send: (request) => egress.send(request, closing.signal) },
  };
  let warnedAt = -Infinity;

  async function attempt(call: Call, timeout: number, accepted: readonly number[]): Promise<HttpResponse> {
    let response: HttpResponse;
    try {
      response = await send(
        ctx,
        { ...folder, credentials: keys },
        {
          timeout,
          idleTimeout: IDLE_TIMEOUT_MS,
          maxBytes: MAX_RESPONSE_BYTES,
          ...call,
          // Otherwise a stored Content-Encoding would be decoded.
          headers: { 'accept-encoding': 'identity', ...call.headers },
        },
      );
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      const { type, message } = error.failure;
      const isTemporary = type === 'network' || type === 'timeout';
      throw new BucketError(describe(type), isTemporary, new Error(message));
    }
    const { status } = response;
    if (accepted.includes(status)) return response;
    // A request that joins parts may fail with status 200.
    const error = status >= 300 || call.method === 'POST' ? await readError(ctx, response) : null;
    if (status < 300 && error === null) return response;
    const code = error === null ? '' : ` (${error.code})`;
    const region = response.headers['x-amz-bucket-region'];
    const hint = status < 400 && region !== undefined ? `; the bucket is in the region ${region}` : '';
    const detail = error === null ? '' : `: ${error.code}: ${error.message}`;
    throw new BucketError(
      `it returned ${status}${code}${hint}`,
      TEMPORARY.has(status) || status < 300,
      new Error(`${new URL(response.url).host} returned ${status}${detail}`),
    );
  }

  async function request(
    call: Call,
    { isTriedOnce = false, accepted = [] }: RequestOptions = {},
  ): Promise<HttpResponse> {
    const began = clock.now();
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(MAX_DELAY_MS, delay * 2)) {
      try {
        return await attempt(call, isTriedOnce ? SINGLE_TIMEOUT_MS : REQUEST_TIMEOUT_MS, accepted);
      } catch (error) {
        if (!(error instanceof BucketError)) throw error;
        const isOver = isTriedOnce || clock.now() - began + delay > RETRY_TIMEOUT_MS;
        if (closing.signal.aborted || !error.isTemporary || isOver) {
          warn(call, error);
          throw error;
        }
      }
      // At a random time, so that several processes do not repeat their requests together.
      // Not with the clock, whose timers do not keep a starting process alive.
      await sleep(delay / 2 + Math.random() * (delay / 2), undefined, closing).catch(() => undefined);
    }
  }

  function warn({ method, key = '' }: Call, error: BucketError): void {
    if (closing.signal.aborted || clock.now() - warnedAt < WARNING_INTERVAL_MS) return;
    warnedAt = clock.now();
    const cause = error.cause instanceof Error ? error.cause.message : error.reason;
    deps.warn(`file storage ${formatBucketFolder(folder)}: ${method} ${key} failed: ${cause}`);
  }

  return {
    ctx,
    folder,
    request,
    async close() {
      closing.abort(new Error('The service stops'));
      await egress.close();
    },
  };
}

/** Without the name of the host, which users need not know. */
function describe(type: string): string {
  return type === 'timeout' ? 'it did not respond in time' : 'the connection to it failed';
}
