/** Options of every call. */
export type RequestOptions = {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt in ms. Default: the client's. */
  readonly timeout?: number | undefined;
  /** Retries after the first attempt. Default: the client's. 0 disables retries. */
  readonly retries?: number | undefined;
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type ExecuteOptions = RequestOptions & {
  /**
   * The same key and body return the same execution for 24 h. Default: a generated key, so that a retry
   * starts nothing twice.
   */
  readonly idempotencyKey?: string | undefined;
};

/** One operation, ready to send. */
export type OperationRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Relative to the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** `response`: the fetch response with its body unread. */
  readonly responseType?: 'json' | 'response';
  /** The operation accepts an `Idempotency-Key`. */
  readonly isKeyed?: boolean;
  /** Default timeout in ms of one attempt of this operation. */
  readonly timeout?: number;
  /** Sent without a credential. */
  readonly isPublic?: boolean;
  /** The operation is read-only although it is not a GET. */
  readonly isSafe?: boolean;
};

/**
 * Sends an operation. @throws {WeftError} of the class for its code, a ConnectionError or TimeoutError when
 * there was no response, and the signal's reason when it was aborted.
 */
export type Call = <T>(request: OperationRequest, options?: ExecuteOptions) => Promise<T>;
