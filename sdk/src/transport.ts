import { linkSignal, pause, getAbortReason } from './abort.ts';
import { readResponse } from './response.ts';
import { computeBackoff } from './backoff.ts';
import { csrfHeader } from './cookie-credentials.ts';
import type { Credential, Credentials } from './credentials.ts';
import { ConnectionError, TimeoutError, WeftError, isTemporary } from './errors.ts';
import type { Call, ExecuteOptions, OperationRequest } from './request.ts';

export type TransportOptions = {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** Timeout of one attempt in ms. */
  readonly timeout: number;
  /** The number of retries after the first attempt. */
  readonly retries: number;
  /** ms; if the service asks for a longer wait, the error is thrown to the caller. */
  readonly maxRetryDelay: number;
  readonly maxResponseBytes: number;
  readonly headers: Readonly<Record<string, string>>;
};

/** ms before the first retry. */
const FIRST_DELAY_MS = 200;

export type Transport = {
  readonly call: Call;
  /** One attempt with the client's credential and headers, without retry or reading the body. For streams. */
  open(request: OperationRequest, options: ExecuteOptions): Promise<Response>;
};

export function createTransport(
  options: TransportOptions,
  credentials: Pick<Credentials, 'current' | 'replaced'>,
): Transport {
  async function send(
    request: OperationRequest,
    chosen: ExecuteOptions,
    key: string | null,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = `${options.baseUrl}${request.path}${encodeQuery(request.query)}`;
    const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
    for (let first = true; ; first = false) {
      const credential = request.isPublic === true ? null : await credentials.current();
      if (signal.aborted) throw getAbortReason(signal);
      const response = await options.fetch(url, {
        method: request.method,
        headers: {
          accept: 'application/json',
          ...('body' in body ? { 'content-type': 'application/json' } : {}),
          ...createCredentialHeader(credential),
          ...(key === null ? {} : { 'idempotency-key': key }),
          ...options.headers,
          ...chosen.headers,
        },
        ...body,
        signal,
        redirect: 'error',
      });
      // A 401 means that nothing was executed: any request may be sent again with another token.
      if (response.status !== 401 || credential === null || !first) return response;
      if (!(await credentials.replaced(credential))) return response;
      await response.body?.cancel();
    }
  }

  /** Makes one attempt. @throws the error that the caller gets if this is the last one. */
  async function runAttempt<T>(
    request: OperationRequest,
    chosen: ExecuteOptions,
    key: string | null,
  ): Promise<T> {
    const ms = chosen.timeout ?? request.timeout ?? options.timeout;
    const link = linkSignal(chosen.signal);
    const late = new TimeoutError({
      message: `${request.method} ${request.path} took longer than ${ms} ms.`,
    });
    const timer = setTimeout(() => link.abort(late), Math.min(ms, 2 ** 31 - 1));
    let isHandedOut = false;
    try {
      const response = await send(request, chosen, key, link.signal);
      if (request.responseType !== 'response')
        return await readResponse<T>(response, options.maxResponseBytes);
      if (!response.ok) await readResponse(response, options.maxResponseBytes);
      isHandedOut = true;
      return response as T;
    } catch (error) {
      if (link.signal.aborted) throw getAbortReason(link.signal);
      if (error instanceof WeftError) throw error;
      throw createUnreachableError(options.baseUrl, error);
    } finally {
      clearTimeout(timer);
      // The body of a returned response outlives this call, and follows the caller's signal.
      if (!isHandedOut) link.free();
    }
  }

  return {
    async call<T>(request: OperationRequest, chosen: ExecuteOptions = {}): Promise<T> {
      const key = request.isKeyed === true ? (chosen.idempotencyKey ?? newKey()) : null;
      const isSafe = request.method === 'GET' || key !== null || request.isSafe === true;
      const retries = chosen.retries ?? options.retries;
      for (let tried = 0; ; tried++) {
        try {
          return await runAttempt<T>(request, chosen, key);
        } catch (error) {
          if (tried >= retries || !mayRetry(error, isSafe)) throw error;
          const asked = readRetryAfter(error);
          if (asked !== null && asked > options.maxRetryDelay) throw error;
          const ms = computeBackoff(tried, FIRST_DELAY_MS, options.maxRetryDelay);
          await pause(asked === null ? ms : Math.max(asked, ms), chosen.signal);
        }
      }
    },
    async open(request, chosen) {
      const signal = chosen.signal ?? new AbortController().signal;
      let response: Response;
      try {
        response = await send(request, chosen, null, signal);
      } catch (error) {
        if (signal.aborted) throw getAbortReason(signal);
        throw error instanceof WeftError ? error : createUnreachableError(options.baseUrl, error);
      }
      if (!response.ok) await readResponse(response, options.maxResponseBytes);
      return response;
    },
  };
}

/**
 * Whether a retry can succeed and is safe. A 429 was rejected before anything was executed, so any request
 * may be repeated; after other errors only idempotent requests are.
 */
function mayRetry(error: unknown, isSafe: boolean): boolean {
  return isTemporary(error) && (isSafe || (error as WeftError).status === 429);
}

/** The delay in ms that the service asked for. */
function readRetryAfter(error: unknown): number | null {
  const seconds = error instanceof WeftError ? error.details['retry_after'] : undefined;
  return typeof seconds === 'number' ? seconds * 1_000 : null;
}

function createUnreachableError(baseUrl: string, cause: unknown): ConnectionError {
  const inner = (cause as { cause?: { code?: string; message?: string } } | null)?.cause;
  const why = inner?.code ?? inner?.message ?? (cause instanceof Error ? cause.message : String(cause));
  return new ConnectionError({ message: `${baseUrl} could not be reached (${why}).`, cause });
}

export function createCredentialHeader(credential: Credential | null): Readonly<Record<string, string>> {
  if (credential === null) return {};
  if (credential.kind === 'cookie') return csrfHeader;
  return credential.kind === 'key'
    ? { 'x-api-key': credential.key }
    : { authorization: `Bearer ${credential.token}` };
}

/** `?a=1&b=2`; undefined fields are omitted. */
function encodeQuery(query: Readonly<Record<string, unknown>> | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`;
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
