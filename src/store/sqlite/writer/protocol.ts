import type { TransactionName } from '../../transactions/registry.ts';
import type { EncodedBatch } from './batch-codec.ts';
import type { Failure } from '../failure.ts';

/** The data with which a thread starts. The writer first migrates the schema, recording `now`. */
export type ServingSetup = { role: 'writer' | 'reader'; file: string; now: number };
export type ThreadSetup =
  | ServingSetup
  | { role: 'copier'; file: string; target: string }
  | { role: 'checkpointer'; file: string };

/**
 * `shrink` is not a transaction, since SQLite cannot do it in one. `report` reports direct writes to the
 * writer, so that it checkpoints the write-ahead log in time.
 */
export type Job =
  | { id: number; kind: 'transaction'; name: TransactionName; args: readonly unknown[] }
  | { id: number; kind: 'commit'; batch: EncodedBatch }
  | { id: number; kind: 'shrink' }
  | { id: number; kind: 'report'; groups: number };

export type Outcome = { id: number; value: unknown } | { id: number; failure: Failure };

/**
 * Messages of a thread: first `ready` or `failed`, then the outcomes of jobs; `fatal` once, unsolicited. A
 * copier sends only `ready` when the copy is complete, or `failed`.
 */
export type Report =
  | { kind: 'ready' }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'outcomes'; outcomes: Outcome[] }
  | { kind: 'fatal'; failure: Failure };
