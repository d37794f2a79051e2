import type { ProcedureName } from '../../transactions/registry.ts';
import type { EncodedBatch } from './batch-codec.ts';
import type { Failure } from '../failure.ts';

/** What a thread is started with. The writer first brings the schema to this version, noting `now`. */
export type ServingSetup = { role: 'writer' | 'reader'; file: string; now: number };
export type ThreadSetup =
  | ServingSetup
  | { role: 'copier'; file: string; target: string }
  | { role: 'log-carrier'; file: string };

/**
 * `shrink` is not a procedure, since SQLite does not do it in a transaction. `tend` tells the writer of transactions that were
 * written directly, so that it looks after the write-ahead log.
 */
export type Job =
  | { id: number; kind: 'procedure'; name: ProcedureName; args: readonly unknown[] }
  | { id: number; kind: 'commit'; batch: EncodedBatch }
  | { id: number; kind: 'shrink' }
  | { id: number; kind: 'tend'; groups: number };

export type Outcome = { id: number; value: unknown } | { id: number; failure: Failure };

/**
 * What a thread says: first `ready` or `failed`, then the outcomes of jobs; `fatal` once, unasked. A copier says only
 * `ready`, when the copy is made, or `failed`.
 */
export type Report =
  | { kind: 'ready' }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'outcomes'; outcomes: Outcome[] }
  | { kind: 'fatal'; failure: Failure };
