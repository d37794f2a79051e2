import type { ThreadAddress } from '../../../contract/ai/threads.ts';
import type { Json } from '../../../lib/json/json.ts';
import type { AuditedChange } from '../audit.ts';

/** The workflow of the node, which a thread without a namespace belongs to. */
export type ThreadOwner = { readonly ownerId: string; readonly workflowId: string };

/** A turn of a checkpoint. `messages` is a JSON list of `messageCount` messages. Times in ms. */
export type NewThreadTurn = {
  readonly thread: ThreadAddress;
  readonly workflowId: string;
  readonly path: string;
  readonly messages: string;
  readonly messageCount: number;
  readonly tokens: number;
  readonly at: number;
  /** Null: the thread has no end. */
  readonly expiresAt: number | null;
};

/** `workflowId`: null for a thread of a namespace. */
export type ThreadRow = {
  id: string;
  workflowId: string | null;
  /** Empty when the workflow does not exist, or for a thread of a namespace. */
  workflowName: string;
  namespace: string | null;
  key: string;
  turns: number;
  messages: number;
  tokens: number;
  createdAt: number;
  updatedAt: number;
  expiresAt: number | null;
};

export type StoredTurn = { executionId: string; path: string; at: number; messages: Json[] };

export type ThreadFilter = {
  workflowId?: string;
  namespace?: string;
  /** Part of the key, in lower case. */
  search?: string;
};

export type ThreadStore = {
  /**
   * The messages of the newest turns that have at most `tokens` together, oldest first. A turn is never cut.
   */
  read(owner: ThreadOwner, address: ThreadAddress, tokens: number, now: number): Promise<Json[]>;
  /** Null when there is none. `turns`: the newest ones with at most `maxBytes` of JSON, oldest first. */
  get(
    ownerId: string,
    id: string,
    maxBytes: number,
    now: number,
  ): Promise<{ thread: ThreadRow; turns: StoredTurn[] } | null>;
  /** The same by address. */
  find(
    owner: ThreadOwner,
    address: ThreadAddress,
    maxBytes: number,
    now: number,
  ): Promise<{ thread: ThreadRow; turns: StoredTurn[] } | null>;
  /** Last changed first. */
  list(
    ownerId: string,
    filter: ThreadFilter,
    offset: number,
    limit: number,
    now: number,
  ): Promise<{ items: ThreadRow[]; total: number }>;
  /** False when there is none. */
  remove(ownerId: string, id: string, event?: AuditedChange): Promise<boolean>;
};
