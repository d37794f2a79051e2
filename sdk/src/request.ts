/** What may be said with every call. */
export type RequestOptions = {
  /** Ends the call at once, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** ms for one try; the client's, unless given. */
  readonly timeout?: number | undefined;
  /** Tries after the first one; the client's, unless given. 0: none. */
  readonly retries?: number | undefined;
  /** Sent along. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type ExecuteOptions = RequestOptions & {
  /** The same key and body get the same execution for 24 h. One is made up unless given, so that a retry starts nothing twice. */
  readonly idempotencyKey?: string | undefined;
};

/** One operation, ready to be sent. */
export type OperationRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Below the base address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** `response`: the answer as fetch gives it, its body not read. */
  readonly answer?: 'json' | 'response';
  /** It takes an `Idempotency-Key`. */
  readonly keyed?: boolean;
  /** ms that one try of this operation may take when nobody says otherwise. */
  readonly timeout?: number;
  /** No credential is sent. */
  readonly isPublic?: boolean;
  /** It changes nothing, although it is no GET. */
  readonly isSafe?: boolean;
};

/**
 * Sends an operation. @throws {WeftError} of the class that fits its code, a ConnectionError or TimeoutError when there was no
 * answer, and the signal's own reason when it was aborted.
 */
export type Call = <T>(request: OperationRequest, options?: ExecuteOptions) => Promise<T>;
