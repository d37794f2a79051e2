import type { PackListener } from '../../contract/packs/pack-call.ts';
import type { ScheduleRow } from './active-triggers.ts';

/**
 * The right to one poll of a polling trigger. It ends when another process takes it, or when the workflow
 * changes.
 */
export type PollClaim = { workflowId: string; nodeId: string; fence: number };

/**
 * The polled item that starts an execution. It counts as seen in the same transaction, as of poll `number`.
 */
export type PolledItem = PollClaim & { key: string; number: number };

/** The state that a poll starts from. `number` counts the successful polls before it. */
export type ClaimedPoll = PollClaim & {
  /** When the poll was due, regardless of earlier claims. */
  dueAt: number;
  number: number;
  failures: number;
  etag: string | null;
  lastModified: string | null;
  /** The position up to which the source was processed; null for a source without positions. */
  cursor: string | null;
};

/** The result of a poll. `failures`: consecutive failures; `number`: the number of the next poll. */
export type PollOutcome = Omit<ClaimedPoll, keyof PollClaim | 'dueAt'> & {
  next: number | null;
  lastError: string | null;
  /** Keys of items that start no execution. */
  remember: readonly string[];
  /** All keys of the response: they are kept when the oldest are removed. Null: there was no response. */
  listed: readonly string[] | null;
  /**
   * Of a trigger of a pack that receives requests: the request that was processed. The next poll is due at
   * `now` if others wait.
   */
  received?: { processed: { id: string; receivedAt: number } | null; now: number };
  /** Of a trigger of a pack that was enabled at `address`: the events of accounts that it wants. */
  listens?: { pack: string; address: string; listeners: readonly PackListener[] };
};

/** Polling triggers: claims of polls, and items that were seen. Items are identified by digests. */
export type PollStore = {
  due(now: number, limit: number): Promise<ScheduleRow[]>;
  next(): Promise<number | null>;
  /**
   * Claims a poll that is due at `due`. It is due again at `until` unless the claim is renewed or settled.
   * Null: taken.
   */
  claim(workflowId: string, nodeId: string, due: number, until: number): Promise<ClaimedPoll | null>;
  /** False: the claim is lost. */
  renew(claim: PollClaim, until: number): Promise<boolean>;
  /** Makes the poll due again, as before the claim. False: the claim was lost. */
  release(claim: PollClaim): Promise<boolean>;
  /** Filters the keys that were seen. */
  filterSeen(workflowId: string, nodeId: string, keys: readonly string[]): Promise<string[]>;
  /** Ends the claim. False: it was lost, and nothing is written. */
  settle(claim: PollClaim, end: PollOutcome): Promise<boolean>;
};
