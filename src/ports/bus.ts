import type { HttpAnswer } from '../contract/execution.ts';
import type { NodeError, SettledStatus } from '../contract/execution.ts';
import type { Json } from '../lib/json/json.ts';

/** What may no longer be believed of who is calling: one of the ids. */
export type ForgottenCredential =
  | { readonly userId: string }
  | { readonly sessionId: string }
  | { readonly keyId: string }
  | { readonly clientId: string }
  | { readonly grantId: string }
  | { readonly tokenId: string };

/** What processes on one store tell each other. All of it is a hint: who needs to be sure reads the store. */
export type BusMessages = {
  /** `end` null: it is too large to be sent, and stands in the store. */
  ended: {
    executionId: string;
    end: { status: SettledStatus; output: Json; error: NodeError | null } | null;
  };
  answered: { executionId: string; answer: HttpAnswer | null };
  /** Somebody stopped it: whoever works on it lets go. */
  stopped: { executionId: string };
  /** A timer that nobody holds in memory is due at this time (ms since the epoch). */
  timer: { dueAt: number };
  /** Something follows on the end of an execution. */
  follow: Record<string, never>;
  /** What is live of a workflow changed. */
  workflow: { workflowId: string };
  forgotten: ForgottenCredential;
  secrets: { ownerId: string };
  /** A login for this email (a hash of it) at this address. */
  login: { email: string; address: string; failed: boolean };
  /** As many executions of this workflow are at work as may be; or there is room again. */
  workflow_full: { workflowId: string; isFull: boolean };
  /** A process goes: its executions are free, and what it led needs another. */
  left: { process: string };
};
export type BusKind = keyof BusMessages;

export type Bus = {
  /** To every other process, in order, not to this one. Never throws and never blocks; what cannot be told is dropped. */
  publish<K extends BusKind>(kind: K, message: BusMessages[K]): void;
  /** What `receive` throws is reported, and hinders nobody. */
  subscribe<K extends BusKind>(kind: K, receive: (message: BusMessages[K]) => void): void;
  /** Called when messages may have been lost: what is kept of others' doings is to be read again. */
  onReconnect(run: () => void): void;
  /** Whether messages get through now. */
  isUp(): boolean;
};
