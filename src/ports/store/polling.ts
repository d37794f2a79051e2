import type { ScheduleRow } from './active-triggers.ts';

/** The right to one poll of a polling trigger. It ends when another one takes it, or when the workflow changes. */
export type PollClaim = { workflowId: string; nodeId: string; fence: number };

/** The item of a poll that a new execution is for: it counts as seen in the same transaction, from the poll `number`. */
export type PolledItem = PollClaim & { key: string; number: number };

/** What a poll goes by. `number` counts those that came through before it: 0 is the first one. */
export type Poll = PollClaim & {
  /** When it was due, whoever had it before. */
  dueAt: number;
  number: number;
  failures: number;
  etag: string | null;
  lastModified: string | null;
};

/** What a poll came to. `failures` in a row; `number` from now on. */
export type PollEnd = Omit<Poll, keyof PollClaim | 'dueAt'> & {
  next: number | null;
  lastError: string | null;
  /** Keys of items for which nothing starts. */
  remember: readonly string[];
  /** All keys of the answer: they stay when the oldest are forgotten. Null: there was no answer. */
  listed: readonly string[] | null;
};

/** Polling triggers: who may poll, and which items were seen. Items are told apart by digests. */
export type PollStore = {
  due(now: number, limit: number): Promise<ScheduleRow[]>;
  next(): Promise<number | null>;
  /** Takes a poll that is due at `due`; it is due again at `until`, unless the claim is renewed or settled. Null: it is taken. */
  claim(workflowId: string, nodeId: string, due: number, until: number): Promise<Poll | null>;
  /** False: the claim is lost. */
  renew(claim: PollClaim, until: number): Promise<boolean>;
  /** It is due again, as it was before the claim. False: the claim was lost. */
  giveUp(claim: PollClaim): Promise<boolean>;
  /** Those of these keys that were seen. */
  seen(workflowId: string, nodeId: string, keys: readonly string[]): Promise<string[]>;
  /** Ends the claim. False: it was lost, and nothing is written. */
  settle(claim: PollClaim, end: PollEnd): Promise<boolean>;
};
