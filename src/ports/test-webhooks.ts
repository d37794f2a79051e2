/** Where a call to a test address goes. `expiresAt` in ms since the epoch. */
export type TestWebhook = { ownerId: string; workflowId: string; nodeId: string; expiresAt: number };

/** No room: `limit` addresses are open, of all or of the owner, and the first of them closes at `until`. */
export type TooManyTestWebhooks = { limit: number; until: number };

/** The open test addresses of all processes, by hashes of their tokens. Verbs throw WeftError RATE_LIMITED when they cannot be reached. */
export type TestWebhooks = {
  /** Null: it is open until it expires. */
  open(
    key: string,
    address: TestWebhook,
    most: { all: number; ofOwner: number },
  ): Promise<TooManyTestWebhooks | null>;
  find(key: string): Promise<TestWebhook | null>;
  /** Closes it; true for one caller only. */
  take(key: string): Promise<boolean>;
  /** Opens again what was just taken, past every bound. */
  putBack(key: string, address: TestWebhook): Promise<void>;
};
