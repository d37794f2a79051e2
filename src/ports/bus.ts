import type { ExecutionResponse } from '../contract/execution.ts';
import type { NodeError, SettledStatus } from '../contract/execution.ts';
import type { LiveText } from './live-texts.ts';
import type { Json } from '../lib/json/json.ts';

/** A credential that other processes must drop from their caches: exactly one of the ids. */
export type InvalidatedCredential =
  | { readonly userId: string }
  | { readonly sessionId: string }
  | { readonly keyId: string }
  | { readonly clientId: string }
  | { readonly grantId: string }
  | { readonly tokenId: string };

/**
 * Messages between processes that share a store. All are hints: a process that must be sure reads the store.
 * Kinds and fields are a protocol with processes of the former version, so they keep their names.
 */
export type BusMessages = {
  /** `end` null: it is too large to be published and must be read from the store. */
  ended: {
    executionId: string;
    end: { status: SettledStatus; output: Json; error: NodeError | null } | null;
  };
  /** The response of an execution. `answer` null: it must be read from the store. */
  answered: { executionId: string; answer: ExecutionResponse | null };
  /** The execution was stopped: the worker that runs it evicts it. */
  stopped: { executionId: string };
  /** A timer of an execution that is in no process's memory is due at this time (ms since the epoch). */
  timer: { dueAt: number };
  /** A completion trigger must start an execution. */
  follow: Record<string, never>;
  /** The active triggers of a workflow changed. */
  workflow: { workflowId: string };
  forgotten: InvalidatedCredential;
  secrets: { ownerId: string };
  /** A login attempt for this email (a hash of it) from this IP address. */
  login: { email: string; address: string; failed: boolean };
  /** A process follows an execution and needs the texts that its node runs write. */
  texts_wanted: { executionId: string };
  text: { executionId: string } & LiveText;
  /** The workflow reached its `max_concurrency`, or is below it again. */
  workflow_full: { workflowId: string; isFull: boolean };
  /** A process stops: its executions can be claimed, and another leader is needed if it was the leader. */
  left: { process: string };
};
export type BusKind = keyof BusMessages;

export type Bus = {
  /**
   * Publishes to every other process, in order. Never throws and never blocks; undeliverable messages are
   * dropped.
   */
  publish<K extends BusKind>(kind: K, message: BusMessages[K]): void;
  /** An error that `receive` throws is reported and does not affect other subscribers. */
  subscribe<K extends BusKind>(kind: K, receive: (message: BusMessages[K]) => void): void;
  /** Calls `run` when messages may have been lost: cached state of other processes must be read again. */
  onReconnect(run: () => void): void;
  /** Whether messages are currently delivered. */
  isUp(): boolean;
};
