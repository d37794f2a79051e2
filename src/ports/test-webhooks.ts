/** The trigger that a test URL calls. `expiresAt` in ms since the epoch. */
export type TestWebhook = { ownerId: string; workflowId: string; nodeId: string; expiresAt: number };

/** `limit` test URLs are open, in total or for the owner; the first of them expires at `until`. */
export type TooManyTestWebhooks = { limit: number; until: number };

/**
 * Open test URLs of all processes, by hashes of their tokens. Throws WeftError RATE_LIMITED when the backend
 * is unreachable.
 */
export type TestWebhooks = {
  /** Null: the URL is open until it expires. */
  open(
    key: string,
    address: TestWebhook,
    most: { all: number; ofOwner: number },
  ): Promise<TooManyTestWebhooks | null>;
  find(key: string): Promise<TestWebhook | null>;
  /** Closes the URL and returns true for only one caller. */
  take(key: string): Promise<boolean>;
  /** Closes the open URLs of a workflow, or of one of its triggers; returns their number. */
  close(ownerId: string, workflowId: string, nodeId: string | null): Promise<number>;
  /** Reopens a URL that was just taken, regardless of limits. */
  putBack(key: string, address: TestWebhook): Promise<void>;
};
